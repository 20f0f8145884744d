"""A file as tables of some rows at a time, in memory that does not grow with them.

The rows are those that `read_table` reads, before columns of text are understood.
"""

import contextlib
import gzip
import io
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from sklazy.errors import BadFileError, MissingExtraError
from sklazy.tables.arff import make_column, open_arff, overridden
from sklazy.tables.arrow_csv import FEWEST_BYTES, ColumnRules, cut_blocks
from sklazy.tables.arrow_files import (
    MAGIC,
    VIEWS,
    check_types,
    checked_batch,
    from_arrow_table,
    is_text,
)
from sklazy.tables.budget import Budget
from sklazy.tables.cells import Labels, Readers
from sklazy.tables.delimited import (
    CsvOptions,
    open_csv,
    read_column,
    read_known_labels,
)
from sklazy.tables.locations import Location
from sklazy.tables.slices import slices
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import NUL_FOUND, BadCellError, TextFile, unknown_encoding

ROWS = 1 << 16
"""Rows of a batch."""

STREAMED = ("csv", "arff", "parquet", "feather")
"""The formats that can be read some rows at a time."""

_CELLS = 1 << 23  # of a batch
_SAMPLE = 1 << 20  # characters that decide about the delimiter
_LONGEST_LINE = 1 << 28

Kinds = Mapping[str, Wish]


class TextRules(NamedTuple):
    """How the files of a source are to be read."""

    format: str  # one of `STREAMED`
    options: CsvOptions
    encoding: str = "utf-8"
    readers: Readers = MappingProxyType({})  # of columns whose labels are known


class Request(NamedTuple):
    """Which columns are read, and as what.

    With `as_labels` all columns of CSV files that have no kind are taken as labels;
    plain decimals may come as numbers nevertheless, but no codes and ids.
    """

    kinds: Kinds
    as_labels: bool = False
    left_out: Collection[str] = ()  # columns of Parquet files


