"""The nearest among rows that something else found to be near, measured exactly."""

import numpy as np

from sklazy.kernels.columns import add_up
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import find_kth, leave_out, measure_listed
from sklazy.kernels.means import mean_within
from sklazy.kernels.mixed import decide, find_kth_of_all
from sklazy.kernels.nearest import sort_nearest


@kernel
def measure_candidate(cases, query, place):
    """The sum over the columns of one row, added in the order of `nearest_rows`."""
    total = 0.0
    for j in range(query.size):
        difference = cases.values[j, place] - query[j]
        total += cases.weights[j] * add_up(difference, cases.metric)
    return total


@entry
def nearest_candidates(
    cases, order, row_groups, queries, query_groups, candidates, limits, rows, distances
):
    """Fill `rows` and `distances` from candidates; tell which of them are sure.

    Equal to `nearest_rows` where the columns are numbers without a missing cell and
    the answer is sure: a row that is no candidate has a sum of at least the limit.
    Candidates are given by their places among the cases; `order` has their rows.

    Parameters
    ----------
    cases : flow.Columns
        Columns that have a weight, rows in any order.
    order : int64 (n_rows,)
        The row at each place.
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
            place = candidates[query, i]
            row = order[place]
            if row_groups.size and row_groups[row] == query_groups[query]:
                continue
            sums[count] = measure_candidate(cases, queries[query], place)
            near[count] = row
            count += 1
        if count < n_nearest:
            continue
        sort_nearest(sums, near, count)
        rows[query] = near[:n_nearest]
        distances[query] = sums[:n_nearest]
        sure[query] = sums[n_nearest - 1] < limits[query]
    return sure


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
    known,
    at_bounds,
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
    sure, smallest = np.zeros(asked.size, np.bool_), np.empty(k)
    order = np.empty(k, np.int64)
    for i in range(asked.size):
        query = asked[i]
        rows = leave_out(candidates[i], excluded[query])
        exact = np.empty(rows.size)
        measure_listed(
            rows,
            codes[query],
            values[query],
            attributes[query],
            counts[query],
            case_codes,
            numeric,
            numbers,
            widths,
            exact,
        )
        kth = find_kth_of_all(known[query], exact, bounds[query], smallest)
        if kth < limits[i]:
            sure[i] = True
            votes[query, :] = 0
            tied[query, :] = 0
            decide(
                query,
                rows,
                exact,
                kth,
                order,
                classes,
                known,
                at_bounds,
                bounds,
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
    sure, smallest = np.zeros(asked.size, np.bool_), np.empty(k)
    for i in range(asked.size):
        query = asked[i]
        rows = leave_out(candidates[i], excluded[query])
        exact = np.empty(rows.size)
        measure_listed(
            rows,
            codes[query],
            values[query],
            attributes[query],
            counts[query],
            case_codes,
            numeric,
            numbers,
            widths,
            exact,
        )
        kth = find_kth(exact, smallest)
        if kth < limits[i]:
            sure[i] = True
            means[query] = mean_within(
                rows, exact, kth, k, shares, by_distance, targets
            )
    return sure
