"""Files as tables of some rows at a time, in memory that does not grow with them.

The rows are those that `read_table` reads, before columns of text are understood. A
file is read several times, so that it cannot be standard input.
"""

import contextlib
import csv
import gzip
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import IO, Any, NamedTuple

from sklazy.errors import BadFileError, BadInputError, MissingExtraError
from sklazy.tables.arff import make_column, overridden, read_header, read_row
from sklazy.tables.arrow_files import Limit, is_text, to_table, with_codes
from sklazy.tables.delimited import (
    HEADER_SAMPLE,
    CsvOptions,
    find_delimiter,
    has_header,
    make_names,
    read_column,
    read_names,
)
from sklazy.tables.feather import MAGIC
from sklazy.tables.table import Table, Wish
from sklazy.tables.text import BadCellError, Source

ROWS = 1 << 16
"""Rows of a batch."""

STREAMED = ("csv", "arff", "parquet", "feather")
"""The formats that can be read some rows at a time."""

_SAMPLE = 1 << 20  # characters that decide about the delimiter

Kinds = Mapping[str, Wish]


class Streamed(NamedTuple):
    """A file to be read some rows at a time.

    Attributes
    ----------
    path : str
    format : {"csv", "arff", "parquet", "feather"}
    options : CsvOptions
    encoding : str
    """

    path: str
    format: str
    options: CsvOptions
    encoding: str

    def batches(self, kinds: Kinds, *, as_labels: bool = False) -> Iterator[Table]:
        """The rows, columns of the kinds that are given; of text, else, labels.

        Parameters
        ----------
        kinds : mapping of name to str
        as_labels : bool
            Take the columns of CSV files that have no kind as labels, all of them.
        """
        if self.format == "csv":
            return _csv_batches(self, kinds, as_labels=as_labels)
        if self.format == "arff":
            return _arff_batches(self, kinds)
        return _arrow_batches(self, kinds)

    @property
    def n_bytes(self) -> int:
        """The length of the file."""
        return os.stat(self.path).st_size


@contextlib.contextmanager
def _text(path: str, encoding: str, newline: str | None) -> Iterator[IO[str]]:
    """The text of a file, plain or gzip; errors name the file."""
    with open(path, "rb") as raw:
        is_packed = raw.read(2) == b"\x1f\x8b"
    try:
        unpack = gzip.open if is_packed else open
        opened = unpack(path, "rt", encoding=encoding, newline=newline)
    except LookupError:
        raise BadInputError(
            f"encoding={encoding!r} is unknown; give 'utf-8', 'latin-1', ..."
        ) from None
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


class _Record(NamedTuple):
    """The cells of a record, and the line where it starts."""

    cells: list[str]
    line: int


def _csv_batches(
    streamed: Streamed, kinds: Kinds, *, as_labels: bool
) -> Iterator[Table]:
    options = streamed.options
    with _text(streamed.path, streamed.encoding, "") as text:
        begin = text.read(_SAMPLE).removeprefix("\ufeff") + text.readline()
        source = Source(streamed.path, begin)
        if begin.lstrip()[:9].lower() == "@relation":
            raise source.error("this is an ARFF file; say format='arff'.", 1, 1)
        delimiter = options.delimiter or find_delimiter(source, options.decimal)
        lines = chain(io.StringIO(begin, newline=""), text)
        records = _records(source, lines, delimiter)
        first = list(islice(records, HEADER_SAMPLE))
        if not first:
            raise source.error("the file holds no rows and no header.", 1)
        header = options.header
        if header is None:
            header = has_header([record.cells for record in first], options)
        top = first[0]
        made = make_names(top.cells)
        names = read_names(source, *top) if header else made
        body = chain(first[header:], records)
        yield from _tables(source, body, names, bool(header), options, kinds, as_labels)


