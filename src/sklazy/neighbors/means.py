"""The mean target of a query's nearest rows: ties, distances and weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries, Selected
from sklazy.kernels.agreeing import mean_of_agreeing
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.candidates import mean_among
from sklazy.kernels.means import mean_nested, mean_of_nearest
from sklazy.memory import cells_within
from sklazy.neighbors.averages import Voters, average, average_alike, find_voters
from sklazy.neighbors.boxed import BoxedCases, ByTree
from sklazy.neighbors.mixed import MixedSearch, ScaledColumns
from sklazy.neighbors.nested import Asked, square_column
from sklazy.neighbors.voting import Voting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Seconds that numpy takes, for each query and each cell compared; and for a cell where
# means with one attribute, two, ... are wanted.
_PER_QUERY, _PER_CELL, _PER_NESTED = 4e-5, 6e-9, 2e-8

# Distances written down at once.
_MOST_CELLS = 4_000_000

# More neighbors than this are found sooner by measuring every row exactly.
_MOST_NEIGHBORS = 256


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
    voting : Voting
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not take part, nor in the ranges.

    Attributes
    ----------
    values : float64 array of shape (n_queries,)
    boxed : BoxedCases, or None
        The cases in a tree, for queries that use all attributes.
    """

    boxed: BoxedCases | None = None

    def __init__(
        self,
        cases: Cases,
        columns: ScaledColumns,
        targets: Floats,
        weights: Floats | None,
        queries: Queries,
        selected: Selected,
        voting: Voting,
        excluded: Ints | None = None,
    ) -> None:
        self.distances = MixedSearch(
            cases, columns, queries, selected, voting.n_neighbors, excluded
        )
        self.cases, self.columns, self.voting = cases, columns, voting
        self.targets, self.weights = targets, weights
        self.queries, self.selected = queries, selected
        self.values = np.empty(queries.codes.shape[0])

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        cells = (last - first) * self.selected.attributes.shape[1] * self.cases.n_rows
        slow = self.voting.n_neighbors > min(_MOST_NEIGHBORS, self.cases.n_rows)
        by_labels = bool((self.cases.numeric < 0).all())
        kernel = mean_of_agreeing if by_labels else mean_of_nearest
        slow |= self.weights is not None
        seconds = _PER_QUERY * (last - first) + _PER_CELL * cells
        if slow or not kernel.is_due(seconds):
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
                *self.voting,
                begin,
                end,
                self.values,
            )

    def _run_on_numbers(self, first: int, last: int) -> None:
        """Answer by distances on columns."""
        excluded, k = self.distances.excluded, self.voting.n_neighbors
        asked = ByTree(self.queries, self.selected, excluded, k)
        for begin, end in asked.left(self.boxed, first, last, self._mean_among):
            mean_of_nearest(
                *self.columns[:4],
                self.cases.n_rows,
                *self._known(),
                begin,
                end,
                self.values,
            )
        own = [query for query in self.distances.own_widths if first <= query < last]
        self._measure_all(own)

    def _mean_among(
        self, asked: Ints, candidates: Ints, limits: Floats
    ) -> NDArray[np.bool_]:
        """Answer queries by candidates; whether each answer is sure."""
        in_order = np.sort(candidates, axis=1)
        given = in_order, limits, asked, self.columns.widths
        return np.asarray(mean_among(*given, *self._known(), self.values))

    def _known(self) -> tuple[Any, ...]:
        """Cases and queries as kernels take them, and what is asked."""
        return (
            self.columns.labels,
            self.cases.numeric,
            self.cases.numbers,
            self.targets,
            *self.queries,
            *self.selected,
            self.distances.excluded,
            *self.voting,
        )

    def find_voters(self, query: int) -> Voters:
        """The rows that one query's answer is made of."""
        return find_voters(self.voting, self.measure(query), self._weights_for(query))

    def measure(self, query: int) -> Floats:
        """The squared distance of every row, infinite for the excluded one."""
        return self.distances.measure(np.array([query]))[0]

    def _weights_for(self, query: int) -> Floats:
        """Weights of the rows, 0 for the excluded one."""
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
                self.values[query] = average(
                    self.voting, measured, weights, self.targets
                )
            return
        step = self._step()
        for first in range(0, len(queries), step):
            some = np.array(queries[first : first + step])
            squares = self.distances.measure(some)
            excluded = self.distances.excluded[some]
            self.values[some] = average_alike(
                self.voting, squares, excluded, self.targets
            )

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
        if not mean_nested.is_due(_PER_NESTED * order.size * cases.n_rows):
            step = self._step()
            for first in range(0, len(order), step):
                here = slice(first, first + step)
                values[here] = self._nest(order[here], here)
            return values
        # More neighbors than rows are all rows; the kernel has room for each.
        n_neighbors = min(self.voting.n_neighbors, cases.n_rows + 1)
        mean_nested(
            cases.n_rows,
            self.columns.labels,
            cases.numeric,
            cases.numbers,
            self.targets,
            self.distances.widths_of(np.arange(len(order))),
            *self.queries,
            order,
            self.distances.excluded,
            *self.voting._replace(n_neighbors=n_neighbors),
            0,
            len(order),
            values,
        )
        return values

    def _nest(self, order: NDArray[np.int32], here: slice) -> Floats:
        """Compute `mean_nested` for some queries, all at a time."""
        queries = Queries(self.queries.codes[here], self.queries.values[here])
        excluded = self.distances.excluded[here]
        widths = self.distances.widths_of(here.start + np.arange(len(order)))
        asked = Asked(self.cases, queries, widths)
        squares, values = (
            np.zeros((len(order), self.cases.n_rows)),
            np.empty(order.shape),
        )
        without = np.flatnonzero(excluded >= 0)
        squares[without, excluded[without]] = np.inf
        for r in range(order.shape[1]):
            squares += square_column(asked, order[:, r])
            values[:, r] = average_alike(self.voting, squares, excluded, self.targets)
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
            self.voting,
            self.distances.excluded,
        )
        search.run(0, len(order))
        return search.values
