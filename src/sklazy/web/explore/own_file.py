"""The user's own file, written again with nothing changed but what was changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from sklazy.tables.amounts import read_amount
from sklazy.tables.delimited import CsvOptions, OpenedCsv, open_csv
from sklazy.tables.file_options import list_markers
from sklazy.tables.reading import Reading
from sklazy.tables.text import TextFile, lines_of
from sklazy.tables.writing import find_group, respell_number, spell_number

ENDINGS = {".csv", ".tsv", ".tab", ".txt", ".data"}
"""Of files that can be written again."""

_MOST_BYTES = 1 << 26  # that are kept


@dataclass(frozen=True, eq=False)
class OwnFile:
    """A delimited text file as it was when its rows were read.

    Attributes
    ----------
    name : str
    raw : bytes
    target : str
        The column that changes are made to.
    rows : sequence of int
        The position in the file of each case, in order of arrival.
    encoding : str
    options : CsvOptions
    reading : Reading, optional
        How the target is read, if it has amounts.
    """

    name: str
    raw: bytes
    target: str
    rows: Sequence[int]
    encoding: str = "utf-8"
    options: CsvOptions = field(default_factory=CsvOptions)
    reading: Reading | None = None

    @property
    def changed_name(self) -> str:
        """The name of the file with the changes."""
        path = Path(self.name)
        return f"{path.stem}-changed{path.suffix}"

    def write(self, truths: Sequence[Any], changes: Mapping[int, Any]) -> bytes:
        """The file with other targets in some rows, and without some others.

        Everything else stays as it is, byte for byte.

        Parameters
        ----------
        truths : sequence of label or number
            The target of each case.
        changes : mapping of int to label, number or None
            The new target by the number of the case; None removes its row.
        """
        text = self.raw.decode(self.encoding)
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(mark)
        opened = open_csv(TextFile(self.name, text), lines_of(text), self.options)
        records = list(opened.records)
        starts = [0, *accumulate(len(line) for line in lines_of(text))]
        j = opened.names.index(self.target)
        cells = [records[row].cells[j].strip() for row in self.rows]
        style = _TargetStyle(cells, truths, self.options.decimal, self.reading)
        pieces: list[tuple[int, int, str]] = []
        for case, after in changes.items():
            start = starts[records[self.rows[case]].line - 1]
            spans, end = find_fields(text, start, opened.delimiter)
            if after is None:
                pieces.append((start, end, ""))
            else:
                new = style.write(cells[case], after)
                pieces.append((*spans[j], _quote(text, spans[j], new, opened)))
        for start, end, new in sorted(pieces, reverse=True):
            text = text[:start] + new + text[end:]
        return (mark + text).encode(self.encoding)


def keep_file(
    path: str,
    target: str,
    rows: Sequence[int],
    settings: Mapping[str, Any],
    reading: Reading | None = None,
) -> OwnFile | None:
    """The file at a path, if it is delimited text that can be written again.

    Parameters
    ----------
    path : str
    target : str
    rows : sequence of int
    settings : mapping
        The options of `read_table` that it was read with.
    reading : Reading, optional
    """
    file = Path(path)
    is_text = settings.get("format") in (None, "csv") and file.suffix.lower() in ENDINGS
    if not is_text or not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return None
    raw = file.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        return None
    known = ("delimiter", "header", "decimal")
    chosen: dict[str, Any] = {k: settings[k] for k in known if k in settings}
    chosen["missing"] = list_markers(
        settings.get("missing"), settings.get("usual_missing", True)
    )
    encoding = settings.get("encoding", "utf-8")
    options = CsvOptions(**chosen)
    return OwnFile(file.name, raw, target, rows, encoding, options, reading)


# --- fields ---------------------------------------------------------------------------


def find_fields(
    text: str, start: int, delimiter: str
) -> tuple[list[tuple[int, int]], int]:
    r"""Where the fields of a record lie in a text, and where the next record starts.

    Examples
    --------
    >>> find_fields('a,"b,c"\nd,e', 0, ",")
    ([(0, 1), (2, 7)], 8)
    """
    spans, first, place = [], start, start
    is_quoted, is_fresh = False, True  # fresh: a quote would open the field
    while place < len(text):
        letter = text[place]
        if letter == '"' and (is_quoted or is_fresh):
            is_quoted, is_fresh = not is_quoted, False
            if not is_quoted and text[place + 1 : place + 2] == '"':
                is_quoted, place = True, place + 1  # two stand for one
        elif not is_quoted and letter in (delimiter, "\n", "\r"):
            spans.append((first, place))
            first, is_fresh = place + 1, True
            if letter != delimiter:
                return spans, place + (2 if text[place : place + 2] == "\r\n" else 1)
        else:
            is_fresh = is_fresh and letter == " "
        place += 1
    return [*spans, (first, place)], place


def _quote(text: str, span: tuple[int, int], new: str, opened: OpenedCsv) -> str:
    """The new field, with the blanks and quotes of the old one."""
    old = text[slice(*span)]
    core = old.strip()
    head, tail = old[: len(old) - len(old.lstrip())], old[len(old.rstrip()) :]
    must = any(mark in new for mark in (opened.delimiter, '"', "\n", "\r"))
    if must or core.startswith('"'):
        new = '"' + new.replace('"', '""') + '"'
    return head + new + tail if core else new


# --- targets --------------------------------------------------------------------------


class _TargetStyle:
    """How the target is written in a file."""

    def __init__(
        self,
        cells: Sequence[str],
        truths: Sequence[Any],
        decimal: str,
        reading: Reading | None,
    ) -> None:
        counts: dict[Any, Counter[str]] = {}
        for cell, truth in zip(cells, truths, strict=True):
            counts.setdefault(truth, Counter())[cell] += 1
        self._usual = {truth: c.most_common(1)[0][0] for truth, c in counts.items()}
        self._reading = reading
        is_comma = decimal == "," or (reading and reading.form == "decimal-comma")
        self._point = "," if is_comma else "."
        self._group = find_group(cells, self._point)

    def write(self, cell: str, after: object) -> str:
        """A new target like the cell that it replaces."""
        if not isinstance(after, float):
            return self._usual.get(after, str(after))
        new = respell_number(cell, after, self._point, self._group)
        if new is not None and self._reads_as(new, after):
            return new
        return spell_number(after, 0, self._point, self._group)

    def _reads_as(self, text: str, number: float) -> bool:
        if self._reading is not None:
            return read_amount(text, self._reading) == number
        try:
            return float(text.replace(self._point, ".")) == number
        except ValueError:
            return False
