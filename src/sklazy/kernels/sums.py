"""Sums of floats without any rounding: whole numbers, 32 bits of them in a cell.

A float is a whole number of 53 bits times a power of two. The bits are added where
they belong, so neither the order of the rows nor how they are divided matters.
"""

import numpy as np

from sklazy.kernels.compiling import inlined, lean_entry

BITS = 32  # of the sum in a cell; the others count what is carried, up to 2**30 rows
LARGEST = 2046  # the exponent field of the largest finite number

_LOW = np.uint64((1 << BITS) - 1)
_FRACTION = np.uint64((1 << 52) - 1)
_LEADING = np.uint64(1 << 52)
_FIELD = np.uint64(0x7FF)
_HALF = np.uint64(27)
_LOW_HALF = np.uint64((1 << 27) - 1)


@inlined
def add_whole(sums, cell, place, whole, sign):
    """Add a whole number of up to 63 bits, shifted to a place, to a sum."""
    row, shift = place >> 5, np.uint64(place & 31)
    low, high = (whole & _LOW) << shift, (whole >> np.uint64(BITS)) << shift
    middle = (low >> np.uint64(BITS)) + (high & _LOW)
    sums[row, cell] += sign * np.int64(low & _LOW)
    sums[row + 1, cell] += sign * np.int64(middle)
    sums[row + 2, cell] += sign * np.int64(high >> np.uint64(BITS))


@lean_entry
def span_of(bits):
    """Smallest and largest exponent field of numbers, those of 0 and NaN aside.

    Equal to the least and greatest of ``(bits >> 52) & 0x7ff``, subnormal ones as 1.
    """
    least, most = LARGEST + 1, 0
    for i in range(bits.size):
        field = np.int64((bits[i] >> np.uint64(52)) & _FIELD)
        if field <= LARGEST and (bits[i] << np.uint64(1)) != np.uint64(0):
            field = max(field, 1)
            least, most = min(least, field), max(most, field)
    return least, most


@lean_entry
def add_exactly(bits, cells, first, squared, sums):
    """Add numbers, or their squares, to the sums of their cells; NaN is passed over.

    Parameters
    ----------
    bits : uint64 array of shape (n,)
        Of float64 numbers, nowhere infinite.
    cells : int64 array of shape (n,)
    first : int
        The place, counted in bits from that of the smallest number (or its square),
        at which the sums begin.
    squared : bool
    sums : int64 array of shape (n_parts, n_cells), written
        Part i of a sum counts times ``2 ** (BITS * i)``.
    """
    for i in range(bits.size):
        field = np.int64((bits[i] >> np.uint64(52)) & _FIELD)
        if field > LARGEST:
            continue
        whole, place = bits[i] & _FRACTION, np.int64(0)
        if field > 0:
            whole, place = whole | _LEADING, field - 1
        elif whole == np.uint64(0):
            continue  # zero adds nothing, and may lie below the first part
        cell = cells[i]
        if not squared:
            sign = np.int64(-1) if bits[i] >> np.uint64(63) else np.int64(1)
            add_whole(sums, cell, place - first, whole, sign)
            continue
        place = 2 * place - first
        high, low = whole >> _HALF, whole & _LOW_HALF
        add_whole(sums, cell, place, low * low, np.int64(1))
        add_whole(sums, cell, place + 28, high * low, np.int64(1))
        add_whole(sums, cell, place + 54, high * high, np.int64(1))
