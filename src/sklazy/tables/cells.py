"""One way to read a cell, wherever it comes from.

A cell of JSON, of a form or of a pasted row is read as the same cell of a CSV file
would be, by what its column is among the cases: blanks around a text do not count, some
words mean "missing", `true` is the text that a file has for it, and a number is not
a date. What does not fit is refused with a reason that describes the cell and the
column, never the values of cases.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Protocol

from sklazy.tables.amounts import read_amount
from sklazy.tables.dates import read_moment
from sklazy.tables.labels import EXACT, label_of
from sklazy.tables.limits import is_mark, read_limited
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Kind, Label
from sklazy.tables.text import BadCellError, is_number, parse_numbers, shown
from sklazy.tables.understand import describe_reading

MISSING_MARKERS = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]
)
"""The texts that mean "missing" unless others are named."""

_SPELLINGS: tuple[tuple[str, str], ...] = (
    ("true", "false"),
    ("True", "False"),
    ("TRUE", "FALSE"),
    ("t", "f"),
    ("T", "F"),
)


class CellReader(Protocol):
    """Reads the cells of one column."""

    def read(self, cell: object) -> Label | None:
        """The cell as the column has it, None for missing; else a `BadCellError`.

        Dates and times stay texts, which have been tried.
        """


def make_reader(
    kind: Kind,
    reading: Reading | None,
    labels: Sequence[Label] = (),
    missing: frozenset[str] = MISSING_MARKERS,
) -> CellReader:
    """Make the reader of a column, by the labels that cases have or that are declared.

    A label that is spelled like one of the `missing` texts is a label.

    Examples
    --------
    >>> make_reader("numeric", None).read(" 1.5 ")
    1.5
    >>> make_reader("nominal", None, ["FALSE", "TRUE"]).read(True)
    'TRUE'
    >>> make_reader("nominal", None, ["red"]).read("NA") is None
    True
    """
    style = reading.style if reading else None
    if reading is None and kind == "numeric":
        return _Numbers(missing)
    if reading is not None and style == "amount":
        return _Amounts(reading, missing)
    if reading is None or style in ("yes-no", "aside"):
        return Labels(labels, missing)
    return _Moments(reading, missing)


Readers = Mapping[str, CellReader]


def readers_like(columns: Iterable[Column], missing: frozenset[str]) -> Readers:
    """The readers of columns that hold plain numbers or labels, by name."""
    return {
        c.name: make_reader(c.kind, None, c.categories, missing)
        for c in columns
        if c.reading is None
    }


def read_fitting(cells: Iterable[object], reader: CellReader) -> list[object]:
    """The cells as a column has them; those that do not fit as they are."""
    return [_read_or_keep(cell, reader) for cell in cells]


def _read_or_keep(cell: object, reader: CellReader) -> object:
    if not isinstance(cell, str | int | float):
        return cell
    try:
        return reader.read(cell)
    except BadCellError:
        return cell


# --- labels ---------------------------------------------------------------------------


class Labels:
    """Reads labels: texts, or numbers and bools where cases have such."""

    def __init__(self, labels: Sequence[Label], missing: frozenset[str]) -> None:
        kinds = set(map(type, labels))
        words = [label for label in labels if isinstance(label, str)]
        self._missing = missing
        self._has_bools = bool in kinds
        self._has_numbers = not kinds.isdisjoint((int, float))
        self._has_words = bool(words) or not labels
        self._odd = {word for word in words if _is_odd(word, missing)}
        spelling = find_spelling(labels)
        self._is_spelled = spelling is not None
        self._spelled = spelling or _SPELLINGS[0]

    def read(self, cell: object) -> Label | None:
        """The label that a cell means."""
        if isinstance(cell, bool):
            return cell if self._has_bools else self._spelled[not cell]
        if isinstance(cell, int | float):
            number = _finite(cell)
            if number is None or self._has_numbers:
                return label_of(number)
            cell = repr(number)
        return self._read_text(_as_text(cell))

    def _read_text(self, cell: str | None) -> Label | None:
        if cell is None or cell in self._odd:
            return cell
        text = cell.strip()
        if text in self._missing and text not in self._odd:
            return None
        folded = text.casefold()
        if (self._has_bools or self._is_spelled) and folded in _SPELLINGS[0]:
            return self.read(folded == "true")
        is_number_label = self._has_numbers and not self._has_words
        return label_of(Decimal(text)) if is_number_label and is_number(text) else text


def _is_odd(word: str, missing: frozenset[str]) -> bool:
    """Whether a label is not what it looks like: it has blanks, or means "missing"."""
    return word in missing or word != word.strip()


def find_spelling(labels: Sequence[Label]) -> tuple[str, str] | None:
    """How a column writes true and false as words, if these are its only labels.

    Examples
    --------
    >>> find_spelling(["FALSE", "TRUE"]), find_spelling(["no", "yes"])
    (('TRUE', 'FALSE'), None)
    """
    if not 1 <= len(labels) <= 2:
        return None
    return next((pair for pair in _SPELLINGS if set(labels) <= set(pair)), None)


# --- numbers --------------------------------------------------------------------------


class _Numbers:
    """Reads plain numbers."""

    def __init__(self, missing: frozenset[str]) -> None:
        self._missing = missing

    def read(self, cell: object) -> float | None:
        if type(cell) is float and math.isfinite(cell):
            return cell
        if isinstance(cell, bool):
            raise BadCellError(0, f"{_written(cell)} is not a number")
        if isinstance(cell, int | float):
            return _exact(cell)
        text = _known(_as_text(cell), self._missing)
        limit = None if text is None else read_limited(text)
        if text is None or limit is not None:
            return limit
        return float(parse_numbers([text])[0])


class _Amounts:
    """Reads amounts of a unit; a bare number is one of that unit."""

    def __init__(self, reading: Reading, missing: frozenset[str]) -> None:
        self._reading, self._missing = reading, missing

    def read(self, cell: object) -> float | None:
        if isinstance(cell, bool):
            raise _unreadable(cell, self._reading)
        if isinstance(cell, int | float):
            number = _finite(cell)
            if number is not None and abs(number) >= EXACT:  # as for texts
                raise _unreadable(cell, self._reading)
            return number
        known = _known(_as_text(cell), self._missing)
        value = None if known is None else read_amount(known, self._reading)
        if known is not None and value is None:
            raise _unreadable(cell, self._reading)
        return None if value != value else value  # NaN: a mark for "missing"


class _Moments:
    """Reads dates, times and durations, which are texts."""

    def __init__(self, reading: Reading, missing: frozenset[str]) -> None:
        self._reading, self._missing = reading, missing

    def read(self, cell: object) -> str | None:
        if isinstance(cell, int | float) and (isinstance(cell, bool) or cell == cell):
            raise _unreadable(cell, self._reading)
        text = None if isinstance(cell, float) else _as_text(cell)
        known = _known(text, self._missing)
        if known is not None and read_moment(known, self._reading) is None:
            raise _unreadable(cell, self._reading)
        return known


def _as_text(cell: object) -> str | None:
    if cell is not None and not isinstance(cell, str):
        raise BadCellError(0, "a cell is a text, a number, true, false or null")
    return cell


def _known(text: str | None, missing: frozenset[str]) -> str | None:
    """The text without blanks around it; None where it means "missing"."""
    stripped = None if text is None else text.strip()
    is_nothing = stripped is None or stripped in missing or is_mark(stripped)
    return None if is_nothing else stripped


def _finite(number: float) -> float | None:
    """The number; None for NaN, and an error for what no float can hold."""
    if number != number:
        return None
    try:
        is_fine = math.isfinite(float(number))
    except OverflowError:
        is_fine = False
    if not is_fine:
        raise BadCellError(0, "the number is infinite or too large; null is missing")
    return number


def _exact(number: float) -> float | None:
    """The number, if a float does not round it."""
    if _finite(number) is None:
        return None
    if isinstance(number, int) and abs(number) > EXACT:
        raise BadCellError(
            0, f"{shown(str(number))} is beyond 2^53 and would lose digits as a number"
        )
    return number


def _written(cell: object) -> str:
    """A cell as JSON writes it, not too long."""
    if isinstance(cell, bool):
        return _SPELLINGS[0][not cell]
    return shown(cell) if isinstance(cell, str) else f"the number {cell!r}"


def _unreadable(cell: object, reading: Reading) -> BadCellError:
    return BadCellError(
        0,
        f"{_written(cell)} cannot be read as {describe_reading(reading)}; write it as "
        "the cases have it, or leave it missing (null)",
    )
