"""One way to rows, wherever they are: files, lakes, streams, databases, lazy frames."""

import io
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import IO, Any, cast

from sklazy.errors import BadFileError, BadInputError, BadTypeError, suggest
from sklazy.tables.budget import ReadLimits
from sklazy.tables.cells import Readers
from sklazy.tables.file_options import (
    Format,
    find_format,
    guess_format,
    merge_kinds,
    text_options,
)
from sklazy.tables.later_rows import read_later_numbers, read_typed_numbers
from sklazy.tables.locations import (
    Location,
    check_partitions,
    find_files,
    is_several,
)
from sklazy.tables.native import (
    NativeRows,
    find_native,
    kept_on_disk,
    query_rows,
)
from sklazy.tables.origins import describe_columns
from sklazy.tables.several import FileRows, concatenate_tables, of_one_kind
from sklazy.tables.streams import STREAMED, Request, TextRules
from sklazy.tables.surveying import (
    RowSource,
    Surveyed,
    read_table_as,
    survey_rows,
)
from sklazy.tables.table import Table, Wish
from sklazy.tables.understand import FILE_WAY_OUT, forms_of, warn_of_notes
from sklazy.tables.whole import (
    like_readers,
    like_wishes,
    name_stream,
    read_file,
    understand_whole,
)

_LIMITS = ("max_cells", "max_bytes", "max_seconds")
_KINDS = ("kinds", "nominal", "numeric")
_OF_TEXT = ("missing", "usual_missing", "delimiter", "header", "decimal", "encoding")
_OPTIONS = ("format", *_KINDS, *_OF_TEXT, "sheet", "skip_rows", *_LIMITS)


