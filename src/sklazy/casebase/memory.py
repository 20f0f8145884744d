"""The parts of a case base, kept in step whatever comes or goes."""

import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.bins import Bins, Ranges
from sklazy.casebase.choices import CUTS, Choices
from sklazy.casebase.coder import Coder, Moved
from sklazy.casebase.cuts import bin_codes
from sklazy.casebase.fingerprint import Buckets
from sklazy.casebase.rows import (
    CLASSES,
    NO_ROWS,
    CodedRows,
    Places,
    Rows,
    RowsMark,
    own_arrays,
)
from sklazy.casebase.schema import Schema
from sklazy.casebase.states import SHARING, Snapshotted, copy_arrays, shallow
from sklazy.casebase.tallies import CellTallies

Result = TypeVar("Result")


class Memory(Snapshotted):
    """Rows, and what follows from them."""

    is_parted: ClassVar[bool] = False
    """Whether the rows lie in several parts, each of which must be asked."""

    schema: Schema  # the columns
    coder: Coder  # the labels by code
    rows: Rows
    bins: Bins  # the cuts of the numeric attributes
    tallies: CellTallies  # counts and bit sets
    ranges: Ranges
    buckets: Buckets  # the digests of the rows, as far as known
    choices: Choices  # made by earlier rows, where that is allowed
    half_life: float | None  # the age at which a row counts half
    next_id: int  # the id of the next row that has none

    def _start_sharing(self) -> None:
        super()._start_sharing()
        self.__dict__.setdefault("choices", Choices())

    def choose(
        self,
        key: Hashable,
        find: Callable[[], Result],
        *,
        holds_rows: bool = False,
    ) -> Result:
        """Return a choice that rows call for; earlier ones where `choices` allow that.

        Otherwise it is a result that is derived from the rows, as any other. Values of
        rows may be read from a choice only if it `holds_rows`.
        """
        if self.is_parted or not self.choices.may_be_old:
            return self.derive(key, find)
        made = self.choices.made.get(key)
        if made is not None:
            chosen: Result = made.value
            return chosen
        chosen = find()
        self.choices.keep(key, chosen, holds_rows=holds_rows)
        base = None if self._base is None else self._base()
        if base is not None:
            with base._lock:
                if base._n_changes == self._n_changes:
                    base.choices.keep(key, chosen, holds_rows=holds_rows)
        return chosen

    def _drop_choices(self) -> None:
        """Have all that was chosen be chosen anew, but for frozen cuts."""
        if self.choices.may_be_old:
            self.choices.drop()
            self.bins.touch()

    @property
    def _numeric(self) -> list[int]:
        return self.coder.numeric

    def numeric_places(self) -> NDArray[np.int64]:
        """The row of each attribute in `numbers`, -1 for nominal ones."""
        return self.keep("numeric places", self._place_numeric)

    def _place_numeric(self) -> NDArray[np.int64]:
        numeric = np.full(len(self.schema.attributes), -1, np.int64)
        numeric[self._numeric] = np.arange(len(self._numeric))
        return numeric

    @property
    def _counts_arrivals(self) -> bool:
        """Whether the number of rows that came later is part of a row's content."""
        return self.half_life is not None and not self.schema.clock

    def _enter(self, batch: CodedRows) -> None:
        """Put coded rows in and count them."""
        for i, j in enumerate(self._numeric if not self.bins.asleep else ()):
            batch.codes[j] = self.bins.code(i, batch.numbers[i])
        if len(self.rows.hashes):
            batch = replace(batch, hashes=self.coder.hashes(batch)[None])
            self.buckets.touch(batch.hashes[0])
        else:  # a state that is past may ask for digests yet
            self.buckets.touch(None)
        places = self.rows.append(batch)
        self.coder.tally(batch, 1)
        self.ranges.widen(batch.numbers)
        self.tallies.shift(self.rows, places, 1)
        self.bins.follow(batch, 1)
        self._pass_on(batch, 1)
        self.choices.follow(len(batch), 1, self.rows.n_rows)
        self._pass_by(len(batch))
        self._touch()
        if batch.ids.dtype != object and len(batch):
            self.next_id = max(self.next_id, int(batch.ids.max()) + 1)

    def _leave(self, gone: Places) -> None:
        """Take rows out of everything that knows them."""
        self._drop_state()  # which may leave us hashes
        tail, holes = self.rows.moves(gone)
        leaving = self.rows.take(gone)
        touched = np.concatenate([gone, tail])
        with self._all_or_nothing(touched) as mark:
            self.coder.tally(leaving, -1)
            is_known = len(leaving.hashes) and not self._counts_arrivals
            self.buckets.touch(leaving.hashes[0] if is_known else None)
            self.tallies.shift(self.rows, touched, -1)
            self.rows.remove(gone)
            self.tallies.shift(self.rows, holes, 1)
            left = self.rows.numbers[:, : self.rows.n_rows]
            self.ranges.narrow(leaving.numbers, left)
            self.bins.follow(leaving, -1)
            self._pass_on(leaving, -1)
            self.choices.follow(len(leaving), -1, self.rows.n_rows)
            self._follow(self.coder.retire(), mark)
            self._pass_by(len(gone))
            self._touch()

    def _become(self, other: Self) -> None:
        """Take the rows of another base, and all that follows from them, at once."""
        self._drop_state()
        n_changes, refresh_every = self._n_changes + 1, self.choices.refresh_every
        vars(self).update({n: v for n, v in vars(other).items() if n not in SHARING})
        self._lasting, self._followers = {}, {}  # kinds of columns may be others
        self._n_changes, self.choices = n_changes, Choices(refresh_every)
        self._outdate()

    @contextmanager
    def _all_or_nothing(self, places: Places = NO_ROWS) -> Iterator[RowsMark]:
        """Take a change back that does not come to its end: an interrupt, no memory.

        `places` are those of the rows that will go or move.
        """
        self._drop_state()
        mark, labels = self.rows.mark(places), self.coder.mark()
        kept = self.ranges.edges, self.next_id, self.buckets.versions
        try:
            yield mark
        except BaseException:
            self.rows.restore(mark)
            self.coder.restore(labels)
            self.ranges.edges, self.next_id, self.buckets.versions = kept
            self.tallies.discard()
            self.bins.lose_track()
            self._followers = {}
            self.choices.drop()
            self._outdate()
            raise

    def _freeze(self) -> None:
        """Find frozen cuts before a change: they are those of the rows until then."""
        if self.bins.frozen and not self.bins.current:
            self._sync()

    def _follow(self, moves: Moved, mark: RowsMark) -> None:
        """Renumber the codes of rows where labels came or went."""
        for j, moved in moves:
            self._followers = {}  # they know labels by their codes
            if j == CLASSES:
                self.bins.lose_track()
            self.tallies.spoil(j)
            self.rows.relabel(j, moved, mark)

    def _touch(self) -> None:
        """Mark cuts and derived results as outdated: rows came or went."""
        self.bins.touch(stay=CUTS in self.choices.made)
        self._outdate()

    def _pass_by(self, n_rows: int) -> None:
        """Stop updating codes and counts that are not in use."""
        if self.tallies.pass_by(n_rows, self.rows.n_rows):
            self.bins.sleep(stay=CUTS in self.choices.made)

    def _sync(self) -> None:
        """Bring up to date what a change left for the next question."""
        with self._lock:
            self._let_base_sync()
            if not self._is_behind():
                self.tallies.n_unread = 0
                return
            n_classes, are_known = self.coder.n_classes, self.bins.current
            for numeric, cuts in self.bins.update(self.rows, n_classes):
                self._recode(numeric, cuts)
            if self.choices.may_be_old and not (are_known or self.bins.frozen):
                self.choices.keep(CUTS, None)
            widths = self.coder.widths(self.bins.cuts)
            self.tallies.rebuild(self.rows, widths, n_classes)

    def _is_behind(self) -> bool:
        """Whether a change left something for the next question."""
        has_cuts = self.bins.current or not (self.coder.n_classes and self.bins.cuts)
        return not has_cuts or self.bins.asleep or bool(self.tallies.stale.any())

    def _let_base_sync(self) -> None:
        """Have the base of a state do the work, which will serve the next states, too.

        A state that is past has the arrays to itself.
        """
        base = self._base() if self._base is not None else None
        if base is not None and not self._is_past:
            base.tallies.n_unread = 0  # those that are asked for here
        if base is None or not self._is_behind():
            return
        with base._lock:
            if not self._is_past:
                base._sync()
                self.rows.codes = base.rows.codes
                self.tallies, self.bins = shallow(base.tallies), shallow(base.bins)
                self.bins.cuts, self.bins.sorted = list(base.bins.cuts), None

    def _recode(self, numeric: int, cuts: NDArray[np.float64]) -> None:
        """Code a numeric attribute by new cuts."""
        j, live = self._numeric[numeric], slice(0, self.rows.n_rows)
        self.rows.unpack()
        self.tallies.spoil(j)
        self.rows.recode(j, bin_codes(self.rows.numbers[numeric, live], cuts))

    def _make_state(self) -> Self:
        state = shallow(self)
        for name in ("rows", "tallies", "bins", "ranges", "buckets", "choices"):
            setattr(state, name, shallow(getattr(self, name)))
        state.coder, state.bins.cuts = self.coder.twin(), list(self.bins.cuts)
        state.bins.sorted = None  # which changes move in place
        state._start_sharing()
        state._base, state._lasting = weakref.ref(self), self._lasting
        return state

    def _drop_state(self) -> None:
        self.rows.unpack()
        state = self._state
        if state is not None and not len(self.rows.hashes):
            self.rows.hashes = state.rows.hashes  # they were computed there
        super()._drop_state()

    def _own_arrays(self) -> None:
        # All else that a change touches it replaces.
        copy_arrays(self.rows)
        copy_arrays(self.tallies)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._sync()  # so that no cut of rows since forgotten goes into the copy
            state = {n: v for n, v in vars(self).items() if n not in SHARING}
            rows, tallies = self.rows.trimmed(), self.tallies.trimmed(self.rows.n_rows)
            bins = shallow(self.bins)
            bins.cuts, bins.sorted = list(bins.cuts), None
            return {**state, "rows": rows, "tallies": tallies, "bins": bins}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        vocabularies = self.coder.vocabularies.values()
        for part in (self, self.rows, self.tallies, self.bins, *vocabularies):
            own_arrays(part)  # they may lie in memory that cannot be written to
        self._start_sharing()
