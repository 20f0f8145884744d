"""Survey the columns of a source, from its rows some at a time.

Kinds and readings follow from the distinct cells of a column (`infer`, `understand`),
which are collected here. Numbers need not be kept where there are many; if a word comes
among them after all, or they are ids or codes, the rows are looked at once more.
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
from sklazy.tables.infer import (
    code_like,
    explain_labels,
    id_like,
    infer_kind,
    with_point,
)
from sklazy.tables.labels import canonical, encode
from sklazy.tables.numbers import to_numeric
from sklazy.tables.origins import Origin, read_as
from sklazy.tables.reading import Reading
from sklazy.tables.streams import Request
from sklazy.tables.table import Column, Kind, Label, Table, Wish
from sklazy.tables.text import all_numbers
from sklazy.tables.understand import (
    FILE_WAY_OUT,
    forms_of,
    understand_column,
    warn_of_notes,
)

MOST_LABELS = 1_000_000
"""A column of more different labels is not kept as one of labels."""

FEW_NUMBERS = 1000
"""The different numbers of a column that are known."""


class SeenCells:
    """Cells seen of a column.

    Attributes
    ----------
    n_known : int
        The cells that are not missing.
    numbers : set of float, or None for many
    needs_more : bool
        Whether words came among numbers that were not kept.
    """

    def __init__(self, name: str, rows: "RowSource", *, keep_all: bool) -> None:
        self.name, self.n_known = name, 0
        self._is_plain_text, self._decimal = rows.is_text, rows.decimal
        self.keep_all = keep_all or not self._is_plain_text
        self.numbers: set[float] | None = set()
        self.needs_more = False
        self._labels: dict[Label, None] = {}
        self._declared: tuple[Label, ...] | None = None
        self._reading: Reading | None = None
        self._is_typed = self._has_words = self._is_dropped = False
        self._is_code, self._is_id = "", "not yet"

    def look(self, column: Column) -> None:
        """Take some cells in."""
        self.n_known += int((~column.missing).sum())
        if column.kind == "numeric" and self._is_plain_text:
            self._look_at_plain_numbers(column)
            return
        if column.kind == "numeric":
            # Cells that are all missing have no type: other files may have labels.
            self._is_typed, known = not self._labels, column.data[~column.missing]
            if len(known) or not self.n_known:
                self._reading = column.reading
            self._count(np.unique(known).tolist())
            return
        labels = column.used_labels()
        self._is_typed = self._is_typed and not labels
        if column.declared:
            self._declared = column.categories
        texts = [label for label in self._pointed(labels) if isinstance(label, str)]
        self._has_words |= not all_numbers(texts)
        if self._is_dropped:
            self._look_at_numbers(labels)
        elif len(self._labels) <= MOST_LABELS:
            self._labels.update(dict.fromkeys(labels))
        many = len(self._labels) > FEW_NUMBERS
        if many and not self._has_words and not self.keep_all:
            self._drop_labels()

    def _look_at_plain_numbers(self, column: Column) -> None:
        """Take in numbers of text that are neither codes nor ids."""
        if not self._is_dropped:
            self._drop_labels()
        self._is_id = ""
        if self.numbers is not None:
            self._count(np.unique(column.data[~column.missing]).tolist())

    def _drop_labels(self) -> None:
        self._look_at_numbers(self._labels)
        self._labels, self._is_dropped = {}, True

    def lacks_labels(self, wish: Wish | None) -> bool:
        """Whether numbers that were not kept are to be read as labels after all."""
        if self.needs_more or not self._is_dropped or wish in ("ignore", "nominal"):
            return self.needs_more
        return self._infer_kind(wish)[0] == "nominal"

    def _count(self, numbers: Iterable[float]) -> None:
        if self.numbers is not None:
            self.numbers.update(numbers)
            if len(self.numbers) > FEW_NUMBERS:
                self.numbers = None

    def _look_at_numbers(self, labels: Iterable[Label]) -> None:
        texts = set(map(str, self._pointed(labels)))
        self.needs_more |= self._has_words
        if not self._has_words:
            self._count(map(float, texts))
        self._is_code = self._is_code or code_like(texts)
        if texts and self._is_id:
            self._is_id = id_like(self.name, texts)

    def understood(
        self, wish: Wish | None, notes: list[str], forms: Iterable[str]
    ) -> Column:
        """The column as it is understood; not all of its cells are there."""
        known = self._column(wish, notes)
        column = understand_column(known, wish, notes, tuple(forms))
        if known.kind != column.kind:
            self._count(column.data[~column.missing].tolist())
        is_plain = column.kind == "nominal" and column.reading is None
        if is_plain and len(self._labels) > MOST_LABELS:
            raise BadInputError(
                f"column {self.name!r} has more than {MOST_LABELS} different labels; "
                f"leave it out with kinds={{{self.name!r}: 'ignore'}}."
            )
        return column

    def _column(self, wish: Wish | None, notes: list[str]) -> Column:
        if self._is_typed:
            data = np.array([0.0] if self.n_known else [np.nan])
            return Column(self.name, "numeric", data, reading=self._reading)
        kind, note = self._infer_kind(wish)
        if note:
            notes.append(f"column {self.name!r} is taken as {kind}: {note}")
        if kind == "numeric":
            if not self._is_dropped:
                self._count(map(float, self._pointed(self._labels)))
            data = np.array([0.0] if self.n_known else [np.nan])
            return Column(self.name, "numeric", data)
        return self._as_labels()

    def _pointed(self, labels: Iterable[Label]) -> list[Label]:
        """Labels as numbers are written, with a decimal point."""
        mark = self._decimal
        return [with_point(l, mark) if isinstance(l, str) else l for l in labels]

    def _infer_kind(self, wish: Wish | None) -> tuple[Kind, str]:
        if not self._is_plain_text:
            return "nominal", ""
        if wish is not None:
            are_numbers = wish == "numeric" and not self._has_words
            return ("numeric" if are_numbers else "nominal"), ""
        if not self._is_dropped:
            return infer_kind(self.name, list(map(str, self._pointed(self._labels))))
        note = self._is_code or self._is_id
        return ("nominal", explain_labels(self.name, note)) if note else ("numeric", "")

    def _as_labels(self) -> Column:
        """The labels, each at least once, and some more of the known cells.

        Their number only matters for whether cells nearly all differ.
        """
        column = encode(self.name, canonical(self._labels), self._declared)
        n_labels = len(self._labels)
        n_more = min(self.n_known - n_labels, 20 * n_labels)
        codes = np.append(column.data, np.repeat(column.data[:1], n_more))
        if not self.n_known:
            codes = np.array([MISSING], np.int32)
        declared = self._declared is not None
        return Column(
            self.name, "nominal", codes.astype(np.int32), column.categories, declared
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
    columns = [cells.understood(wishes.get(cells.name), notes, forms) for cells in seen]
    read = [f"column {c.name!r} " for c in columns if c.reading]
    notes = [n for n in notes if not n.startswith(tuple(read))]
    warn_of_notes(notes, rows.name, FILE_WAY_OUT)
    origins = [Origin(c.name, c.kind, c.reading) for c in columns]
    origins += [Origin(name, "numeric", None) for name in numbers]
    known = {cells.name: cells for cells in seen}
    is_kept = keeping.has_kept(origins)
    return Surveyed(rows, wishes, partitions, known, origins, named, n_rows, is_kept)


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
        seen = seen or [SeenCells(n, rows, keep_all=n in kept) for n in names]
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