class Source:
    """Rows to learn from or to predict, wherever they are.

    Whatever takes a table takes a source: `fit`, `predict`, `audit`, `read_table`,
    `store`. Paths, Arrow's datasets and streams, DuckDB's relations and lazy frames may
    be passed there as they are; a source is needed to give options with them, or a
    query with its connection.

    Parameters
    ----------
    rows : object
        A path, a list of paths, a pattern such as ``"lake/*.parquet"``, a directory
        (folders ``name=value`` are columns), a URL such as ``"s3://bucket/lake"`` (by
        fsspec), an open file, Arrow's dataset, scanner, record batch reader or any
        object with ``__arrow_c_stream__``, a relation of DuckDB, a frame, a lazy frame,
        or the text of a query.
    connection : object, optional
        The database of a query: a connection of DuckDB, ADBC, SQLAlchemy (or its
        engine), or any with a cursor (DB-API).
    **options
        Those of `read_table`.

    Examples
    --------
    >>> import sqlite3, sklazy
    >>> database = sqlite3.connect(":memory:")
    >>> _ = database.execute("CREATE TABLE flats (size REAL, heat TEXT)")
    >>> _ = database.execute("INSERT INTO flats VALUES (50, 'gas'), (72, 'oil')")
    >>> rows = sklazy.Source("SELECT * FROM flats", connection=database)
    >>> sklazy.read_table(rows)
    Table: 2 rows, 2 columns
      size  numeric  50 to 72
      heat  nominal  2 categories: 'gas', 'oil'
    >>> database.close()
    """

    def __init__(
        self,
        rows: object,
        *,
        connection: object = None,
        **options: Any,  # noqa: ANN401 - as of read_table
    ) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise BadTypeError(
                    f"{name} is no option of a source.{suggest(name, _OPTIONS)}"
                )
        self.rows, self.connection, self.options = rows, connection, options

    def __repr__(self) -> str:
        return f"Source({self.rows!r})"

    def read(self, *, like: Table | None = None) -> Table:
        """Read all rows into memory.

        Parameters
        ----------
        like : Table, optional
            Rows read before, whose columns these are.
        """
        wishes = self._wishes()
        if self.connection is None and (is_open(self.rows) or _is_one(self.rows)):
            where: Any = self.rows
            where = _check_bytes(where) if is_open(where) else os.fspath(where)
            return read_file(where, wishes, self._limits(), like, self.options)
        rows = self._open(like, fits=True)
        if rows.is_text and like is None:
            surveyed = survey_rows(rows, wishes, lambda n_rows: None)
            return concatenate_tables(list(surveyed.batches()))
        return _read_whole(rows, wishes, like)

    def batches(self) -> Iterator[Table]:
        """Read some rows at a time, as `read` would read them together."""
        return self.survey(lambda n_rows: None).batches()

    def survey(
        self,
        advance: Callable[[int], object],
        needed: Collection[str] | None = None,
        keep: Callable[[Table], bool] | None = None,
    ) -> Surveyed:
        """Find the kinds of all columns before rows are read in batches.

        Parameters
        ----------
        advance : function
            Called with the number of rows looked at.
        needed : collection of str, optional
            Columns whose cells must be looked at even if they are plain numbers; all by
            default.
        keep : function, optional
            Given the rows meanwhile, where their types settle what columns are; returns
            whether it took them. They need not be read again if `Surveyed.is_kept`.
        """
        rows, wishes = self._open(), self._wishes()
        if isinstance(rows, NativeRows) and rows.once:
            rows = kept_on_disk(rows, wishes)
        return survey_rows(rows, wishes, advance, needed, keep)

    def batches_like(self, like: Table) -> Iterator[Table]:
        """Read some rows at a time, as those of another table were read.

        Parameters
        ----------
        like : Table

        Yields
        ------
        table : Table
        """
        rows, origins = self._open(like), describe_columns(like)
        kinds = {**like_wishes(like), **self._wishes()}
        partitions = rows.partition_kinds(kinds, [])
        request = Request(kinds if rows.is_text else {})
        forms = forms_of(rows.decimal)
        for table in rows.batches(request, partitions):
            try:
                known = table if rows.is_text else read_typed_numbers(table, like)
                known = read_later_numbers(known, like, forms)
                yield read_table_as(known, origins, later=True)
            except BadTypeError as error:
                raise BadFileError(str(error), rows.name) from None

    def with_labels(self, names: Collection[str]) -> "Source":
        """Return the same rows, with these columns as labels.

        Parameters
        ----------
        names : collection of str
        """
        kinds = {**(self.options.get("kinds") or {}), **dict.fromkeys(names, "nominal")}
        options = {**self.options, "kinds": kinds}
        return Source(self.rows, connection=self.connection, **options)

    def parts(self) -> list["Source"]:
        """Each file as a source of its own; the source itself where there are none."""
        if self.connection is not None or not _is_path(self.rows):
            return [self]
        return [Source(file, **self.options) for file in find_files(self.rows)]

    def names(self) -> list[str]:
        """List the columns, by the first rows."""
        part = self.parts()[0]
        rows = part._open()
        first = next(iter(rows.batches(Request({}, as_labels=True))), None)
        return [] if first is None else first.names

    def _wishes(self) -> dict[str, Wish]:
        kinds, nominal, numeric = (self.options.get(name) or () for name in _KINDS)
        return merge_kinds(kinds or {}, nominal, numeric)

    def _limits(self) -> ReadLimits:
        return ReadLimits(*(self.options.get(name) for name in _LIMITS))

    def _open(self, like: Table | None = None, *, fits: bool = False) -> RowSource:
        """The rows, to be read some at a time; all of them are kept if they `fit`."""
        limits = self._limits()
        if self.connection is None and not isinstance(self.rows, Location):
            way = None if _is_path(self.rows) else find_native(self.rows)
            if way is not None:
                return replace(way(self.rows), limits=limits, fits=fits)
        if self.connection is not None:
            rows = query_rows(cast(str, self.rows), self.connection)
            return replace(rows, limits=limits, fits=fits)
        where, format = self.rows, self.options.get("format")
        if is_open(where):
            where, format = _copied(cast(IO[bytes], where), format)
        elif not isinstance(where, Location) and not _is_path(where):
            raise _no_source(where)
        return self._open_files(where, format, like)._replace(limits=limits, fits=fits)

    def _open_files(
        self, where: object, format: str | None, like: Table | None
    ) -> FileRows:
        if where == "-":
            raise BadInputError(
                "standard input can be read only once, but is needed twice; give a "
                "file."
            )
        files = [where] if isinstance(where, Location) else find_files(where)
        check_partitions(files)
        which = _common_format(files, format)
        options = text_options(files[0].path, which, self.options)
        readers: Readers = {}
        if like is not None:
            readers = like_readers(like, self._wishes(), which, options)
        encoding = self.options.get("encoding", "utf-8")
        rules = TextRules(which, options, encoding, readers)
        return FileRows(_name_files(where, files), files, rules)


