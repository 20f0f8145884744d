"""A case base whose rows lie in several parts, here or elsewhere.

All that follows from all rows (labels, cuts, ranges, counts) is its *head*: every part
reports its own, the head adds it up, and the parts follow. A question is put to all
parts at once. Where all rows are needed in one place they are joined, once for every
state.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from sklazy.casebase.base import CaseBase
from sklazy.casebase.canonical import (
    Words,
    number_copies,
    sort_hashed,
    spread_copies,
)
from sklazy.casebase.deferred_cases import PartedCases
from sklazy.casebase.holding import (
    PartsHere,
    concatenate_ids,
    concatenate_rows,
)
from sklazy.casebase.incoming import (
    IdsLike,
    Incoming,
    PresentIds,
    as_ids,
    check_found,
)
from sklazy.casebase.kinds import add_checked, emptied_columns
from sklazy.casebase.parted_head import PartedHead
from sklazy.casebase.parts import (
    Floats,
    Ints,
    Part,
    build_from_rows,
    copy_rows,
    find_places,
    find_taken,
    is_weighted,
    names_and_arrivals,
    rows_as_given,
    take_rows,
    weigh_leaving,
)
from sklazy.casebase.rows import CodedRows, Ids, Places, Rows
from sklazy.errors import BadInputError
from sklazy.flow import Cases
from sklazy.tables import Table, match


class PartedBase(PartedHead):
    """A case base of several parts; it answers as one of all rows, digit for digit.

    Rows are numbered part after part; they arrive in that order, too, and further ones
    in the last part.
    """

    @classmethod
    def cut(cls, base: CaseBase, owners: ArrayLike, n_parts: int) -> "PartedBase":
        """The rows of a base in parts, of which some may be empty.

        `owners` has the part of each row, in order of arrival.
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

    def _settle_kinds(self, incoming: Incoming, columns: list[int]) -> None:
        self._remake(lambda base: add_checked(base, incoming), columns)

    def _take_in(self, incoming: Incoming) -> None:
        """Put new rows behind those of the last part."""
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

    def forget(self, ids: IdsLike) -> None:
        """Erase rows, wherever they lie; see `CaseBase.forget`."""
        with self._lock:
            self._sync()
            wanted = as_ids(ids)
            places, leaving = self._find_leaving(wanted)
            counted = self.parts.ask_each(weigh_leaving, places)
            n_known = np.sum([part.n_known for part in counted], axis=0)
            if emptied := emptied_columns(self, n_known):
                self._remake(lambda base: base.forget(wanted), emptied)
            elif len(wanted):
                self._begin_change()
                self.parts.leave(places, leaving)
                self.sizes = [
                    n - len(gone) for n, gone in zip(self.sizes, places, strict=True)
                ]
                self._changed(np.concatenate([part.hashes for part in counted]))
                self._is_counted = True
        if len(wanted):
            self.bins.warn_if_stale()

    def _find_leaving(self, wanted: Ids) -> tuple[list[Places], list[Ids]]:
        """Places and ids of rows in each part; unknown ids, and all, are refused."""
        matches = self.parts.ask(find_places, wanted)
        places, leaving = [list(column) for column in zip(*matches, strict=True)]
        check_found(wanted, concatenate_ids(leaving), self.n_rows)
        return places, leaving

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
        """Mark as outdated what depends on rows of these hashes."""
        self.buckets.touch(None if self._counts_arrivals else hashes)
        self._is_fresh = False
        self._touch()

    def _present_ids(self, ids: IdsLike) -> PresentIds:
        wanted = None if ids is None else as_ids(ids)
        return PresentIds(concatenate_ids(self.parts.ask(find_taken, wanted)))

    def _remake(
        self, change: Callable[[CaseBase], object], columns: Sequence[int]
    ) -> None:
        """Make a change that turns columns into others: the parts are built anew."""
        if not self.parts.are_here:
            raise BadInputError(
                "this change would give the columns "
                f"{[self.names[j] for j in columns]} their first value, or take their "
                "last, and so change their type, which a model on a cluster cannot "
                "do; gather() the model, change it, and divide it again."
            )
        base = self._join()
        numbers = np.repeat(np.arange(len(self.sizes)), self.sizes).tolist()
        owners = dict(zip(base.ids.tolist(), numbers, strict=True))
        change(base)
        arrived, last = base.ids[np.argsort(base.arrival)].tolist(), len(self.parts) - 1
        again = PartedBase.cut(base, [owners.get(i, last) for i in arrived], last + 1)
        self._become(again)

    # --- what is there ----------------------------------------------------------------

    def joined(self) -> CaseBase:
        """All rows in one base, which must not be changed; made once for a state."""
        return self.derive("joined", self._join)

    def _join(self) -> CaseBase:
        with self._lock:
            self._sync()
            base = object.__new__(CaseBase)
            build_from_rows(base, self, concatenate_rows(self.parts.ask(copy_rows)))
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
            filled = [names for names in self.ask(names_and_arrivals) if len(names[0])]
            ids, arrival = zip(*filled, strict=True)
            return np.concatenate(ids), np.concatenate(arrival)

        return self.derive("names", find)

    def take(self, rows: Ints) -> CodedRows:
        """Some rows by their numbers, their weights as they count now."""
        return self._fetch(take_rows, rows)

    def _fetch(self, function: Callable[..., CodedRows], rows: Ints) -> CodedRows:
        """Fetch some rows from their parts, in the order given."""
        ends = np.cumsum(self.sizes)
        owners = np.searchsorted(ends, rows, side="right")
        starts = ends - self.sizes
        wanted = [rows[owners == p] - starts[p] for p in range(len(self.sizes))]
        fetched = concatenate_rows(self.ask_each(function, wanted))
        return fetched.take(np.argsort(np.argsort(owners, kind="stable")))

    def count_targets(self) -> int:
        """How many numbers are predicted, 0 where classes are."""
        return self.n_targets

    def rank(self, rows: Ints) -> Ints:
        """Numbers that put some rows in the order of their content."""
        content = self._fetch(rows_as_given, rows)
        names = content.arrival if self._counts_arrivals else content.ids
        return np.argsort(self.coder.order(content, names))

    def sort_by_content(self) -> Ints:
        """The rows by their content, equal ones side by side."""
        ids, arrival = self._names()
        names = arrival if self._counts_arrivals else ids
        hashes = self.hashes()
        return sort_hashed(
            hashes,
            lambda rows: self.coder.words(self._fetch(rows_as_given, rows)),
            names,
        )

    def first_in_order(self, n_rows: int) -> Ints:
        """The numbers of the first rows in canonical order.

        Equal rows are taken as they arrived: nothing else depends on which comes first.
        """
        hashes = self.hashes()
        by_hash = np.argsort(hashes, kind="stable")
        hashes = hashes[by_hash]
        keys = spread_copies(hashes, number_copies(hashes))
        return by_hash[np.argsort(keys, kind="stable")[:n_rows]]

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
        return np.sum(self.ask(Part.bucket_sizes), axis=0)

    def words_in(self, buckets: Ints) -> tuple[Words, Words]:
        """Hashes and content of the rows that are in some buckets."""
        hashes, words = zip(*self.ask(Part.words_in, buckets), strict=True)
        return np.concatenate(hashes), np.concatenate(words)

    @property
    def n_words(self) -> int:
        """How many words a row's content has."""
        n_numbers = len(self._numeric) + self.n_targets + 1 + bool(self.schema.clock)
        return n_numbers + len(self.coder.vocabularies) + self._counts_arrivals
