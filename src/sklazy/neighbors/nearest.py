"""The nearest cases in order: all rows are read, or a tree of boxes is asked.

A tree pays where columns are few and rows are many.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.columns import (
    Placement,
    columns_of_cases,
    place_by_range,
    place_cells,
)
from sklazy.flow import Cases, Columns, Neighbors, Queries
from sklazy.forking import make_lock
from sklazy.kernels.candidates import nearest_candidates
from sklazy.kernels.columns import NUMERIC, metric_of
from sklazy.kernels.nearest import nearest_rows

if TYPE_CHECKING:
    from scipy.spatial import KDTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Groups = tuple[Ints, Ints]

Settle = Callable[["BoxTree", Ints, Ints, Floats], NDArray[np.bool_]]
"""From a tree, the numbers of queries, the places of candidates of each, and a sum that
no other row is below, to whether each is answered."""

# With more columns, or fewer rows, reading all rows is about as fast (docs/scale.md).
MOST_COLUMNS = 6
FEWEST_ROWS = 10_000

# Cells of queries; a tree takes as long to build as these take to answer without.
WORTH_BUILDING = 1500

_SPARE = 8  # candidates beyond those asked for, so that few answers are left open
_MORE = 4  # times as many candidates for those that are
_MOST_HIDDEN = 64  # rows of a group, which are candidates in vain
_FAR = 1e100  # as far away as a number can be; its square is finite
_ROUNDING = 1e-9, 32 * np.finfo(np.float64).eps
_LARGEST, _SMALLEST = 1e100, 1e-100  # whose squares, summed up, are ordinary floats
_NO_GROUPS = np.zeros(0, np.int64), np.zeros(0, np.int64)


def find_nearest(
    cases: Columns,
    queries: Floats,
    n_nearest: int,
    *,
    groups: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    bounds: Floats | None = None,
) -> Neighbors:
    """The nearest rows of each query, equally distant ones in their order.

    Parameters
    ----------
    cases : Columns
    queries : float64 array of shape (n_queries, n_columns)
    n_nearest : int
    groups : pair of int64 arrays of shapes (n_rows,) and (n_queries,), optional
        A query does not see the rows of its own group: with the rows' own numbers
        this is leave-one-out.
    bounds : float64 array of shape (n_queries,), optional
        Rows farther than that are not wanted, nor found: the rows after the last one
        within are -1.

    Examples
    --------
    >>> one = np.ones(1)
    >>> cases = Columns(np.array([[0.0, 1.0, 3.0]]), np.array([0]), one, one, 0)
    >>> find_nearest(cases, np.array([[2.0]]), 2).rows
    array([[1, 2]])
    """
    row_groups, query_groups = _NO_GROUPS if groups is None else groups
    rows = np.empty((len(queries), n_nearest), np.int64)
    distances = np.empty(rows.shape)
    if bounds is None:
        bounds = np.full(len(queries), np.inf)
    limits, every = np.nextafter(bounds, np.inf), (0, len(queries))
    asked = np.ascontiguousarray(queries)  # each order in memory is compiled anew
    own = row_groups, asked, query_groups, limits
    nearest_rows(cases, *own, *every, rows, distances)
    return Neighbors(rows, distances)


class WeightedColumns(NamedTuple):
    """Cases in a given order, and where their attributes stand.

    Attributes
    ----------
    columns : Columns
        Of the attributes that have a weight; numbers in terms of their range.
    placement : Placement
    """

    columns: Columns
    placement: Placement


def weigh_columns(
    cases: Cases, rows: NDArray[np.integer], weights: Floats
) -> WeightedColumns:
    """Make cases ready for a HEOM difference in which attributes have weights.

    Parameters
    ----------
    cases : Cases
    rows : int array
        The rows in order, which breaks ties.
    weights : float64 array of shape (n_attributes,)
        Weight of the squared difference in an attribute; 0 leaves it out.
    """
    used = np.flatnonzero(weights > 0)
    placement = place_by_range(cases, used, unit=0.5)
    columns = columns_of_cases(cases, rows, placement, weights[used], "euclidean")
    return WeightedColumns(columns, placement)


def place_queries(cases: WeightedColumns, queries: Queries) -> Floats:
    """Queries as the columns see them, shape (n_queries, n_columns)."""
    return place_cells(cases.placement, queries).clip(-_FAR, _FAR)


class Boxes:
    """Rows in a tree of boxes, once enough was asked.

    The tree proposes a few rows more than are asked for, and bounds the distance of all
    others from below. The caller measures the proposed rows. Where the last one
    is so near to that limit that another row might be as near, more rows are proposed,
    and then the answer is left open; likewise for queries with a missing cell. A tree
    that leaves many answers open, as it does where rows repeat, is given up.

    Parameters
    ----------
    columns : Columns
        There is a tree only if all that have a weight are numbers without a missing
        cell, and few, and if the metric is a Minkowski distance.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        used = np.flatnonzero(columns.weights > 0)
        few = len(used) <= MOST_COLUMNS and columns.values.shape[1] >= FEWEST_ROWS
        self.norm = metric_of(columns.metric).norm
        plain = bool((columns.kinds[used] == NUMERIC).all())
        self._may_pay = few and plain and self.norm is not None
        self._n_asked = self._n_open = 0
        self._tree: BoxTree | None = None
        self._lock = make_lock()

    def answer(
        self, queries: Floats, n_nearest: int, n_hidden: int, settle: Settle
    ) -> Ints:
        """Have queries answered; the numbers of those that are left open.

        Parameters
        ----------
        queries : float64 array of shape (n_queries, n_columns)
        n_nearest : int
        n_hidden : int
            How many rows a query may not see.
        settle : callable
            Answers queries by candidates.
        """
        left = np.arange(len(queries))
        tree = self._tree_for(len(queries), n_nearest, n_hidden)
        if tree is None:
            return left
        n_candidates = n_nearest + n_hidden + _SPARE
        for times in (1, _MORE):
            left = tree.ask(queries, left, times * n_candidates, settle)
        self._note_open(len(left))
        return left

    def _tree_for(
        self, n_queries: int, n_nearest: int, n_hidden: int
    ) -> "BoxTree | None":
        """The tree, if it can answer and it pays; built now if it is time to."""
        n_rows = self.columns.values.shape[1]
        if 20 * n_nearest > n_rows or n_hidden > _MOST_HIDDEN:
            return None
        with self._lock:
            self._n_asked += n_queries
            is_due = self._n_asked * len(self.columns.weights) >= WORTH_BUILDING
            if self._may_pay and self._tree is None and is_due:
                assert self.norm is not None
                self._tree = _build(self.columns, self.norm)
                self._may_pay = self._tree is not None
            return self._tree if self._may_pay else None

    def _note_open(self, n_open: int) -> None:
        """Give up a tree that leaves much of the work to do."""
        with self._lock:
            self._n_open += n_open
            if 4 * self._n_open > self._n_asked + WORTH_BUILDING:
                self._may_pay, self._tree = False, None

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self.columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["columns"])  # type: ignore[misc]


