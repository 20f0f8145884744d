"""The mean of the nearest rows' targets, ties and all, on each query's own columns.

As in `sklazy.kernels.mixed` a first pass in float32 keeps every row that may count, and
exact distances decide. Rows lie in canonical order, in which those
of one distance are added, so that no other order of the rows can change a digit.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import find_kth, leave_out, measure_listed
from sklazy.kernels.first_pass import (
    MOST_QUERIES,
    find_candidates,
    keep_within,
    make_candidates,
)
from sklazy.kernels.nesting import add_column, gather_near
from sklazy.kernels.votes import weigh


@kernel
def _list_near(exact, kth, near):
    """Write the rows nearer than the k-th, near to far, then as they lie; their number.

    Returns as well the first row of all, and how many are as far as the k-th.
    """
    n_near, n_tied, first = 0, 0, -1
    for i in range(exact.size):
        if exact[i] == kth:
            n_tied += 1
            if first < 0:
                first = i
        elif exact[i] < kth:
            place = n_near
            while place > 0 and exact[near[place - 1]] > exact[i]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = i
            n_near += 1
    return n_near, n_tied, near[0] if n_near > 0 else first


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
    n_near, n_tied, first = _list_near(exact, kth, near)
    nearest, start = exact[first], targets[rows[first]]
    total, weights = 0.0, 0.0
    for place in range(n_near):
        i = near[place]
        weight = weigh(nearest, exact[i]) if by_distance else 1.0
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
            weight *= weigh(nearest, kth)
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
    everywhere = np.full(min(MOST_QUERIES, last - first), np.inf)
    nobody = np.empty((everywhere.size, 0, 2))
    smallest, found = np.empty(k), make_candidates(last - first, k)
    for begin in range(first, last, MOST_QUERIES):
        end = min(last, begin + MOST_QUERIES)
        find_candidates(
            columns,
            kinds,
            lows,
            widths,
            n_rows,
            codes[begin:end],
            values[begin:end],
            attributes[begin:end],
            counts[begin:end],
            excluded[begin:end],
            k,
            nobody,
            everywhere,
            found,
        )
        for query in range(begin, end):
            q = query - begin
            if found.counts[q] >= 0:
                n_open = keep_within(
                    found.rows[q], found.sums[q], found.counts[q], found.limits[q]
                )
                rows = found.rows[q, :n_open]
            else:  # ties in such numbers that every row is measured
                rows = leave_out(np.arange(n_rows), excluded[query])
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
            means[query] = mean_within(
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
    for query in range(first, last):
        sums[:] = 0.0
        if excluded[query] >= 0:
            sums[excluded[query]] = np.inf
        for r in range(means.shape[1]):
            add_column(
                sums,
                attributes[query, r],
                codes[query],
                values[query],
                case_codes,
                numeric,
                numbers,
                widths[query],
                n_rows,
            )
            kth = find_kth(sums, smallest)
            n_near = gather_near(sums, kth, excluded[query], rows, squares)
            means[query, r] = mean_within(
                rows[:n_near], squares[:n_near], kth, k, shares, by_distance, targets
            )
