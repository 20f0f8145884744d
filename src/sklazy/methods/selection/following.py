"""Scores of left-out cases that follow the rows: a change costs what it changes.

With each number of attributes a case has a list of the rows near to it, more than
vote; see `sklazy.kernels.near_lists`. A row that comes or goes enters or leaves these,
and votes are found anew where it is as near as the last row that votes. Attributes in
another order are other sets of them for a few numbers only, and lists of sets that
were in use shortly before are kept.
"""

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.casebase.rows import CodedRows, Ids
from sklazy.kernels.left_out_votes import follow_votes
from sklazy.kernels.near_lists import NearLists, note_row
from sklazy.methods.selection.nearest import NearestHost, find_own_widths
from sklazy.neighbors import RawColumns, find_raw_columns, spread_widths

_MOST_CELLS = 16_000_000  # votes, and rows in lists, that are kept
_MOST_ROWS = 64  # rows in a change; beyond, all cases are asked anew
_MOST_COLUMNS = 10_000
_FEWEST_LISTED = 16
_EXACT_KEYS = 64  # attributes that have a bit of their own
_PER_CELL = 1e-7  # seconds, with numpy


class FollowedCases:
    """Cases left out in turn, and lists of the rows near to them.

    Rows are known by slots, which stay while rows move.

    Parameters
    ----------
    batch : Batch
        The cases.
    largest : int
        The largest number of neighbors.
    shape : tuple of int
        Numbers of candidates for neighbors, of attributes and of classes.
    """

    def __init__(self, batch: Batch, largest: int, shape: tuple[int, int, int]) -> None:
        n_ks, n_most, n_classes = self.shape = shape
        n_attributes, n_cases = batch.n_attributes, len(batch) + _MOST_ROWS
        n_lists = n_most + max(2, n_most // 2)
        self.numeric, self.now = batch.cases.numeric, 0
        self.keys = _attribute_keys(n_attributes)
        self.codes = np.zeros((n_cases, n_attributes), np.int32)
        self.values = np.zeros((n_cases, n_attributes))
        self.widths = np.zeros((n_cases, n_attributes))
        self.latest = np.zeros((n_cases, n_most), np.int16)
        self.used = np.zeros(n_cases, bool)
        every, n_listed = (n_cases, n_lists), max(2 * largest, _FEWEST_LISTED)
        self.lists = NearLists(
            np.zeros(every, np.uint64),
            np.zeros(every, np.int32),
            np.zeros((*every, n_most), np.int16),
            np.zeros(every, np.int32),
            np.zeros((*every, n_listed), np.int32),
            np.zeros((*every, n_listed)),
            np.zeros(every),
            np.zeros(every),
            np.zeros(every),
            np.zeros(every, np.uint8),
            np.zeros((*every, n_ks, n_classes)),
            np.zeros((*every, n_ks), np.int64),
            np.zeros(every, np.int32),
            np.zeros((n_cases, n_most), np.int16),
        )
        self.others, self.ties = -1, np.zeros((0, 0), np.int64)
        ids = batch.base.rows.ids
        n_rows = len(ids)
        self.ids, self.slots = ids, np.arange(n_rows, dtype=np.int32)
        self.slot_of = dict(zip(ids.tolist(), range(n_rows), strict=True))
        self.places = np.arange(n_rows)
        self.case_of = np.full(n_rows, -1)
        self.free: list[int] = []

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Have lists follow rows that came or went, while no question uses them."""
        if len(rows) > _MOST_ROWS:
            return False
        for i, name in enumerate(rows.ids.tolist()):
            slot = self._take_slot(name) if step > 0 else self._leave_slot(name)
            codes, numbers = rows.codes[:, i], rows.numbers[:, i]
            note_row(
                slot,
                step,
                np.ascontiguousarray(codes, np.int32),
                np.ascontiguousarray(numbers),
                self.numeric,
                self.now,
                self.used,
                self.codes,
                self.values,
                self.widths,
                self.latest,
                *self.lists,
            )
        return True

    def _take_slot(self, name: object) -> int:
        if not self.free:
            n_slots = len(self.places)
            more = max(_MOST_ROWS, n_slots // 8)
            self.places = np.append(self.places, np.full(more, -1))
            self.case_of = np.append(self.case_of, np.full(more, -1))
            self.free = list(range(n_slots, n_slots + more))[::-1]
        slot = self.slot_of[name] = self.free.pop()
        return slot

    def _leave_slot(self, name: object) -> int:
        slot = self.slot_of.pop(name)
        place = int(self.places[slot])
        if place >= 0:
            self.slots[place] = -1
        if self.case_of[slot] >= 0:
            self._clear(np.array([self.case_of[slot]]))
        self.places[slot] = self.case_of[slot] = -1
        self.free.append(slot)
        return slot

    def _clear(self, cases: Ints) -> None:
        """Keep nothing of some cases."""
        held = self.codes, self.values, self.widths, self.latest, self.used
        for array in (*held, *self.lists):
            array[cases] = 0

    def seat(self, batch: Batch, widths: Floats) -> Ints | None:
        """Find rows and cases where they are now: the numbers of the batch's cases.

        None where so much is other that all begins anew.
        """
        assert batch.excluded is not None
        if not self._find_places(batch.base.rows.ids):
            return None
        slots = self.slots[batch.excluded]
        cases = self.case_of[slots]
        left = self.used.copy()
        left[cases[cases >= 0]] = False
        if left.any():
            self._clear(np.flatnonzero(left))
            self.case_of[np.isin(self.case_of, np.flatnonzero(left))] = -1
        new, free = np.flatnonzero(cases < 0), np.flatnonzero(~self.used)
        if len(new) > len(free):
            return None
        cases[new] = free[: len(new)]
        self.case_of[slots[new]] = cases[new]
        self.used[cases[new]] = True
        codes, values = batch.queries
        self.codes[cases[new]], self.values[cases[new]] = codes[new], values[new]
        self.widths[cases[new]] = widths[new]
        return cases

    def _find_places(self, ids: Ids) -> bool:
        """Find the slots of rows that came or moved, by their ids."""
        n_same = min(len(ids), len(self.ids))
        slots = np.full(len(ids), -1, np.int32)
        same = ids[:n_same] == self.ids[:n_same]
        slots[:n_same] = np.where(same, self.slots[:n_same], -1)
        other = np.flatnonzero(slots < 0)
        if len(other) > 4 * _MOST_ROWS:
            return False
        for place, name in zip(other.tolist(), ids[other].tolist(), strict=True):
            slot = self.slot_of.get(name, -1)
            if slot < 0:
                return False
            slots[place], self.places[slot] = slot, place
        self.ids, self.slots = ids, slots
        return True


def _attribute_keys(n_attributes: int) -> NDArray[np.uint64]:
    """A number for each attribute, such that sets of them have other sums.

    Beyond 64 attributes random numbers: two sets in 2 ** 64 are taken for one.
    """
    if n_attributes <= _EXACT_KEYS:
        return np.uint64(1) << np.arange(n_attributes, dtype=np.uint64)
    rng = np.random.default_rng(0)
    return rng.integers(1, 2**64, n_attributes, dtype=np.uint64)


class VoteFollower:
    """Left-out cases at work, those votes that no change has moved taken as they were.

    Parameters
    ----------
    host : NearestHost
    batch : Batch
        The cases, each left out.
    numbers : tuple of int
        Numbers of neighbors.
    n_most : int
        The most attributes.
    key : hashable
        What the cases are followed by.
    """

    def __init__(
        self,
        host: NearestHost,
        batch: Batch,
        numbers: tuple[int, ...],
        n_most: int,
        key: Hashable,
    ) -> None:
        self.host, self.batch, self.key = host, batch, key
        # More neighbors than rows are all rows.
        ks = [min(k, batch.cases.n_rows + 1) for k in numbers]
        self.ks, shape = np.array(ks, np.int64), (len(ks), n_most, batch.n_classes)
        base = batch.base
        self.columns = base.derive(RawColumns, lambda: find_raw_columns(base.cases))
        shared = self.columns.widths
        own = find_own_widths(batch, shared)
        self.widths = spread_widths(shared, own, np.arange(len(batch)))
        before = base.take_follower(key)
        known, asked = None, None
        if isinstance(before, FollowedCases) and before.shape == shape:
            known, asked = before, before.seat(batch, self.widths)
        self.is_warm = asked is not None
        if known is None or asked is None:
            known = FollowedCases(batch, max(numbers), shape)
            asked = known.seat(batch, self.widths)
        assert asked is not None
        self.cases, self.asked = known, asked
        ties = _tie_orders(batch)
        others = batch.n_others()
        same_ties = np.array_equal(ties, known.ties)
        self.is_rejudged = not (same_ties and known.others == others)
        known.ties, known.others, known.now = ties, others, known.now + 1

    @staticmethod
    def can_follow(
        host: NearestHost, batch: Batch, numbers: tuple[int, ...], n_most: int
    ) -> bool:
        """Whether votes are found here, on numbers, by rows that all weigh 1."""
        base = batch.base
        is_here = not base.is_parted and not base.weighted and host.device is None
        is_asked_often = is_here and not base.choices.may_be_old
        if not (is_asked_often and host.compares_numbers(base)):
            return False
        each = len(numbers) * batch.n_classes + max(2 * max(numbers), _FEWEST_LISTED)
        n_cells = len(batch) * n_most
        seconds = _PER_CELL * n_cells * batch.cases.n_rows
        is_small = n_cells * each <= _MOST_CELLS and batch.n_attributes <= _MOST_COLUMNS
        return is_small and bool(follow_votes.is_due(seconds))

    def score(self, order: NDArray[np.int32], first: int) -> Ints:
        """Scores of the cases from the first on, added up, (n_numbers, n_most)."""
        batch, cases, host = self.batch, self.cases, self.host
        last, totals = first + len(order), np.zeros(cases.shape[:2], np.int64)
        part = slice(first, last)
        codes, values = batch.queries
        assert batch.excluded is not None
        follow_votes(
            batch.cases.n_rows,
            self.columns.labels,
            cases.numeric,
            batch.cases.numbers,
            batch.cases.classes.whole,
            self.widths[part],
            codes[part],
            values[part],
            np.ascontiguousarray(order),
            batch.excluded[part],
            self.ks,
            host.shares,
            host.by_distance,
            cases.others,
            cases.ties,
            self.asked[part],
            cases.places,
            cases.slots,
            cases.keys,
            cases.now,
            self.is_rejudged,
            0,
            last - first,
            cases.widths,
            cases.latest,
            *cases.lists,
            totals,
        )
        return totals

    def keep(self) -> None:
        """Have the lists follow the rows from now on."""
        self.batch.base.let_follow(self.key, self.cases)


def _tie_orders(batch: Batch) -> Ints:
    """The classes in the order in which they win ties, by the class left out."""
    priors = batch.cases.class_counts - np.eye(batch.n_classes, dtype=np.int64)
    return np.argsort(-priors, axis=1, kind="stable")
