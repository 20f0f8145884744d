"""Rows that other libraries hold: Arrow's datasets and streams, databases, lazy frames.

Each is read some rows at a time. What can be read only once is kept on the disk while
it is read, so that it can be read again: the kinds of columns of text follow from all
of their cells.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import narwhals as nw

from sklazy.errors import BadFileError, BadInputError, BadTypeError, MissingExtraError
from sklazy.tables.arrow_files import (
    check_types,
    checked_batch,
    from_arrow_table,
    is_number_type,
)
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.convert import plain_table
from sklazy.tables.several import Agreement
from sklazy.tables.streams import ROWS, Request
from sklazy.tables.table import Kind, Table, Wish

Native = Any  # objects of libraries without types


@dataclass(frozen=True)
class NativeRows:
    """The rows of an object; see `RowSource`.

    Attributes
    ----------
    name : str
        For messages.
    read : function
        Gives Arrow's batches, frames or tables, without the columns that are left out.
    schema : Arrow's schema, or None where it is not known
    once : bool
        Whether rows can be read only once.
    limits : ReadLimits, of one look at all rows
    fits : bool
        Whether all rows are to be in memory together.
    """

    name: str
    read: Callable[[list[str]], Iterator[Native]]
    schema: Native = None
    once: bool = False
    limits: ReadLimits = field(default_factory=ReadLimits)
    fits: bool = False
    is_text = False
    decimal = "."

    def batches(
        self, request: Request, partitions: Mapping[str, Kind] | None = None
    ) -> Iterator[Table]:
        """The rows."""
        budget = Budget(self.name, self.limits, "parquet", is_streamed=not self.fits)
        agreement, n_rows = Agreement(typed=True), 0
        with _naming(self.name):
            if self.schema is not None:
                check_types(self.name, self.schema, request.kinds)
            for batch in self.read(list(request.left_out)):
                table = _as_plain_table(batch, request, self.name)
                n_rows += len(table)
                budget.check_cells(n_rows, len(table.columns))
                if len(table):
                    yield agreement.check(table, self.name)

    def partition_kinds(
        self, wishes: Mapping[str, Wish], notes: list[str]
    ) -> dict[str, Kind]:
        """No folders stand for columns."""
        return {}

    def plain_numbers(self) -> list[str]:
        """The columns that hold numbers by their type, as far as that is known."""
        if self.schema is None or self.once:
            return []
        return [one.name for one in self.schema if is_number_type(one.type)]


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Let errors of libraries name the source."""
    try:
        yield
    except (BadInputError, MissingExtraError, MemoryError, GeneratorExit):
        raise
    except Exception as error:
        raise BadFileError(
            f"the rows could not be read to their end: {error}", name
        ) from error


def _as_plain_table(batch: Native, request: Request, name: str) -> Table:
    """Some rows as a table whose texts are labels."""
    if isinstance(batch, Table):
        return batch
    if type(batch).__name__ == "RecordBatch":
        return from_arrow_table(checked_batch(batch), request.kinds, name)
    return from_arrow_table(batch, request.kinds, name)


# --- objects --------------------------------------------------------------------------


def is_native(rows: object) -> bool:
    """Whether something holds rows that are not in memory, or come once.

    Examples
    --------
    >>> import pandas as pd
    >>> is_native(pd.DataFrame({"a": [1]}))
    False
    """
    if _module(rows) in ("numpy", "builtins", "pandas", "sklazy", "dask"):
        return False
    return find_native(rows) not in (None, _frame_rows)


def find_native(rows: object) -> Callable[[Native], NativeRows] | None:
    """Find the way to read the rows of an object."""
    by_name = _WAYS.get((_module(rows), type(rows).__name__))
    if by_name is not None:
        return by_name
    if _module(rows) == "pyarrow" and hasattr(rows, "scanner"):
        return _dataset_rows
    opened = nw.from_native(rows, pass_through=True)
    if isinstance(opened, nw.LazyFrame | nw.DataFrame):
        return _lazy_rows if isinstance(opened, nw.LazyFrame) else _frame_rows
    return _stream_rows if hasattr(rows, "__arrow_c_stream__") else None


def _module(rows: object) -> str:
    return type(rows).__module__.split(".")[0]


def _dataset_rows(dataset: Native) -> NativeRows:
    name = f"dataset of {len(getattr(dataset, 'files', ()))} files"

    def read(left_out: list[str]) -> Iterator[Native]:
        columns = [n for n in dataset.schema.names if n not in left_out]
        yield from dataset.scanner(columns=columns, batch_size=ROWS).to_batches()

    return NativeRows(name, read, dataset.schema)


def _scanner_rows(scanner: Native) -> NativeRows:
    return _stream_rows(scanner.to_reader())


def _relation_rows(relation: Native) -> NativeRows:
    def read(_: list[str]) -> Iterator[Native]:
        yield from _arrow_reader(relation)

    return NativeRows("DuckDB relation", read)


def _arrow_reader(result: Native) -> Native:
    """The batches of DuckDB, which names them otherwise before version 1.4."""
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    return next(getattr(result, n) for n in names if hasattr(result, n))(ROWS)


