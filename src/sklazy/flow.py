"""Data that travels between rooms, in the order it travels.

Arrays of a batch of queries; the first axis is always the query. Codes number the
values of an attribute from 0; two codes below zero have a meaning of their own.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = -1
"""The code of a missing cell."""

UNSEEN = -2
"""The code of a value that no case has: it agrees with nothing."""


class Narrow:
    """Codes in the smallest type that holds them, which are read as int32.

    Indexing returns int32 arrays, so that no sum of codes overflows and no
    kernel is compiled for another type. Kernels that read all of them take `whole`;
    those that search bit sets, and need the classes of few rows, take `bytes`.

    Parameters
    ----------
    kept : int8, int16 or int32 array

    Examples
    --------
    >>> codes = Narrow(np.array([[0, 127], [3, -1]], np.int8))
    >>> codes[0] + 1
    array([  1, 128], dtype=int32)
    """

    __slots__ = ("_some", "_whole", "kept")

    def __init__(self, kept: NDArray[np.signedinteger[Any]]) -> None:
        self.kept = kept
        self._whole: NDArray[np.int32] | None = None
        self._some: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.kept)

    def __getitem__(self, at: Any) -> NDArray[np.int32]:  # noqa: ANN401 - any index
        return self.kept[at].astype(np.int32, copy=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of the array that is kept."""
        return self.kept.shape

    @property
    def size(self) -> int:
        """As of the array that is kept."""
        return self.kept.size

    @property
    def whole(self) -> NDArray[np.int32]:
        """All of them as int32, made at first use and kept."""
        if self._whole is None:
            self._whole = self[...]
        return self._whole

    def only(self, attributes: NDArray[np.int64], n_rows: int) -> NDArray[np.int32]:
        """Those of some attributes as int32, in the shape of all, likewise kept.

        The others take no memory, as nothing is written there.
        """
        if self._whole is not None:
            return self._whole
        if self._some is None:
            some = np.zeros(self.shape, np.int32)
            for j in attributes.tolist():
                some[j, :n_rows] = self[j, :n_rows]
            self._some = some
        return self._some

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """The bytes of each, low first, as a second axis; for codes of one axis."""
        little = self.kept.astype(self.kept.dtype.newbyteorder("<"), copy=False)
        return little.view(np.uint8).reshape(len(little), -1)


class Cases(NamedTuple):
    """The memory as the kernels see it: C-contiguous arrays, the last axis the row.

    The arrays may have room for more rows behind `n_rows`; it is filled with zeros.

    Attributes
    ----------
    n_rows : int
    codes : Narrow, of shape (n_attributes, capacity)
        The category or bin of each cell, `MISSING` where there is none.
    offsets : int64 array of shape (n_attributes + 1,)
        Value v of attribute j has the row ``offsets[j] + v`` in `counts`.
    counts : int64 array of shape (n_values, n_classes)
        Rows by (attribute, value) and class.
    class_counts : int64 array of shape (n_classes,)
    classes : Narrow, of shape (capacity,)
    starts : int64 array of shape (n_attributes,)
        The first set of attribute j in `value_bits`; -1 if it has too many values.
    value_bits : uint64 array of shape (n_sets + 1, n_words)
        The rows that have a value; the last set is empty.
    class_bits : uint64 array of shape (n_classes, n_words)
    numeric : int64 array of shape (n_attributes,)
        The row of attribute j in `numbers` and `ranges`, -1 for nominal ones.
    numbers : float64 array of shape (n_numeric, capacity)
        NaN where missing.
    ranges : float64 array of shape (n_numeric, 2)
        Smallest and largest value, NaN if there is none.
    targets : float64 array of shape (n_targets, capacity)
    weights : float64 array of shape (n_rows,), not to be written to
    """

    n_rows: int
    codes: Narrow
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    class_counts: NDArray[np.int64]
    classes: Narrow
    starts: NDArray[np.int64]
    value_bits: NDArray[np.uint64]
    class_bits: NDArray[np.uint64]
    numeric: NDArray[np.int64]
    numbers: NDArray[np.float64]
    ranges: NDArray[np.float64]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]


