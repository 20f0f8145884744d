"""The nearest among rows that something else found to be near, measured exactly."""

import numpy as np

from sklazy.kernels.columns import difference_term
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import RawCases, RawQuery, drop_row, find_kth, measure_listed
from sklazy.kernels.means import mean_within
from sklazy.kernels.mixed import (
    KnownRows,
    VoteArrays,
    find_kth_of_all,
    write_votes,
)
from sklazy.kernels.nearest import sort_nearest


@kernel
def measure_candidate(cases, query, place):
    """The sum over the columns of one row, added in the order of `nearest_rows`."""
    total = 0.0
    for j in range(query.size):
        difference = cases.values[j, place] - query[j]
        total += cases.weights[j] * difference_term(difference, cases.metric)
    return total


@entry
def nearest_candidates(
    cases, order, row_groups, queries, query_groups, candidates, limits, rows, distances
):
    """Fill `rows` and `distances` from candidates; mask the queries that are exact.

    Equal to `nearest_rows` where the columns are numbers without a missing cell and
    the answer is sure: a row that is not a candidate has a sum of at least the limit.
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


@kernel
def measure_others(rows, excluded, query, cases):
    """The rows but the excluded one, and their exact squared distances."""
    left = drop_row(rows, excluded)
    exact = np.empty(left.size)
    measure_listed(left, query, cases, exact)
    return left, exact


@entry
def vote_among(
    candidates,
    limits,
    query_numbers,
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
    """Let the nearest of candidates vote; mask the queries that are exact.

    Equal to `sklazy.kernels.mixed.search_mixed` where it is sure.

    Parameters
    ----------
    candidates : int64 array of shape (n_queries, n_candidates)
    limits : float64 array of shape (n_queries,)
        A row that is not a candidate has a squared distance of at least that.
    query_numbers : int64 array of shape (n_queries,)
    widths, case_codes, ..., kths
        As in `search_mixed`.

    Returns
    -------
    bool array of shape (n_queries,)
    """
    cases = RawCases(case_codes, numeric, numbers, widths)
    elsewhere = KnownRows(known, at_bounds, bounds)
    out = VoteArrays(votes, tied, weighted, near, kths)
    sure, smallest = np.zeros(query_numbers.size, np.bool_), np.empty(k)
    order = np.empty(k, np.int64)
    for i in range(query_numbers.size):
        number = query_numbers[i]
        used = attributes[number, : counts[number]]
        query = RawQuery(codes[number], values[number], used)
        rows, exact = measure_others(candidates[i], excluded[number], query, cases)
        kth = find_kth_of_all(known[number], exact, bounds[number], smallest)
        if kth < limits[i]:
            sure[i] = True
            votes[number, :] = 0
            tied[number, :] = 0
            write_votes(number, rows, exact, kth, order, classes, elsewhere, out)
    return sure


@entry
def mean_among(
    candidates,
    limits,
    query_numbers,
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
    """Average the nearest of candidates; mask the queries that are exact.

    Equal to `sklazy.kernels.means.mean_of_nearest` where it is sure.

    Parameters
    ----------
    candidates : int64 array of shape (n_queries, n_candidates)
        Those of a query in ascending order.
    limits, query_numbers
        As in `vote_among`.
    widths, case_codes, ..., means
        As in `mean_of_nearest`.

    Returns
    -------
    bool array of shape (n_queries,)
    """
    cases = RawCases(case_codes, numeric, numbers, widths)
    sure, smallest = np.zeros(query_numbers.size, np.bool_), np.empty(k)
    for i in range(query_numbers.size):
        number = query_numbers[i]
        used = attributes[number, : counts[number]]
        query = RawQuery(codes[number], values[number], used)
        rows, exact = measure_others(candidates[i], excluded[number], query, cases)
        kth = find_kth(exact, smallest)
        if kth < limits[i]:
            sure[i] = True
            means[number] = mean_within(
                rows, exact, kth, k, shares, by_distance, targets
            )
    return sure
