"""A part of the rows, and what it is asked: functions of a part that travel to it.

A part is a case base that follows others: its labels, cuts and ranges are those of all
parts, so that codes mean the same in each and what is counted adds up. It may have no
rows. The holder of parts calls the same function of this kind on every one of them,
with the same arguments.

A figure of all rows is thus two functions: one of a part, handed to `base.ask`, and one
that joins the parts' results (sums by `casebase/sums.py`, neighbors by
`neighbors/levels.py`). A base that is not in parts is one part. `base.joined()` brings
all rows to one place; use it only where rows must meet.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.bins import Bins
from sklazy.casebase.coder import Coder
from sklazy.casebase.fingerprint import fingerprint
from sklazy.casebase.moments import fade_weights, moments_of
from sklazy.casebase.rows import CLASSES, CodedRows, Ids, Places, RowsMark
from sklazy.casebase.schema import Schema
from sklazy.casebase.states import shallow
from sklazy.errors import BadInputError, LostPartError
from sklazy.flow import MISSING, Cases
from sklazy.kernels.sorting import sort_pairs
from sklazy.tables import Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = dict[int, list[Label]]


class CommonFrame(NamedTuple):
    """Labels, cuts, edges and offsets that all parts of a base agree on."""

    labels: Labels  # the labels by code of each nominal attribute and of the classes
    cuts: list[Floats]  # one for each numeric attribute
    edges: Floats  # (n_numeric, 2), smallest and largest number
    newest: float  # when the last row happened
    starts: Ints  # (n_parts,), how many rows lie in the parts before each


class Part(CaseBase):
    """Some rows of a case base."""

    number: int  # which part this is
    seal: str = ""  # the checksum of the file that it lies in
    shared: CommonFrame  # the labels, cuts and ranges of all parts

    @classmethod
    def of(cls, base: CaseBase, batch: CodedRows, number: int) -> "Part":
        """Some rows of a base, coded as there, as a part of their own."""
        part = object.__new__(cls)
        build_from_rows(part, base, batch)
        part.coder = pin_labels(base.coder, batch)
        part.bins.frozen = part.bins.current = True
        part.start_alone(number, list(base.bins.cuts), base.ranges.edges)
        return part

    def start_alone(self, number: int, cuts: list[Floats], edges: Floats) -> None:
        """Take labels as they are, until all parts have a frame in common."""
        if self.schema.balanced:
            raise BadInputError(
                "class_weight='balanced' weighs all rows by each other, which takes "
                "them in one place, not in parts; give a dict of weights by class."
            )
        labels = {j: v.labels for j, v in self.coder.vocabularies.items()}
        no_rows = np.zeros(number + 1, np.int64)
        self.number = number
        self.shared = CommonFrame(labels, cuts, edges, 0.0, no_rows)

    @property
    def first_row(self) -> int:
        """The number of the first row among those of all parts."""
        return int(self.shared.starts[self.number])

    def _fade(self) -> Floats:
        assert self.half_life is not None
        age = 0 if self.schema.clock else self.first_row
        return fade_weights(self.rows, self.half_life, self.shared.newest - age)

    def _make_state(self) -> Self:
        self._sync()  # a state of a part does not learn that it is past
        return super()._make_state()

    def _cases(self) -> Cases:
        return self._count()

    def _count(self) -> Cases:
        return super()._count()._replace(ranges=self.shared.edges)

    def words_in(self, buckets: Ints) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Hashes and content of the rows in some buckets."""
        hashes, words = super().words_in(buckets)
        if self._counts_arrivals:
            words[:, -1] += np.uint64(self.first_row)
        return hashes, words


def build_from_rows(base: CaseBase, head: CaseBase, batch: CodedRows) -> None:
    """Make a base of rows that are coded as another base codes them."""
    bins = shallow(head.bins)
    bins.cuts, bins.sorted = list(head.bins.cuts), None
    base._start_empty(head.schema, bins, len(batch.targets), head.half_life)
    base.coder, base.next_id = head.coder.twin(), head.next_id
    base.rows.append(replace(batch, hashes=np.zeros((0, len(batch)), np.uint64)))
    base.ranges.widen(batch.numbers)


def without_rows(like: CaseBase, schema: Schema) -> CaseBase:
    """A base of the settings of another and of a schema that has no rows yet."""
    base = object.__new__(CaseBase)
    n_numeric = len(schema.positions("numeric"))
    bins = Bins(n_numeric, like.bins.criterion, frozen=like.bins.frozen)
    base._start_empty(schema, bins, len(like.rows.targets), like.half_life)
    return base


def pin_labels(coder: Coder, batch: CodedRows) -> Coder:
    """The same labels, counted among some rows; none goes before all parts agree."""
    twin = coder.twin()
    for vocabulary in twin.vocabularies.values():
        vocabulary.counts = np.zeros(len(vocabulary), np.int64)
        vocabulary.pinned = True
    twin.tally(batch, 1)
    return twin


# --- what a part is asked -------------------------------------------------------------


class Survey(NamedTuple):
    """Summary of one part, before the others are known."""

    n_rows: int
    labels: Labels  # the labels in use of each nominal attribute and of the classes
    counts: dict[int, Ints]  # their rows
    edges: Floats  # (n_numeric, 2)
    # When the last row happened; minus infinity if there is none, or no clock.
    newest: float


def survey_part(part: Part) -> Survey:
    """Summarize a part."""
    labels, counts = {}, {}
    for j, vocabulary in part.coder.vocabularies.items():
        used = np.flatnonzero(vocabulary.counts)
        labels[j] = [vocabulary.labels[code] for code in used]
        counts[j] = vocabulary.counts[used]
    newest = -np.inf
    if part.schema.clock and part.n_rows:
        newest = float(moments_of(part.rows).max())
    return Survey(part.n_rows, labels, counts, part.ranges.edges, newest)


