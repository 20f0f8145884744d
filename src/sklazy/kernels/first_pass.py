"""The first pass of a search on numbers: float32 sums, and which rows they rule out.

How far a float32 sum can be off follows from the size of the numbers and the number of
columns. Whoever is within the *limit* may be among the nearest and becomes a candidate;
`sklazy.kernels.mixed` and `sklazy.kernels.means` measure candidates again, exactly.
"""

import numpy as np

from sklazy.kernels.columns import NOMINAL, NUMERIC
from sklazy.kernels.compiling import kernel
from sklazy.kernels.distances import (
    GROUP,
    add_gappy,
    add_group,
    add_nominal,
    add_plain,
    count_within,
)
from sklazy.kernels.exact import insert_sorted

BLOCK = 2048  # rows; a block's sums stay in the L1 cache, its columns in the L2
PROBE = 32  # rows tested against the limit at once
MOST_QUERIES = 128  # that share a block
SPARE = 2048  # candidates kept beyond the k nearest before a query is set aside

UNIT = 2.0**-24  # half a step of float32 at 1: the relative error of a rounding


@kernel
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


@kernel
def find_sure(kth, slack, rounding):
    """Return a float32 sum below which a row is surely nearer than the exact k-th.

    The mirror image of `find_limit`.
    """
    distance = max(0.0, np.sqrt(kth / (1.0 + rounding)) - 2.0 * slack)
    return np.float32(0.99999 * (1.0 - rounding) * distance * distance)


@kernel
def plan_query(codes, values, used, kinds, lows, widths, stride, places, targets):
    """Line up a query's columns: plain ones from the front, the others from the back.

    Plain are numbers without a missing cell. Writes the columns' places and the query's
    value in each; returns the number of plain columns, the first of the others, what
    columns without a value add, and the slack: a difference of numbers up to `reach`
    is off by at most 2 UNIT reach in float32.
    """
    n_plain, first_other = 0, places.size
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


@kernel
def add_plain_columns(columns, places, targets, first, last, stop, row, sums, n_rows):
    """Add plain columns from `first` on that begin before `stop`; returns the next.

    A group that begins there is taken whole, even if it reaches into the next tile.
    """
    first = np.int64(first)
    while first + GROUP <= last and places[first] < stop:
        add_group(columns, places[first:], row, targets[first:], sums, n_rows)
        first += GROUP
    while last - first < GROUP and first < last and places[first] < stop:
        add_plain(columns, places[first] + row, targets[first], sums, n_rows)
        first += 1
    return first


@kernel
def add_other_columns(columns, places, targets, first, kinds, row, sums, n_rows):
    """Add the columns that are not plain."""
    stride = np.uintp(columns.size // kinds.size)
    for i in range(first, places.size):
        place = places[i] + row
        if kinds[np.int64(places[i] // stride)] == NOMINAL:
            add_nominal(columns, place, targets[i], sums, n_rows)
        else:
            add_gappy(columns, place, targets[i], sums, n_rows)


@kernel
def keep_within(rows, sums, n_kept, limit):
    """Drop the candidates beyond the limit; returns how many are left."""
    left = 0
    for i in range(n_kept):
        if sums[i] <= limit:
            rows[left], sums[left] = rows[i], sums[i]
            left += 1
    return left


@kernel
def admit(
    sums, n_rows, row, excluded, limit, slack, rounding, nearest, kept, rows, kept_sums
):
    """Take the rows of a block into the candidates; returns their number and the limit.

    The number is -1 once there are too many to keep; the limit goes on falling.
    """
    last = nearest.size - 1
    if not count_within(sums, np.uintp(0), np.uintp(n_rows), limit):
        return kept, limit
    for probe in range(0, n_rows, PROBE):
        stop = min(probe + PROBE, n_rows)
        if not count_within(sums, np.uintp(probe), np.uintp(stop), limit):
            continue
        for i in range(probe, stop):
            if sums[i] > limit or row + i == excluded:
                continue
            if kept == rows.size:
                kept = keep_within(rows, kept_sums, kept, limit)
                if 4 * kept > 3 * rows.size:
                    kept = -1
            if kept >= 0:
                rows[kept], kept_sums[kept] = row + i, sums[i]
                kept += 1
            if sums[i] < nearest[last]:
                insert_sorted(nearest, sums[i])
                if nearest[last] < np.inf:
                    found = find_limit(np.float64(nearest[last]), slack, rounding)
                    limit = min(limit, found)
    return kept, limit