def _lazy_polars_rows(frame: Native) -> NativeRows:
    def read(_: list[str]) -> Iterator[Native]:
        if hasattr(frame, "collect_batches"):
            yield from frame.collect_batches(chunk_size=ROWS)
        else:
            yield frame.collect(engine="streaming")

    return NativeRows("lazy frame", read)


def _lazy_rows(frame: Native) -> NativeRows:
    """A lazy frame of another library, collected as a whole."""

    def read(_: list[str]) -> Iterator[Native]:
        yield nw.from_native(frame).collect().to_native()

    return NativeRows(f"lazy frame ({type(frame).__name__})", read)


def _frame_rows(frame: Native) -> NativeRows:
    """A frame, which is in memory and read as a whole."""
    return NativeRows(f"frame ({type(frame).__name__})", lambda _: iter([frame]))


def _stream_rows(stream: Native) -> NativeRows:
    """A stream of Arrow's batches, which comes once."""
    pyarrow = _import_pyarrow("streams of Arrow")
    reader = pyarrow.RecordBatchReader.from_stream(stream)
    return NativeRows("stream", lambda _: reader, reader.schema, once=True)


_WAYS: dict[tuple[str, str], Callable[[Native], NativeRows]] = {
    ("pyarrow", "RecordBatchReader"): _stream_rows,
    ("pyarrow", "Scanner"): _scanner_rows,
    ("polars", "LazyFrame"): _lazy_polars_rows,
    ("duckdb", "DuckDBPyRelation"): _relation_rows,
    ("_duckdb", "DuckDBPyRelation"): _relation_rows,
}


def _import_pyarrow(what: str) -> Native:
    try:
        import pyarrow  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise MissingExtraError(
            f"reading {what} needs pyarrow; install it with "
            "pip install 'sklazy[parquet]'."
        ) from None
    return pyarrow


def kept_on_disk(rows: NativeRows, wishes: Mapping[str, Wish]) -> NativeRows:
    """Rows that come once, written to a temporary file that goes with the object."""
    from pyarrow import ipc  # noqa: PLC0415

    check_types(rows.name, rows.schema, wishes)
    kept, options = _TemporaryFile(), ipc.IpcWriteOptions(compression="lz4")
    with (
        _naming(rows.name),
        ipc.new_stream(kept.file, rows.schema, options=options) as writer,
    ):
        for batch in rows.read([]):
            writer.write_batch(batch)

    def read(_: list[str]) -> Iterator[Native]:
        kept.file.seek(0)
        yield from ipc.open_stream(kept.file)

    return replace(rows, read=read, schema=None, once=False)


class _TemporaryFile:
    """A file without a name, which goes with the object."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - see below

    def __del__(self) -> None:
        self.file.close()


# --- databases ------------------------------------------------------------------------


_SELECTS_NONE = "the query gives no rows; give one that selects some."


def query_rows(query: str, connection: Native) -> NativeRows:
    """The rows of a query, by a connection of DuckDB, ADBC, SQLAlchemy or DB-API."""
    if not isinstance(query, str):
        raise BadTypeError(
            f"with a connection the query is a text of SQL, got {type(query).__name__}."
        )
    name = f"query {query if len(query) < 60 else query[:57] + '...'!s}"
    if _module(connection) in ("duckdb", "_duckdb"):
        return NativeRows(name, partial(_read_by_duckdb, query, connection))
    if _module(connection) == "sqlalchemy":
        return NativeRows(name, partial(_read_by_sqlalchemy, query, connection))
    if not hasattr(connection, "cursor"):
        raise BadTypeError(
            f"connection={connection!r}; expected one of DuckDB, ADBC, SQLAlchemy or "
            "any with a cursor (DB-API)."
        )
    return NativeRows(name, partial(_read_by_cursor, query, connection))


def _read_by_duckdb(query: str, connection: Native, _: list[str]) -> Iterator[Native]:
    result = connection.sql(query)
    if result is None:
        raise BadInputError(_SELECTS_NONE)
    yield from _arrow_reader(result)


def _read_by_sqlalchemy(
    query: str, connection: Native, _: list[str]
) -> Iterator[Native]:
    from sqlalchemy import text  # noqa: PLC0415 (the connection is of it)

    with contextlib.ExitStack() as stack:
        if not hasattr(connection, "execute"):  # an engine
            connection = stack.enter_context(connection.connect())
        streaming = connection.execution_options(stream_results=True)
        result = streaming.execute(text(query))
        yield from _tables_of(result, list(result.keys()))


def _read_by_cursor(query: str, connection: Native, _: list[str]) -> Iterator[Native]:
    with contextlib.closing(connection.cursor()) as cursor:
        cursor.execute(query)
        if hasattr(cursor, "fetch_record_batch"):  # of ADBC
            yield from cursor.fetch_record_batch()
            return
        if cursor.description is None:
            raise BadInputError(_SELECTS_NONE)
        yield from _tables_of(cursor, [column[0] for column in cursor.description])


def _tables_of(result: Native, names: list[str]) -> Iterator[Table]:
    """Rows of Python's objects as tables."""
    while rows := result.fetchmany(ROWS):
        cells = [list(row) for row in rows]
        yield plain_table(cells, feature_names=names)
