"""The nearest rows of one query, once for each of many sets of columns."""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.nearest import (
    _BLOCK,
    _PROBE,
    _collect,
    _cut_back,
    add_column,
    sort_nearest,
)


@entry
def fill_differences(cases, query, columns, rows, differences):
    """Add what each of some columns adds to the distance of each row from a query.

    Parameters
    ----------
    cases : flow.Columns
    query : float64 (n_columns,)
    columns : int64 (n_used,)
    rows : int64 (n_rows,), or empty for all
    differences : float64 (n_used, n_rows), of zeros
    """
    gathered = np.empty(rows.size)
    for i in range(columns.size):
        j = columns[i]
        column = cases.values[j]
        if rows.size:
            for r in range(rows.size):
                gathered[r] = column[rows[r]]
            column = gathered
        kind, weight, absent = cases.kinds[j], cases.weights[j], cases.absents[j]
        add_column(differences[i], column, query[j], kind, weight, absent, cases.metric)


@kernel
def _add(total, amounts):
    for i in range(total.size):
        total[i] += amounts[i]


@kernel
def _sum_rows(differences, members, start, stop, total):
    """Distances of rows start..stop: the differences of the members, in their order."""
    total[:] = 0.0
    for j in range(members.size):
        if members[j] < 0:
            break
        _add(total, differences[members[j], start:stop])


@entry
def nearest_in_subsets(differences, members, first, last, rows):
    """Fill `rows` of the sets first..last, nearest first, ties by the lower row.

    Parameters
    ----------
    differences : float64 (n_columns, n_rows)
        What each column adds to the distance of each row.
    members : int64 (n_sets, n_members)
        The columns of each set, ascending, filled up with -1.
    first, last : int
    rows : int64 (n_sets, n_nearest)
        Filled up with -1 where there are too few rows.
    """
    n_nearest, n_rows = rows.shape[1], differences.shape[1]
    capacity = 4 * n_nearest + 2 * _PROBE
    kept, kept_rows = np.empty(capacity), np.empty(capacity, np.int64)
    block = np.empty(_BLOCK)
    for s in range(first, last):
        count, threshold = 0, np.inf
        for start in range(0, n_rows, _BLOCK):
            stop = min(start + _BLOCK, n_rows)
            near = block[: stop - start]
            _sum_rows(differences, members[s], start, stop, near)
            count, threshold = _collect(
                near, start, n_nearest, kept, kept_rows, count, threshold
            )
        if count > n_nearest:
            count, _ = _cut_back(kept, kept_rows, count, n_nearest)
        sort_nearest(kept, kept_rows, count)
        for i in range(n_nearest):
            rows[s, i] = kept_rows[i] if i < count else -1
