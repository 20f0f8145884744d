"""Files as tables of some rows at a time, in memory that does not grow with them.

The rows are those that `read_table` reads, before columns of text are understood. A
file is read several times, so that it cannot be standard input.
"""

import contextlib
import gzip
import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import IO, Any, NamedTuple

from sklazy.errors import BadFileError, MissingExtraError
from sklazy.tables.arff import make_column, open_arff, overridden
from sklazy.tables.arrow_files import (
    MAGIC,
    check_types,
    checked_batch,
    from_arrow_table,
    is_text,
)
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.delimited import CsvOptions, open_csv, read_column
from sklazy.tables.slices import slices
from sklazy.tables.table import Table, Wish
from sklazy.tables.text import NUL_FOUND, BadCellError, TextFile, unknown_encoding

ROWS = 1 << 16
"""Rows of a batch."""

STREAMED = ("csv", "arff", "parquet", "feather")
"""The formats that can be read some rows at a time."""

_CELLS = 1 << 23  # of a batch
_SAMPLE = 1 << 20  # characters that decide about the delimiter
_LONGEST_LINE = 1 << 28

Kinds = Mapping[str, Wish]


class Streamed(NamedTuple):
    """A file to be read some rows at a time."""

    path: str
    format: str  # one of `STREAMED`
    options: CsvOptions
    encoding: str
    limits: ReadLimits = ReadLimits()  # of one look at the file

    def batches(self, kinds: Kinds, *, as_labels: bool = False) -> Iterator[Table]:
        """The rows, columns of the kinds that are given; of text, else, labels.

        With `as_labels` all columns of CSV files that have no kind are taken as labels.
        """
        budget = Budget(self.path, self.limits, self.format, is_streamed=True)
        budget.check_bytes(self.n_bytes)
        if self.format == "csv":
            batches = _csv_batches(self, kinds, budget, as_labels=as_labels)
        elif self.format == "arff":
            batches = _arff_batches(self, kinds, budget)
        else:
            batches = _arrow_batches(self, kinds)
        return _counted(batches, budget)

    @property
    def n_bytes(self) -> int:
        """The length of the file."""
        return os.stat(self.path).st_size


def _counted(batches: Iterator[Table], budget: Budget) -> Iterator[Table]:
    n_rows = 0
    for table in batches:
        n_rows += len(table)
        budget.check_cells(n_rows, len(table.columns))
        yield table


