"""Byte patterns by which rows would be recognized in a file."""

import json
import struct
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CLASSES, CodedRows
from sklazy.tables import Label

_FEWEST_BYTES = 4  # of a text; shorter ones occur anywhere
_FEWEST_NONZERO = 4  # bytes of a number; rounder ones occur anywhere


@dataclass(frozen=True)
class Traces:
    """Values of rows that no other row has, and the bytes to recognize each by.

    Attributes
    ----------
    ids, texts, numbers : list of lists of bytes
        The patterns of each id, label and number; none if it is too short.
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
        """Leave out patterns that occur without the rows."""
        ids, texts, numbers = (
            [[pattern for pattern in some if pattern not in common] for some in kind]
            for kind in (self.ids, self.texts, self.numbers)
        )
        return Traces(ids, texts, numbers, self.n_shared)

    def count(self) -> dict[str, int]:
        """Count the values that are searched for, and those that prove nothing."""
        kinds = {"ids": self.ids, "texts": self.texts, "numbers": self.numbers}
        counts = {name: sum(map(bool, kind)) for name, kind in kinds.items()}
        n_all = sum(map(len, kinds.values())) + self.n_shared
        return {**counts, "too_common": n_all - sum(counts.values())}


NO_TRACES = Traces([], [], [], 0)


def join_traces(every: Sequence[Traces]) -> Traces:
    """The traces of the same rows in several files, each once."""
    ids, texts, numbers = (
        [list(some) for some in dict.fromkeys(tuple(p) for kind in kinds for p in kind)]
        for kinds in zip(*((t.ids, t.texts, t.numbers) for t in every), strict=True)
    )
    return Traces(ids, texts, numbers, max(traces.n_shared for traces in every))


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
    ids = [str(one) for one in gone.ids.tolist() if gone.ids.dtype == object]
    texts, numbers = _labels(base, gone), _numbers(gone)
    unique_texts = texts - _labels(base, left)
    unique_numbers = numbers - _numbers(left)
    n_unique = len(unique_texts) + len(unique_numbers)
    return Traces(
        [_text_patterns(text) for text in ids],
        [_text_patterns(text) for text in sorted(unique_texts)],
        [_number_patterns(number) for number in sorted(unique_numbers)],
        len(texts) + len(numbers) - n_unique,
    )


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


def _text_patterns(text: str) -> list[bytes]:
    """Write a text as files hold it: UTF-8, UTF-16, JSON; as an id, and in quotes.

    The last two are there where the text is a part of another one.
    """
    plain = text.encode("utf-8", "surrogatepass")
    if len(plain) < _FEWEST_BYTES:
        return []
    quoted = json.dumps(text).encode("ascii")
    wide = text.encode("utf-16-le", "surrogatepass")
    return list(dict.fromkeys([plain, wide, quoted[1:-1], plain + b"\xff", quoted]))


def _number_patterns(number: float) -> list[bytes]:
    """Write a number as a file holds it, if it is not a round one."""
    data = struct.pack("<d", number)
    return [data] if len(data) - data.count(0) >= _FEWEST_NONZERO else []
