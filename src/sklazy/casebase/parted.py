"""A case base whose rows lie in several parts, here or elsewhere.

What follows from all rows (labels, cuts, ranges, counts) is its *head*: every part
says what it has, the head adds it up, and the parts follow. A question is put to all
parts at once. Whoever needs all rows in one place gets them joined, once for every
state.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from sklazy.casebase.base import CaseBase
from sklazy.casebase.canonical import Words, sort_hashed
from sklazy.casebase.holding import (
    PartsHere,
    concatenate_ids,
    concatenate_rows,
)
from sklazy.casebase.incoming import (
    GivenIds,
    TakenIds,
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
from sklazy.casebase.parted_head import PartedHead
from sklazy.casebase.parts import (
    Floats,
    Ints,
    Part,
    build,
    copy_rows,
    count_in_buckets,
    find_places,
    find_taken,
    first_rows,
    is_weighted,
    names_and_arrivals,
    read_buckets,
    read_rows,
    take_rows,
    weigh_leaving,
)
from sklazy.casebase.rows import CodedRows, Ids, Rows
from sklazy.errors import BadInputError
from sklazy.flow import Cases
from sklazy.tables import Table, match
from sklazy.tables.kinds import check_same_kind


class PartedBase(PartedHead):
    """A case base of several parts; it answers as one of all rows, digit for digit.

    Rows are numbered part after part; they arrive in that order, too, and further ones
    in the last part.
    """

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
            owned = np.asarray(owners)
            batches = [base.rows.take(arrived[owned == p]) for p in range(n_parts)]
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
            self._recount()
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
            if settled := settled_columns(self, matched):
                add = partial(CaseBase.add, table=matched, target=target, ids=given)
                self._remake(partial(add, weights=weights, times=times), settled)
                return given
            self._begin_change()
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
            self._is_counted = True
            return given

    def forget(self, ids: GivenIds) -> None:
        """Erase rows, wherever they lie; see `CaseBase.forget`."""
        with self._lock:
            self._recount()
            wanted = as_ids(ids)
            found = self.parts.ask(find_places, wanted)
            places = [own for own, _ in found]
            check_found(wanted, concatenate_ids([ids for _, ids in found]), self.n_rows)
            self._freeze()
            self._sync()
            leaving = self.parts.ask_each(weigh_leaving, places)
            n_known = np.sum([own.n_known for own in leaving], axis=0)
            if emptied := self._empties(n_known):
                self._remake(lambda base: base.forget(wanted), emptied)
            elif len(wanted):
                self._begin_change()
                self.parts.leave(places, [own for _, own in found])
                self.sizes = [
                    n - len(gone) for n, gone in zip(self.sizes, places, strict=True)
                ]
                self._changed(np.concatenate([own.hashes for own in leaving]))
                self._is_counted = True
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

    def _taken(self, ids: GivenIds) -> TakenIds:
        """Those of some ids that rows have, and ids of further rows."""
        wanted = None if ids is None else as_ids(ids)
        return TakenIds(concatenate_ids(self.parts.ask(find_taken, wanted)))

    def _empties(self, leaving: Ints) -> list[int]:
        """The nominal attributes that would lose their last value."""
        found = {j: self.coder.vocabularies[j] for j in self.coder.nominal}
        return [
            j
            for j, v in found.items()
            if not v.declared and leaving[j] == v.counts.sum()
        ]

    def _remake(
        self, change: Callable[[CaseBase], object], columns: Sequence[int]
    ) -> None:
        """Make a change that turns columns into others: the parts are built anew."""
        if not self.parts.are_here:
            raise BadInputError(
                f"columns {[self.names[j] for j in columns]} would get their first "
                "value, or lose their last, by this change, and so become of another "
                "kind, which parts elsewhere cannot follow; gather() the model, change "
                "it, and divide it again."
            )
        base = self._join()
        owners = dict(zip(base.ids.tolist(), self._owners().tolist(), strict=True))
        change(base)
        arrived, last = base.ids[np.argsort(base.arrival)].tolist(), len(self.parts) - 1
        again = PartedBase.cut(base, [owners.get(i, last) for i in arrived], last + 1)
        self._become(again)

    def _owners(self) -> Ints:
        """The part of every row, part after part."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    # --- what is there ----------------------------------------------------------------

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
        return self._fetch(take_rows, rows)

    def _fetch(self, function: Callable[..., CodedRows], rows: Ints) -> CodedRows:
        """What parts say of some of their rows, in the order given."""
        ends = np.cumsum(self.sizes)
        owners = np.searchsorted(ends, rows, side="right")
        starts = ends - self.sizes
        wanted = [rows[owners == p] - starts[p] for p in range(len(self.sizes))]
        found = concatenate_rows(self.ask_each(function, wanted))
        return found.take(np.argsort(np.argsort(owners, kind="stable")))

    def count_targets(self) -> int:
        """How many numbers are predicted, 0 where classes are."""
        return self.n_targets

    def rank(self, rows: Ints) -> Ints:
        """Numbers that put rows in canonical order."""
        found = self._fetch(read_rows, rows)
        names = found.arrival if self._counts_arrivals else found.ids
        return np.argsort(self.coder.order(found, names))

    def _order(self) -> Ints:
        ids, arrival = self._names()
        names = arrival if self._counts_arrivals else ids
        hashes = self.hashes()
        return sort_hashed(
            hashes, lambda rows: self.coder.words(self._fetch(read_rows, rows)), names
        )

    def first_in_order(self, n_rows: int) -> Ints:
        """The numbers of the first rows in canonical order."""
        found = self.ask(first_rows, n_rows)
        rows = concatenate_rows([own for _, own in found])
        names = rows.arrival if self._counts_arrivals else rows.ids
        order = self.coder.order(rows, names)[:n_rows]
        return np.concatenate([numbers for numbers, _ in found])[order]

    def matched(self, table: Table) -> Table:
        """The table with the columns and kinds of the cases, labels of its own kept."""
        with self._lock:
            self._sync()
            return match(table, self.coder.model(), self._open_names())

    def _cases(self) -> Cases:
        return self._count()

    def _count(self) -> Cases:
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
