"""A case base whose rows lie in several parts, here or elsewhere.

What follows from all rows (labels, cuts, ranges, counts) is its *head*: every part
says what it has, the head adds it up, and the parts follow. A question is put to all
parts at once. Whoever needs all rows in one place gets them joined, once for every
state.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sklazy.casebase.base import CaseBase
from sklazy.casebase.buckets import Buckets
from sklazy.casebase.canonical import Words
from sklazy.casebase.cuts import sorted_cuts
from sklazy.casebase.holding import (
    Parts,
    PartsHere,
    concatenate_ids,
    concatenate_rows,
)
from sklazy.casebase.incoming import (
    GivenIds,
    Target,
    as_ids,
    check_found,
    check_incoming,
    check_kind,
    new_ids,
    two_dimensional,
)
from sklazy.casebase.kinds import settled_columns
from sklazy.casebase.moments import NO_TIMES, Times, check_clock
from sklazy.casebase.parted_cases import PartedCases
from sklazy.casebase.parts import (
    Floats,
    Ints,
    Labels,
    Part,
    Shared,
    Survey,
    adopt,
    adopt_labels,
    build,
    copy_rows,
    count_in_buckets,
    find_places,
    find_taken,
    is_weighted,
    names_and_arrivals,
    read_buckets,
    sorted_column,
    survey,
    take_rows,
    weigh_leaving,
)
from sklazy.casebase.rows import CodedRows, Ids, Rows
from sklazy.casebase.states import SHARING, shallow
from sklazy.casebase.states import Shared as Sharing
from sklazy.casebase.tallies import Tallies
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.flow import Cases
from sklazy.kernels.sorting import sort_pairs
from sklazy.tables import Table, match
from sklazy.tables.kinds import check_same_kind

Found = TypeVar("Found")


class PartedBase(CaseBase):
    """A case base of several parts; it answers as one of all rows, digit for digit.

    Rows are numbered part after part; they arrive in that order, too, and further ones
    in the last part.
    """

    is_parted = True
    parts: Parts
    sizes: list[int]
    n_targets: int
    _is_fresh: bool

    def __init__(self, head: CaseBase, parts: Parts, sizes: Sequence[int]) -> None:
        """Take parts that are coded as a head says, which may have rows or none."""
        names = ("schema", "half_life", "next_id")
        self.__dict__.update({name: getattr(head, name) for name in names})
        self.coder, self.bins = head.coder.twin(), shallow(head.bins)
        self.bins.cuts, self.bins.orders = list(head.bins.cuts), None
        self.ranges, self.buckets = shallow(head.ranges), Buckets()
        self.tallies = Tallies(len(head.schema.attributes))
        self.n_targets = len(head.rows.targets)
        self.parts, self.sizes, self._is_fresh = parts, list(sizes), False
        self._start_sharing()

    @classmethod
    def cut(cls, base: CaseBase, owners: ArrayLike, n_parts: int) -> "PartedBase":
        """The rows of a base in parts.

        Parameters
        ----------
        base : CaseBase
        owners : int array of shape (n_rows,)
            The part of each row, in order of arrival.
        n_parts : int
            Parts that own no row are empty.
        """
        with base._lock:
            base._sync()
            arrived = np.argsort(base.arrival)
            rows, owned = base.rows.live(), np.asarray(owners)
            batches = [rows.take(arrived[owned == p]) for p in range(n_parts)]
            for batch in batches:
                batch.arrival[:] = np.arange(len(batch))
            parts = [Part.of(base, batch, p) for p, batch in enumerate(batches)]
            return cls(base, PartsHere(parts), [len(batch) for batch in batches])

    # --- change -----------------------------------------------------------------------

    def add(
        self,
        table: Table,
        target: Target,
        *,
        weights: ArrayLike | None = None,
        times: Times | None = None,
        ids: GivenIds = None,
        mixed: bool = True,
    ) -> Ids:
        """Take in further rows, behind those of the last part; the ids they got."""
        with self._lock:
            self._freeze()
            given = new_ids(ids, len(table), self.next_id, self._taken(ids))
            check_kind(target := two_dimensional(target), self.n_targets)
            times = NO_TIMES if times is None else times
            check_clock(times.clock, self.schema.clock)
            matched = self.matched(table)
            if not mixed:
                check_same_kind(table, self.coder.model(), self._open_names())
            incoming = check_incoming(
                matched, self._numeric, target, weights, times, given
            )
            if settled_columns(self, matched):
                add = partial(CaseBase.add, table=matched, target=target, ids=given)
                self._remake(partial(add, weights=weights, times=times))
                return given
            self._drop_state()
            labels = self.coder.mark()
            try:
                list(self.coder.admit(incoming))
                batch = self.coder.coded(incoming, 0)
                self.parts.enter(len(self.parts) - 1, self._labels(), batch)
            except BaseException:
                self.coder.restore(labels)
                raise
            self.coder.tally(batch, 1)
            self.sizes[-1] += len(batch)
            if batch.ids.dtype != object and len(batch):
                self.next_id = max(self.next_id, int(batch.ids.max()) + 1)
            self._changed(self.coder.hashes(batch))
            return given

    def forget(self, ids: GivenIds) -> None:
        """Erase rows, wherever they lie; see `CaseBase.forget`."""
        with self._lock:
            wanted = as_ids(ids)
            found = self.parts.ask(find_places, wanted)
            places = [own for own, _ in found]
            check_found(wanted, concatenate_ids([ids for _, ids in found]), self.n_rows)
            self._freeze()
            self._sync()
            leaving = self.parts.ask_each(weigh_leaving, places)
            if self._empties(np.sum([own.n_known for own in leaving], axis=0)):
                self._remake(lambda base: base.forget(wanted))
            elif len(wanted):
                self._drop_state()
                self.parts.leave(places)
                self.sizes = [
                    n - len(gone) for n, gone in zip(self.sizes, places, strict=True)
                ]
                self._changed(np.concatenate([own.hashes for own in leaving]))
        if len(wanted):
            self.bins.warn_if_stale()

    def settle_cuts(self, cuts: list[Floats]) -> None:
        """Take frozen cuts found before, one array a numeric attribute."""
        with self._lock:
            self._drop_state()
            self.bins.restore(cuts)
            self._changed(np.zeros(0, np.uint64))

    def refresh(self) -> None:
        """Find frozen cuts anew from the rows that are there."""
        with self._lock:
            super().refresh()
            self._is_fresh = False

    def _changed(self, hashes: Words) -> None:
        """Say that rows of these hashes came or went."""
        self.buckets.touch(None if self._counts_arrivals else hashes)
        self._is_fresh = False
        self._touch()

    def _taken(self, ids: GivenIds) -> Ids:
        """Those of some ids that rows have, and ids of further rows."""
        wanted = None if ids is None else as_ids(ids)
        return concatenate_ids(self.parts.ask(find_taken, wanted))

    def _empties(self, leaving: Ints) -> bool:
        """Whether a nominal attribute would lose its last value."""
        found = {j: self.coder.vocabularies[j] for j in self.coder.nominal}
        return any(
            leaving[j] == v.counts.sum() for j, v in found.items() if not v.declared
        )

    def _remake(self, change: Callable[[CaseBase], object]) -> None:
        """Make a change that turns columns into others: the parts are built anew."""
        base = self._join()
        owners = dict(zip(base.ids.tolist(), self._owners().tolist(), strict=True))
        change(base)
        arrived, last = base.ids[np.argsort(base.arrival)].tolist(), len(self.parts) - 1
        again = PartedBase.cut(base, [owners.get(i, last) for i in arrived], last + 1)
        self._become(again)

    def _owners(self) -> Ints:
        """The part of every row, part after part."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    # --- the head ---------------------------------------------------------------------

    def _sync(self) -> None:
        """Bring the head and the parts up to date."""
        with self._lock:
            if self._is_fresh or self._is_state:
                return
            found = self.parts.ask(survey)
            self._merge(found)
            labels = self._labels()
            self.parts.ask(adopt_labels, labels)
            if self.coder.n_classes and not self.bins.current:
                self.bins.cuts = [self._find_cuts(i) for i in range(len(self._numeric))]
                self.bins.current = True
            widths = self.coder.widths(self.bins.cuts)
            starts = np.cumsum([0, *self.sizes])[:-1]
            shared = Shared(
                labels, self.bins.cuts, self.ranges.edges, self._newest(found), starts
            )
            counted = self.parts.ask(adopt, shared)
            tallies = Tallies(len(widths))
            tallies.offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
            tallies.counts = np.sum([counts for _, counts, _ in counted], axis=0)
            tallies.class_counts = np.sum([own for *_, own in counted], axis=0)
            tallies.stale[:] = False
            self.tallies, self._is_fresh = tallies, True

    def _merge(self, found: Sequence[Survey]) -> None:
        """Add up what the parts have: labels, their rows, ranges."""
        for j, vocabulary in self.coder.vocabularies.items():
            merged = Vocabulary(vocabulary.labels[: vocabulary.declared])
            for own in found:
                merged.admit(own.labels[j])
            for own in found:
                merged.counts[merged.lookup(own.labels[j])] += own.counts[j]
            self.coder.vocabularies[j] = merged
        edges = np.stack([own.edges for own in found])
        low, high = np.fmin.reduce(edges[:, :, 0]), np.fmax.reduce(edges[:, :, 1])
        self.ranges.edges = np.stack([low, high], axis=1)

    def _labels(self) -> Labels:
        return {j: v.labels for j, v in self.coder.vocabularies.items()}

    def _newest(self, found: Sequence[Survey]) -> float:
        """When the last row happened."""
        if not self.schema.clock:
            return float(self.n_rows - 1)
        return max(own.newest for own in found)

    def _find_cuts(self, numeric: int) -> Floats:
        """The cuts of an attribute, from its numbers in all parts."""
        columns = self.parts.ask(sorted_column, numeric)
        values, classes = (np.concatenate(own) for own in zip(*columns, strict=True))
        values, classes = sort_pairs(values, classes)
        return sorted_cuts(values, classes, self.coder.n_classes, self.bins.criterion)

    def _recode(self, numeric: int, cuts: Floats) -> None:
        """The parts code their numbers themselves."""

    # --- what is there ----------------------------------------------------------------

    def ask(self, function: Callable[..., Found], *given: object) -> list[Found]:
        """What each part answers to a function of it and of what is given."""
        with self._lock:
            self._sync()
        return self.parts.ask(function, *given)

    def ask_each(
        self, function: Callable[..., Found], given: Sequence[Any]
    ) -> list[Found]:
        """The same, with something else given to each part."""
        with self._lock:
            self._sync()
        return self.parts.ask_each(function, given)

    def joined(self) -> CaseBase:
        """All rows in one base, which must not be changed; made once for a state."""
        return self.derive("joined", self._join)

    def _join(self) -> CaseBase:
        with self._lock:
            self._sync()
            base = object.__new__(CaseBase)
            build(base, self, concatenate_rows(self.parts.ask(copy_rows)))
            base.ranges.edges = self.ranges.edges
            return base

    def _read_rows(self) -> Rows:
        """All rows, joined."""
        return self.joined().rows

    rows = property(_read_rows)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(self.sizes)

    @property
    def weighted(self) -> bool:
        """Whether any row has another weight than 1."""
        return self.derive("weighted", lambda: any(self.ask(is_weighted)))

    @property
    def weights(self) -> Floats:
        """How much rows count now, joined."""
        return self.joined().weights

    @property
    def ids(self) -> Ids:
        """The rows' ids, part after part."""
        return self._names()[0]

    @property
    def arrival(self) -> Ints:
        """The rows' numbers from 0 in order of arrival."""
        return self._names()[1]

    def _names(self) -> tuple[Ids, Ints]:
        def find() -> tuple[Ids, Ints]:
            found = [own for own in self.ask(names_and_arrivals) if len(own[0])]
            ids, arrival = zip(*found, strict=True)
            return np.concatenate(ids), np.concatenate(arrival)

        return self.derive("names", find)

    def take(self, rows: Ints) -> CodedRows:
        """Some rows by their numbers, their weights as they count now."""
        ends = np.cumsum(self.sizes)
        owners = np.searchsorted(ends, rows, side="right")
        starts = ends - self.sizes
        wanted = [rows[owners == p] - starts[p] for p in range(len(self.sizes))]
        found = concatenate_rows(self.ask_each(take_rows, wanted))
        back = np.argsort(np.argsort(owners, kind="stable"), kind="stable")
        return found.take(back)

    def matched(self, table: Table) -> Table:
        """The table with the columns and kinds of the cases, labels of its own kept."""
        with self._lock:
            self._sync()
            return match(table, self.coder.model(), self._open_names())

    def _cases(self) -> Cases:
        with self._lock:
            self._sync()
            return PartedCases.of(self)

    def hashes(self) -> Words:
        """A number for each row that depends on its content alone."""
        return np.concatenate(self.ask(CaseBase.hashes))

    def bucket_sizes(self) -> Ints:
        """The number of rows in each bucket of hashes."""
        return np.sum(self.ask(count_in_buckets), axis=0)

    def words_in(self, buckets: Ints) -> tuple[Words, Words]:
        """Hashes and content of the rows that are in some buckets."""
        hashes, words = zip(*self.ask(read_buckets, buckets), strict=True)
        return np.concatenate(hashes), np.concatenate(words)

    @property
    def n_words(self) -> int:
        """How many words a row's content has."""
        n_numbers = len(self._numeric) + self.n_targets + 1 + bool(self.schema.clock)
        return n_numbers + len(self.coder.vocabularies) + self._counts_arrivals

    # --- states -----------------------------------------------------------------------

    def _make_state(self) -> Self:
        self._sync()
        state = shallow(self)
        for name in ("tallies", "bins", "ranges", "buckets"):
            setattr(state, name, shallow(getattr(self, name)))
        state.coder, state.sizes = self.coder.twin(), list(self.sizes)
        state.parts = self.parts.states()
        state._start_sharing()
        return state

    def _drop_state(self) -> None:
        if self._state is not None:
            self.parts.keep_hashes(self._state.parts)
        Sharing._drop_state(self)

    def _own_arrays(self) -> None:
        self.parts.own_arrays()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._sync()
            return {n: v for n, v in vars(self).items() if n not in SHARING}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_sharing()
