"""The mean target of a query's nearest rows: ties, distances and weights."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.columns import label_codes
from sklazy.flow import Cases, Queries, Selected
from sklazy.kernels.agreeing import mean_of_agreeing
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.means import mean_nested, mean_of_nearest
from sklazy.memory import cells_within
from sklazy.neighbors.mixed import MixedSearch, ScaledColumns
from sklazy.neighbors.nested import Asked, square_column
from sklazy.neighbors.voting import weigh_squares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Cells compared; fewer are done before the compiler would be.
_SMALL_JOB = 20_000_000

# Distances written down at once.
_MOST_CELLS = 4_000_000

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

    def average_alike(self, squares: Floats, excluded: Ints, targets: Floats) -> Floats:
        """The same of rows that all weigh 1, digit for digit as kernels have it.

        Parameters
        ----------
        squares : float64 array of shape (n_queries, n_rows)
            Infinite for an excluded row.
        excluded : int64 array of shape (n_queries,)
            -1 for none.
        targets : float64 array of shape (n_rows,)
        """
        each, k = np.arange(len(squares)), self.n_neighbors
        kth = np.full(len(squares), np.inf)
        if k <= squares.shape[1]:
            kth = np.partition(squares, k - 1, axis=1)[:, k - 1]
        tied = squares == kth[:, None]
        tied[each[excluded >= 0], excluded[excluded >= 0]] = False
        n_near, n_tied = (squares < kth[:, None]).sum(axis=1), tied.sum(axis=1)
        order = _list_nearest(squares, k)
        first = np.where(n_near > 0, order[:, 0], tied.argmax(axis=1))
        apart = targets - targets[first][:, None]
        nearest = squares[each, first]
        total, weights = self._add_near(order, n_near, squares, apart, nearest)
        left = np.minimum(n_tied, k - n_near) if self.shares else n_tied
        weight = left / np.maximum(n_tied, 1) * self._weigh(nearest, kth)
        weights += weight * n_tied
        total += weight * np.cumsum(np.where(tied, apart, 0.0), axis=1)[:, -1]
        return np.asarray(targets[first] + total / weights)

    def _add_near(
        self,
        order: Ints,
        n_near: Ints,
        squares: Floats,
        apart: Floats,
        nearest: Floats,
    ) -> tuple[Floats, Floats]:
        """Weighted targets and weights of the rows nearer than the last, near to far.

        Parameters
        ----------
        order : int64 array of shape (n_queries, n_most)
            The rows of each query, near to far.
        n_near : int64 array of shape (n_queries,)
            How many of them are nearer than the last.
        squares, apart : float64 arrays of shape (n_queries, n_rows)
            Squared distances, and targets from the first one's on.
        nearest : float64 array of shape (n_queries,)
        """
        total, weights = np.zeros((2, len(order)))
        for place in range(int(n_near.max(initial=0))):
            own = np.flatnonzero(n_near > place)
            rows = order[own, place]
            weight = self._weigh(nearest[own], squares[own, rows])
            weights[own] += weight
            total[own] += weight * apart[own, rows]
        return total, weights

    def _weigh(self, nearest: Floats, squares: Floats) -> Floats:
        """What rows count by their distance."""
        if not self.by_distance:
            return np.ones(len(squares))
        return weigh_squares(nearest, squares)


def _list_nearest(squares: Floats, k: int) -> Ints:
    """The k nearest rows of each query, near to far, then as they lie.

    Which of those at the k-th distance are among them is left open.
    """
    if k >= squares.shape[1]:
        return np.argsort(squares, axis=1, kind="stable")
    some = np.sort(np.argpartition(squares, k - 1, axis=1)[:, :k], axis=1)
    near = np.take_along_axis(squares, some, axis=1)
    order = np.argsort(near, axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


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
        slow = self.how.n_neighbors > min(_MOST_NEIGHBORS, self.cases.n_rows)
        by_labels = bool((self.cases.numeric < 0).all())
        kernel = mean_of_agreeing if by_labels else mean_of_nearest
        if slow or self.weights is not None or not kernel.is_due(cells / _SMALL_JOB):
            self._measure_all(range(first, last))
        elif by_labels:
            self._run_on_labels(first, last)
        else:
            self._run_on_numbers(first, last)

    def _run_on_labels(self, first: int, last: int) -> None:
        """Answer by bit sets of the rows that have a value."""
        cases, codes = self.cases, self.queries.codes
        for begin, end, bits, set_of_value in sets_in_parts(cases, codes, first, last):
            mean_of_agreeing(
                bits,
                cases.starts,
                cases.offsets,
                set_of_value,
                cases.n_rows,
                self.targets,
                codes,
                *self.selected,
                self.distances.excluded,
                *self.how,
                begin,
                end,
                self.values,
            )

    def _run_on_numbers(self, first: int, last: int) -> None:
        """Answer by distances on columns."""
        mean_of_nearest(
            *self.columns,
            self.cases.n_rows,
            label_codes(self.cases),
            self.cases.numeric,
            self.cases.numbers,
            self.targets,
            *self.queries,
            *self.selected,
            self.distances.excluded,
            *self.how,
            first,
            last,
            self.values,
        )
        own = [query for query in self.distances.own_widths if first <= query < last]
        self._measure_all(own)

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

    def _measure_all(self, queries: Sequence[int]) -> None:
        """Answer some queries by measuring every row exactly."""
        if self.weights is not None:
            for query in queries:
                measured, weights = self.measure(query), self._weights_for(query)
                self.values[query] = self.how.average(measured, weights, self.targets)
            return
        step = self._step()
        for first in range(0, len(queries), step):
            some = list(queries[first : first + step])
            squares = np.array([self.measure(query) for query in some])
            excluded = self.distances.excluded[some]
            self.values[some] = self.how.average_alike(squares, excluded, self.targets)

    def _step(self) -> int:
        """How many queries are measured at once."""
        return max(1, cells_within(_MOST_CELLS) // self.cases.n_rows)

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
        if self.weights is not None:
            for r in range(order.shape[1]):
                values[:, r] = self._values_with(order, r + 1)
            return values
        if not mean_nested.is_due(order.size * cases.n_rows / _SMALL_JOB):
            step = self._step()
            for first in range(0, len(order), step):
                here = slice(first, first + step)
                values[here] = self._nest(order[here], here)
            return values
        mean_nested(
            cases.n_rows,
            label_codes(cases),
            cases.numeric,
            cases.numbers,
            self.targets,
            self.distances.widths_of(range(len(order))),
            *self.queries,
            order,
            self.distances.excluded,
            *self.how,
            0,
            len(order),
            values,
        )
        return values

    def _nest(self, order: NDArray[np.int32], here: slice) -> Floats:
        """What `mean_nested` finds for some queries, all at a time."""
        queries = Queries(self.queries.codes[here], self.queries.values[here])
        excluded = self.distances.excluded[here]
        widths = self.distances.widths_of(range(here.start, here.start + len(order)))
        asked = Asked(self.cases, queries, widths, excluded)
        squares, values = (
            np.zeros((len(order), self.cases.n_rows)),
            np.empty(order.shape),
        )
        without = np.flatnonzero(excluded >= 0)
        squares[without, excluded[without]] = np.inf
        for r in range(order.shape[1]):
            squares += square_column(asked, order[:, r])
            values[:, r] = self.how.average_alike(squares, excluded, self.targets)
        return values

    def _values_with(self, order: NDArray[np.int32], n_used: int) -> Floats:
        """Answers with the first attributes of each query, where rows have weights."""
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
        search.run(0, len(order))
        return search.values
