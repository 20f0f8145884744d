"""The mean target of a query's nearest rows: ties, distances and weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries, Selected
from sklazy.kernels.means import mean_nested, mean_of_nearest
from sklazy.neighbors.mixed import MixedSearch, ScaledColumns
from sklazy.neighbors.voting import weigh_squares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Cells compared; fewer are done before the compiler would be.
_SMALL_JOB = 20_000_000

# More neighbors than this are found sooner by measuring every row exactly.
_MOST_NEIGHBORS = 256


class Voters(NamedTuple):
    """The rows whose targets make up a mean, near to far, then as they lie.

    Attributes
    ----------
    rows : int64 array of shape (n_voting,)
    squares, weights : float64 arrays of shape (n_voting,)
        Squared distances, and what the rows count.
    n_tied : int
        How many are as far as the last.
    """

    rows: Ints
    squares: Floats
    weights: Floats
    n_tied: int


class Means(NamedTuple):
    """How rows make up a mean.

    Attributes
    ----------
    n_neighbors : int
    shares : bool
        Rows tied at the k-th place share the places left; else all count in full.
    by_distance : bool
        A row counts the nearest row's distance over its own; else 1.
    """

    n_neighbors: int
    shares: bool
    by_distance: bool

    def find_voters(self, squares: Floats, weights: Floats) -> Voters:
        """The rows that count, and how much.

        A row of weight w counts like w rows: from near to far until their weights reach
        `n_neighbors`, with all that tie with the last.

        Parameters
        ----------
        squares : float64 array of shape (n_rows,)
        weights : float64 array of shape (n_rows,), not negative
            0 for a row that does not take part.
        """
        there = np.flatnonzero(weights > 0)
        order = there[np.argsort(squares[there], kind="stable")]
        near = squares[order]
        starts = np.flatnonzero(np.concatenate([[True], near[1:] != near[:-1]]))
        in_level = np.add.reduceat(weights[order], starts)
        reached = np.cumsum(in_level)
        last = min(int(np.searchsorted(reached, self.n_neighbors)), len(starts) - 1)
        end = starts[last + 1] if last + 1 < len(starts) else len(order)
        rows, own = order[:end], weights[order[:end]].copy()
        if self.shares and reached[last] > self.n_neighbors:
            before = reached[last - 1] if last else 0.0
            own[starts[last] :] *= (self.n_neighbors - before) / in_level[last]
        if self.by_distance:
            own *= weigh_squares(near[0], near[:end])
        return Voters(rows, near[:end], own, int(end - starts[last]))

    def average(self, squares: Floats, weights: Floats, targets: Floats) -> float:
        """The mean target of the rows that count, added near to far."""
        rows, _, own, _ = self.find_voters(squares, weights)
        start = targets[rows[0]]
        total = np.cumsum(own * (targets[rows] - start))[-1]
        return float(start + total / np.cumsum(own)[-1])

    def average_alike(self, squares: Floats, targets: Floats) -> float:
        """The same of rows that all weigh 1, digit for digit as kernels have it.

        Parameters
        ----------
        squares : float64 array of shape (n_rows,)
            Without the excluded row.
        targets : float64 array of shape (n_rows,)
        """
        k, kth = self.n_neighbors, np.inf
        if k <= squares.size:
            kth = np.partition(squares, k - 1)[k - 1]
        near, tied = np.flatnonzero(squares < kth), np.flatnonzero(squares == kth)
        near = near[np.argsort(squares[near], kind="stable")]
        first = near[0] if near.size else tied[0]
        start, nearest = targets[first], squares[first]
        own = (
            weigh_squares(nearest, squares[near]) if self.by_distance else near * 0 + 1
        )
        weights, total = _add(own), _add(own * (targets[near] - start))
        if tied.size:
            left = min(tied.size, k - near.size) if self.shares else tied.size
            weight = left / tied.size
            if self.by_distance:
                weight *= float(weigh_squares(nearest, np.array([kth]))[0])
            weights += weight * tied.size
            total += weight * _add(targets[tied] - start)
        return float(start + total / weights)


def _add(terms: NDArray[np.generic]) -> float:
    """The sum, term after term."""
    return float(np.cumsum(terms)[-1]) if terms.size else 0.0


class MeanSearch:
    """The mean target of each query's nearest rows, by HEOM on its own attributes.

    Made for one batch; `run` answers a part of it, and different parts may run in
    different threads.

    Parameters
    ----------
    cases : Cases
        Rows in canonical order, in which those of one distance are added.
    columns : ScaledColumns
    targets : float64 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), or None where all weigh 1
    queries : Queries
        C-contiguous arrays.
    selected : Selected
    how : Means
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not take part, nor in the ranges.

    Attributes
    ----------
    values : float64 array of shape (n_queries,)
    """

    def __init__(
        self,
        cases: Cases,
        columns: ScaledColumns,
        targets: Floats,
        weights: Floats | None,
        queries: Queries,
        selected: Selected,
        how: Means,
        excluded: Ints | None = None,
    ) -> None:
        self.distances = MixedSearch(
            cases, columns, queries, selected, how.n_neighbors, excluded
        )
        self.cases, self.columns, self.how = cases, columns, how
        self.targets, self.weights = targets, weights
        self.queries, self.selected = queries, selected
        self.values = np.empty(queries.codes.shape[0])

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        cells = (last - first) * self.selected.attributes.shape[1] * self.cases.n_rows
        n_rows, k = self.cases.n_rows, self.how.n_neighbors
        slow = k > min(_MOST_NEIGHBORS, n_rows) or self.weights is not None
        if slow or not mean_of_nearest.is_due(cells / _SMALL_JOB):
            for query in range(first, last):
                self.values[query] = self._average(query)
            return
        mean_of_nearest(
            *self.columns,
            n_rows,
            self.cases.codes,
            self.cases.numeric,
            self.cases.numbers,
            self.targets,
            *self.queries,
            *self.selected,
            self.distances.excluded,
            k,
            self.how.shares,
            self.how.by_distance,
            first,
            last,
            self.values,
        )
        for query in self.distances.own_widths:
            if first <= query < last:
                self.values[query] = self._average(query)

    def find_voters(self, query: int) -> Voters:
        """The rows that one query's answer is made of."""
        return self.how.find_voters(self.measure(query), self._weights_for(query))

    def measure(self, query: int) -> Floats:
        """The squared distance of every row, infinite for the excluded one."""
        return self.distances.measure(query)

    def _weights_for(self, query: int) -> Floats:
        """What rows weigh, 0 for the excluded one."""
        weights = np.ones(self.cases.n_rows)
        if self.weights is not None:
            weights[:] = self.weights
        if self.distances.excluded[query] >= 0:
            weights[self.distances.excluded[query]] = 0.0
        return weights

    def _average(self, query: int) -> float:
        """Answer one query by measuring every row exactly."""
        squares, excluded = self.measure(query), self.distances.excluded[query]
        if self.weights is not None:
            weights = self._weights_for(query)
            return self.how.average(squares, weights, self.targets)
        if excluded < 0:
            return self.how.average_alike(squares, self.targets)
        others = np.delete(self.targets, excluded)
        return self.how.average_alike(np.delete(squares, excluded), others)

    def values_with_each(self, order: NDArray[np.int32]) -> Floats:
        """Answers with the first attribute, the first two, ... of each query's order.

        Parameters
        ----------
        order : int32 array of shape (n_queries, n_most)

        Returns
        -------
        float64 array of shape (n_queries, n_most)
        """
        cases, values = self.cases, np.empty(order.shape)
        due = mean_nested.is_due(order.size * cases.n_rows / _SMALL_JOB)
        if self.weights is not None or not due:
            for r in range(order.shape[1]):
                values[:, r] = self._values_with(order, r + 1)
            return values
        mean_nested(
            cases.n_rows,
            cases.codes,
            cases.numeric,
            cases.numbers,
            self.targets,
            self.distances.widths_of(range(len(order))),
            *self.queries,
            order,
            self.distances.excluded,
            self.how.n_neighbors,
            self.how.shares,
            self.how.by_distance,
            0,
            len(order),
            values,
        )
        return values

    def _values_with(self, order: NDArray[np.int32], n_used: int) -> Floats:
        """Answers with the first attributes of each query."""
        counts = np.full(len(order), n_used, np.int32)
        search = MeanSearch(
            self.cases,
            self.columns,
            self.targets,
            self.weights,
            self.queries,
            Selected(order, counts),
            self.how,
            self.distances.excluded,
        )
        return np.array([search._average(query) for query in range(len(order))])
