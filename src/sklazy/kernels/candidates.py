"""The nearest among rows that something else found to be near, measured exactly."""

import numpy as np

from sklazy.kernels.columns import add_up
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import find_kth, measure_row
from sklazy.kernels.means import mean_within
from sklazy.kernels.mixed import decide
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


@kernel
def _measure_all(
    candidates,
    codes,
    values,
    attributes,
    n_used,
    excluded,
    case_codes,
    numeric,
    numbers,
    widths,
    rows,
    exact,
):
    """Write the candidates of a query but the excluded one, measured; their number."""
    count = 0
    for i in range(candidates.size):
        row = candidates[i]
        if row != excluded:
            rows[count] = row
            exact[count] = measure_row(
                row,
                codes,
                values,
                attributes,
                n_used,
                case_codes,
                numeric,
                numbers,
                widths,
            )
            count += 1
    return count


@entry
def vote_among(
    candidates,
    limits,
    asked,
    widths,
    case_codes,
    numeric,
    numbers,
    classes,
    codes,
    values,
    attributes,
    counts,
    excluded,
    k,
    bounds,
    votes,
    tied,
    weighted,
    near,
    kths,
):
    """Let the nearest of candidates vote; tell which queries are surely answered.

    Equal to `sklazy.kernels.mixed.search_mixed` where it is sure.

    Parameters
    ----------
    candidates : int64 array of shape (n_asked, n_candidates)
    limits : float64 array of shape (n_asked,)
        A row that is no candidate has a squared distance of at least that.
    asked : int64 array of shape (n_asked,)
        The numbers of the queries.
    widths, case_codes, ..., kths
        As in `search_mixed`.

    Returns
    -------
    bool array of shape (n_asked,)
    """
    sure = np.zeros(asked.size, np.bool_)
    rows = np.empty(candidates.shape[1], np.int64)
    exact = np.empty(candidates.shape[1])
    for i in range(asked.size):
        query = asked[i]
        count = _measure_all(
            candidates[i],
            codes[query],
            values[query],
            attributes[query],
            counts[query],
            excluded[query],
            case_codes,
            numeric,
            numbers,
            widths,
            rows,
            exact,
        )
        kth = find_kth(exact[:count], k)
        if kth < limits[i]:
            sure[i] = True
            votes[query, :] = 0
            tied[query, :] = 0
            decide(
                query,
                rows[:count],
                exact[:count],
                min(kth, bounds[query]),
                k,
                classes,
                votes,
                tied,
                weighted,
                near,
                kths,
            )
    return sure


@entry
def mean_among(
    candidates,
    limits,
    asked,
    widths,
    case_codes,
    numeric,
    numbers,
    targets,
    codes,
    values,
    attributes,
    counts,
    excluded,
    k,
    shares,
    by_distance,
    means,
):
    """Average the nearest of candidates; tell which queries are surely answered.

    Equal to `sklazy.kernels.means.mean_of_nearest` where it is sure.

    Parameters
    ----------
    candidates : int64 array of shape (n_asked, n_candidates)
        Those of a query in ascending order.
    limits, asked
        As in `vote_among`.
    widths, case_codes, ..., means
        As in `mean_of_nearest`.

    Returns
    -------
    bool array of shape (n_asked,)
    """
    sure = np.zeros(asked.size, np.bool_)
    rows = np.empty(candidates.shape[1], np.int64)
    exact = np.empty(candidates.shape[1])
    for i in range(asked.size):
        query = asked[i]
        count = _measure_all(
            candidates[i],
            codes[query],
            values[query],
            attributes[query],
            counts[query],
            excluded[query],
            case_codes,
            numeric,
            numbers,
            widths,
            rows,
            exact,
        )
        kth = find_kth(exact[:count], k)
        if kth < limits[i]:
            sure[i] = True
            means[query] = mean_within(
                rows[:count], exact[:count], kth, k, shares, by_distance, targets
            )
    return sure
