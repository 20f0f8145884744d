"""Cases that a query cannot distinguish: their sums, and how neighbors pool them.

Cases are alike for a query if they are equal in all cells that the query has. They are
equally near, and a local model sees no difference between them but in the target.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.flow import Cases, LocalCases, Neighbors, Pools, Queries, without_pools
from sklazy.neighbors.copies import number_equal_rows

Groups = tuple[Ints, Ints]
Bools = NDArray[np.bool_]

_MOST_KEPT = 1 << 22  # cases times sets of columns that are kept


class Summary(NamedTuple):
    """Cases alike as one.

    Attributes
    ----------
    size : int
        How many they are.
    weight : float
        Their mean weight.
    means, spreads : float64 arrays of shape (n_targets,)
        Weighted means of the targets, and of the squared deviations from these.
    """

    size: int
    weight: float
    means: Floats
    spreads: Floats


class AlikeCases:
    """Which cases are alike; sums are found when they are needed.

    Parameters
    ----------
    groups : int64 array of shape (n_cases,)
        A number of each case, the same for cases alike; from 0.
    cases : LocalCases
    """

    def __init__(self, groups: Ints, cases: LocalCases) -> None:
        self.groups, self.cases = groups, cases
        self.sizes = np.bincount(groups)
        self._order = np.argsort(groups, kind="stable")
        self._ends = np.cumsum(self.sizes)
        self._found: dict[int, Summary] = {}

    def members(self, group: int) -> Ints:
        """List the cases of a group."""
        end = self._ends[group]
        return self._order[end - self.sizes[group] : end]

    def summarize(self, group: int) -> Summary:
        """Add up the cases of a group, once."""
        if group not in self._found:
            self._found[group] = self.summarize_some(self.members(group))
        return self._found[group]

    def summarize_some(self, members: Ints) -> Summary:
        """Add up some cases alike, which must not be none."""
        weights = self.cases.weights
        some = weights[members] if len(weights) else np.ones(len(members))
        return summarize(self.cases.targets[members], some)


class Lookalikes:
    """Which cases are alike, for queries that lack no cell, or some.

    Parameters
    ----------
    base : CaseBase
    rows : int64 array of shape (n_cases,)
        Where the cases lie in the base.
    cases : LocalCases
    whole : bool
        Whether cases alike are equal in all cells, whatever cells a query has.
    """

    def __init__(
        self, base: CaseBase, rows: Ints, cases: LocalCases, *, whole: bool = False
    ) -> None:
        self.base, self.rows, self.cases, self.whole = base, rows, cases, whole
        self._kept: dict[bytes, AlikeCases | None] = {}

    def split(
        self, queries: Queries, chosen: Bools
    ) -> Iterator[tuple[Ints, AlikeCases]]:
        """Go through some queries by the cells they have, where cases are alike."""
        for places, known in split_by_cells(self.base.cases, queries, chosen):
            alike = self._among(known | self.whole)
            if alike is not None:
                yield places, alike

    def _among(self, known: Bools) -> AlikeCases | None:
        """Find the cases alike in some columns; None where all differ."""
        key = known.tobytes()
        if key in (kept := self._kept):
            return kept[key]
        if len(kept) * len(self.rows) > _MOST_KEPT:
            kept = self._kept = {}
        kept[key] = alike = self._find(known)
        return alike

    def _find(self, known: Bools) -> AlikeCases | None:
        base = self.base
        if known.all():
            groups = base.derive(
                number_equal_rows, lambda: number_equal_rows(base.cases)
            )
        else:
            groups = number_equal_rows(base.cases, known)
        used, numbers = np.unique(groups[self.rows], return_inverse=True)
        return AlikeCases(numbers, self.cases) if len(used) < len(numbers) else None


def split_by_cells(
    cases: Cases, queries: Queries, chosen: Bools
) -> Iterator[tuple[Ints, Bools]]:
    """Group some queries by which attributes they have a value of that cases may share.

    Parameters
    ----------
    cases : Cases
    queries : Queries
    chosen : bool array of shape (n_queries,)
    """
    codes, values = queries.codes[chosen], queries.values[chosen]
    known = np.where(cases.numeric >= 0, ~np.isnan(values), codes >= 0)
    places = np.flatnonzero(chosen)
    whole = known.all(axis=1)
    if whole.any():
        yield places[whole], np.ones(known.shape[1], bool)
    places, known = places[~whole], known[~whole]
    kinds, numbers = np.unique(known, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds):
        yield places[numbers.ravel() == number], kind


def find_tied(distances: Floats) -> Bools:
    """Find the queries two of whose nearest cases are equally far, (n_queries,)."""
    nearer, farther = distances[:, :-1], distances[:, 1:]
    tied: Bools = ((nearer == farther) & np.isfinite(nearer)).any(axis=1)
    return tied


def summarize(targets: Floats, weights: Floats) -> Summary:
    """Add up cases alike, correctly rounded, whatever their order.

    Parameters
    ----------
    targets : float64 array of shape (n_cases, n_targets)
    weights : float64 array of shape (n_cases,)
    """
    total = math.fsum(weights.tolist())
    sums = [math.fsum(column) for column in (weights * targets.T).tolist()]
    ends = targets.min(axis=0), targets.max(axis=0)
    means = average(np.array(sums), total, *ends)
    squares = weigh_squares(targets, weights, means)
    spreads = np.array([math.fsum(column) / total for column in squares.T.tolist()])
    return Summary(len(targets), total / len(targets), means, spreads)


def average(
    sums: Floats, totals: float | Floats, lowest: Floats, highest: Floats
) -> Floats:
    """Return weighted means, the very number where all are equal."""
    return np.where(lowest == highest, lowest, sums / totals)


def weigh_squares(targets: Floats, weights: Floats, means: Floats) -> Floats:
    """Square the deviations from means, times the weights; as `targets` in shape."""
    squares: Floats = weights[:, None] * (targets - means) ** 2
    return squares


def pool_neighbors(
    lookalikes: Lookalikes,
    queries: Queries,
    near: Neighbors,
    n_nearest: int,
    hidden: Groups | None = None,
) -> Pools:
    """Let neighbors stand for all cases alike.

    Parameters
    ----------
    lookalikes : Lookalikes
    queries : Queries
    near : Neighbors
        Nearest first, one more than are neighbors, which shows whether the last one
        is alone.
    n_nearest : int
    hidden : pair of int64 arrays of shapes (n_cases,) and (n_queries,), optional
        A query does not see the cases of its own group.
    """
    cases, rows = lookalikes.cases, near.rows[:, :n_nearest]
    pools = without_pools(rows.shape[1], cases.targets.shape[1])
    for chosen, alike in lookalikes.split(queries, find_tied(near.distances)):
        groups = np.where(rows[chosen] >= 0, alike.groups[rows[chosen]], -1)
        many = (groups >= 0) & (alike.sizes[groups] > 1)
        if many.any():
            pools = pools if len(pools.sizes) else start_pools(cases, rows)
            fill_pools(pools, chosen, groups, many, alike.summarize)
        if many.any() and hidden is not None:
            unseen = hidden[0], hidden[1][chosen]
            for query, places, summary in _summarize_seen(alike, groups, many, unseen):
                _write(pools, (chosen[query], places), [summary], 0)
    return pools


def start_pools(cases: LocalCases, neighbors: Ints) -> Pools:
    """Return pools in which every neighbor is like no other row."""
    means, ones = cases.targets[neighbors], np.ones(neighbors.shape)
    weights = cases.weights[neighbors] if len(cases.weights) else ones.copy()
    firsts = np.tile(np.arange(neighbors.shape[1]), (len(neighbors), 1))
    return Pools(means, np.zeros(means.shape), weights, ones, firsts)


def fill_pools(
    pools: Pools,
    chosen: Ints,
    groups: Ints,
    many: Bools,
    summarize: Callable[[int], Summary],
) -> None:
    """Write summaries where neighbors stand for cases alike.

    Parameters
    ----------
    pools : Pools
    chosen : int64 array of shape (n_asked,)
        The queries.
    groups : int64 array of shape (n_asked, n_nearest)
        A number of each neighbor that those alike share.
    many : bool array of shape (n_asked, n_nearest)
        Whether a neighbor is like other cases.
    summarize : callable
        From a number to what its cases add up to.
    """
    pools.firsts[chosen] = _find_firsts(groups)
    queries, places = np.nonzero(many)
    used, numbers = np.unique(groups[many], return_inverse=True)
    summaries = [summarize(group) for group in used.tolist()]
    _write(pools, (chosen[queries], places), summaries, numbers)


def find_shares(pools: Pools) -> Floats:
    """Return the part of the cases alike that are neighbors, (n_queries, n_nearest)."""
    counts = np.zeros(pools.firsts.shape)
    queries = np.arange(len(counts))[:, None]
    np.add.at(counts, (queries, pools.firsts), 1.0)
    shares: Floats = np.take_along_axis(counts, pools.firsts, axis=1) / pools.sizes
    return shares


def _find_firsts(groups: Ints) -> Ints:
    """Find the first place in each row that has the same number."""
    order = np.argsort(groups, axis=1, kind="stable")
    ordered = np.take_along_axis(groups, order, axis=1)
    is_new = np.ones(groups.shape, bool)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.where(is_new, np.arange(groups.shape[1]), 0)
    firsts = np.empty_like(groups)
    starts = np.maximum.accumulate(starts, axis=1)
    np.put_along_axis(firsts, order, np.take_along_axis(order, starts, axis=1), axis=1)
    return firsts


def _write(
    pools: Pools,
    places: tuple[Ints | np.int64, Ints],
    summaries: list[Summary],
    numbers: Ints | int,
) -> None:
    """Write summaries, by their number at each place, or one at all."""
    pools.sizes[places] = np.array([summary.size for summary in summaries])[numbers]
    pools.weights[places] = np.array([summary.weight for summary in summaries])[numbers]
    pools.means[places] = np.stack([summary.means for summary in summaries])[numbers]
    pools.spreads[places] = np.stack([summary.spreads for summary in summaries])[
        numbers
    ]


def _summarize_seen(
    alike: AlikeCases, groups: Ints, many: Bools, hidden: Groups
) -> Iterator[tuple[int, Ints, Summary]]:
    """Add up anew where a query does not see all cases alike."""
    of_cases, of_queries = hidden
    order = np.argsort(of_cases, kind="stable")
    ends = np.searchsorted(of_cases[order], of_queries, "right")
    starts = np.searchsorted(of_cases[order], of_queries, "left")
    for query in np.flatnonzero(many.any(axis=1)).tolist():
        unseen = order[starts[query] : ends[query]]
        pooled = np.where(many[query], groups[query], -1)
        for group in np.intersect1d(alike.groups[unseen], pooled).tolist():
            seen = np.setdiff1d(alike.members(group), unseen)
            yield query, np.flatnonzero(pooled == group), alike.summarize_some(seen)
