"""Cases of few numbers in a tree, for HEOM distances on all of their attributes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries, Selected
from sklazy.forking import cached_property
from sklazy.kernels.columns import NUMERIC
from sklazy.neighbors import nearest
from sklazy.neighbors.nearest import (
    Boxes,
    WeightedColumns,
    place_queries,
    weigh_columns,
)

_Ints = NDArray[np.int64]

ByCandidates = Callable[[_Ints, _Ints, NDArray[np.float64]], NDArray[np.bool_]]
"""From the numbers of queries, the rows that are candidates of each, and a sum that no
other row is below, to whether each is answered."""

_LARGEST, _SMALLEST = 1e150, 1e-150  # numbers that can be placed, and widths that place


class BoxedCases:
    """Cases in a tree of boxes, which proposes neighbors to be measured exactly.

    Parameters
    ----------
    cases : Cases
        Whose attributes are few, and numbers without a missing cell.
    """

    def __init__(self, cases: Cases) -> None:
        self._cases, self._n_asked = cases, 0

    def answer(
        self, queries: Queries, n_nearest: int, n_hidden: int, settle: ByCandidates
    ) -> NDArray[np.int64]:
        """Have queries answered; the numbers of those left open. See `Boxes.answer`."""
        self._n_asked += queries.codes.size
        if self._n_asked < nearest.WORTH_BUILDING:
            return np.arange(len(queries.codes))
        placed = place_queries(self._weighed, queries)
        placed[~(np.abs(queries.values) < _LARGEST)] = np.nan
        return self._boxes.answer(
            placed,
            n_nearest,
            n_hidden,
            lambda tree, asked, places, limits: settle(
                asked, tree.order[places], limits
            ),
        )

    @cached_property
    def _weighed(self) -> WeightedColumns:
        cases = self._cases
        every = np.ones(len(cases.numeric))
        return weigh_columns(cases, np.arange(cases.n_rows), every)

    @cached_property
    def _boxes(self) -> Boxes:
        return Boxes(self._weighed.columns)


def box_cases(cases: Cases, kinds: NDArray[np.int64]) -> BoxedCases | None:
    """Cases in a tree, or None where it would not pay or numbers are extreme.

    Parameters
    ----------
    cases : Cases
    kinds : int64 array of shape (n_attributes,)
        As in `ScaledColumns`.
    """
    few = len(kinds) <= nearest.MOST_COLUMNS and cases.n_rows >= nearest.FEWEST_ROWS
    if not few or (kinds != NUMERIC).any():
        return None
    widths = cases.ranges[:, 1] - cases.ranges[:, 0]
    in_reach = (np.abs(cases.ranges) < _LARGEST).all() and (widths > _SMALLEST).all()
    return BoxedCases(cases) if in_reach else None


class ByTree(NamedTuple):
    """Queries that a tree may answer."""

    queries: Queries
    selected: Selected
    excluded: NDArray[np.int64]
    n_neighbors: int

    def left(
        self, boxed: BoxedCases | None, first: int, last: int, settle: ByCandidates
    ) -> list[tuple[int, int]]:
        """Have the queries ``first..last - 1`` answered; slices of those left open.

        All of them if many are, and if some do not use all attributes.
        """
        here = slice(first, last)
        n_attributes = self.queries.codes.shape[1]
        if boxed is None or (self.selected.counts[here] != n_attributes).any():
            return [(first, last)]
        queries = Queries(self.queries.codes[here], self.queries.values[here])
        n_hidden = int((self.excluded[here] >= 0).any())
        given = queries, self.n_neighbors, n_hidden
        left = boxed.answer(*given, lambda asked, *rest: settle(asked + first, *rest))
        if 4 * len(left) > last - first:
            return [(first, last)]
        return [(first + query, first + query + 1) for query in left.tolist()]
