"""CSV and its kin: delimiter, header and kinds, inferred or given.

The delimiter is the first of tab, semicolon, bar and comma that cuts the first lines
into equally many fields. The first row is a header if a name in it stands above
numbers without being a number itself, or if all its names are distinct words, no dates
and amounts, that do not occur again in their columns. Blank lines are skipped; blanks
around a cell, too.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from sklazy.errors import BadFileError, BadInputError
from sklazy.tables.budget import Budget
from sklazy.tables.cells import MISSING_MARKERS, CellReader, Labels, Readers
from sklazy.tables.collecting import Collected
from sklazy.tables.finding import is_date_or_amount
from sklazy.tables.infer import text_column
from sklazy.tables.labels import encode
from sklazy.tables.slices import distinct
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import (
    BadCellError,
    TextFile,
    beginning_of,
    is_number,
    lines_of,
    shown,
)

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ("\t", ";", "|", ",")
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
    sheet: str | int = 0  # of an Excel file
    skip_rows: int = 0

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
        if not isinstance(self.skip_rows, int) or self.skip_rows < 0:
            raise BadInputError(f"skip_rows={self.skip_rows!r}; expected 0 or more.")


class Record(NamedTuple):
    """The cells of a record, and the line where it starts."""

    cells: list[str]
    line: int


class OpenedCsv(NamedTuple):
    """A CSV file whose columns are known by name, and whose rows are to come."""

    names: list[str]
    named: bool
    delimiter: str
    records: Iterator[Record]


def read_csv(
    source: TextFile,
    options: CsvOptions,
    kinds: Mapping[str, Wish],
    budget: Budget,
    readers: Readers,
) -> tuple[Table, list[str]]:
    """Read a table and remarks from a CSV file, known columns by their readers."""
    opened = open_csv(source, lines_of(source.text), options)
    cells = Collected(budget, len(opened.names))
    for record in opened.records:
        cells.add(*record)
    notes: list[str] = []
    columns = []
    for j, name in enumerate(opened.names):
        try:
            texts, labels = cells.take(j), readers.get(name)
            if isinstance(labels, Labels):
                columns.append(read_known_labels(name, texts, labels))
            else:
                wish = kinds.get(name)
                columns.append(
                    read_column(name, texts, wish, options, notes, keep_groups=True)
                )
        except BadCellError as error:
            line, delimiter = cells.lines[error.index], opened.delimiter
            place = _place_of_field(source, line, j, delimiter)
            raise source.error(f"{error.why} (column {j + 1}).", line, place) from None
    return Table(tuple(columns), cells.n_rows, opened.named), notes


def open_csv(source: TextFile, lines: Iterable[str], options: CsvOptions) -> OpenedCsv:
    """Find out how a CSV file is written, by its text or the beginning of it."""
    if beginning_of(source.text).lstrip()[:9].lower() == "@relation":
        raise source.error("this is an ARFF file; pass format='arff'.", 1, 1)
    delimiter = options.delimiter or _find_delimiter(source, options.decimal)
    records = _read_records(source, lines, delimiter)
    first = list(islice(records, HEADER_SAMPLE))
    if not first:
        raise source.error("the file holds no rows and no header.", 1)
    top = first[0]
    header = options.header
    if header is None:
        header = _has_header([record.cells for record in first], options)
    made_up = [f"x{j}" for j in range(len(top.cells))]
    names = _read_names(source, *top) if header else made_up
    rest = chain(first[1:] if header else first, records)
    return OpenedCsv(names, bool(header), delimiter, rest)


def read_column(
    name: str,
    texts: Sequence[str],
    kind: Wish | None,
    options: CsvOptions,
    notes: list[str],
    *,
    keep_groups: bool = False,
) -> Column:
    """A column of the cells of a file; see `text_column`."""
    markers = options.missing
    cells = [None if cell in markers else cell for cell in map(str.strip, texts)]
    mark = options.decimal
    return text_column(name, cells, kind, notes, mark, keep_groups=keep_groups)


def read_known_labels(name: str, texts: Sequence[str], labels: CellReader) -> Column:
    """A column whose labels are known."""
    meant = {text: labels.read(text) for text in distinct(texts)}
    return encode(name, [meant[text] for text in texts])


# --- records --------------------------------------------------------------------------


def _reader(lines: Iterable[str], delimiter: str) -> "Reader":
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


def _read_records(
    source: TextFile, lines: Iterable[str], delimiter: str
) -> Iterator[Record]:
    """The records of a file, each as long as the first.

    Lines of blanks are left out, unless the file has one column: they are cells then.
    """
    reader, start = _reader(lines, delimiter), 1
    first: Record | None = None
    try:
        for row in reader:
            line, start = start, reader.line_num + 1
            if not row or (len(row) == 1 and not row[0].strip() and _is_wide(first)):
                continue
            first = first or Record(row, line)
            if len(row) != len(first.cells):
                raise _uneven(source, Record(row, line), first, delimiter)
            yield Record(row, line)
    except csv.Error as error:
        raise source.error(
            f"malformed CSV: {error}. Close the quotes that are opened in this line, "
            'or write a quote inside of a cell twice: "".',
            start,
            1,
        ) from None


def _is_wide(first: Record | None) -> bool:
    """Whether records have more than one field, or none came yet."""
    return first is None or len(first.cells) > 1


def _uneven(
    source: TextFile, record: Record, first: Record, delimiter: str
) -> BadFileError:
    width, n_cells = len(first.cells), len(record.cells)
    heading = "Delete lines above the names of columns. " if width == 1 else ""
    other = next(mark for mark in (";", ",") if mark != delimiter)
    place = _place_of_field(source, record.line, min(width, n_cells), delimiter)
    return source.error(
        f"expected {width} field{'s'[: width - 1]}, as in line {first.line}, found "
        f"{n_cells} (delimiter {delimiter!r}). {heading}Correct the line, quote a "
        "cell that has the delimiter in it, or name another one, for example "
        f"delimiter={other!r}.",
        record.line,
        place,
    )


def _place_of_field(source: TextFile, line: int, j: int, delimiter: str) -> int:
    """The column (from 1) where field j of the record in this line starts.

    For a record that spans lines, or a field behind the last, the end of its first
    line; 1 where the text is not at hand.
    """
    text = next(islice(lines_of(source.text), line - 1, None), "").rstrip("\r\n")
    is_quoted, count = False, 0
    for index, letter in enumerate(text):
        if count == j:
            return index + 1
        if letter == '"':
            is_quoted = not is_quoted
        elif letter == delimiter and not is_quoted:
            count += 1
    return len(text) + 1


# --- what has to be inferred ----------------------------------------------------------


def _find_delimiter(source: TextFile, decimal: str) -> str:
    """The delimiter of a file, by its first records."""
    candidates = [mark for mark in DELIMITERS if mark != decimal]
    sample = beginning_of(source.text)
    for mark in candidates:
        widths = _sample_widths(sample, mark)
        if len(widths) == 1 and max(widths) > 1:
            return mark
    first_line = sample.lstrip().split("\n", 1)[0]
    return max(reversed(candidates), key=first_line.count)


def _sample_widths(text: str, delimiter: str) -> set[int]:
    """How many fields the first records have."""
    widths = set()
    reader = _reader(lines_of(text), delimiter)
    try:
        for row in islice(reader, _SAMPLE):
            if len(row) > 1 or (row and row[0].strip()):
                widths.add(len(row))
    except csv.Error:
        return set()
    return widths


def _has_header(rows: Sequence[Sequence[str]], options: CsvOptions) -> bool:
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
    if above_numbers:  # if it repeats a name, that is for `_read_names` to refuse
        return True
    if not named or len(set(named)) < len(named) or options.missing & set(named):
        return False
    return all(
        not _like_number(name) and not is_date_or_amount(name) and name not in cells
        for name, cells in zip(top, below, strict=True)
    )


def _like_number(text: str) -> bool:
    return is_number(text) or is_number(text.replace(",", ".", 1))


def _read_names(source: TextFile, top: Sequence[str], line: int) -> list[str]:
    """The names in a header; one that occurs twice is refused."""
    names = [name.strip() or f"column_{j + 1}" for j, name in enumerate(top)]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise source.error(
            f"column {shown(repeated[0])} occurs more than once in the header; rename "
            "it, or pass header=False if the first line is data.",
            line,
            1,
        )
    return names
