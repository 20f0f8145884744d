"""Sums of squared differences over columns, a block of rows at a time, in float32.

The differences of `sklazy.kernels.columns` once more, as the first pass of a search
needs them: half as wide, and free to be summed in any order. `sklazy.kernels.mixed`
knows how far they can be off and measures again, exactly, whatever comes near. Columns
lie one after the other in a flat array; a column is given by the place of the block's
first row in it.
"""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.np.arrayobj import make_array

from sklazy.kernels.compiling import instruction, lean_fast_kernel

GROUP = 8  # columns in one pass
PROBE = 64  # sums that are compared with a limit at once
_LANES = 16


@lean_fast_kernel
def fill_sums(sums, n_rows, value):
    """sums[:n_rows] = value."""
    for i in range(n_rows):
        sums[i] = value


@lean_fast_kernel
def add_eight_columns(columns, places, row, values, sums, n_rows):
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


@lean_fast_kernel
def add_four_columns(columns, places, row, values, sums, n_rows):
    """Add the squared differences in four columns without a missing cell."""
    a, b, c, d = places[0] + row, places[1] + row, places[2] + row, places[3] + row
    p, q, r, s = values[0], values[1], values[2], values[3]
    for i in range(n_rows):
        total = sums[i]
        total += (columns[a + i] - p) * (columns[a + i] - p)
        total += (columns[b + i] - q) * (columns[b + i] - q)
        total += (columns[c + i] - r) * (columns[c + i] - r)
        total += (columns[d + i] - s) * (columns[d + i] - s)
        sums[i] = total


@lean_fast_kernel
def add_plain_column(columns, place, value, sums, n_rows):
    """Add the squared differences in one column without a missing cell."""
    for i in range(n_rows):
        difference = columns[place + i] - value
        sums[i] += difference * difference


@lean_fast_kernel
def add_gappy_column(columns, place, value, sums, n_rows):
    """Add the squared differences in one column of numbers, 1 where missing."""
    for i in range(n_rows):
        difference = columns[place + i] - value
        square = difference * difference
        sums[i] += np.float32(1.0) if np.isnan(square) else square


@lean_fast_kernel
def add_nominal_column(columns, place, value, sums, n_rows):
    """Add 1 where the code is another one or missing."""
    for i in range(n_rows):
        sums[i] += np.float32(0.0) if columns[place + i] == value else np.float32(1.0)


def _find_within_in_numpy(sums, first, limit):
    within = sums[int(first) : int(first) + PROBE] <= limit
    return np.packbits(within, bitorder="little").view("<u8")[0].astype(np.uint64)


def _generate_within(context, builder, signature, values):
    sums, first, limit = values
    data = make_array(signature.args[0])(context, builder, sums).data
    lanes = ir.VectorType(ir.FloatType(), _LANES)
    limits = ir.Constant(lanes, ir.Undefined)
    for i in range(_LANES):
        limits = builder.insert_element(limits, limit, ir.IntType(32)(i))
    word = ir.IntType(64)
    mask = word(0)
    for i in range(0, PROBE, _LANES):
        pointer = builder.gep(data, [builder.add(first, word(i))])
        block = builder.load(builder.bitcast(pointer, lanes.as_pointer()), align=4)
        within = builder.fcmp_ordered("<=", block, limits)
        bits = builder.zext(builder.bitcast(within, ir.IntType(_LANES)), word)
        mask = builder.or_(mask, builder.shl(bits, word(i)))
    return mask


@instruction(_find_within_in_numpy)
def mask_within(_context, sums, first, limit):
    """Which of `PROBE` sums, from the first on, are at most `limit`: a bit for each."""
    return types.uint64(sums, first, limit), _generate_within