def read_batches(
    file: Location, rules: TextRules, request: Request, budget: Budget
) -> Iterator[Table]:
    """The rows of a file, columns of the kinds that are given; else texts as labels."""
    readers = {"csv": _csv_batches, "arff": _arff_batches}
    try:
        yield from readers.get(rules.format, _arrow_batches)(
            file, rules, request, budget
        )
    except FileNotFoundError:
        raise BadFileError(
            "there is no such file, or it is gone; check its name.", file.path
        ) from None
    except PermissionError:
        raise BadFileError(
            "this user may not read it; give the right to, or leave it out of what is "
            "read.",
            file.path,
        ) from None


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
def _text(file: Location, encoding: str, newline: str | None) -> Iterator[IO[str]]:
    """The text of a file, plain or gzip; errors name the file."""
    try:
        with file.open() as raw:
            is_packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            unpacked: Any = gzip.GzipFile(fileobj=raw) if is_packed else raw
            with _decoder(unpacked, encoding, newline) as text:
                yield text
    except UnicodeError as error:
        raise BadFileError(
            f"not {encoding} text ({getattr(error, 'reason', error)}); save it as "
            "UTF-8 or name its encoding, for example encoding='latin-1'.",
            file.path,
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadFileError(
            f"a damaged gzip file ({error}); restore it from a copy.", file.path
        ) from None


def _decoder(raw: Any, encoding: str, newline: str | None) -> io.TextIOWrapper:  # noqa: ANN401
    try:
        return io.TextIOWrapper(raw, encoding=encoding, newline=newline)
    except LookupError:
        raise unknown_encoding(encoding) from None


# --- CSV ------------------------------------------------------------------------------


def _csv_batches(
    file: Location, rules: TextRules, request: Request, budget: Budget
) -> Iterator[Table]:
    with _text(file, rules.encoding, "") as text:
        lines = _lines(TextFile(file.path, ""), text, budget)
        begin = list(_first_lines(lines))
        source = TextFile(file.path, "".join(begin))
        opened = open_csv(source, chain(begin, lines), rules.options)
        n_read: int | None = 0
        if file.n_bytes >= FEWEST_BYTES:
            columns_as = ColumnRules(
                rules.options, request.kinds, rules.readers, request.as_labels
            )
            with _text(file, rules.encoding, "") as again:
                n_read = yield from cut_blocks(again, opened, columns_as, budget)
        if n_read is None:
            return
        rest = islice(opened.records, n_read, None)
        for batch in slices(rest, _rows_at_once(len(opened.names))):
            cells = zip(*(record.cells for record in batch), strict=True)
            columns = []
            for j, (name, texts) in enumerate(zip(opened.names, cells, strict=True)):
                try:
                    columns.append(_csv_column(name, texts, rules, request))
                except BadCellError as error:
                    line, why = batch[error.index].line, f"{error.why} (column {j + 1})"
                    raise source.error(f"{why}.", line, 1) from None
            yield Table(tuple(columns), len(batch), opened.named)


def _csv_column(
    name: str, texts: Sequence[str], rules: TextRules, request: Request
) -> Column:
    labels = rules.readers.get(name)
    if isinstance(labels, Labels):
        return read_known_labels(name, texts, labels)
    kind = request.kinds.get(name, "nominal" if request.as_labels else None)
    return read_column(name, texts, kind, rules.options, [])


def _first_lines(lines: Iterator[str]) -> Iterator[str]:
    """As many lines as make up the characters of a sample."""
    n_characters = 0
    while n_characters < _SAMPLE and (line := next(lines, "")):
        n_characters += len(line)
        yield line


# --- ARFF -----------------------------------------------------------------------------


def _arff_batches(
    file: Location, rules: TextRules, request: Request, budget: Budget
) -> Iterator[Table]:
    source, kinds = TextFile(file.path, ""), request.kinds
    with _text(file, rules.encoding, None) as text:
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


def _arrow_batches(
    file: Location, rules: TextRules, request: Request, _: Budget
) -> Iterator[Table]:
    path, which = file.path, rules.format
    read = _parquet_batches if which == "parquet" else _feather_batches
    with naming_arrow_file(path, which):
        for batch in read(file, request):
            yield from_arrow_table(checked_batch(batch), request.kinds, path)


@contextlib.contextmanager
def naming_arrow_file(path: str, which: str) -> Iterator[None]:
    """Turn errors of Arrow into one that names the file."""
    try:
        import pyarrow  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise MissingExtraError(
            f"{path}: reading {which} files needs pyarrow; install it with "
            "pip install 'sklazy[parquet]'."
        ) from None
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFileError(
            f"not a readable {which} file ({error}); restore it, or name its format.",
            path,
        ) from None


def _openable(file: Location) -> Any:  # noqa: ANN401
    """A file as Arrow opens it."""
    return file.path if file.system is None else file.open()


def read_parquet_schema(file: Location) -> Any:  # noqa: ANN401 (pyarrow is untyped)
    """The columns of a Parquet file and their types."""
    with naming_arrow_file(file.path, "parquet"):
        from pyarrow import parquet  # noqa: PLC0415

        return parquet.read_schema(_openable(file))


def _parquet_batches(location: Location, request: Request) -> Iterator[Any]:
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(_openable(location)) as file:
        check_types(location.path, file.schema_arrow, request.kinds)
        texts = [field.name for field in file.schema_arrow if is_text(field.type)]
    with parquet.ParquetFile(_openable(location), read_dictionary=texts) as file:
        names = file.schema_arrow.names
        kept = [name for name in names if name not in request.left_out]
        yield from file.iter_batches(_rows_at_once(len(names)), columns=kept)


def _feather_batches(location: Location, request: Request) -> Iterator[Any]:
    from pyarrow import feather, ipc, memory_map  # noqa: PLC0415

    with location.open() as raw:
        is_second = raw.read(len(MAGIC)) == MAGIC
    if not is_second:  # the first version, which is one batch
        native = feather.read_table(_openable(location))
        check_types(location.path, native.schema, request.kinds, VIEWS)
        yield from native.to_batches(_rows_at_once(native.num_columns))
        return
    is_here = location.system is None
    opened = memory_map(location.path) if is_here else location.open()
    with opened as raw, ipc.open_file(raw) as file:
        check_types(location.path, file.schema, request.kinds, VIEWS)
        size = _rows_at_once(len(file.schema))
        for number in range(file.num_record_batches):
            whole = file.get_batch(number)
            for first in range(0, whole.num_rows, size):
                yield whole.slice(first, size)
