"""Nearest neighbors by the HEOM difference: numbers, categories and missing cells.

The difference in a number is scaled by its range among the cases (and may exceed 1
beyond it), in a category it is 0 or 1, and with a missing value on either side it is
1. Where all cases have one number, another number is 1 away.

References
----------
D. R. Wilson, T. R. Martinez: Improved heterogeneous distance functions. Journal of
Artificial Intelligence Research 6, 1997.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.columns import (
    fill_columns,
    label_codes,
    place_by_range,
    ranges_of,
)
from sklazy.flow import Cases, Queries, Selected
from sklazy.kernels.candidates import vote_among
from sklazy.kernels.columns import NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.kernels.exact import measure_queries
from sklazy.kernels.mixed import search_mixed
from sklazy.kernels.nesting import vote_nested_mixed
from sklazy.memory import aligned_zeros
from sklazy.neighbors.boxed import BoxedCases, ByTree
from sklazy.neighbors.edges import find_edges, widths_without
from sklazy.neighbors.levels import Near, list_rows
from sklazy.neighbors.nested import Asked, vote_nested
from sklazy.neighbors.voting import Voting, vote_by_distances

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

_NOTHING = np.zeros((0, 0))
_NO_LISTS = np.zeros((0, 0, 2))

# Seconds that numpy takes, for each query and each cell compared; and for a cell where
# votes with one attribute, two, ... are wanted, of each number of neighbors.
_PER_QUERY, _PER_CELL = 4e-5, 4e-9
_PER_NESTED, _PER_NESTED_BY_DISTANCE = 8e-9, 5e-8

# More neighbors than this are found sooner by measuring every row exactly.
_MOST_NEIGHBORS = 256

# Cells that numpy works on at a time.
_TOGETHER = 100_000


class ScaledColumns(NamedTuple):
    """The cases' columns, ready to be compared; made once for a state of the cases.

    Attributes
    ----------
    scaled : float32 array of shape (n_attributes, stride)
        Numbers scaled to [0, 1] by their range, or codes; NaN where missing. The
        stride leaves room behind the rows, since columns a power of two apart get in
        each other's way in the cache.
    kinds : int64 array of shape (n_attributes,)
    lows, widths : float64 arrays of shape (n_attributes,)
        Smallest number and range; NaN for categories.
    labels : int32 array of shape (n_attributes, capacity or 0)
        Codes, none where there are no categories to compare.
    """

    scaled: NDArray[np.float32]
    kinds: NDArray[np.int64]
    lows: NDArray[np.float64]
    widths: NDArray[np.float64]
    labels: NDArray[np.int32]


class RawColumns(NamedTuple):
    """What measures every row: all that a few queries need of the cases' columns.

    Attributes
    ----------
    widths, labels
        As in `ScaledColumns`.
    """

    widths: NDArray[np.float64]
    labels: NDArray[np.int32]


def find_raw_columns(cases: Cases) -> RawColumns:
    """Find the ranges of the cases, which cost no look at a row."""
    lows, highs = ranges_of(cases, np.arange(len(cases.numeric)))
    with np.errstate(over="ignore"):
        return RawColumns(highs - lows, label_codes(cases))


def prepare_columns(cases: Cases) -> ScaledColumns:
    """Scale the cases' columns for `MixedSearch`."""
    attributes = np.arange(len(cases.numeric))
    stride = (cases.n_rows // 16 + 1 | 1) * 16  # an odd number of cache lines
    scaled, rows = (
        aligned_zeros((len(attributes), stride), np.float32),
        slice(cases.n_rows),
    )
    if len(cases.numbers) == len(attributes) and scaled.size < _TOGETHER:
        return _scale_numbers(cases, scaled)
    placement = place_by_range(cases, attributes)
    labels = label_codes(cases)  # first: codes that lie in a file are read once then
    kinds = fill_columns(cases, rows, placement, scaled[:, rows])
    lows, highs = ranges_of(cases, attributes)
    with np.errstate(over="ignore"):
        return ScaledColumns(scaled, kinds, lows, highs - lows, labels)


def scaled_columns(base: CaseBase) -> ScaledColumns:
    """The cases' columns made ready for distances on numbers, kept with the cases."""
    return base.derive(prepare_columns, lambda: prepare_columns(base.cases))


def _scale_numbers(cases: Cases, scaled: NDArray[np.float32]) -> ScaledColumns:
    """The same where all columns are numbers, of few rows, without a loop."""
    numbers, (lows, highs) = cases.numbers[:, : cases.n_rows], cases.ranges.T
    with np.errstate(over="ignore", invalid="ignore"):
        widths = highs - lows
        wide = widths > 0
        over = np.where(wide, widths, 1.0)[:, None]
        scaled[:, : cases.n_rows] = (numbers - lows[:, None]) / over
    kinds = np.where(np.isnan(numbers).any(axis=1), NUMERIC_MISSING, NUMERIC)
    kinds = np.where(wide, kinds, NOMINAL)
    return ScaledColumns(scaled, kinds, lows, widths, label_codes(cases))


class MixedSearch:
    """The k nearest rows of each query, and all tied with the k-th, as class votes.

    Distances are taken on each query's own attributes, in float64 and in the order
    of the attributes; equal means equal to the last bit. Made for one batch; `run`
    answers a part of it, and different parts may run in different threads.

    Parameters
    ----------
    cases : Cases
    columns : ScaledColumns or RawColumns
        With the latter every row is measured.
    queries : Queries
        C-contiguous arrays.
    selected : Selected
        The attributes of each query; may still be empty when the search is made, as
        long as a query's are there before `run` comes to it.
    n_neighbors : int
        If there are fewer rows, all of them vote.
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not take part, nor in the ranges; -1 for none.
    by_distance : bool
        Whether to weigh votes by distance.
    own_widths : dict, optional
        The ranges that single queries see, where they depend on other rows, too;
        by default without the excluded row.

    Attributes
    ----------
    votes, tied : int64 arrays of shape (n_queries, n_classes)
        Votes, and those of rows as far as the k-th.
    weighted : float64 array of shape (n_queries, n_classes + 1), or None
        Votes of the nearer rows, weighed by distance, and the weight of a tied one.
    near, kths : float64 arrays
        As in `Near`; no queries before `list_nearest`.
    known : Near
        Rows elsewhere, which are listed with these; none by default.
    boxed : BoxedCases, or None
        The cases in a tree, for queries that use all attributes.
    """

    boxed: BoxedCases | None = None

    def __init__(
        self,
        cases: Cases,
        columns: ScaledColumns | RawColumns,
        queries: Queries,
        selected: Selected,
        n_neighbors: int,
        excluded: NDArray[np.int64] | None = None,
        *,
        by_distance: bool = False,
        own_widths: dict[int, NDArray[np.float64]] | None = None,
    ) -> None:
        n_queries, n_classes = queries.codes.shape[0], cases.class_counts.size
        self.cases, self.columns = cases, columns
        self.queries, self.selected = queries, selected
        self.n_neighbors = n_neighbors
        self.excluded = (
            np.full(n_queries, -1, np.int64) if excluded is None else excluded
        )
        self.votes = np.zeros((n_queries, n_classes), np.int64)
        self.tied = np.zeros((n_queries, n_classes), np.int64)
        self.weighted = np.zeros((n_queries, n_classes + 1)) if by_distance else None
        self.near, self.kths = _NO_LISTS, np.full(n_queries, np.inf)
        nobody = np.empty((n_queries, 0, 2))
        self.known = Near(nobody, self.kths.copy(), self.tied.copy())
        if own_widths is None and excluded is not None:
            edges = find_edges(cases)
            own_widths = widths_without(cases, columns.widths, edges, excluded)
        self.own_widths = own_widths or {}

    def list_nearest(self, known: Near | None = None) -> None:
        """Have the nearest rows listed, for searches among parts of the rows.

        Distances weigh once the lists of all parts are there.
        """
        self.known, self.weighted = known or self.known, None
        n_most = min(self.n_neighbors, self.known.near.shape[1] + self.cases.n_rows)
        self.near = np.empty((len(self.votes), n_most, 2))

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        k, n_used = self.n_neighbors, self.selected.attributes.shape[1]
        if isinstance(self.columns, RawColumns):
            return self._measure_all(range(first, last))
        cells = (last - first) * n_used * self.cases.n_rows
        waits = not search_mixed.is_due(_PER_QUERY * (last - first) + _PER_CELL * cells)
        if waits or k > min(_MOST_NEIGHBORS, self.cases.n_rows):
            return self._measure_all(range(first, last))
        asked = ByTree(self.queries, self.selected, self.excluded, k)
        for begin, end in asked.left(self.boxed, first, last, self._vote_among):
            search_mixed(
                *self.columns[:4],
                self.cases.n_rows,
                *self._known(),
                begin,
                end,
                *self._found(),
            )
        return self._measure_apart(first, last)

    def _vote_among(self, asked: _Ints, candidates: _Ints, limits: _Floats) -> _Bools:
        """Answer queries by candidates; whether each answer is sure."""
        given = candidates, limits, asked, self.columns.widths
        return np.asarray(vote_among(*given, *self._known(), *self._found()))

    def _known(self) -> tuple[Any, ...]:
        """Cases and queries as kernels take them, and what is asked."""
        return (
            self.columns.labels,
            self.cases.numeric,
            self.cases.numbers,
            self.cases.classes.whole,
            *self.queries,
            *self.selected,
            self.excluded,
            self.n_neighbors,
            self.known.near,
            self.known.tied,
            self.known.kths,
        )

    def _found(self) -> tuple[NDArray[Any], ...]:
        """The arrays that kernels write."""
        weighted = _NOTHING if self.weighted is None else self.weighted
        return self.votes, self.tied, weighted, self.near, self.kths

    def _measure_apart(self, first: int, last: int) -> None:
        """Answer those of some queries that see ranges of their own."""
        self._measure_all([own for own in self.own_widths if first <= own < last])

    def _measure_all(self, queries: Sequence[int]) -> None:
        """Answer queries by measuring every row exactly; equal to the kernel."""
        step = max(1, _TOGETHER // max(self.cases.n_rows, 1))
        for first in range(0, len(queries), step):
            some = np.array(queries[first : first + step])
            self._vote(some, self.measure(some), self.classes_for(some))

    def _vote(self, queries: _Ints, squares: _Floats, classes: _Ints) -> None:
        """Let all rows vote, and those listed elsewhere."""
        near, kths, tied = self.known
        if near.size:
            listed = near[queries]
            squares = np.concatenate([squares, listed[:, :, 0]], axis=1)
            numbers = listed[:, :, 1].astype(np.int64)
            classes = np.concatenate([classes, numbers], axis=1)
        voting = Voting(self.n_neighbors, False, self.weighted is not None)
        before = kths[queries, None], tied[queries, None]
        votes = vote_by_distances(squares, classes, *before, voting)
        self.votes[queries], self.tied[queries] = votes.votes, votes.tied
        if self.weighted is not None:
            self.weighted[queries] = votes.weighted
        if len(self.near):
            query, place = np.nonzero(squares < votes.lasts[:, None])
            nearer = query, squares[query, place], classes[query, place]
            shape = len(queries), self.near.shape[1]
            self.near[queries] = list_rows(shape, *nearer)
            self.kths[queries] = votes.lasts

    def classes_for(self, queries: _Ints) -> _Ints:
        """The classes of all rows, -1 for the one that a query excludes."""
        classes = self.cases.classes.kept[: self.cases.n_rows]
        if (self.excluded[queries] < 0).all():
            return np.broadcast_to(classes, (len(queries), classes.size))
        others = np.arange(classes.size) != self.excluded[queries, None]
        return np.where(others, classes, -1)

    def vote_with_each(
        self,
        order: NDArray[np.int32],
        ks: NDArray[np.int64],
        *,
        shares: bool,
    ) -> NDArray[np.float64]:
        """Votes with the first attribute, the first two, ... of each query's order.

        Parameters
        ----------
        order : int32 array of shape (n_queries, n_most)
        ks : int64 array of shape (n_ks,)
            Numbers of neighbors.
        shares : bool
            Whether ties share; see `finish_votes`.

        Returns
        -------
        float64 array of shape (n_ks, n_queries, n_most, n_classes)
        """
        cases, n_queries = self.cases, len(order)
        every = np.arange(n_queries)
        widths = spread_widths(self.columns.widths, self.own_widths, every)
        by_distance = self.weighted is not None
        per_cell = _PER_NESTED_BY_DISTANCE if by_distance else _PER_NESTED
        cells = order.size * cases.n_rows
        if not vote_nested_mixed.is_due(per_cell * cells * len(ks)):
            asked = Asked(cases, self.queries, widths)
            classes = self.classes_for(every)
            votings = [Voting(k, shares, by_distance) for k in ks.tolist()]
            return vote_nested(asked, classes, order, votings)
        # More neighbors than rows are all rows.
        ks = np.minimum(ks, cases.n_rows + 1)
        votes = np.zeros((len(ks), *order.shape, self.votes.shape[1]))
        vote_nested_mixed(
            cases.n_rows,
            self.columns.labels,
            cases.numeric,
            cases.numbers,
            cases.classes.whole,
            widths,
            *self.queries,
            order,
            self.excluded,
            ks,
            shares,
            by_distance,
            0,
            n_queries,
            votes,
        )
        return votes

    def measure(self, queries: _Ints) -> _Floats:
        """Squared distances of all rows from queries, infinite for an excluded one."""
        cases, (codes, values) = self.cases, self.queries
        squares = measure_queries(
            cases.n_rows,
            codes[queries],
            values[queries],
            *(own[queries] for own in self.selected),
            self.columns.labels,
            cases.numeric,
            cases.numbers,
            spread_widths(self.columns.widths, self.own_widths, queries),
        )
        without = np.flatnonzero(self.excluded[queries] >= 0)
        squares[without, self.excluded[queries[without]]] = np.inf
        return np.asarray(squares)

    def widths_of(self, queries: _Ints) -> _Floats:
        """The ranges that queries see."""
        return spread_widths(self.columns.widths, self.own_widths, queries)


def spread_widths(
    shared: _Floats, own_widths: dict[int, _Floats], queries: _Ints
) -> _Floats:
    """The ranges of queries, (n_queries, n_attributes), some of which see their own."""
    widths = np.repeat(shared[None], len(queries), axis=0)
    own = np.isin(queries, list(own_widths)) if own_widths else np.zeros(0, bool)
    for place in np.flatnonzero(own).tolist():
        widths[place] = own_widths[int(queries[place])]
    return widths