def _rows_at_once(n_columns: int) -> int:
    """The rows of a batch, fewer where there are many columns."""
    return max(1, min(ROWS, _CELLS // max(1, n_columns)))


def _lines(source: TextFile, text: IO[str], budget: Budget) -> Iterator[str]:
    """The lines of a file; one that does not end is refused."""
    number = n_characters = 0
    while line := text.readline(_LONGEST_LINE):
        number, n_characters = number + 1, n_characters + len(line)
        budget.check_bytes(n_characters)
        if len(line) == _LONGEST_LINE:
            raise source.error(
                f"a line of {_LONGEST_LINE} characters or more; not a table of text.",
                number,
            )
        if "\0" in line:
            raise source.error(NUL_FOUND, number)
        yield line.removeprefix("\ufeff") if number == 1 else line


@contextlib.contextmanager
def _text(path: str, encoding: str, newline: str | None) -> Iterator[IO[str]]:
    """The text of a file, plain or gzip; errors name the file."""
    with open(path, "rb") as raw:
        is_packed = raw.read(2) == b"\x1f\x8b"
    try:
        unpack = gzip.open if is_packed else open
        opened = unpack(path, "rt", encoding=encoding, newline=newline)
    except LookupError:
        raise unknown_encoding(encoding) from None
    try:
        with opened as text:
            yield text
    except UnicodeError as error:
        raise BadFileError(
            f"not {encoding} text ({getattr(error, 'reason', error)}); save it as "
            "UTF-8 or name its encoding, for example encoding='latin-1'.",
            path,
        ) from None
    except EOFError as error:
        raise BadFileError(f"a damaged gzip file ({error}).", path) from None


# --- CSV ------------------------------------------------------------------------------


def _csv_batches(
    streamed: Streamed, kinds: Kinds, budget: Budget, *, as_labels: bool
) -> Iterator[Table]:
    default: Wish | None = "nominal" if as_labels else None
    with _text(streamed.path, streamed.encoding, "") as text:
        lines = _lines(TextFile(streamed.path, ""), text, budget)
        begin = list(_first_lines(lines))
        source = TextFile(streamed.path, "".join(begin))
        opened = open_csv(source, chain(begin, lines), streamed.options)
        size = _rows_at_once(len(opened.names))
        for batch in slices(opened.records, size):
            columns = []
            cells = zip(*(record.cells for record in batch), strict=True)
            for j, (name, texts) in enumerate(zip(opened.names, cells, strict=True)):
                kind = kinds.get(name, default)
                try:
                    column = read_column(name, texts, kind, streamed.options, [])
                except BadCellError as error:
                    line, why = batch[error.index].line, f"{error.why} (column {j + 1})"
                    raise source.error(f"{why}.", line, 1) from None
                columns.append(column)
            yield Table(tuple(columns), len(batch), opened.named)


def _first_lines(lines: Iterator[str]) -> Iterator[str]:
    """As many lines as make up the characters of a sample."""
    n_characters = 0
    while n_characters < _SAMPLE and (line := next(lines, "")):
        n_characters += len(line)
        yield line


# --- ARFF -----------------------------------------------------------------------------


def _arff_batches(streamed: Streamed, kinds: Kinds, budget: Budget) -> Iterator[Table]:
    source = TextFile(streamed.path, "")
    with _text(streamed.path, streamed.encoding, None) as text:
        lines = (line.rstrip("\n") for line in _lines(source, text, budget))
        attributes, rows = open_arff(source, lines)
        wanted = [overridden(a, kinds.get(a.name)) for a in attributes]
        for batch in slices(rows, _rows_at_once(len(attributes))):
            columns = []
            turned = zip(*(cells for _, cells in batch), strict=True)
            for j, (attribute, cells) in enumerate(zip(wanted, turned, strict=True)):
                try:
                    columns.append(make_column(attribute, cells))
                except BadCellError as error:
                    raise source.error(
                        f"{error.why} (attribute {j + 1}).", batch[error.index][0], 1
                    ) from None
            yield Table(tuple(columns), len(batch))


# --- Parquet and Feather --------------------------------------------------------------


def _arrow_batches(streamed: Streamed, kinds: Kinds) -> Iterator[Table]:
    path, which = streamed.path, streamed.format
    try:
        import pyarrow  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise MissingExtraError(
            f"{path}: reading {which} files needs pyarrow; install it with "
            "pip install 'sklazy[frames]'."
        ) from None
    read = _parquet_batches if which == "parquet" else _feather_batches
    try:
        for batch in read(path):
            yield from_arrow_table(checked_batch(batch), kinds, path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFileError(f"not a readable {which} file ({error}).", path) from None


def _parquet_batches(path: str) -> Iterator[Any]:
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(path) as file:
        check_types(path, file.schema_arrow)
        texts = [field.name for field in file.schema_arrow if is_text(field.type)]
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        yield from file.iter_batches(_rows_at_once(len(file.schema_arrow)))


def _feather_batches(path: str) -> Iterator[Any]:
    from pyarrow import feather, ipc, memory_map  # noqa: PLC0415

    with open(path, "rb") as raw:
        is_second = raw.read(len(MAGIC)) == MAGIC
    if not is_second:  # the first version, which is one batch
        native = feather.read_table(path)
        check_types(path, native.schema)
        yield from native.to_batches(_rows_at_once(native.num_columns))
        return
    with memory_map(path) as mapped, ipc.open_file(mapped) as file:
        check_types(path, file.schema)
        size = _rows_at_once(len(file.schema))
        for number in range(file.num_record_batches):
            whole = file.get_batch(number)
            for first in range(0, whole.num_rows, size):
                yield whole.slice(first, size)
