"""The mean of the nearest rows' targets, ties and all, on each query's own columns.

The search is that of `sklazy.kernels.mixed`: a first pass in float32 keeps every row
that may count, and exact distances decide. Rows lie in canonical order, in which those
of one distance are added, so that no other order of the rows can change a digit.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.distances import fill
from sklazy.kernels.exact import find_kth, list_rows, measure_row
from sklazy.kernels.first_pass import (
    BLOCK,
    MOST_QUERIES,
    SPARE,
    UNIT,
    add_other_columns,
    add_plain_columns,
    admit,
    keep_within,
    plan_query,
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
    n_columns, stride = columns.shape
    flat = columns.reshape(-1)
    n_most = max(1, attributes.shape[1])
    step = min(MOST_QUERIES, last - first)
    rounding = 1.2 * (n_most + 4) * UNIT  # of a sum of so many squares
    used = np.empty(n_columns, np.bool_)
    places = np.empty((step, n_most), np.uintp)
    wanted = np.empty((step, n_most), np.float32)
    n_plain = np.empty(step, np.int64)
    first_other = np.empty(step, np.int64)
    constants = np.empty(step, np.float32)
    slacks = np.empty(step, np.float64)
    limits = np.empty(step, np.float32)
    nearest = np.empty((step, k), np.float32)
    kept = np.empty(step, np.int64)
    kept_rows = np.empty((step, k + SPARE), np.int64)
    kept_sums = np.empty((step, k + SPARE), np.float32)
    sums = np.empty(BLOCK, np.float32)
    end_of_columns = np.uintp(flat.size)
    for begin in range(first, last, step):
        n_queries = min(last, begin + step) - begin
        for q in range(n_queries):
            used[:] = False
            for i in range(counts[begin + q]):
                used[attributes[begin + q, i]] = True
            n_plain[q], first_other[q], constants[q], slacks[q] = plan_query(
                codes[begin + q],
                values[begin + q],
                used,
                kinds,
                lows,
                widths,
                stride,
                places[q],
                wanted[q],
            )
            limits[q] = np.inf
            nearest[q, :] = np.inf
            kept[q] = 0
        for row in range(0, n_rows, BLOCK):
            n_block = min(BLOCK, n_rows - row)
            start, length = np.uintp(row), np.uintp(n_block)
            for q in range(n_queries):
                fill(sums, length, constants[q])
                add_plain_columns(
                    flat,
                    places[q],
                    wanted[q],
                    0,
                    n_plain[q],
                    end_of_columns,
                    start,
                    sums,
                    length,
                )
                add_other_columns(
                    flat,
                    places[q],
                    wanted[q],
                    first_other[q],
                    kinds,
                    start,
                    sums,
                    length,
                )
                kept[q], limits[q] = admit(
                    sums,
                    n_block,
                    row,
                    excluded[begin + q],
                    limits[q],
                    slacks[q],
                    rounding,
                    nearest[q],
                    kept[q],
                    kept_rows[q],
                    kept_sums[q],
                )
        for q in range(n_queries):
            query = begin + q
            if kept[q] >= 0:
                n_open = keep_within(kept_rows[q], kept_sums[q], kept[q], limits[q])
                rows = kept_rows[q, :n_open]
            else:  # ties in such numbers that every row is measured
                rows = list_rows(n_rows, excluded[query])
            exact = np.empty(rows.size)
            for i in range(rows.size):
                exact[i] = measure_row(
                    rows[i],
                    codes[query],
                    values[query],
                    attributes[query],
                    counts[query],
                    case_codes,
                    numeric,
                    numbers,
                    widths,
                )
            kth = find_kth(exact, k)
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
    sums = np.empty(n_rows)
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
            kth = find_kth(sums, k)
            n_near = gather_near(sums, kth, excluded[query], rows, squares)
            means[query, r] = mean_within(
                rows[:n_near], squares[:n_near], kth, k, shares, by_distance, targets
            )
