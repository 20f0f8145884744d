"""Nearest neighbors by HEOM differences on each query's own columns, ties and all.

A first pass in float32 keeps every row that could be among the k nearest or tie with
the k-th; these are measured again in float64, in the order of the query's attributes,
so that the answer is exact and depends on nothing but the rows.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.distances import fill
from sklazy.kernels.exact import (
    find_kth,
    list_rows,
    measure_row,
    vote_for_nearest,
    vote_for_sure,
)
from sklazy.kernels.first_pass import (
    BLOCK,
    MOST_QUERIES,
    SPARE,
    UNIT,
    add_other_columns,
    add_plain_columns,
    admit,
    find_limit,
    find_sure,
    plan_query,
)
from sklazy.kernels.votes import weigh_rows

MANY_COLUMNS = 96  # that are taken a tile at a time, with the sums of all queries
TILE = 128  # columns
TILE_BLOCK = 1024  # rows


@kernel
def list_nearer(rows, exact, kth, classes, near):
    """Write down the rows that are nearer than the k-th."""
    n_near = 0
    near[:, 1] = -1.0
    for i in range(exact.size):
        if exact[i] < kth:
            near[n_near, 0] = exact[i]
            near[n_near, 1] = classes[rows[i]]
            n_near += 1


@kernel
def decide(query, rows, exact, kth, k, classes, votes, tied, weighted, near, kths):
    """Let the rows within the k-th distance vote, and write down what else is asked."""
    vote_for_nearest(rows, exact, kth, classes, votes[query], tied[query])
    if weighted.size > 0:
        weigh_rows(rows, exact, kth, k, classes, weighted[query])
    if near.size > 0:
        list_nearer(rows, exact, kth, classes, near[query])
        kths[query] = kth


@entry
def search_mixed(
    columns,
    kinds,
    lows,
    widths,
    n_rows,
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
    first,
    last,
    votes,
    tied,
    weighted,
    near,
    kths,
):
    """Let all rows vote that are as near as the k-th nearest.

    Equal to measuring every row by `measure_row` and counting the classes of those
    within the k-th smallest sum.

    The arguments are the cases twice, for the first pass (up to `n_rows`) and as they
    are, for exact distances (up to `classes`); the queries (up to `excluded`); what is
    asked; and the arrays that are written.

    Parameters
    ----------
    columns : float32 array of shape (n_attributes, stride), stride >= n_rows
        Numbers scaled to [0, 1] by their range, or codes; NaN where missing.
    kinds : int64 array of shape (n_attributes,)
        NUMERIC, NUMERIC_MISSING or NOMINAL; a column of one number is NOMINAL, all
        zeros.
    lows, widths : float64 arrays of shape (n_attributes,)
        Smallest number and range; widths are 0 for a constant column of numbers and
        NaN for codes and for columns without any number.
    n_rows : int
    case_codes : int32 array of shape (n_attributes, capacity)
    numeric : int64 array of shape (n_attributes,)
    numbers : float64 array of shape (n_numeric, capacity)
    classes : int32 array of shape (capacity,)
    codes, values : arrays of shape (n_queries, n_attributes), int32 and float64
    attributes : int32 array of shape (n_queries, n_most)
    counts : int32 array of shape (n_queries,)
    excluded : int64 array of shape (n_queries,)
    k : int, at most the number of rows
    bounds : float64 array of shape (n_queries,)
        Squared distances: rows farther than that need not be looked at, since others
        elsewhere are nearer. Infinite where all rows are here.
    first, last : int
    votes, tied : int64 arrays of shape (n_queries, n_classes), written
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        As in `match_nominal`.
    near : float64 array of shape (n_queries, k, 2), written; or empty
        Squared distances and classes of the rows nearer than the k-th, in any order,
        what is left over with the class -1.
    kths : float64 array of shape (n_queries,), written where `near` is
        The squared distance of the k-th, or the bound if that is nearer.

    Notes
    -----
    *First pass.* Distances in float32, a block of rows at a time. Every row whose sum
    is within the *limit* of its query becomes a candidate; the limit follows the k-th
    smallest sum so far and falls from block to block.

    *Loops.* Queries by up to `MOST_QUERIES`; for these, blocks of rows; for a block,
    tiles of columns; for a tile, the queries. A block's part of a tile stays in the
    L2 cache while all queries read it. Where columns are few there is one tile, a
    query's sums are finished at once, and one buffer serves all queries; with
    `MANY_COLUMNS` every query has a buffer of its own, which waits for the next tile.
    Columns without a missing cell come first, `GROUP` of them in a pass over the
    rows; those that have to be asked for each cell come after the last tile.

    *Second pass.* Candidates far below the k-th sum are *sure* to be among the nearest
    and vote. The others that are still within the limit are measured by `measure_row`,
    in float64 and in the order of the query's attributes, and the nearest of them take
    the places that are left, with all that tie.

    *Why it is exact.* An error bound of float32 sums follows from the size of the
    numbers and the number of columns (`plan_query`, `rounding`). By it, a row beyond
    the limit is farther than the k-th nearest and a sure one nearer, whatever was
    rounded; everything in between is decided by exact distances, which depend on
    neither blocks nor the order of rows. Where so many rows tie that candidates
    overflow, all rows are measured.
    """
    n_columns, stride = columns.shape
    flat = columns.reshape(-1)
    n_most = max(1, attributes.shape[1])
    step = min(MOST_QUERIES, last - first)
    many = n_columns >= MANY_COLUMNS
    rounding = 1.2 * (n_most + 4) * UNIT  # of a sum of so many squares
    used = np.empty(n_columns, np.bool_)
    places = np.empty((step, n_most), np.uintp)
    targets = np.empty((step, n_most), np.float32)
    n_plain = np.empty(step, np.int64)
    first_other = np.empty(step, np.int64)
    done = np.empty(step, np.int64)
    constants = np.empty(step, np.float32)
    slacks = np.empty(step, np.float64)
    limits = np.empty(step, np.float32)
    nearest = np.empty((step, k), np.float32)
    kept = np.empty(step, np.int64)
    kept_rows = np.empty((step, k + SPARE), np.int64)
    kept_sums = np.empty((step, k + SPARE), np.float32)
    block = TILE_BLOCK if many else BLOCK
    sums = np.empty((step if many else 1, block), np.float32)
    tile = np.uintp(TILE if many else n_columns) * np.uintp(stride)
    end_of_columns = np.uintp(flat.size)
    for begin in range(first, last, step):
        n_queries = min(last, begin + step) - begin
        # Columns in ascending order, whatever the order of the attributes: a tile
        # then begins where the one before it has ended.
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
                targets[q],
            )
            limits[q] = find_limit(bounds[begin + q], slacks[q], rounding)
            nearest[q, :] = np.inf
            kept[q] = 0
        for row in range(0, n_rows, block):
            n_block = min(block, n_rows - row)
            start, length = np.uintp(row), np.uintp(n_block)
            done[:] = 0
            stop = np.uintp(0)
            while stop < end_of_columns:
                is_first = stop == np.uintp(0)
                stop += tile
                for q in range(n_queries):
                    own = sums[q if many else 0]
                    if is_first:
                        fill(own, length, constants[q])
                    done[q] = add_plain_columns(
                        flat,
                        places[q],
                        targets[q],
                        done[q],
                        n_plain[q],
                        stop,
                        start,
                        own,
                        length,
                    )
                    if stop < end_of_columns:  # sums are not complete yet
                        continue
                    add_other_columns(
                        flat,
                        places[q],
                        targets[q],
                        first_other[q],
                        kinds,
                        start,
                        own,
                        length,
                    )
                    kept[q], limits[q] = admit(
                        own,
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
            votes[query, :] = 0
            tied[query, :] = 0
            missing = k  # voters besides the sure ones, not counting ties
            if kept[q] >= 0:
                rows = kept_rows[q, : kept[q]]
                sure = np.float32(np.inf)  # no more candidates than k: all vote
                if weighted.size > 0 or near.size > 0:
                    sure = np.float32(0.0)  # all have a distance that counts
                elif kept[q] > k:
                    kth = np.float64(nearest[q, k - 1])
                    sure = find_sure(kth, slacks[q], rounding)
                n_open = vote_for_sure(
                    rows, kept_sums[q], sure, limits[q], classes, votes[query]
                )
                missing -= votes[query].sum()
            else:  # ties in such numbers that every row is measured
                rows = list_rows(n_rows, excluded[query])
                n_open = rows.size
            exact = np.empty(n_open)
            for i in range(n_open):
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
            if n_open > 0 or near.size > 0:
                kth = min(find_kth(exact, missing), bounds[query])
                decide(
                    query,
                    rows,
                    exact,
                    kth,
                    k,
                    classes,
                    votes,
                    tied,
                    weighted,
                    near,
                    kths,
                )
