"""CSV and its kin: delimiter, header and kinds found out, or as told.

The delimiter is the first of tab, semicolon, bar and comma that cuts the first lines
into equally many fields. The first row is a header if a name in it stands above
numbers without being a number itself, or if all its names are distinct words, no dates
and amounts, that do not occur again in their columns. Blank lines are skipped; blanks
around a cell, too.
"""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklazy.errors import BadFileError, BadInputError
from sklazy.tables.infer import text_column
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import BadCellError, Source, is_number, shown
from sklazy.tables.understand import says_more

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ("\t", ";", "|", ",")
MISSING_MARKERS = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]
)
_SAMPLE = 50  # records that decide about the delimiter
HEADER_SAMPLE = 1000
"""Records that decide about the header."""


@dataclass(frozen=True)
class CsvOptions:
    """How a CSV file is to be read; None is found out."""

    delimiter: str | None = None
    header: bool | None = None
    missing: frozenset[str] = MISSING_MARKERS
    decimal: str = "."

    def __post_init__(self) -> None:
        one_letter = self.delimiter is None or (
            isinstance(self.delimiter, str) and len(self.delimiter) == 1
        )
        if not one_letter or self.delimiter in ('"', "\n", "\r", self.decimal):
            raise BadInputError(
                f"delimiter={self.delimiter!r}; expected one character other than a "
                f"quote, a newline and the decimal mark {self.decimal!r}."
            )
        if self.header not in (None, True, False):
            raise BadInputError(
                f"header={self.header!r}; expected True, False or None (find out)."
            )
        if self.decimal not in (".", ","):
            raise BadInputError(f"decimal={self.decimal!r}; expected '.' or ','.")


@dataclass(frozen=True)
class _Records:
    rows: list[list[str]]
    lines: list[int]  # where each row starts


def read_csv(
    source: Source, options: CsvOptions, kinds: Mapping[str, Wish]
) -> tuple[Table, list[str]]:
    """Read a CSV file.

    Returns
    -------
    table : Table
    notes : list of str
        What should be said about it.
    """
    if source.text.lstrip()[:9].lower() == "@relation":
        raise source.error("this is an ARFF file; say format='arff'.", 1, 1)
    delimiter = options.delimiter or find_delimiter(source, options.decimal)
    records = _read_records(source, delimiter)
    if not records.rows:
        raise source.error("the file holds no rows and no header.", 1)
    _check_lengths(source, records, delimiter)
    header = options.header
    if header is None:
        header = has_header(records.rows, options)
    top = records.rows[0]
    names = read_names(source, top, records.lines[0]) if header else make_names(top)
    notes: list[str] = []
    columns = []
    body = records.rows[header:]
    cells = list(zip(*body, strict=True)) or [()] * len(names)
    for j, name in enumerate(names):
        try:
            columns.append(read_column(name, cells[j], kinds.get(name), options, notes))
        except BadCellError as error:
            row = error.index + header
            raise _at_cell(source, records, row, j, delimiter, error.why) from None
    return Table(tuple(columns), len(body), named=bool(header)), notes


def read_column(
    name: str,
    texts: Sequence[str],
    kind: Wish | None,
    options: CsvOptions,
    notes: list[str],
) -> Column:
    """A column of the cells of a file; see `text_column`."""
    markers = options.missing
    cells = [None if cell in markers else cell for cell in map(str.strip, texts)]
    return text_column(name, cells, kind, notes, options.decimal)


# --- records --------------------------------------------------------------------------


def _reader(text: str, delimiter: str) -> "Reader":
    lines = io.StringIO(text, newline="")
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


def _read_records(source: Source, delimiter: str) -> _Records:
    records = _Records([], [])
    reader = _reader(source.text, delimiter)
    start = 1
    try:
        for row in reader:
            if row:
                records.rows.append(row)
                records.lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise source.error(f"malformed CSV: {error}.", start, 1) from None
    return _without_blank_lines(records)