def _read_whole(
    rows: RowSource, wishes: Mapping[str, Wish], like: Table | None
) -> Table:
    """All rows as one table, of which columns of text are understood then."""
    notes: list[str] = []
    kinds = {**({} if like is None else like_wishes(like)), **wishes}
    partitions = rows.partition_kinds(kinds, notes)
    request = Request(kinds if rows.is_text else wishes)
    tables = list(rows.batches(request, partitions))
    if not tables:
        raise BadInputError(f"{rows.name}: it has no rows; expected at least one.")
    table = concatenate_tables(of_one_kind(tables))
    unknown = [name for name in wishes if name not in table]
    if unknown:
        raise BadInputError(
            f"{rows.name}: kinds, nominal or numeric name {unknown}; it has "
            f"{table.names}."
        )
    table = understand_whole(table, wishes, notes, forms_of(rows.decimal), like)
    warn_of_notes(notes, rows.name, FILE_WAY_OUT)
    return table


def _no_source(rows: object) -> BadTypeError:
    return BadTypeError(
        f"{type(rows).__name__} is not a source of rows; expected a path, a list of "
        "paths, a directory, a URL, an open file, a dataset or stream of Arrow, a "
        "relation of DuckDB, a frame, a lazy frame, or a query with connection=."
    )


def is_open(rows: object) -> bool:
    """Whether something is an open file."""
    return hasattr(rows, "read") and hasattr(rows, "seek")


def _check_bytes(stream: object) -> object:
    """An open file, unless it gives text."""
    if isinstance(stream, io.TextIOBase):
        raise BadTypeError("an open file must give bytes; open it with mode 'rb'.")
    return stream


def _is_one(rows: object) -> bool:
    """Whether rows are one file of this machine, or standard input."""
    return isinstance(rows, str | os.PathLike) and not is_several(rows)


def _is_path(rows: object) -> bool:
    return isinstance(rows, str | os.PathLike) or is_several(rows)


def _name_files(where: object, files: list[Location]) -> str:
    """The name of files in messages."""
    if isinstance(where, str | os.PathLike):
        return os.fspath(where)
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return files[0].path + more


def _common_format(files: list[Location], format: str | None) -> Format:
    which = find_format(files[0].path, format)
    for file in files:
        other = find_format(file.path, format)
        if other != which:
            raise BadInputError(
                f"{file.path} is {other}, but {files[0].path} is {which}; give files "
                "of one format, for example by a pattern: 'folder/*.parquet'."
            )
    if which not in STREAMED:
        raise BadInputError(
            f"{files[0].path}: {which} files are read as a whole, one by one; give "
            f"files of one of {', '.join(STREAMED)}."
        )
    return which


def _copied(stream: IO[bytes], format: str | None) -> tuple[Location, Format]:
    """An open file as one that can be read again, and its format."""
    _check_bytes(stream)
    raw = stream.read()
    name = name_stream(stream)
    which = guess_format(raw) if format is None else find_format(name, format)
    return Location(name, name, _InMemory(raw)), which


class _InMemory:
    """A file system of one file, whose bytes are in memory."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def open(self, _: str, mode: str) -> IO[bytes]:
        """Open it to read bytes."""
        return io.BytesIO(self._raw)

    def size(self, _: str) -> int:
        """Its length."""
        return len(self._raw)
