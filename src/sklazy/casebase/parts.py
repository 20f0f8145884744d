"""A part of the rows, and what it is asked: functions of a part that travel to it.

A part is a case base that follows others: its labels, cuts and ranges are those of all
parts, so that codes mean the same in each and what is counted adds up. It may have no
rows. Whoever holds parts asks every one of them the same: a function of this kind, and
what is given to it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.bins import Bins
from sklazy.casebase.buckets import Buckets
from sklazy.casebase.coder import Coder
from sklazy.casebase.fingerprint import fingerprint
from sklazy.casebase.moments import faded, moments_of
from sklazy.casebase.ranges import Ranges
from sklazy.casebase.rows import CLASSES, CodedRows, Ids, Mark, Places, Rows
from sklazy.casebase.schema import Schema
from sklazy.casebase.states import shallow
from sklazy.casebase.tallies import Tallies
from sklazy.errors import LostPartError
from sklazy.flow import MISSING, Cases
from sklazy.kernels.sorting import sort_pairs
from sklazy.tables import Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = dict[int, list[Label]]


class Shared(NamedTuple):
    """What all parts have in common.

    Attributes
    ----------
    labels : dict, the labels by code of each nominal attribute and of the classes
    cuts : list of float64 arrays, one for each numeric attribute
    edges : float64 array of shape (n_numeric, 2)
        Smallest and largest number.
    newest : float
        When the last row happened.
    starts : int64 array of shape (n_parts,)
        How many rows lie in the parts before each.
    """

    labels: Labels
    cuts: list[Floats]
    edges: Floats
    newest: float
    starts: Ints


class Part(CaseBase):
    """Some rows of a case base.

    Attributes
    ----------
    number : int
        Which part this is.
    shared : Shared
        What it has in common with the others.
    """

    number: int
    shared: Shared

    @classmethod
    def of(cls, base: CaseBase, batch: CodedRows, number: int) -> "Part":
        """Some rows of a base, coded as there, as a part of their own."""
        part = object.__new__(cls)
        build(part, base, batch)
        part.coder = _pinned(base.coder, batch)
        part.bins.frozen = part.bins.current = True
        part.number = number
        labels = {j: v.labels for j, v in base.coder.vocabularies.items()}
        no_rows = np.zeros(number + 1, np.int64)
        part.shared = Shared(
            labels, list(base.bins.cuts), base.ranges.edges, 0.0, no_rows
        )
        return part

    @property
    def first_row(self) -> int:
        """The number of the first row among those of all parts."""
        return int(self.shared.starts[self.number])

    @property
    def weights(self) -> Floats:
        """How much rows count now."""
        if self.half_life is None:
            return self.rows.weights
        return self.derive("weights", self._faded)

    def _faded(self) -> Floats:
        assert self.half_life is not None
        age = 0 if self.schema.clock else self.first_row
        return faded(self.rows, self.half_life, self.shared.newest - age)

    def _make_state(self) -> Self:
        self._sync()  # nobody tells a state of a part that it is past
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


def build(base: CaseBase, head: CaseBase, batch: CodedRows) -> None:
    """Make a base of rows that are coded as another base codes them."""
    base.schema, base.half_life = head.schema, head.half_life
    base.coder, base.bins = head.coder.twin(), shallow(head.bins)
    base.bins.cuts, base.bins.orders = list(head.bins.cuts), None
    n_attributes = len(head.schema.attributes)
    shape = len(batch.numbers), n_attributes, len(batch.targets), len(batch.times)
    base.rows = Rows(*shape)
    base.rows.append(replace(batch, hashes=np.zeros((0, len(batch)), np.uint64)))
    if len(batch.numbers):
        base.rows.settle()
    base.tallies, base.ranges = Tallies(n_attributes), Ranges(len(batch.numbers))
    base.ranges.widen(batch.numbers)
    base.buckets, base.next_id = Buckets(), head.next_id
    base._start_sharing()


def without_rows(like: CaseBase, schema: Schema) -> CaseBase:
    """A base of the settings of another and of a schema that has no rows yet."""
    base = object.__new__(CaseBase)
    base.schema, base.half_life, base.next_id = schema, like.half_life, 0
    base.coder = Coder(schema, has_classes=like.coder.has_classes)
    n_numeric, n_attributes = len(base.coder.numeric), len(schema.attributes)
    n_targets, n_times = len(like.rows.targets), len(like.rows.times)
    base.rows = Rows(n_numeric, n_attributes, n_targets, n_times)
    base.bins = Bins(n_numeric, like.bins.criterion, frozen=like.bins.frozen)
    base.tallies, base.ranges = Tallies(n_attributes), Ranges(n_numeric)
    base.buckets = Buckets()
    base._start_sharing()
    return base


def _pinned(coder: Coder, batch: CodedRows) -> Coder:
    """The same labels, counted among some rows; none goes before all parts say so."""
    twin = coder.twin()
    for vocabulary in twin.vocabularies.values():
        vocabulary.counts = np.zeros(len(vocabulary), np.int64)
        vocabulary.pinned = True
    twin.tally(batch, 1)
    return twin


# --- what a part is asked -------------------------------------------------------------


class Survey(NamedTuple):
    """What a part has, before it is known what the others have.

    Attributes
    ----------
    n_rows : int
    labels : dict, the labels in use of each nominal attribute and of the classes
    counts : dict, their rows
    edges : float64 array of shape (n_numeric, 2)
    newest : float
        When the last row happened; minus infinity if there is none, or no clock.
    """

    n_rows: int
    labels: Labels
    counts: dict[int, Ints]
    edges: Floats
    newest: float


def survey(part: Part) -> Survey:
    """What a part has."""
    labels, counts = {}, {}
    for j, vocabulary in part.coder.vocabularies.items():
        used = np.flatnonzero(vocabulary.counts)
        labels[j] = [vocabulary.labels[code] for code in used]
        counts[j] = vocabulary.counts[used]
    newest = -np.inf
    if part.schema.clock and part.n_rows:
        newest = float(moments_of(part.rows).max())
    return Survey(part.n_rows, labels, counts, part.ranges.edges, newest)


def check_sizes(sizes: Sequence[int], found: Sequence[Survey]) -> None:
    """Refuse parts that have more or fewer rows than they are known to have."""
    for number, (known, own) in enumerate(zip(sizes, found, strict=True)):
        if own.n_rows != known:
            raise _other_rows(number, f"{own.n_rows} rows instead of {known}")


def check_rows(part: Part, expected: str | None) -> str:
    """The fingerprint of a part as its source has it, which must be the expected."""
    ids = part.ids.tolist() if part.ids.dtype == object else part.ids
    found = fingerprint([part._find_hashes(), ids])
    if expected not in (None, found):
        raise _other_rows(part.number, "other rows, or the same in another order")
    return found


def _other_rows(number: int, what: str) -> LostPartError:
    return LostPartError(
        f"part {number} has {what} since its source was read again: the source gives "
        "others each time. Give data that stay the same, for instance "
        "frame.persist() of a Dask frame before fit."
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


def _renumber(part: Part, labels: Labels, mark: Mark) -> None:
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


def adopt(part: Part, shared: Shared) -> tuple[Ints, Ints, Ints]:
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


def read_rows(part: Part, places: Places) -> CodedRows:
    """Some rows, their weights as they came."""
    rows = part.rows.take(places)
    return replace(rows, arrival=rows.arrival + part.first_row)


def first_rows(part: Part, n_rows: int) -> tuple[Ints, CodedRows]:
    """The first rows in canonical order, numbered over all parts."""
    places = part.order[:n_rows]
    rows = part.rows.take(places)
    return places + part.first_row, replace(rows, arrival=rows.arrival + part.first_row)


def is_weighted(part: Part) -> bool:
    """Whether any row has another weight than 1."""
    return part.weighted


def count_in_buckets(part: Part) -> Ints:
    """The number of rows in each bucket of hashes."""
    return part.bucket_sizes()


def read_buckets(part: Part, buckets: Ints) -> tuple[Any, Any]:
    """Hashes and content of the rows in some buckets."""
    return part.words_in(buckets)


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
    """What goes with some rows: known cells of each attribute, hashes."""

    n_known: Ints
    hashes: NDArray[np.uint64]


def weigh_leaving(part: Part, places: Places) -> Leaving:
    """What would go with rows."""
    rows = part.rows.take(places)
    return Leaving((rows.codes >= 0).sum(axis=1), part.coder.hashes(rows))


def enter(part: Part, labels: Labels, batch: CodedRows) -> None:
    """Take in rows that are coded by these labels, whatever others the part has."""
    arrival = np.arange(len(batch)) + part.n_rows
    batch = replace(batch, codes=batch.codes.copy(), arrival=arrival)
    with part._all_or_nothing() as mark:
        for j, own in labels.items():
            vocabulary = part.coder.vocabularies[j]
            moved = vocabulary.admit(own)
            if moved is not None:
                part._follow(iter([(j, moved)]), mark)
            recode(batch, j, vocabulary.lookup(own))
        batch.classes = np.maximum(batch.classes, 0)  # of rows that are yet to go
        part._enter(batch)


def recode(batch: CodedRows, attribute: int, moved: NDArray[np.int32]) -> None:
    """Follow a map of an attribute's codes; missing stays missing."""
    moved = np.append(moved, np.int32(MISSING))
    if attribute == CLASSES:
        batch.classes = moved[batch.classes]
    else:
        batch.codes[attribute] = moved[batch.codes[attribute]]
