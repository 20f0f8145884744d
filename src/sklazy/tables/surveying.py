"""Survey the columns of a file, from its rows some at a time.

Kinds and readings follow from the distinct cells of a column (`infer`, `understand`),
which are collected here. Numbers need not be kept where there are many; if a word comes
among them after all, or they are ids or codes, the file is looked at once more.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

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
from sklazy.tables.labels import encode
from sklazy.tables.numbers import to_numeric
from sklazy.tables.origins import Origin, read_as
from sklazy.tables.reading import Reading
from sklazy.tables.streams import Streamed
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

    def __init__(self, name: str, streamed: Streamed, *, keep_all: bool) -> None:
        self.name, self.n_known = name, 0
        self._is_plain_text = streamed.format == "csv"
        self._decimal = streamed.options.decimal
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
        if column.kind == "numeric":
            self._is_typed, self._reading = True, column.reading
            self._count(np.unique(column.data[~column.missing]).tolist())
            return
        labels = column.occurring().categories
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
            else:
                self.numbers = None
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
        column = encode(self.name, list(self._labels), self._declared)
        n_labels = len(self._labels)
        n_more = min(self.n_known - n_labels, 20 * n_labels)
        codes = np.append(column.data, np.repeat(column.data[:1], n_more))
        if not self.n_known:
            codes = np.array([MISSING], np.int32)
        declared = self._declared is not None
        return Column(
            self.name, "nominal", codes.astype(np.int32), column.categories, declared
        )


class Surveyed(NamedTuple):
    """A file whose columns are known."""

    streamed: Streamed
    wishes: Mapping[str, Wish]
    seen: dict[str, SeenCells]  # by name
    origins: list[Origin]  # how cells are to be read, as `read_table` would
    named: bool
    n_rows: int

    def batches(self) -> Iterator[Table]:
        """The rows as `read_table` reads them, some at a time."""
        kinds = self.wishes
        if self.streamed.format == "csv":
            kinds = {o.name: "nominal" if o.reading else o.kind for o in self.origins}
        for table in self.streamed.batches(kinds):
            pairs = zip(table, self.origins, strict=True)
            columns = tuple(_as_wished(column, origin) for column, origin in pairs)
            yield read_as(replace(table, columns=columns), self.origins)


def survey_file(
    streamed: Streamed, wishes: Mapping[str, Wish], advance: Callable[[int], object]
) -> Surveyed:
    """Find what the columns of a file are; it is read twice where labels are lacked."""
    seen, named, n_rows = _look(streamed, wishes, advance)
    lacking = [o.name for o in seen if o.lacks_labels(wishes.get(o.name))]
    if lacking:
        seen, named, n_rows = _look(streamed, wishes, advance, lacking)
    unknown = [name for name in wishes if name not in [cells.name for cells in seen]]
    if unknown:
        raise BadInputError(
            f"kinds, nominal or numeric name {unknown}; the file has "
            f"{[cells.name for cells in seen]}."
        )
    notes: list[str] = []
    forms = forms_of(streamed.options.decimal)
    columns = [cells.understood(wishes.get(cells.name), notes, forms) for cells in seen]
    read = [f"column {c.name!r} " for c in columns if c.reading]
    notes = [n for n in notes if not n.startswith(tuple(read))]
    warn_of_notes(notes, streamed.path, FILE_WAY_OUT)
    origins = [Origin(c.name, c.kind, c.reading) for c in columns]
    known = {cells.name: cells for cells in seen}
    return Surveyed(streamed, wishes, known, origins, named, n_rows)


def _look(
    streamed: Streamed,
    wishes: Mapping[str, Wish],
    advance: Callable[[int], object],
    kept: Collection[str] = (),
) -> tuple[list[SeenCells], bool, int]:
    seen: list[SeenCells] = []
    named, n_rows = True, 0
    raw = {} if streamed.format == "csv" else wishes  # what cells are is not known yet
    for table in streamed.batches(raw, as_labels=True):
        seen = seen or [SeenCells(n, streamed, keep_all=n in kept) for n in table.names]
        named, n_rows = table.named, n_rows + len(table)
        for cells, column in zip(seen, table, strict=True):
            cells.look(column)
        advance(len(table))
    if not n_rows:
        raise BadInputError(f"{streamed.path}: the file has no rows.")
    return seen, named, n_rows


def _as_wished(column: Column, origin: Origin) -> Column:
    """A column of labels that are to be plain numbers as such."""
    is_plain = origin.kind == "numeric" and origin.reading is None
    return to_numeric(column) if is_plain else column
