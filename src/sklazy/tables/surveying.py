"""Survey the columns of a source, from its rows some at a time.

Kinds and readings follow from the distinct cells of a column (`infer`, `understand`),
which `SeenCells` collects. Numbers need not be kept where there are many; if a word
comes among them after all, or they are ids or codes, rows are looked at once more.
Columns that are numbers by their type are not looked at, unless they are needed.
"""

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.tables.numbers import to_numeric
from sklazy.tables.origins import Origin, read_as
from sklazy.tables.reading import Reading
from sklazy.tables.seen_cells import SeenCells
from sklazy.tables.streams import Request
from sklazy.tables.table import Column, Kind, Table, Wish
from sklazy.tables.thousands import find_thousands
from sklazy.tables.understand import (
    FILE_WAY_OUT,
    forms_of,
    warn_of_notes,
)


class RowSource(Protocol):
    """Rows that can be read again and again, some at a time; see `FileRows`."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def is_text(self) -> bool:
        """Whether cells have no type until all are known."""

    @property
    def decimal(self) -> str:
        """The decimal mark of text."""

    def batches(
        self, request: Request, partitions: Mapping[str, Kind] | None = None
    ) -> Iterator[Table]:
        """The rows; columns of folders are of the kinds of `partitions`."""

    def partition_kinds(
        self, wishes: Mapping[str, Wish], notes: list[str]
    ) -> dict[str, Kind]:
        """The kinds of the columns that folders stand for."""

    def plain_numbers(self) -> list[str]:
        """The columns that hold numbers by their type, in the order of columns."""


class Surveyed(NamedTuple):
    """Rows whose columns are known."""

    rows: RowSource
    wishes: Mapping[str, Wish]
    partitions: Mapping[str, Kind]
    seen: Mapping[str, SeenCells]  # by name
    origins: Sequence[Origin]  # how cells are to be read, as `read_table` would
    named: bool
    n_rows: int
    is_kept: bool = False  # whether all rows were kept, as `batches` gives them

    def batches(self) -> Iterator[Table]:
        """The rows as `read_table` reads them, some at a time."""
        kinds, n_rows = self.wishes, 0
        if self.rows.is_text:
            kinds = {o.name: "nominal" if o.reading else o.kind for o in self.origins}
        for table in self.rows.batches(Request(kinds), self.partitions):
            n_rows += len(table)
            yield read_table_as(table, self.origins)
        if n_rows != self.n_rows:
            raise BadInputError(
                f"{self.rows.name}: it had {self.n_rows} rows and now has {n_rows}: it "
                "has changed while it was read. Read it again."
            )


def read_table_as(
    table: Table, origins: Sequence[Origin], *, later: bool = False
) -> Table:
    """Some rows as all of them are understood, or `later` ones as the first were."""
    by_name = {origin.name: origin for origin in origins}
    columns = tuple(_as_wished(c, by_name.get(c.name), later=later) for c in table)
    return read_as(replace(table, columns=columns), origins)


def survey_rows(
    rows: RowSource,
    wishes: Mapping[str, Wish],
    advance: Callable[[int], object],
    needed: Collection[str] | None = None,
    keep: Callable[[Table], bool] | None = None,
) -> Surveyed:
    """Find what columns are; rows are read twice where labels are lacked.

    All columns are looked at, or those that are `needed` and those that are not plain
    numbers by their type. `keep` is given the rows, as long as their columns are what
    they seem to be and it returns true, which saves reading them again.
    """
    notes: list[str] = []
    partitions = rows.partition_kinds(wishes, notes)
    numbers = [] if needed is None else rows.plain_numbers()
    numbers = [n for n in numbers if n not in wishes and n not in (needed or ())]
    keeping = _Keeping(wishes, None if rows.is_text else keep)
    look = partial(_look, rows, wishes, partitions, advance, numbers, keeping)
    seen, named, n_rows = look()
    lacking = [o.name for o in seen if o.lacks_labels(wishes.get(o.name))]
    if lacking:
        seen, named, n_rows = look(lacking)
    _check_wishes(rows.name, wishes, [cells.name for cells in seen] + numbers)
    forms = forms_of(rows.decimal)
    columns = _understand(seen, wishes, notes, forms)
    read = [f"column {c.name!r} " for c in columns if c.reading]
    notes = [n for n in notes if not n.startswith(tuple(read))]
    warn_of_notes(notes, rows.name, FILE_WAY_OUT)
    origins = [Origin(c.name, c.kind, c.reading) for c in columns]
    origins += [Origin(name, "numeric", None) for name in numbers]
    known = {cells.name: cells for cells in seen}
    is_kept = keeping.has_kept(origins)
    return Surveyed(rows, wishes, partitions, known, origins, named, n_rows, is_kept)


def _understand(
    seen: Collection[SeenCells],
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str],
) -> list[Column]:
    """The columns as they are understood; not all of their cells are there."""
    thousands = _find_thousands(seen, wishes, forms)
    return [
        cells.read_thousands(reading, notes)
        if (reading := thousands.get(cells.name))
        else cells.understood(wishes.get(cells.name), notes, forms)
        for cells in seen
    ]


def _find_thousands(
    seen: Collection[SeenCells], wishes: Mapping[str, Wish], forms: Collection[str]
) -> dict[str, Reading]:
    """Find the readings of columns with thousands, by the other columns."""
    if any(cells.has_decimal_points(wishes.get(cells.name)) for cells in seen):
        return {}
    texts = {cells.name: cells.texts for cells in seen}
    return find_thousands(texts, [cells.reading for cells in seen], wishes, forms)


class _Keeping:
    """Rows handed on while they are surveyed, unless they turn out to be others."""

    def __init__(
        self, wishes: Mapping[str, Wish], keep: Callable[[Table], bool] | None
    ) -> None:
        self._wishes, self.keep = wishes, keep
        self._held: dict[str, _Held] | None = None

    def take(self, table: Table, seen: Iterable[SeenCells]) -> None:
        """Hand on rows, if nothing speaks against it so far."""
        if self.keep is None:
            return
        held = {column.name: (column.kind, column.reading) for column in table}
        if self._held is None:
            self._held = held
            known = (
                cells.understood(self._wishes.get(cells.name), [], ()) for cells in seen
            )
            if any(held[c.name] != (c.kind, c.reading) for c in known):
                self.keep = None
        if held != self._held or self.keep is None or not self.keep(table):
            self.keep = None

    def has_kept(self, origins: Iterable[Origin]) -> bool:
        """Whether all rows were kept, and are what columns turned out to be."""
        return self.keep is not None and self._held == {
            origin.name: (origin.kind, origin.reading) for origin in origins
        }


_Held = tuple[Kind, Reading | None]


def _check_wishes(name: str, wishes: Collection[str], known: list[str]) -> None:
    unknown = [wish for wish in wishes if wish not in known]
    if unknown:
        raise BadInputError(
            f"{name}: kinds, nominal or numeric name {unknown}; it has {known}."
        )


def _look(
    rows: RowSource,
    wishes: Mapping[str, Wish],
    partitions: Mapping[str, Kind],
    advance: Callable[[int], object],
    numbers: Collection[str],
    keeping: _Keeping,
    kept: Collection[str] = (),
) -> tuple[list[SeenCells], bool, int]:
    seen: list[SeenCells] = []
    named, n_rows = True, 0
    raw = wishes
    if rows.is_text:  # what cells are is not known yet
        raw = dict.fromkeys([*wishes, *kept], "nominal")
    left_out = numbers if keeping.keep is None else ()
    request = Request(raw, as_labels=True, left_out=left_out)
    for table in rows.batches(request, partitions):
        names = [name for name in table.names if name not in numbers]
        seen = seen or [
            SeenCells(n, is_text=rows.is_text, decimal=rows.decimal, keep_all=n in kept)
            for n in names
        ]
        named, n_rows = table.named, n_rows + len(table)
        for cells in seen:
            cells.look(table[cells.name])
        keeping.take(table, seen)
        advance(len(table))
    if not n_rows:
        raise BadInputError(f"{rows.name}: it has no rows; expected at least one.")
    return seen, named, n_rows


def _as_wished(column: Column, origin: Origin | None, *, later: bool) -> Column:
    """A column of labels that are to be plain numbers as such; no cell has a kind."""
    if origin is None:
        return column
    if column.kind != origin.kind and column.is_blank:
        kind = float if origin.kind == "numeric" else np.int32
        data = np.full(len(column), np.nan if kind is float else MISSING, kind)
        return Column(column.name, origin.kind, data)
    is_plain = origin.kind == "numeric" and origin.reading is None
    return to_numeric(column, later=later) if is_plain else column