def check_sizes(sizes: Sequence[int], surveys: Sequence[Survey]) -> None:
    """Refuse parts that have more or fewer rows than they are known to have."""
    for number, (known, survey) in enumerate(zip(sizes, surveys, strict=True)):
        if survey.n_rows != known:
            raise _other_rows(number, f"{survey.n_rows} rows instead of {known}")


def check_fingerprint(part: Part, expected: str | None) -> str:
    """The fingerprint of a part as its source has it, which must be the expected."""
    present = part.seal  # a file need not be read for it
    if not present:
        ids = part.ids.tolist() if part.ids.dtype == object else part.ids
        present = fingerprint([part._find_hashes(), ids])
    if expected not in (None, present):
        raise _other_rows(part.number, "other rows, or the same in another order")
    return present


def _other_rows(number: int, what: str) -> LostPartError:
    return LostPartError(
        f"part {number} has {what} after its source was read again; expected the same "
        "rows each time. Give data that stay the same, for instance frame.persist() "
        "of a Dask frame before fit."
    )


def adopt_labels(part: Part, labels: Labels) -> None:
    """Number labels as all parts do, or none of them."""
    known = part.coder.vocabularies
    moving = [j for j, wanted in labels.items() if known[j].labels != wanted]
    if moving:
        with part._all_or_nothing() as mark:
            _renumber(part, labels, mark)
    else:
        for j, wanted in labels.items():
            known[j].renumber(wanted)
    part._outdate()


def _renumber(part: Part, labels: Labels, mark: RowsMark) -> None:
    for j, wanted in labels.items():
        moved = part.coder.vocabularies[j].renumber(wanted)
        if moved is not None:
            part.tallies.spoil(j)
            part.rows.relabel(j, moved, mark)


def sorted_column(part: Part, numeric: int) -> tuple[Floats, NDArray[np.int32]]:
    """The numbers of an attribute in ascending order, and their classes."""
    live = slice(part.n_rows)
    values = np.ascontiguousarray(part.rows.numbers[numeric, live])
    return sort_pairs(values, part.rows.classes[live].astype(np.int32))


def adopt_frame(part: Part, shared: CommonFrame) -> tuple[Ints, Ints, Ints]:
    """Take what all parts have in common; offsets, counts and class counts then."""
    for numeric, cuts in enumerate(shared.cuts):
        if not np.array_equal(part.bins.cuts[numeric], cuts):
            part._recode(numeric, cuts)
    part.bins.restore(shared.cuts)
    part.shared = shared
    part._outdate()
    cases = part.cases
    return cases.offsets, cases.counts, cases.class_counts


def copy_rows(part: Part) -> CodedRows:
    """All rows."""
    rows = part.rows.take(np.arange(part.n_rows))
    rows.arrival += part.first_row
    return rows


def take_rows(part: Part, places: Places) -> CodedRows:
    """Some rows, their weights as they count now."""
    rows = part.rows.take(places)
    return replace(
        rows, weights=part.weights[places], arrival=rows.arrival + part.first_row
    )


def rows_as_given(part: Part, places: Places) -> CodedRows:
    """Some rows, their weights as they came."""
    rows = part.rows.take(places)
    return replace(rows, arrival=rows.arrival + part.first_row)


def is_weighted(part: Part) -> bool:
    """Whether any row has another weight than 1."""
    return part.weighted


def names_and_arrivals(part: Part) -> tuple[Ids, Ints]:
    """The ids of all rows, and their numbers in order of arrival."""
    return part.ids, part.arrival + part.first_row


def find_places(part: Part, ids: Ids) -> tuple[Places, Ids]:
    """Where the rows with some of these ids lie, and which these are."""
    places = part.rows.places_of(ids)
    return places, part.rows.ids_at(places)


def find_taken(part: Part, ids: Ids | None) -> Ids:
    """Those of some ids that rows have, and the id of one more to show its kind."""
    rows = part.rows
    first = rows.ids_at(np.arange(min(part.n_rows, 1)))
    if ids is None or (first.dtype == object) != (ids.dtype == object):
        return first
    return np.concatenate([first, rows.ids_at(rows.places_of(ids))])


class Leaving(NamedTuple):
    """Known cells of each attribute and hashes of rows that are to go."""

    n_known: Ints
    hashes: NDArray[np.uint64]


def weigh_leaving(part: Part, places: Places) -> Leaving:
    """Count the known cells of rows that are to go, and hash them."""
    rows = part.rows.take(places)
    return Leaving((rows.codes >= 0).sum(axis=1), part.coder.hashes(rows))


def enter_rows(part: Part, labels: Labels, batch: CodedRows) -> None:
    """Take in rows that are coded by these labels, whatever others the part has."""
    arrival = np.arange(len(batch)) + part.n_rows
    batch = replace(batch, codes=batch.codes.copy(), arrival=arrival)
    with part._all_or_nothing() as mark:
        for j, used in labels.items():
            vocabulary = part.coder.vocabularies[j]
            moved = vocabulary.admit(used)
            if moved is not None:
                part._follow(iter([(j, moved)]), mark)
            renumber_codes(batch, j, vocabulary.lookup(used))
        batch.classes = np.maximum(batch.classes, 0)  # of rows that are yet to go
        part._enter(batch)


def renumber_codes(batch: CodedRows, attribute: int, moved: NDArray[np.int32]) -> None:
    """Follow a map of an attribute's codes; missing stays missing."""
    moved = np.append(moved, np.int32(MISSING))
    if attribute == CLASSES:
        batch.classes = moved[batch.classes]
    else:
        batch.codes[attribute] = moved[batch.codes[attribute]]
