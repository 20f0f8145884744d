"""Counting agreements 64 rows per word, in bit planes; `lines` sums bit sets into them.

Plane l holds bit l of every row's count. Planes lie one after the other in a flat
array, `width` words each. All loops run over plain unsigned indices, which is what
lets them vectorize.
"""

import numpy as np

from sklazy.kernels.bits import ZERO, popcount
from sklazy.kernels.compiling import kernel


@kernel
def planes_for(n_sets):
    """Number of planes that can hold a count of `n_sets`, at least four."""
    planes = 4
    while (1 << planes) <= n_sets:
        planes += 1
    return planes


@kernel
def ripple(planes, start, carries, n_words):
    """Add the carries to one plane; the new carries take their place."""
    for i in range(n_words):
        old = planes[start + i]
        carry = carries[i]
        planes[start + i] = old ^ carry
        carries[i] = old & carry


@kernel
def fill_zero(words, start, stop):
    """words[start:stop] = 0."""
    for i in range(start, stop):
        words[i] = ZERO


@kernel
def count_common(words, planes, start, n_words):
    """Number of bits that `words` has in common with one plane."""
    count = np.int64(0)
    for i in range(n_words):
        count += np.int64(popcount(words[i] & planes[start + i]))
    return count


@kernel
def keep_common(words, planes, start, n_words):
    """Words &= plane."""
    for i in range(n_words):
        words[i] &= planes[start + i]


@kernel
def move_common(words, planes, start, n_words, above):
    """Move what the words have in common with one plane from `words` to `above`."""
    for i in range(n_words):
        word, bits = words[i], planes[start + i]
        above[i] |= word & bits
        words[i] = word & ~bits


@kernel
def select_threshold(planes, width, n_planes, n_words, k, candidates, above):
    """Return the k-th largest count among the candidate rows, 0 if there are fewer.

    A radix selection from the top plane down: keep the rows with the bit if they are
    enough, else count them in and go on with the others. Leaves the rows of just this
    count in `candidates` and those of a larger one in `above`.
    """
    threshold = 0
    for i in range(n_words):
        above[i] = ZERO
    for plane in range(n_planes - 1, -1, -1):
        start = width * np.uintp(plane)
        with_bit = count_common(candidates, planes, start, n_words)
        if with_bit >= k:
            keep_common(candidates, planes, start, n_words)
            threshold |= 1 << plane
        else:
            k -= with_bit
            move_common(candidates, planes, start, n_words, above)
    return threshold
