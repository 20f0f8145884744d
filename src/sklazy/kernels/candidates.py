"""The nearest among rows that something else found to be near, measured exactly."""

import numpy as np

from sklazy.kernels.columns import add_up
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.nearest import sort_nearest


@kernel
def measure_candidate(cases, query, row):
    """The sum over the columns of one row, added in the order of `nearest_rows`."""
    total = 0.0
    for j in range(query.size):
        if cases.weights[j] == 0.0:  # its cells may be missing
            continue
        difference = cases.values[j, row] - query[j]
        total += cases.weights[j] * add_up(difference, cases.metric)
    return total


@entry
def nearest_candidates(
    cases, row_groups, queries, query_groups, candidates, limits, rows, distances
):
    """Fill `rows` and `distances` from candidates; tell which of them are sure.

    Equal to `nearest_rows` where the columns are numbers without a missing cell and
    the answer is sure: a row that is no candidate has a sum of at least the limit.

    Parameters
    ----------
    cases : flow.Columns
    row_groups, query_groups : int64 (n_rows,) and (n_queries,), or both empty
    queries : float64 (n_queries, n_columns)
    candidates : int64 (n_queries, n_candidates)
        At least as many as there are nearest rows to find.
    limits : float64 (n_queries,)
    rows : int64 (n_queries, n_nearest), written
    distances : float64 (n_queries, n_nearest), written

    Returns
    -------
    bool array of shape (n_queries,)
    """
    n_nearest, n_candidates = rows.shape[1], candidates.shape[1]
    sure = np.zeros(rows.shape[0], np.bool_)
    sums, near = np.empty(n_candidates), np.empty(n_candidates, np.int64)
    for query in range(rows.shape[0]):
        count = 0
        for i in range(n_candidates):
            row = candidates[query, i]
            if row_groups.size and row_groups[row] == query_groups[query]:
                continue
            sums[count] = measure_candidate(cases, queries[query], row)
            near[count] = row
            count += 1
        if count < n_nearest:
            continue
        sort_nearest(sums, near, count)
        rows[query] = near[:n_nearest]
        distances[query] = sums[:n_nearest]
        sure[query] = sums[n_nearest - 1] < limits[query]
    return sure