class Queries(NamedTuple):
    """Rows that ask, coded like the cases.

    Attributes
    ----------
    codes : int32 array of shape (n_queries, n_attributes)
        The category or bin of each cell, `MISSING` or `UNSEEN`.
    values : float64 array of shape (n_queries, n_attributes)
        The numbers as they came, NaN where missing and in nominal columns.
    """

    codes: NDArray[np.int32]
    values: NDArray[np.float64]


class Selected(NamedTuple):
    """The attributes each query uses.

    Attributes
    ----------
    attributes : int32 array of shape (n_queries, n_most)
        Column indices in order of rank, filled up with -1.
    counts : int32 array of shape (n_queries,)
        How many of them are in use.
    """

    attributes: NDArray[np.int32]
    counts: NDArray[np.int32]


class Columns(NamedTuple):
    """Columns that distances are measured on; the order of rows breaks ties.

    Attributes
    ----------
    values : float64 array of shape (n_columns, n_rows)
        Numbers, or codes of a nominal column; NaN where missing.
    kinds : int64 array of shape (n_columns,)
        `kernels.columns.NUMERIC`, `NUMERIC_MISSING` or `NOMINAL`.
    weights, absents : float64 arrays of shape (n_columns,)
        The weight of a column, and the difference that counts for a missing cell or
        another code.
    metric : int
        How differences add to a distance: `kernels.columns.EUCLIDEAN` or another.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]
    absents: NDArray[np.float64]
    metric: int


class Neighbors(NamedTuple):
    """The nearest cases of each query, nearest first.

    Attributes
    ----------
    rows : int64 array of shape (n_queries, n_nearest)
        Row indices, filled up with -1 where too few cases can be seen.
    distances : float64 array of shape (n_queries, n_nearest)
        As sums over the columns, which `kernels.columns.to_distances` turns into
        distances; infinite where filled up.
    """

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]

    def first(self, n_nearest: int) -> "Neighbors":
        """Return the nearest of them alone."""
        return Neighbors(
            np.ascontiguousarray(self.rows[:, :n_nearest]),
            np.ascontiguousarray(self.distances[:, :n_nearest]),
        )


class Bags(NamedTuple):
    """The bags of each query, yet to be drawn: rows in canonical order.

    Attributes
    ----------
    neighbors : int32 array of shape (n_queries, n_neighbors)
        The rows that make up `n_neighbors` draws of every bag; none in plain bags.
    seeds : uint64 array of shape (2, n_queries, n_bags)
        Seeds of the draws from the neighbors, and of those from all rows.
    left_out : int64 array of shape (n_queries,)
        The row that the bags of a query do without, as if it were not there; -1 for
        none. Only plain bags of random paths can do without one.
    max_draws : int
        The most draws of a bag, which has as many as there are rows otherwise.
    """

    neighbors: NDArray[np.int32]
    seeds: NDArray[np.uint64]
    left_out: NDArray[np.int64]
    max_draws: int = sys.maxsize

    def part(self, first: int, last: int) -> "Bags":
        """The bags of queries first..last - 1."""
        here = slice(first, last)
        near, seeds = self.neighbors[here], self.seeds[:, here]
        return Bags(near, seeds, self.left_out[here], self.max_draws)

    def take(self, queries: NDArray[np.integer]) -> "Bags":
        """The bags of some queries, by number; a number may come again."""
        seeds, left_out = self.seeds[:, queries], self.left_out[queries]
        return Bags(self.neighbors[queries], seeds, left_out, self.max_draws)

    def choose(self, bags: NDArray[np.integer]) -> "Bags":
        """Some of the bags of every query, by number."""
        seeds = np.ascontiguousarray(self.seeds[:, :, bags])
        return Bags(self.neighbors, seeds, self.left_out, self.max_draws)


class LocalCases(NamedTuple):
    """The cases as local regression sees them.

    Attributes
    ----------
    regressors : float64 array of shape (n_rows, n_regressors)
        NaN where missing.
    targets : float64 array of shape (n_rows, n_targets)
    weights : float64 array of shape (n_rows,), or empty
        Positive; empty where all rows weigh 1.
    """

    regressors: NDArray[np.float64]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]


class Pools(NamedTuple):
    """Rows of equal inputs, pooled: each neighbor counts like all that are alike.

    No order distinguishes such rows, so whichever of them are neighbors, they have
    the mean of all as their target, and its spread as what a model cannot explain.

    Attributes
    ----------
    means, spreads : float64 arrays of shape (n_queries, n_nearest, n_targets)
        The mean target of the rows alike that a query sees, and their mean squared
        deviation from it.
    weights : float64 array of shape (n_queries, n_nearest)
        The mean weight of these rows.
    sizes : float64 array of shape (n_queries, n_nearest)
        How many they are; 1 for a row like no other.
    firsts : int64 array of shape (n_queries, n_nearest)
        The place, nearest first, of the first neighbor that is alike.

    There are no queries in them where no neighbor is like another row.
    """

    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    weights: NDArray[np.float64]
    sizes: NDArray[np.float64]
    firsts: NDArray[np.int64]

    def take(self, queries: slice, nearest: slice = slice(None)) -> "Pools":
        """Return the pools of some queries and some of the first neighbors."""
        at = queries, nearest
        return Pools(
            self.means[at],
            self.spreads[at],
            self.weights[at],
            self.sizes[at],
            self.firsts[at],
        )


def without_pools(n_nearest: int, n_targets: int) -> Pools:
    """Return pools of no queries: every row is like no other."""
    targets = np.zeros((0, n_nearest, n_targets))
    rows = np.zeros((0, n_nearest))
    return Pools(targets, targets, rows, rows, np.zeros((0, n_nearest), np.int64))


class LocalPlan(NamedTuple):
    """Which local models are tried and how many are combined.

    Attributes
    ----------
    ranges : int64 array of shape (3, 3)
        For each degree the fewest and most neighbors and how many of the nearest
        are scored (0: all); zeros where the degree is off.
    best : int64 array of shape (4,)
        How many of the best over all degrees, then of each degree by itself.
    prior_variance : float
        Of a coefficient: R's lambda, one over the ridge.
    as_in_r : bool
        As R has it, the ridge holds the intercept, too, and constants with an
        explicit number scored are scored on another scale. Else the intercept is
        free, and the variance of slopes is relative to the neighborhood's radius.
    """

    ranges: NDArray[np.int64]
    best: NDArray[np.int64]
    prior_variance: float
    as_in_r: bool


class LocalModels(NamedTuple):
    """The local models of each query and target.

    Attributes
    ----------
    coefficients : float64 array of shape (n_queries, n_targets, n_terms)
        Combined, in coordinates centered on the query: the first is the prediction.
    errors : float64 array of shape (n_queries, n_targets)
        The leave-one-out mean squared error of the models chosen.
    models : int64 array of shape (n_queries, n_targets, n_best, 2)
        Degree and number of neighbors, filled up with -1.
    scores : float64 array of shape (n_queries, n_targets, n_best)
        The leave-one-out score of each, filled up with NaN.
    curves : float64 array of shape (n_queries, n_targets, 3, n_nearest)
        The score of each degree with k = 1, 2, ... neighbors; NaN where not tried.
        No queries where not asked for.
    leverages, residuals : float64 arrays of shape (n_queries, n_targets, n_nearest)
        The neighbors' own, in the last model grown: the highest degree, the most
        neighbors, no more than these; residuals of the fit, times the square root
        of the weight.
        No queries where not asked for.
    """

    coefficients: NDArray[np.float64]
    errors: NDArray[np.float64]
    models: NDArray[np.int64]
    scores: NDArray[np.float64]
    curves: NDArray[np.float64]
    leverages: NDArray[np.float64]
    residuals: NDArray[np.float64]


class KernelColumns(NamedTuple):
    """Cases as a kernel of weighted city-block distances sees them.

    Attributes
    ----------
    values : float64 array of shape (n_columns, n_rows)
        Normal scores of numbers, or codes of a nominal column; NaN where missing.
    nominal : bool array of shape (n_columns,)
    absents : float64 array of shape (n_columns,)
        The difference of a missing cell from one that is there.
    weights : float64 array of shape (n_columns,)
        The factor of a difference.
    """

    values: NDArray[np.float64]
    nominal: NDArray[np.bool_]
    absents: NDArray[np.float64]
    weights: NDArray[np.float64]


Chunk = Callable[[int, int], None]
"""Work on the queries first..last of a batch."""

Runner = Callable[[Chunk, int], None]
"""Runs a chunk function over a number of queries."""


def run_here(chunk: Chunk, n_queries: int) -> None:
    """Run all queries as one chunk, in this thread."""
    chunk(0, n_queries)
