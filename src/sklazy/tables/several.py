"""Rows of one file or of several, some at a time, as those of one table.

Columns are matched by name. What files of the same source disagree in, columns or what
is in them, is an error that names the file: nothing is filled in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sklazy.errors import BadFileError, BadInputError
from sklazy.flow import MISSING
from sklazy.tables.arrow_files import is_number_type
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.infer import infer_kind
from sklazy.tables.labels import canonical, recode
from sklazy.tables.locations import Location
from sklazy.tables.streams import (
    Request,
    TextRules,
    read_batches,
    read_parquet_schema,
)
from sklazy.tables.table import Column, Kind, Label, Table, Wish


class FileRows(NamedTuple):
    """The rows of files, which can be read again and again.

    Attributes
    ----------
    name : str
        For messages.
    files : list of Location
    rules : TextRules
    limits : ReadLimits, of one look at all files
    fits : bool
        Whether all rows are to be in memory together.
    """

    name: str
    files: Sequence[Location]
    rules: TextRules
    limits: ReadLimits = ReadLimits()
    fits: bool = False

    @property
    def is_text(self) -> bool:
        """Whether cells have no type until all are known."""
        return self.rules.format == "csv"

    @property
    def decimal(self) -> str:
        """The decimal mark of text."""
        return self.rules.options.decimal

    def batches(
        self, request: Request, partitions: Mapping[str, Kind] | None = None
    ) -> Iterator[Table]:
        """The rows; columns of folders are of the kinds of `partitions`."""
        is_streamed = not self.fits
        budget = Budget(
            self.name, self.limits, self.rules.format, is_streamed=is_streamed
        )
        budget.check_bytes(sum(file.n_bytes for file in self.files))
        agreement, n_rows = Agreement(typed=not self.is_text), 0
        for file in self.files:
            for table in read_batches(file, self.rules, request, budget):
                whole = _with_partition(table, file, partitions or {}, request)
                n_rows += len(whole)
                budget.check_cells(n_rows, len(whole.columns))
                yield agreement.check(whole, file.path)

    def partition_kinds(
        self, wishes: Mapping[str, Wish], notes: list[str]
    ) -> dict[str, Kind]:
        """The kinds of the columns that folders stand for, as of cells of text."""
        kinds: dict[str, Kind] = {}
        for j, (name, _) in enumerate(self.files[0].partition):
            cells = [file.partition[j][1] for file in self.files]
            texts = [cell for cell in cells if cell is not None]
            kind, note = infer_kind(name, texts)
            wish = wishes.get(name)
            if wish is not None:
                kind = "numeric" if wish == "numeric" == kind else "nominal"
            elif note:
                notes.append(f"column {name!r} is taken as {kind}: {note}")
            kinds[name] = kind
        return kinds

    def plain_numbers(self) -> list[str]:
        """The columns that hold numbers by their type, as far as that is known."""
        if self.rules.format != "parquet":
            return []
        schema = read_parquet_schema(self.files[0])
        return [field.name for field in schema if is_number_type(field.type)]


def _with_partition(
    table: Table, file: Location, kinds: Mapping[str, Kind], request: Request
) -> Table:
    """A table and the columns of its folders, unless the file has them itself."""
    columns = list(table.columns)
    for name, text in file.partition:
        if name in table:
            continue
        kind = kinds.get(name, "nominal")
        if request.kinds.get(name) in ("numeric", "nominal"):
            kind = request.kinds[name]  # type: ignore[assignment]
        columns.append(_constant(name, text, kind, len(table), file))
    return replace(table, columns=tuple(columns))


def _constant(
    name: str, text: str | None, kind: Kind, n_rows: int, file: Location
) -> Column:
    if kind == "nominal":
        codes = np.full(n_rows, MISSING if text is None else 0, np.int32)
        return Column(name, "nominal", codes, () if text is None else (text,))
    try:
        number = np.nan if text is None else float(text)
    except ValueError:
        raise BadFileError(
            f"its folder has {name}={text}, which is not a number.", file.path
        ) from None
    return Column(name, "numeric", np.full(n_rows, number))


class Agreement:
    """Checks that tables have the columns of the first, and what those hold."""

    def __init__(self, *, typed: bool) -> None:
        self._typed = typed
        self._first: tuple[Table, str] | None = None
        self._held: dict[str, tuple[Any, str]] = {}

    def check(self, table: Table, path: str) -> Table:
        """The table with its columns in the order of the first."""
        if self._first is None:
            self._first = table.take([]), path
        table = self._ordered(table, path)
        if self._typed:
            for column in table:
                self._check_held(column, path)
        return table

    def _ordered(self, table: Table, path: str) -> Table:
        assert self._first is not None
        first, before = self._first
        if table.names == first.names:
            return table
        absent = [name for name in first.names if name not in table]
        extra = [name for name in table.names if name not in first]
        if absent or extra or not (table.named and first.named):
            raise BadFileError(
                f"its columns are not those of {before}: it lacks {absent} and has "
                f"{extra} beside the others. Give files with the same columns.",
                path,
            )
        return table.select(first.names)

    def _check_held(self, column: Column, path: str) -> None:
        if column.is_blank:
            return
        held = column.kind, column.reading, _class_of_labels(column)
        known, before = self._held.setdefault(column.name, (held, path))
        if known != held:
            raise BadFileError(
                f"column {column.name!r} holds {_describe(held)}, but "
                f"{_describe(known)} in {before}. Give files whose columns have the "
                f"same types, or leave it out: kinds={{{column.name!r}: 'ignore'}}.",
                path,
            )


def _class_of_labels(column: Column) -> tuple[Label, ...] | str:
    """Which labels a column may have: those declared, or those of one type."""
    if column.declared or not column.categories:
        return column.categories
    return _LABELS.get(type(column.categories[0]), "labels that are numbers")


_LABELS = {str: "labels", bool: "the labels True and False"}


def _describe(held: tuple[Any, ...]) -> str:
    kind, reading, labels = held
    if reading is not None:
        zone = f" in {reading.unit}" if reading.unit == "UTC" else ""
        return f"values of the type {reading.style}{zone}"
    if kind == "numeric":
        return "numbers"
    return labels if isinstance(labels, str) else f"the declared labels {labels[:3]}"


def of_one_kind(tables: Sequence[Table]) -> list[Table]:
    """The tables, with columns that have no cell in some of them as the others have."""
    settled: dict[str, Column] = {}
    for column in (column for table in tables for column in table):
        if column.name not in settled and not column.is_blank:
            settled[column.name] = column
    return [
        replace(table, columns=tuple(_like(c, settled.get(c.name, c)) for c in table))
        for table in tables
    ]


def _like(column: Column, other: Column) -> Column:
    """A column without a cell as another of its name; else the column as it is."""
    if column is other or not column.is_blank:
        return column
    is_numeric = other.kind == "numeric"
    data = (
        np.full(len(column), np.nan)
        if is_numeric
        else np.full(len(column), MISSING, np.int32)
    )
    return replace(other, data=data)


def concatenate_tables(tables: Sequence[Table]) -> Table:
    """One table of the rows of several, which have the same columns.

    Examples
    --------
    >>> from sklazy.tables import as_table
    >>> concatenate_tables([as_table([["b", 1.0]]), as_table([["a", 2.0]])])
    Table: 2 rows, 2 columns
      x0  nominal  2 categories: 'a', 'b'
      x1  numeric  1 to 2
    """
    if not tables:
        raise BadInputError("there are no rows; expected at least one.")
    if len(tables) == 1:
        return tables[0]
    columns = [_joined(pieces) for pieces in zip(*tables, strict=True)]
    return Table(tuple(columns), sum(map(len, tables)), tables[0].named)


def _joined(pieces: Sequence[Column]) -> Column:
    first = pieces[0]
    if first.kind == "numeric":
        return replace(first, data=np.concatenate([piece.data for piece in pieces]))
    categories = first.categories
    if not first.declared:
        categories = canonical(l for piece in pieces for l in piece.categories)
    data = np.concatenate([recode(piece, categories) for piece in pieces])
    return replace(first, data=data, categories=categories)
