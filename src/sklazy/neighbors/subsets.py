"""The nearest cases of one query by many sets of columns."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Columns, Runner, run_here
from sklazy.kernels.nearest import fill_differences, nearest_in_subsets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ALL = np.zeros(0, np.int64)


def column_differences(
    cases: Columns, query: Floats, columns: Ints, rows: Ints | None = None
) -> Floats:
    """Terms of each column in the distance of each row from a query.

    Parameters
    ----------
    cases : Columns
    query : float64 array of shape (n_columns,)
    columns : int64 array
        Those that are asked for.
    rows : int64 array, optional
        Likewise, at least one; all by default.

    Returns
    -------
    differences : float64 array of shape (n_columns, n_rows), of those asked for
        Summed over all columns they are the distances of `find_nearest`.
    """
    rows = _ALL if rows is None else rows
    n_rows = len(rows) or cases.values.shape[1]
    differences = np.zeros((len(columns), n_rows))
    fill_differences(cases, np.ascontiguousarray(query), columns, rows, differences)
    return differences


def find_nearest_in_subsets(
    differences: Floats, members: Ints, n_nearest: int, run: Runner = run_here
) -> Ints:
    """The nearest rows for each set of columns, equally distant ones in their order.

    Parameters
    ----------
    differences : float64 array of shape (n_columns, n_rows)
    members : int64 array of shape (n_sets, n_members)
        The columns of each set, ascending, filled up with -1.
    n_nearest : int
    run : Runner
        Runs chunks of sets.

    Returns
    -------
    rows : int64 array of shape (n_sets, n_nearest)

    Examples
    --------
    >>> differences = np.array([[0.0, 1.0, 2.0], [5.0, 1.0, 0.0]])
    >>> find_nearest_in_subsets(differences, np.array([[0], [1]]), 2)
    array([[0, 1],
           [2, 1]])
    """
    rows = np.empty((len(members), n_nearest), np.int64)

    def work(first: int, last: int) -> None:
        nearest_in_subsets(differences, members, first, last, rows)

    run(work, len(members))
    return rows
