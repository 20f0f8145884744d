"""Byte patterns by which rows would be recognized in a file."""

import json
import re
import struct
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CLASSES, CodedRows, Ids
from sklazy.tables import Label

_FEWEST_BYTES = 4  # of a text; shorter ones occur anywhere
_FEWEST_NONZERO = 4  # bytes of a number; rounder ones occur anywhere
_FEWEST_LONG = 10_000_000  # of a number that is an id; shorter ones occur anywhere


@dataclass(frozen=True)
class Traces:
    """Values of rows that no other row has, and the bytes to recognize each by.

    Attributes
    ----------
    ids, texts, numbers : list of lists of bytes
        The patterns of each id, label and number, the first as files of models hold
        it; none if it is too short. The person of ids such as 'P7-1' is a text, too.
    n_shared : int
        Cells that other rows have, too.
    """

    ids: list[list[bytes]]
    texts: list[list[bytes]]
    numbers: list[list[bytes]]
    n_shared: int

    @property
    def patterns(self) -> list[bytes]:
        """All patterns."""
        kinds = (self.ids, self.texts, self.numbers)
        return [pattern for kind in kinds for some in kind for pattern in some]

    def drop(self, common: Collection[bytes]) -> "Traces":
        """Leave out patterns that occur without the rows.

        A value that a model has as its own without the rows is left out as a whole: a
        declared label is one, even if no other row has it.
        """
        ids, texts, numbers = (
            [_leave_out(some, common) for some in kind]
            for kind in (self.ids, self.texts, self.numbers)
        )
        return Traces(ids, texts, numbers, self.n_shared)

    def count(self) -> dict[str, int]:
        """Count the values that are searched for, and those that prove nothing."""
        kinds = {"ids": self.ids, "texts": self.texts, "numbers": self.numbers}
        counts = {name: sum(map(bool, kind)) for name, kind in kinds.items()}
        n_all = sum(map(len, kinds.values())) + self.n_shared
        return {**counts, "too_common": n_all - sum(counts.values())}


def _leave_out(some: list[bytes], common: Collection[bytes]) -> list[bytes]:
    is_own = bool(some) and some[0] in common
    return [] if is_own else [pattern for pattern in some if pattern not in common]


NO_TRACES = Traces([], [], [], 0)


def join_traces(every: Sequence[Traces]) -> Traces:
    """The traces of the same rows in several files, each once."""
    ids, texts, numbers = (
        _join_kind(kinds)
        for kinds in zip(*((t.ids, t.texts, t.numbers) for t in every), strict=True)
    )
    return Traces(ids, texts, numbers, max(traces.n_shared for traces in every))


def _join_kind(kinds: Sequence[list[list[bytes]]]) -> list[list[bytes]]:
    some = dict.fromkeys(tuple(value) for kind in kinds for value in kind if value)
    n_without = max(kind.count([]) for kind in kinds)  # they are not told apart
    return [*map(list, some), *([] for _ in range(n_without))]


def find_traces(base: CaseBase, places: NDArray[np.int64]) -> Traces:
    """Find the patterns of rows at some places of a base.

    Examples
    --------
    >>> from sklazy.tables import as_table, as_target
    >>> table = as_table([["Oslo", 0.1], ["Rome", 0.2], ["Rome", 0.25]])
    >>> base = CaseBase(table, as_target(["a", "b", "b"], "nominal"))
    >>> find_traces(base, np.flatnonzero(base.ids == 0)).count()
    {'ids': 0, 'texts': 1, 'numbers': 1, 'too_common': 1}
    """
    rest = np.delete(np.arange(base.n_rows), places)
    gone, left = base.rows.take(places), base.rows.take(rest)
    texts, numbers = _labels(base, gone), _numbers(gone)
    unique_texts = texts - _labels(base, left)
    stems = find_stems(gone.ids, left.ids)
    unique_numbers = numbers - _numbers(left)
    n_unique = len(unique_texts) + len(unique_numbers)
    return Traces(
        _id_patterns(gone.ids),
        [_text_patterns(text) for text in sorted(unique_texts | stems)],
        [_number_patterns(number) for number in sorted(unique_numbers)],
        len(texts) + len(numbers) - n_unique,
    )


def find_stems(gone: Ids, left: Ids) -> set[str]:
    """Find the persons of ids such as 'P7-1' and 'P7-2', who have no other row.

    One row is enough if the person's name has letters and digits, unlike a date or a
    word that all ids begin with.

    Examples
    --------
    >>> left = np.array(["P8-1", "P9-1"], object)
    >>> find_stems(np.array(["P7-1", "P7-2", "P9-2", "2026-11"], object), left)
    {'P7'}
    """
    if gone.dtype != object:
        return set()
    others = set(map(_stem_of, left.tolist()))
    return {
        stem
        for stem, n_rows in Counter(map(_stem_of, gone.tolist())).items()
        if stem
        and stem not in others
        and (n_rows > 1 or re.search(r"\d.*[^\W\d_]|[^\W\d_].*\d", stem))
    }


def _stem_of(name: str) -> str:
    """Give what stands before the number of a row, or nothing."""
    match = re.fullmatch(r"(.+)[-_.:/# ]\d+", name, re.DOTALL)
    return match[1] if match else ""


def _labels(base: CaseBase, rows: CodedRows) -> set[str]:
    """The texts among the labels of rows."""
    texts: set[str] = set()
    for j, vocabulary in base.coder.vocabularies.items():
        codes = rows.classes if j == CLASSES else rows.codes[j]
        texts |= _texts(
            vocabulary.labels[code] for code in np.unique(codes[codes >= 0])
        )
    return texts


def _texts(labels: Iterable[Label]) -> set[str]:
    return {label for label in labels if isinstance(label, str)}


def _numbers(rows: CodedRows) -> set[float]:
    cells = np.concatenate(
        [a.ravel() for a in (rows.numbers, rows.targets, rows.times)]
    )
    return set(cells[~np.isnan(cells)].tolist())


def _id_patterns(ids: Ids) -> list[list[bytes]]:
    """List the patterns of ids: of all texts, and of numbers that are long."""
    if ids.dtype == object:
        return [_text_patterns(text, b"\xff") for text in ids.tolist()]
    long = [number for number in ids.tolist() if abs(number) >= _FEWEST_LONG]
    return [[struct.pack("<q", n), str(n).encode("ascii")] for n in long]


def _text_patterns(text: str, end: bytes = b"") -> list[bytes]:
    """Write a text as files hold it: as an id or in quotes, UTF-8, UTF-16, JSON.

    The first two are there where the text is a part of another one.
    """
    plain = text.encode("utf-8", "surrogatepass")
    if len(plain) < _FEWEST_BYTES:
        return []
    quoted = json.dumps(text).encode("ascii")
    wide = text.encode("utf-16-le", "surrogatepass")
    first = plain + end if end else quoted
    every = [first, quoted, plain + b"\xff", plain, wide, quoted[1:-1]]
    return list(dict.fromkeys(every))


def _number_patterns(number: float) -> list[bytes]:
    """Write a number as a file holds it, if it is not a round one."""
    data = struct.pack("<d", number)
    return [data] if len(data) - data.count(0) >= _FEWEST_NONZERO else []