def _without_blank_lines(records: _Records) -> _Records:
    """Leave out lines of blanks (in a file of one column they are cells)."""
    if all(len(row) == 1 for row in records.rows):
        return records
    kept = [i for i, row in enumerate(records.rows) if len(row) > 1 or row[0].strip()]
    return _Records([records.rows[i] for i in kept], [records.lines[i] for i in kept])


def _check_lengths(source: Source, records: _Records, delimiter: str) -> None:
    width = len(records.rows[0])
    for row, line in zip(records.rows, records.lines, strict=True):
        if len(row) != width:
            raise source.error(
                f"expected {width} fields, as in line {records.lines[0]}, found "
                f"{len(row)} (delimiter {delimiter!r}).",
                line,
                _place_of_field(source, line, min(width, len(row)), delimiter),
            )


def _place_of_field(source: Source, line: int, j: int, delimiter: str) -> int:
    """The column (from 1) where field j of the record in this line starts.

    For a record that spans lines, or a field behind the last, the end of its first
    line.
    """
    text = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[line - 1]
    is_quoted, count = False, 0
    for index, letter in enumerate(text):
        if count == j:
            return index + 1
        if letter == '"':
            is_quoted = not is_quoted
        elif letter == delimiter and not is_quoted:
            count += 1
    return len(text) + 1


def _at_cell(
    source: Source, records: _Records, row: int, j: int, delimiter: str, why: str
) -> BadFileError:
    line = records.lines[row]
    column = _place_of_field(source, line, j, delimiter)
    return source.error(f"{why} (column {j + 1}).", line, column)


# --- what the file does not say -------------------------------------------------------


def find_delimiter(source: Source, decimal: str) -> str:
    """The delimiter of a file, by its first records."""
    candidates = [mark for mark in DELIMITERS if mark != decimal]
    for mark in candidates:
        widths = _sample_widths(source.text, mark)
        if len(widths) == 1 and max(widths) > 1:
            return mark
    first_line = source.text.lstrip().split("\n", 1)[0]
    return max(reversed(candidates), key=first_line.count)


def _sample_widths(text: str, delimiter: str) -> set[int]:
    """How many fields the first records have."""
    widths = set()
    try:
        for row, _ in zip(_reader(text, delimiter), range(_SAMPLE), strict=False):
            if len(row) > 1 or (row and row[0].strip()):
                widths.add(len(row))
    except csv.Error:
        return set()
    return widths


def has_header(rows: Sequence[Sequence[str]], options: CsvOptions) -> bool:
    """Whether the first row holds names, by those below it."""
    top = [cell.strip() for cell in rows[0]]
    named = [cell for cell in top if cell]
    body = rows[1:HEADER_SAMPLE]
    below = [
        {row[j].strip() for row in body} - options.missing for j in range(len(top))
    ]
    words = [name not in options.missing and not _like_number(name) for name in top]
    above_numbers = any(
        is_word and name and cells and all(map(_like_number, cells))
        for is_word, name, cells in zip(words, top, below, strict=True)
    )
    if above_numbers:  # if it repeats a name, that is for `read_names` to refuse
        return True
    if not named or len(set(named)) < len(named) or options.missing & set(named):
        return False
    return all(
        not _like_number(name) and not says_more(name) and name not in cells
        for name, cells in zip(top, below, strict=True)
    )


def _like_number(text: str) -> bool:
    return is_number(text) or is_number(text.replace(",", ".", 1))


def read_names(source: Source, top: Sequence[str], line: int) -> list[str]:
    """The names in a header; one that occurs twice is refused."""
    names = [name.strip() or f"column_{j + 1}" for j, name in enumerate(top)]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise source.error(
            f"column {shown(repeated[0])} occurs more than once in the header; rename "
            "it, or say header=False if the first line is data.",
            line,
            1,
        )
    return names


def make_names(top: Sequence[str]) -> list[str]:
    """Names for the columns of a file that has none."""
    return [f"x{j}" for j in range(len(top))]
