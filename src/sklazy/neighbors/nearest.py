"""The nearest cases in order, among numbers and codes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.columns import (
    Placement,
    columns_of_cases,
    place_by_range,
    place_cells,
)
from sklazy.flow import Cases, Columns, Neighbors, Queries
from sklazy.kernels.nearest import nearest_rows

Floats = NDArray[np.float64]

_NO_GROUPS = np.zeros(0, np.int64)
_FAR = 1e100  # as far away as a number can be; its square is finite


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
    row_groups, query_groups = (_NO_GROUPS, _NO_GROUPS) if groups is None else groups
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
