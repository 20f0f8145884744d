"""Votes of left-out cases that follow the rows: a change costs what it changes.

A row that comes or goes moves the votes of a left-out case only where it is as near as
the last row that votes. With each number of attributes that distance is kept, so that
a change is one distance for each case; the others' votes stay as they are, to the last
digit. A case is asked anew where its attributes have another order, or other ranges.
"""

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, Votes
from sklazy.casebase.rows import CodedRows, Ids, are_among
from sklazy.flow import Queries, Selected
from sklazy.methods.selection.nearest import NearestHost, NearestWork
from sklazy.neighbors import MixedSearch

_MOST_CELLS = 8_000_000  # votes that are kept
_MOST_ROWS = 64  # rows in a change; beyond, all cases are asked anew

# Added to distances that are compared, since they are not summed row by row here.
_ROUNDING = 1e-9


@dataclass
class FollowedVotes:
    """Votes of cases left out in turn, and how near a row must be to move them.

    Attributes
    ----------
    ids : array of shape (n_cases,)
    numeric : int64 array of shape (n_attributes,)
        The place of an attribute among the numbers, -1 for labels.
    codes, values : int32 and float64 arrays of shape (n_cases, n_attributes)
    widths : float64 array of shape (n_cases, n_attributes)
        The ranges that each case sees.
    order : int32 array of shape (n_cases, n_most)
        Its attributes.
    votes : float64 array of shape (n_cases, n_ks, n_most, n_classes)
    reach : float64 array of shape (n_cases, n_most)
        The squared distance of the last row that votes.
    outdated : bool array of shape (n_cases, n_most)
        With which numbers of attributes votes are to be found anew.
    """

    ids: Ids
    numeric: Ints
    codes: NDArray[np.int32]
    values: Floats
    widths: Floats
    order: NDArray[np.int32]
    votes: Votes
    reach: Floats
    outdated: NDArray[np.bool_]

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Note which votes rows that came or went may move."""
        if len(rows) > _MOST_ROWS:
            return False
        gone = are_among(self.ids, rows.ids)
        if gone.any():  # nothing of an erased row is kept
            self.__dict__.update(vars(self.take(np.flatnonzero(~gone))))
        for row in range(len(rows)):
            is_near = self._measure(rows, row) <= self.reach * (1.0 + _ROUNDING)
            self.outdated = self.outdated | is_near
        return True

    def _measure(self, rows: CodedRows, row: int) -> Floats:
        """The squared distances of a row, by each number of attributes."""
        numbers = np.append(rows.numbers[:, row], np.nan)[self.numeric]
        is_known = self.codes >= 0
        labels = np.where(is_known & (self.codes == rows.codes[:, row]), 0.0, 1.0)
        with np.errstate(all="ignore"):
            scaled = (numbers - self.values) / self.widths
        level = np.where(numbers == self.values, 0.0, 1.0)
        scaled = np.where(np.isnan(scaled), 1.0, scaled)
        apart = np.where(self.widths > 0, scaled, level)
        apart = np.where(self.numeric < 0, labels, apart)
        with np.errstate(over="ignore"):
            squares = np.take_along_axis(apart, self.order, axis=1) ** 2
            return np.asarray(squares.cumsum(axis=1))

    def take(self, cases: Ints) -> "FollowedVotes":
        """Some of the cases."""
        names = [each.name for each in fields(self) if each.name != "numeric"]
        return replace(self, **{name: getattr(self, name)[cases] for name in names})


class VoteFollower:
    """The votes of left-out cases, those that no change has moved taken as they were.

    Parameters
    ----------
    work : NearestWork
        At work on the cases, each left out.
    numbers : tuple of int
        Numbers of neighbors.
    key : hashable
        What the votes are followed by.
    """

    def __init__(
        self, work: NearestWork, numbers: tuple[int, ...], key: Hashable
    ) -> None:
        self.work, self.numbers, self.key = work, numbers, key
        batch = work.batch
        assert batch.excluded is not None
        self.ids = batch.base.rows.ids_at(batch.excluded)
        self.before = batch.base.find_follower(key)
        self.parts: dict[int, FollowedVotes] = {}

    @staticmethod
    def can_follow(work: NearestWork, n_votes: int) -> bool:
        """Whether votes are found here, on numbers, by rows that all weigh 1."""
        base, host = work.batch.base, work.host
        is_here = not base.is_parted and not base.weighted and host.device is None
        is_asked_often = is_here and not base.choices.may_be_old
        return is_asked_often and host.compares_numbers(base) and n_votes <= _MOST_CELLS

    def vote(self, order: NDArray[np.int32], first: int) -> Votes:
        """Votes as `NearestWork.vote_with_each_of` finds them."""
        now = self._begin(order, first)
        cases = np.flatnonzero(now.outdated.any(axis=1))
        if len(cases):
            anew = now.outdated[cases]
            votes, reach = self._ask(now, cases, first)
            now.votes[cases] = np.where(anew[:, None, :, None], votes, now.votes[cases])
            now.reach[cases] = np.where(anew, reach, now.reach[cases])
            now.outdated = np.zeros(now.outdated.shape, bool)
        self.parts[first] = now
        return np.ascontiguousarray(now.votes.swapaxes(0, 1))

    def _begin(self, order: NDArray[np.int32], first: int) -> FollowedVotes:
        """Cases with the votes that are known of them, the others outdated."""
        batch = self.work.batch.part(first, first + len(order))
        search = _search(self.work.host, batch, order)
        shape = len(order), len(self.numbers), order.shape[1], batch.n_classes
        now = FollowedVotes(
            self.ids[first : first + len(order)],
            batch.cases.numeric,
            np.where(batch.cases.numeric < 0, batch.queries.codes, -1),
            batch.queries.values,
            search.widths_of(np.arange(len(order))),
            order.copy(),
            np.zeros(shape),
            np.zeros(order.shape),
            np.ones(order.shape, bool),
        )
        if isinstance(self.before, FollowedVotes):
            _take_over(now, self.before)
        return now

    def _ask(self, now: FollowedVotes, cases: Ints, first: int) -> tuple[Votes, Floats]:
        """Votes of some cases where they are outdated, and their reach."""
        batch, host = self.work.batch, self.work.host
        assert batch.excluded is not None
        codes, values = batch.queries
        places = cases + first
        some = replace(
            batch,
            queries=Queries(codes[places], values[places]),
            excluded=batch.excluded[places],
        )
        order, ks = now.order[cases], np.array(self.numbers, np.int64)
        search, wanted = _search(host, some, order), now.outdated[cases]
        votes = search.vote_with_each(order, ks, shares=host.shares, wanted=wanted)
        reach = search.reach
        never = np.full(order.shape, np.inf)
        return votes.swapaxes(0, 1), never if reach is None else reach

    def keep(self) -> None:
        """Have the votes of all cases follow the rows from now on."""
        parts = [self.parts[first] for first in sorted(self.parts)]
        if not parts:
            return
        names = [each.name for each in fields(FollowedVotes) if each.name != "numeric"]
        columns = {n: np.concatenate([getattr(p, n) for p in parts]) for n in names}
        whole = FollowedVotes(numeric=parts[0].numeric, **columns)
        self.work.batch.base.let_follow(self.key, whole)


def _search(host: NearestHost, batch: Batch, order: NDArray[np.int32]) -> MixedSearch:
    """Make the search of cases on the first attributes of each, (n_cases, n_most)."""
    counts = np.full(len(order), order.shape[1], np.int32)
    return host.mixed_search(batch, Selected(order, counts))


def _take_over(now: FollowedVotes, before: FollowedVotes) -> None:
    """Take the votes of cases that are asked as they were before."""
    if now.votes.shape[1:] != before.votes.shape[1:]:
        return
    places = {name: i for i, name in enumerate(before.ids.tolist())}
    were = np.array([places.get(name, -1) for name in now.ids.tolist()], np.int64)
    cases = np.flatnonzero(were >= 0)
    then, here = before.take(were[cases]), now.take(cases)
    same = np.ones(len(cases), bool)
    for name in ("codes", "values", "widths"):
        one, other = getattr(then, name), getattr(here, name)
        same &= ((one == other) | ((one != one) & (other != other))).all(axis=1)
    cases, then = cases[same], then.take(np.flatnonzero(same))
    # Votes with the attributes before the first that is another one.
    other_order = np.logical_or.accumulate(then.order != now.order[cases], axis=1)
    now.votes[cases], now.reach[cases] = then.votes, then.reach
    now.outdated[cases] = then.outdated | other_order
