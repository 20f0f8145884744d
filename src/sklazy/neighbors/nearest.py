"""The nearest cases in order, among numbers and codes."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Columns, Neighbors, Runner, run_here
from sklazy.kernels.nearest import nearest_rows

_NO_GROUPS = np.zeros(0, np.int64)


def find_nearest(
    cases: Columns,
    queries: NDArray[np.float64],
    n_nearest: int,
    *,
    groups: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    run: Runner = run_here,
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
    run : Runner
        What runs chunks of queries.

    Examples
    --------
    >>> one = np.ones(1)
    >>> cases = Columns(np.array([[0.0, 1.0, 3.0]]), np.array([0]), one, one, False)
    >>> find_nearest(cases, np.array([[2.0]]), 2).rows
    array([[1, 2]])
    """
    row_groups, query_groups = (_NO_GROUPS, _NO_GROUPS) if groups is None else groups
    rows = np.empty((len(queries), n_nearest), np.int64)
    distances = np.empty(rows.shape)

    def work(first: int, last: int) -> None:
        nearest_rows(
            cases, row_groups, queries, query_groups, first, last, rows, distances
        )

    run(work, len(queries))
    return Neighbors(rows, distances)
