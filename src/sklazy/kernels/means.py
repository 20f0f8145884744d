"""The mean of the nearest rows' targets, ties and all, on each query's own columns.

As in `sklazy.kernels.mixed` a first pass in float32 keeps every row that may count, and
exact distances decide. Rows lie in canonical order, in which those
of one distance are added, so that no other order of the rows can change a digit.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import (
    RawCases,
    RawQuery,
    add_attribute,
    drop_row,
    find_kth,
    measure_listed,
)
from sklazy.kernels.first_pass import (
    MOST_QUERIES,
    ScaledCases,
    find_candidates,
    keep_candidates,
    make_candidates,
)
from sklazy.kernels.nesting import begin_sums, gather_near
from sklazy.kernels.votes import distance_weight, sort_nearer


@kernel
def mean_within(rows, exact, kth, k, shares, by_distance, targets):
    """The weighted mean of the targets of rows within the k-th distance.

    Taken from the first row's target on, so that equal targets are their own mean.

    Parameters
    ----------
    rows : int64 array
        In canonical order.
    exact : float64 array of the rows' squared distances
    kth : float
        The k-th smallest of them, infinite if there are fewer.
    k : int
    shares, by_distance : bool
        Whether ties share the places left, and whether near rows count more.
    targets : float64 array of shape (n_rows,)
    """
    near = np.empty(k, np.int64)
    n_near, n_tied, first = sort_nearer(exact, kth, near), 0, -1
    for i in range(exact.size):
        if exact[i] == kth:
            n_tied += 1
            first = i if first < 0 else first
    first = near[0] if n_near > 0 else first
    nearest, start = exact[first], targets[rows[first]]
    total, weights = 0.0, 0.0
    for place in range(n_near):
        i = near[place]
        weight = distance_weight(nearest, exact[i]) if by_distance else 1.0
        weights += weight
        total += weight * (targets[rows[i]] - start)
    if n_tied > 0:
        at_last = 0.0
        for i in range(exact.size):
            if exact[i] == kth:
                at_last += targets[rows[i]] - start
        left = min(n_tied, k - n_near) if shares else n_tied
        weight = left / n_tied
        if by_distance:
            weight *= distance_weight(nearest, kth)
        weights += weight * n_tied
        total += weight * at_last
    return start + total / weights


@entry
def mean_of_nearest(
    columns,
    kinds,
    lows,
    widths,
    n_rows,
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
    first,
    last,
    means,
):
    """The mean target of all rows that are as near as the k-th nearest.

    Equal to measuring every row by `measure_row` and `mean_within`.

    Parameters
    ----------
    columns, kinds, lows, widths, n_rows, case_codes, numeric, numbers
        The cases, as in `sklazy.kernels.mixed.search_mixed`.
    targets : float64 array of shape (n_rows,)
    codes, values, attributes, counts, excluded, k, first, last
        The queries and what is asked, as there.
    shares, by_distance : bool
        As in `mean_within`.
    means : float64 array of shape (n_queries,), written
    """
    cases = RawCases(case_codes, numeric, numbers, widths)
    everywhere = np.full(min(MOST_QUERIES, last - first), np.inf)
    nobody = np.empty((everywhere.size, 0, 2))
    smallest, candidates = np.empty(k), make_candidates(last - first, k)
    for begin in range(first, last, MOST_QUERIES):
        end = min(last, begin + MOST_QUERIES)
        find_candidates(
            ScaledCases(columns, kinds, lows, widths, n_rows),
            codes[begin:end],
            values[begin:end],
            attributes[begin:end],
            counts[begin:end],
            excluded[begin:end],
            k,
            nobody,
            everywhere,
            candidates,
        )
        for number in range(begin, end):
            q = number - begin
            used = attributes[number, : counts[number]]
            query = RawQuery(codes[number], values[number], used)
            if candidates.counts[q] >= 0:
                n_open = keep_candidates(
                    candidates.rows[q],
                    candidates.sums[q],
                    candidates.counts[q],
                    candidates.limits[q],
                )
                rows = candidates.rows[q, :n_open]
            else:  # ties in such numbers that every row is measured
                rows = drop_row(np.arange(n_rows), excluded[number])
            exact = np.empty(rows.size)
            measure_listed(rows, query, cases, exact)
            kth = find_kth(exact, smallest)
            means[number] = mean_within(
                rows, exact, kth, k, shares, by_distance, targets
            )


@entry
def mean_nested(
    n_rows,
    case_codes,
    numeric,
    numbers,
    targets,
    widths,
    codes,
    values,
    attributes,
    excluded,
    k,
    shares,
    by_distance,
    first,
    last,
    means,
):
    """The means on a query's first attribute, its first two, three, ...

    ``means[q, r - 1]`` equals what `mean_of_nearest` finds with the first r attributes:
    exact distances are sums in the order of the attributes.

    Parameters
    ----------
    n_rows, case_codes, numeric, numbers, targets, codes, values, excluded, k, first
        As in `mean_of_nearest`; so are `shares`, `by_distance` and `last`.
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    attributes : int32 array of shape (n_queries, n_most)
        The complete order of each query's attributes.
    means : float64 array of shape (n_queries, n_most), written
    """
    rows, squares = np.empty(n_rows, np.int64), np.empty(n_rows)
    sums, smallest = np.empty(n_rows), np.empty(k)
    for number in range(first, last):
        cases = RawCases(case_codes, numeric, numbers, widths[number])
        query = RawQuery(codes[number], values[number], attributes[number])
        begin_sums(sums, excluded[number])
        for r in range(means.shape[1]):
            add_attribute(sums, attributes[number, r], query, cases)
            kth = find_kth(sums, smallest)
            n_near = gather_near(sums, kth, excluded[number], rows, squares)
            means[number, r] = mean_within(
                rows[:n_near], squares[:n_near], kth, k, shares, by_distance, targets
            )