def _tables(
    source: Source,
    records: Iterator[_Record],
    names: Sequence[str],
    named: bool,
    options: CsvOptions,
    kinds: Kinds,
    as_labels: bool,
) -> Iterator[Table]:
    default: Wish | None = "nominal" if as_labels else None
    while batch := list(islice(records, ROWS)):
        columns = []
        cells = zip(*(record.cells for record in batch), strict=True)
        for j, (name, texts) in enumerate(zip(names, cells, strict=True)):
            try:
                kind = kinds.get(name, default)
                columns.append(read_column(name, texts, kind, options, []))
            except BadCellError as error:
                line = batch[error.index].line
                raise source.error(f"{error.why} (column {j + 1}).", line, 1) from None
        yield Table(tuple(columns), len(batch), named)


def _records(source: Source, lines: Iterator[str], delimiter: str) -> Iterator[_Record]:
    """The records of a file, blank lines left out, each as long as the first."""
    reader = csv.reader(
        _without_nul(source, lines), delimiter=delimiter, strict=True,
        skipinitialspace=True,
    )  # fmt: skip
    start, width = 1, 0
    try:
        for row in reader:
            line, start = start, reader.line_num + 1
            if not row or (len(row) == 1 and width != 1 and not row[0].strip()):
                continue
            width = width or len(row)
            if len(row) != width:
                raise source.error(
                    f"expected {width} fields, as in the first line, found {len(row)} "
                    f"(delimiter {delimiter!r}).",
                    line,
                    1,
                )
            yield _Record(row, line)
    except csv.Error as error:
        raise source.error(f"malformed CSV: {error}.", start, 1) from None


def _without_nul(source: Source, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if "\0" in line:
            raise source.error(
                "a NUL character: not a text file, or one in another encoding "
                "(try encoding='utf-16').",
                number + 1,
            )
        yield line


# --- ARFF -----------------------------------------------------------------------------


def _arff_batches(streamed: Streamed, kinds: Kinds) -> Iterator[Table]:
    with _text(streamed.path, streamed.encoding, None) as text:
        lines = (line.rstrip("\n") for line in text)
        top: list[str] = []
        for line in lines:
            top.append(line.removeprefix("\ufeff") if not top else line)
            if line.strip().lower().startswith("@data"):
                break
        source = Source(streamed.path, "\n".join(top))
        attributes, _ = read_header(source, top)
        wanted = [overridden(a, kinds.get(a.name)) for a in attributes]
        numbered = enumerate(lines, len(top) + 1)
        found = ((n, read_row(source, n, line, attributes)) for n, line in numbered)
        rows = ((number, cells) for number, cells in found if cells is not None)
        while batch := list(islice(rows, ROWS)):
            columns = []
            cells = zip(*(own for _, own in batch), strict=True)
            for j, (attribute, own) in enumerate(zip(wanted, cells, strict=True)):
                try:
                    columns.append(make_column(attribute, own))
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
            native = pyarrow.Table.from_batches([batch])
            native.validate(full=True)
            yield to_table(with_codes(native), kinds, path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFileError(f"not a readable {which} file ({error}).", path) from None


def _parquet_batches(path: str) -> Iterator[Any]:
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(path) as file:
        Limit(path, 0).check_types(file.schema_arrow)
        texts = [field.name for field in file.schema_arrow if is_text(field.type)]
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        yield from file.iter_batches(ROWS)


def _feather_batches(path: str) -> Iterator[Any]:
    from pyarrow import feather, ipc, memory_map  # noqa: PLC0415

    with open(path, "rb") as raw:
        is_second = raw.read(len(MAGIC)) == MAGIC
    if not is_second:  # the first version, which is one batch
        native = feather.read_table(path)
        Limit(path, 0).check_types(native.schema)
        yield from native.to_batches(ROWS)
        return
    with memory_map(path) as mapped, ipc.open_file(mapped) as file:
        Limit(path, 0).check_types(file.schema)
        for number in range(file.num_record_batches):
            whole = file.get_batch(number)
            for first in range(0, whole.num_rows, ROWS):
                yield whole.slice(first, ROWS)
