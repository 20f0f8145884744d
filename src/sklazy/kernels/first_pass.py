"""The first pass of a search on numbers: float32 sums, and which rows they rule out.

How far a float32 sum can be off follows from the size of the numbers and the number of
columns. A row within the *limit* may be among the nearest and becomes a candidate;
`sklazy.kernels.mixed` and `sklazy.kernels.means` measure candidates again, exactly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import ONE, ZERO, trailing_zeros
from sklazy.kernels.columns import NOMINAL, NUMERIC
from sklazy.kernels.compiling import kernel, lean_kernel
from sklazy.kernels.distances import (
    GROUP,
    PROBE,
    add_eight_columns,
    add_four_columns,
    add_gappy_column,
    add_nominal_column,
    add_plain_column,
    fill_sums,
    mask_within,
)
from sklazy.kernels.exact import insert_sorted

BLOCK = 2048  # rows; a block's sums stay in the L1 cache, its columns in the L2
MANY_COLUMNS = 96  # that are taken a tile at a time, with the sums of all queries
TILE = 128  # columns
TILE_BLOCK = 1024  # rows
MOST_QUERIES = 128  # that share a block
SPARE = 2048  # candidates kept beyond the k nearest before a query is set aside

UNIT = 2.0**-24  # half a step of float32 at 1: the relative error of a rounding


@lean_kernel
def find_limit(kth, slack, rounding):
    """Return the largest float32 sum of a row that may belong to the nearest.

    `slack` bounds the length of the error of a float32 difference vector, and
    `rounding` the relative error of its sum of squares. By the triangle inequality
    the k-th smallest float32 sum `kth` puts the exact k-th distance at most at
    sqrt(kth / (1 - rounding)) + slack, and a row that near may again be off as much.
    """
    distance = np.sqrt(kth / (1.0 - rounding)) + 2.0 * slack
    limit = 1.00001 * (1.0 + rounding) * distance * distance
    return np.float32(limit) if limit < 1e37 else np.float32(np.inf)


@lean_kernel
def find_sure(kth, slack, rounding):
    """Return a float32 sum below which a row is surely nearer than the exact k-th.

    The mirror image of `find_limit`.
    """
    distance = max(0.0, np.sqrt(kth / (1.0 + rounding)) - 2.0 * slack)
    return np.float32(0.99999 * (1.0 - rounding) * distance * distance)


@lean_kernel
def plan_query(codes, values, used, cases, places, targets):
    """Line up a query's columns: plain ones from the front, the others from the back.

    Plain are numbers without a missing cell. Writes the columns' places and the query's
    value in each; returns the number of plain columns, the first of the others, what
    columns without a value add, and the slack: a difference of numbers up to `reach`
    is off by at most 2 UNIT reach in float32.
    """
    kinds, lows, widths = cases.kinds, cases.lows, cases.widths
    n_plain, first_other, stride = 0, places.size, cases.columns.shape[1]
    constant, reach = 0.0, 1.0
    for attribute in range(used.size):
        if not used[attribute]:
            continue
        if kinds[attribute] != NOMINAL:
            target = (values[attribute] - lows[attribute]) / widths[attribute]
            if not np.isnan(target):
                reach = max(reach, 1.0 + abs(target))
        elif widths[attribute] == 0.0:  # a constant column of numbers
            target = 0.0 if values[attribute] == lows[attribute] else np.nan
        else:
            target = codes[attribute] if codes[attribute] >= 0 else np.nan
        if np.isnan(target):
            constant += 1.0
            continue
        if kinds[attribute] == NUMERIC:
            place = n_plain
            n_plain += 1
        else:
            first_other -= 1
            place = first_other
        places[place] = np.uintp(attribute) * np.uintp(stride)
        targets[place] = np.float32(target)
    slack = 2.02 * UNIT * reach * np.sqrt(n_plain + places.size - first_other)
    return n_plain, first_other, constant, slack


@lean_kernel
def add_plain_columns(columns, places, targets, first, last, stop, row, sums, n_rows):
    """Add plain columns from `first` on that begin before `stop`; returns the next.

    A group that begins there is taken whole, even if it reaches into the next tile.
    """
    first = np.int64(first)
    while first + GROUP <= last and places[first] < stop:
        add_eight_columns(columns, places[first:], row, targets[first:], sums, n_rows)
        first += GROUP
    if 4 <= last - first < GROUP and places[first] < stop:
        add_four_columns(columns, places[first:], row, targets[first:], sums, n_rows)
        first += 4
    while last - first < GROUP and first < last and places[first] < stop:
        add_plain_column(columns, places[first] + row, targets[first], sums, n_rows)
        first += 1
    return first


@lean_kernel
def add_other_columns(columns, places, targets, first, kinds, row, sums, n_rows):
    """Add the columns that are not plain."""
    stride = np.uintp(columns.size // kinds.size)
    for i in range(first, places.size):
        place = places[i] + row
        if kinds[np.int64(places[i] // stride)] == NOMINAL:
            add_nominal_column(columns, place, targets[i], sums, n_rows)
        else:
            add_gappy_column(columns, place, targets[i], sums, n_rows)


@lean_kernel
def keep_candidates(rows, sums, n_kept, limit):
    """Drop the candidates beyond the limit; returns how many are left."""
    left = 0
    for i in range(n_kept):
        if sums[i] <= limit:
            rows[left], sums[left] = rows[i], sums[i]
            left += 1
    return left


@lean_kernel
def admit_rows(
    sums, n_rows, row, excluded, limit, slack, rounding, nearest, kept, rows, kept_sums
):
    """Take the rows of a block into the candidates; returns their number and the limit.

    The number is -1 once there are too many to keep; the limit goes on falling.
    """
    last = nearest.size - 1
    for first in range(0, n_rows, PROBE):
        within = mask_within(sums, first, limit)
        if n_rows - first < PROBE:
            within &= (ONE << np.uint64(n_rows - first)) - ONE
        while within != ZERO:
            i = first + np.int64(trailing_zeros(within))
            within &= within - ONE
            if sums[i] > limit or row + i == excluded:
                continue
            if kept == rows.size:
                kept = keep_candidates(rows, kept_sums, kept, limit)
                if 4 * kept > 3 * rows.size:
                    kept = -1
            if kept >= 0:
                rows[kept], kept_sums[kept] = row + i, sums[i]
                kept += 1
            if sums[i] < nearest[last]:
                insert_sorted(nearest, sums[i])
                if nearest[last] < np.inf:
                    new_limit = find_limit(np.float64(nearest[last]), slack, rounding)
                    limit = min(limit, new_limit)
    return kept, limit


@lean_kernel
def begin_nearest(known, bound, nearest):
    """Fill a list of sums from rows elsewhere, of which k are within the bound.

    A distance that was rounded is off by less than the sum of a row here may be.
    """
    for i in range(nearest.size):
        nearest[i] = np.float32(bound)
    for i in range(known.shape[0]):
        square = np.float32(known[i, 0])
        if square < nearest[nearest.size - 1]:
            insert_sorted(nearest, square)


class Candidates(NamedTuple):
    """The rows that may be among the nearest of some queries.

    Attributes
    ----------
    rows : int64 array of shape (n_queries, n_most)
    sums : float32 array of shape (n_queries, n_most)
        The sum of each in the first pass.
    counts : int64 array of shape (n_queries,)
        How many there are; -1 where too many tie, which are not kept.
    limits : float32 array of shape (n_queries,)
        Candidates with a larger sum are not among the nearest after all.
    sure : float32 array of shape (n_queries,)
        Candidates with a smaller sum surely are; infinite where there are at most k.
    """

    rows: NDArray[np.int64]
    sums: NDArray[np.float32]
    counts: NDArray[np.int64]
    limits: NDArray[np.float32]
    sure: NDArray[np.float32]


@kernel
def make_candidates(n_queries, k):
    """Room for the candidates of up to `MOST_QUERIES` of some queries.

    Made once for all of them: the first use of each page of it takes the system as long
    as finding a candidate or two.
    """
    n_together = min(MOST_QUERIES, n_queries)
    return Candidates(
        np.empty((n_together, k + SPARE), np.int64),
        np.empty((n_together, k + SPARE), np.float32),
        np.empty(n_together, np.int64),
        np.empty(n_together, np.float32),
        np.empty(n_together, np.float32),
    )


class ColumnPlan(NamedTuple):
    """The columns and targets of some queries, as `plan_query` finds them.

    Attributes
    ----------
    places, targets : uintp and float32 arrays of shape (n_queries, n_most)
    n_plain, first_other : int64 arrays of shape (n_queries,)
    constants : float32 array of shape (n_queries,)
    slacks : float64 array of shape (n_queries,)
    """

    places: NDArray[np.uintp]
    targets: NDArray[np.float32]
    n_plain: NDArray[np.int64]
    first_other: NDArray[np.int64]
    constants: NDArray[np.float32]
    slacks: NDArray[np.float64]


@lean_kernel
def scan_blocks(
    flat, kinds, n_rows, tile, excluded, rounding, plan, done, sums, nearest, candidates
):
    """Take all rows into the candidates that may belong there, a block at a time.

    `sums` has a line for each query, or one for all where there is one tile; `done`
    are plain columns added so far. The k smallest sums (`nearest`) and the candidates
    are written.
    """
    many, block = sums.shape[0] > 1, sums.shape[1]
    kept, limits = candidates.counts, candidates.limits
    end_of_columns = np.uintp(flat.size)
    for row in range(0, n_rows, block):
        n_block = min(block, n_rows - row)
        start, length = np.uintp(row), np.uintp(n_block)
        done[:] = 0
        stop = np.uintp(0)
        while stop < end_of_columns:
            is_first = stop == np.uintp(0)
            stop += tile
            for q in range(done.size):
                query_sums = sums[q if many else 0]
                if is_first:
                    fill_sums(query_sums, length, plan.constants[q])
                done[q] = add_plain_columns(
                    flat,
                    plan.places[q],
                    plan.targets[q],
                    done[q],
                    plan.n_plain[q],
                    stop,
                    start,
                    query_sums,
                    length,
                )
                if stop < end_of_columns:  # sums are not complete yet
                    continue
                add_other_columns(
                    flat,
                    plan.places[q],
                    plan.targets[q],
                    plan.first_other[q],
                    kinds,
                    start,
                    query_sums,
                    length,
                )
                kept[q], limits[q] = admit_rows(
                    query_sums,
                    n_block,
                    row,
                    excluded[q],
                    limits[q],
                    plan.slacks[q],
                    rounding,
                    nearest[q],
                    kept[q],
                    candidates.rows[q],
                    candidates.sums[q],
                )


class ScaledCases(NamedTuple):
    """The cases of a first pass, as `sklazy.kernels.mixed.search_mixed` takes them."""

    columns: NDArray[np.float32]
    kinds: NDArray[np.int64]
    lows: NDArray[np.float64]
    widths: NDArray[np.float64]
    n_rows: int


@kernel
def find_candidates(
    cases, codes, values, attributes, counts, excluded, k, known, bounds, candidates
):
    """Find the rows that may be among the k nearest of some queries.

    Parameters
    ----------
    cases : ScaledCases
    codes, values, attributes, counts, excluded
        The queries, as in `search_mixed`, at most `MOST_QUERIES`.
    k : int, at most the number of rows
    known, bounds : float64 arrays
        As there.
    candidates : Candidates, written

    Notes
    -----
    Distances in float32, a block of rows at a time. Every row whose sum is within the
    *limit* of its query becomes a candidate; the limit follows the k-th smallest sum
    so far and falls from block to block.

    *Loops.* Blocks of rows; for a block, tiles of columns; for a tile, the queries. A
    block's part of a tile stays in the L2 cache while all queries read it. Where
    columns are few there is one tile, a query's sums are finished at once, and one
    buffer serves all queries; with `MANY_COLUMNS` every query has a buffer of its own,
    which waits for the next tile. Columns without a missing cell come first, `GROUP`
    of them in a pass over the rows; those that have to be asked for each cell come
    after the last tile.
    """
    n_columns, stride = cases.columns.shape
    flat = cases.columns.reshape(-1)
    n_queries, n_most = attributes.shape[0], max(1, attributes.shape[1])
    many = n_columns >= MANY_COLUMNS
    rounding = 1.2 * (n_most + 4) * UNIT  # of a sum of n_most squares
    used = np.empty(n_columns, np.bool_)
    plan = ColumnPlan(
        np.empty((n_queries, n_most), np.uintp),
        np.empty((n_queries, n_most), np.float32),
        np.empty(n_queries, np.int64),
        np.empty(n_queries, np.int64),
        np.empty(n_queries, np.float32),
        np.empty(n_queries, np.float64),
    )
    nearest = np.empty((n_queries, k), np.float32)
    n_buffers, block = (n_queries, TILE_BLOCK) if many else (1, BLOCK)
    # Columns in ascending order, whatever the order of the attributes: a tile then
    # begins where the one before it has ended.
    for q in range(n_queries):
        used[:] = False
        for i in range(counts[q]):
            used[attributes[q, i]] = True
        plan.n_plain[q], plan.first_other[q], plan.constants[q], plan.slacks[q] = (
            plan_query(
                codes[q], values[q], used, cases, plan.places[q], plan.targets[q]
            )
        )
        candidates.limits[q] = find_limit(bounds[q], plan.slacks[q], rounding)
        candidates.counts[q] = 0
        begin_nearest(known[q], bounds[q], nearest[q])
    scan_blocks(
        flat,
        cases.kinds,
        cases.n_rows,
        np.uintp(TILE if many else n_columns) * np.uintp(stride),
        excluded,
        rounding,
        plan,
        np.empty(n_queries, np.int64),
        np.empty((n_buffers, block), np.float32),
        nearest,
        candidates,
    )
    for q in range(n_queries):
        candidates.sure[q] = np.inf
        if candidates.counts[q] > k:
            kth = np.float64(nearest[q, k - 1])
            candidates.sure[q] = find_sure(kth, plan.slacks[q], rounding)
