"""Sums of squared differences over columns, a block of rows at a time, in float32.

The differences of `sklazy.kernels.columns` once more, as the first pass of a search
needs them: half as wide, and free to be summed in any order. `sklazy.kernels.mixed`
knows how far they can be off and measures again, exactly, whatever comes near. Columns
lie one after the other in a flat array; a column is given by the place of the block's
first row in it.
"""

import numpy as np

from sklazy.kernels.compiling import fast_kernel, kernel

GROUP = 8  # columns in one pass


@fast_kernel
def fill(sums, n_rows, value):
    """sums[:n_rows] = value."""
    for i in range(n_rows):
        sums[i] = value


@fast_kernel
def add_group(columns, places, row, values, sums, n_rows):
    """Add the squared differences in eight columns without a missing cell."""
    a, b, c, d = places[0] + row, places[1] + row, places[2] + row, places[3] + row
    e, f, g, h = places[4] + row, places[5] + row, places[6] + row, places[7] + row
    p, q, r, s = values[0], values[1], values[2], values[3]
    t, u, v, w = values[4], values[5], values[6], values[7]
    for i in range(n_rows):
        total = sums[i]
        total += (columns[a + i] - p) * (columns[a + i] - p)
        total += (columns[b + i] - q) * (columns[b + i] - q)
        total += (columns[c + i] - r) * (columns[c + i] - r)
        total += (columns[d + i] - s) * (columns[d + i] - s)
        total += (columns[e + i] - t) * (columns[e + i] - t)
        total += (columns[f + i] - u) * (columns[f + i] - u)
        total += (columns[g + i] - v) * (columns[g + i] - v)
        total += (columns[h + i] - w) * (columns[h + i] - w)
        sums[i] = total


@fast_kernel
def add_plain(columns, place, value, sums, n_rows):
    """Add the squared differences in one column without a missing cell."""
    for i in range(n_rows):
        difference = columns[place + i] - value
        sums[i] += difference * difference


@fast_kernel
def add_gappy(columns, place, value, sums, n_rows):
    """Add the squared differences in one column of numbers, 1 where missing."""
    for i in range(n_rows):
        difference = columns[place + i] - value
        square = difference * difference
        sums[i] += np.float32(1.0) if np.isnan(square) else square


@fast_kernel
def add_nominal(columns, place, value, sums, n_rows):
    """Add 1 where the code is another one or missing."""
    for i in range(n_rows):
        sums[i] += np.float32(0.0) if columns[place + i] == value else np.float32(1.0)


@kernel
def count_within(sums, start, stop, limit):
    """Count the sums of a part that are at most `limit`."""
    found = np.int32(0)  # as wide as a float32, so that the loop vectorizes
    for i in range(start, stop):
        found += np.int32(sums[i] <= limit)
    return found