class TreeSearch(Boxes):
    """`find_nearest` on one set of columns, by a tree where it pays.

    Rows that the tree proposes are measured and ordered as `find_nearest` does it, and
    what is left open is searched by it. So answers are equal to the last bit, and ties
    fall the same way.
    """

    def find(
        self,
        queries: Floats,
        n_nearest: int,
        *,
        groups: Groups | None = None,
        bounds: Floats | None = None,
    ) -> Neighbors:
        """The nearest rows of each query; see `find_nearest`.

        A tree may find rows beyond bounds, too.
        """
        shape, own = (len(queries), n_nearest), groups or _NO_GROUPS

        @functools.cache  # not needed without a tree
        def found() -> Neighbors:
            return Neighbors(np.empty(shape, np.int64), np.empty(shape))

        def settle(
            tree: BoxTree, asked: Ints, places: Ints, limits: Floats
        ) -> NDArray[np.bool_]:
            near = Neighbors(found().rows[asked], found().distances[asked])
            theirs = own[1][asked] if len(own[1]) else own[1]
            given = (
                own[0],
                queries[asked].take(tree.used, axis=1),
                theirs,
                places,
                limits,
            )
            sure = nearest_candidates(tree.columns, tree.order, *given, *near)
            found().rows[asked], found().distances[asked] = near
            return np.asarray(sure)

        n_hidden = 0 if groups is None else _largest(groups[0])
        left = self.answer(queries, n_nearest, n_hidden, settle)
        if len(left) == len(queries):
            return find_nearest(
                self.columns, queries, n_nearest, groups=groups, bounds=bounds
            )
        if len(left):
            theirs = None if groups is None else (own[0], own[1][left])
            rest = find_nearest(self.columns, queries[left], n_nearest, groups=theirs)
            found().rows[left], found().distances[left] = rest
        return found()


