"""Counting agreements 64 rows per word, in bit planes; `lines` sums bit sets into them.

Plane l holds bit l of every row's count. Planes lie one after the other in a flat
array, `width` words each. All loops run over plain unsigned indices, which is what
lets them vectorize.
"""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, popcount
from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.lines import LINE, narrow_lines


@lean_kernel
def planes_for(n_sets):
    """Number of planes that can hold a count of `n_sets`, at least four."""
    planes = 4
    while (1 << planes) <= n_sets:
        planes += 1
    return planes


@lean_kernel
def ripple(planes, start, carries, n_words):
    """Add the carries to one plane; the new carries take their place."""
    for i in range(n_words):
        old = planes[start + i]
        carry = carries[i]
        planes[start + i] = old ^ carry
        carries[i] = old & carry


@lean_kernel
def fill_zero(words, start, stop):
    """words[start:stop] = 0."""
    for i in range(start, stop):
        words[i] = ZERO


@lean_kernel
def count_common(words, planes, start, n_words):
    """Number of bits that `words` has in common with one plane."""
    count = np.int64(0)
    for i in range(n_words):
        count += np.int64(popcount(words[i] & planes[start + i]))
    return count


@lean_kernel
def select_threshold(planes, width, n_planes, n_words, k, candidates, above):
    """Return the k-th largest count among the candidate rows, 0 if there are fewer.

    Returns as well how many of them have a larger one.

    A radix selection from the top plane down: keep the rows with the bit if they are
    enough, else count them in and go on with the others. Leaves the rows of just this
    count in `candidates` and those of a larger one in `above`.

    Words are whole lines of the `width` words that a plane has.
    """
    threshold, n_above = 0, 0
    fill_zero(above, np.uintp(0), np.uintp(n_words))
    width, n_lines = np.int64(width), np.int64(n_words) // LINE
    start = width * (n_planes - 1)
    with_bit = count_common(candidates, planes, np.uintp(start), np.uintp(n_words))
    for plane in range(n_planes - 1, -1, -1):
        keeps = n_above + with_bit >= k
        if keeps:
            threshold |= 1 << plane
        else:
            n_above += with_bit
        following = max(0, start - width)
        with_bit = narrow_lines(
            planes, start, following, n_lines, keeps, candidates, above
        )
        start = following
    return threshold, n_above


@lean_kernel
def read_count(planes, width, n_planes, row):
    """The count of one row."""
    count = np.int64(0)
    word, bit = np.uintp(row >> 6), np.uint64(row & 63)
    for plane in range(n_planes):
        own = planes[np.uintp(width) * np.uintp(plane) + word]
        count |= np.int64((own >> bit) & ONE) << plane
    return count