class BoxTree:
    """Rows in a tree, in columns that are multiplied by what they weigh.

    Rows of one box lie side by side: a tree of rows as they come is built for their
    order, and again in it. That takes half as long once more, and answers take a third
    less. So do the cells that candidates are measured by.

    Attributes
    ----------
    used : int64 array, the columns that have a weight
    order : int64 array of shape (n_rows,)
        The rows, box after box.
    columns : Columns
        Those in use, in this order of the rows.
    """

    def __init__(self, columns: Columns, norm: int, used: Ints, placed: Floats) -> None:
        self.used, self.norm = used, norm
        self.factors = columns.weights[used] ** (1.0 / self.norm)
        self.largest = float(np.abs(placed).max(initial=0.0))
        self.order = _build_tree(placed).indices
        self.tree = _build_tree(placed[self.order])
        self.columns = columns._replace(
            values=columns.values[used].take(self.order, axis=1),
            kinds=columns.kinds[used],
            weights=columns.weights[used],
            absents=columns.absents[used],
        )

    def ask(
        self, queries: Floats, asked: Ints, n_candidates: int, settle: Settle
    ) -> Ints:
        """Have queries answered, by their numbers; the numbers of those left open."""
        whole = ~np.isnan(queries[asked][:, self.used]).any(axis=1)
        near = asked[whole]
        near = near[_in_space(queries[near])]  # they share what is in the cache
        if not len(near):
            return asked
        sure = settle(self, near, *self._propose(queries[near], n_candidates))
        return np.concatenate([asked[~whole], near[~sure]])

    def _propose(self, queries: Floats, n_candidates: int) -> tuple[Ints, Floats]:
        """Places of rows near to each query, and a sum that no other row is below.

        A place is rounded by its size, however near to each other two places are.
        """
        placed = queries[:, self.used] * self.factors
        n_candidates = min(n_candidates, self.tree.n)
        wanted = [*range(1, n_candidates + 1)]
        far, places = self.tree.query(placed, wanted, p=self.norm)
        if n_candidates == self.tree.n:
            return places, np.full(len(places), np.inf)
        relative, absolute = _ROUNDING
        largest = np.maximum(np.abs(placed).max(axis=1, initial=0.0), self.largest)
        least = far[:, -1] * (1.0 - relative) - absolute * largest
        return places, np.maximum(least, 0.0) ** self.norm


def _build_tree(placed: Floats) -> "KDTree":
    from scipy.spatial import KDTree  # noqa: PLC0415 (few predictions need it)

    return KDTree(placed, 32, balanced_tree=False, compact_nodes=False)


def _build(columns: Columns, norm: int) -> BoxTree | None:
    """Build a tree, or None where distances may be beyond what floats hold."""
    used = np.flatnonzero(columns.weights > 0)
    placed = columns.values[used].T * columns.weights[used] ** (1.0 / norm)
    sizes = np.abs(placed)
    power = 2.0 / max(norm, 2)  # so that higher powers are ordinary floats, too
    least, most = _SMALLEST**power, _LARGEST**power
    in_reach = (sizes == 0) | ((sizes > least) & (sizes < most))
    return BoxTree(columns, norm, used, placed) if in_reach.all() else None


def _largest(groups: Ints) -> int:
    """The size of the largest group."""
    return int(np.bincount(groups).max(initial=0))


def _in_space(queries: Floats) -> Ints:
    """An order in which queries that follow each other are near each other."""
    return np.lexsort(np.floor(4.0 * queries).T)
