"""Counting agreements 64 rows per word: bit sets summed into bit planes.

Plane l holds bit l of every row's count. Bit sets come as word offsets into one flat
array, seven at a time: unused places point at the empty set. Planes lie one after the
other in a flat array, `width` words each. All loops run over plain unsigned indices,
which is what lets them vectorize.
"""

import numpy as np

from sklazy.kernels.bits import ALL, ZERO, popcount
from sklazy.kernels.compiling import kernel

GROUP = 7  # bit sets summed at once, into three planes


@kernel
def full_add(a, b, c):
    """Sum and carry of three bits, in each of 64 places."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@kernel
def majority(a, b, c):
    """The bit that at least two of three have, in each of 64 places."""
    return (a & b) | (c & (a | b))


@kernel
def planes_for(n_sets):
    """Number of planes that can hold a count of `n_sets`, at least four."""
    planes = 4
    while (1 << planes) <= n_sets:
        planes += 1
    return planes


@kernel
def sum_group(bits, a, b, c, d, e, f, g):
    """Three bits of the number of set bits among seven words."""
    low, carry_1 = full_add(bits[a], bits[b], bits[c])
    other, carry_2 = full_add(bits[d], bits[e], bits[f])
    low, carry_3 = full_add(low, other, bits[g])
    middle, high = full_add(carry_1, carry_2, carry_3)
    return low, middle, high


@kernel
def write_group(bits, sets, word, n_words, planes, width):
    """planes[:3] = the sum of the first seven sets."""
    a, b, c = sets[0] + word, sets[1] + word, sets[2] + word
    d, e, f, g = sets[3] + word, sets[4] + word, sets[5] + word, sets[6] + word
    second, third = width, width + width
    for i in range(n_words):
        low, middle, high = sum_group(
            bits, a + i, b + i, c + i, d + i, e + i, f + i, g + i
        )
        planes[i] = low
        planes[second + i] = middle
        planes[third + i] = high


@kernel
def add_group(bits, sets, word, n_words, planes, width, carries):
    """planes[:3] += the sum of seven sets; what overflows goes to `carries`."""
    a, b, c = sets[0] + word, sets[1] + word, sets[2] + word
    d, e, f, g = sets[3] + word, sets[4] + word, sets[5] + word, sets[6] + word
    second, third = width, width + width
    for i in range(n_words):
        low, middle, high = sum_group(
            bits, a + i, b + i, c + i, d + i, e + i, f + i, g + i
        )
        old = planes[i]
        planes[i] = old ^ low
        middle, carry = full_add(planes[second + i], middle, old & low)
        planes[second + i] = middle
        high, carry = full_add(planes[third + i], high, carry)
        planes[third + i] = high
        carries[i] = carry


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
def sum_sets(bits, sets, n_sets, word, n_words, planes, width, n_planes, carries):
    """Sum `n_sets` bit sets over a block of words into `n_planes` planes."""
    write_group(bits, sets, word, n_words, planes, width)
    fill_zero(planes, width * np.uintp(3), width * np.uintp(n_planes))
    for group in range(GROUP, n_sets, GROUP):
        add_group(bits, sets[group:], word, n_words, planes, width, carries)
        top = min(planes_for(group + GROUP), n_planes)
        for plane in range(3, top):
            ripple(planes, width * np.uintp(plane), carries, n_words)


@kernel
def unless(number, bit):
    """A word of ones where the number has a zero bit: the comparison's mask."""
    return ZERO if (number >> bit) & 1 else ALL


@kernel
def compare_last_group(
    bits, sets, word, n_words, planes, width, threshold, above, reaching, carries
):
    """Compare the low four bits of the planes plus seven sets with a threshold.

    The sum itself is not written, only what it carries to the fifth plane, and the
    comparison so far: above = sum > threshold, reaching = sum >= threshold (of the
    low four bits). From the lowest bit up, a one where the threshold has a zero
    turns the verdict to yes, a zero where it has a one to no.
    """
    a, b, c = sets[0] + word, sets[1] + word, sets[2] + word
    d, e, f, g = sets[3] + word, sets[4] + word, sets[5] + word, sets[6] + word
    second, third, fourth = width, width * np.uintp(2), width * np.uintp(3)
    mask_0, mask_1 = unless(threshold, 0), unless(threshold, 1)
    mask_2, mask_3 = unless(threshold, 2), unless(threshold, 3)
    for i in range(n_words):
        low, middle, high = sum_group(
            bits, a + i, b + i, c + i, d + i, e + i, f + i, g + i
        )
        old = planes[i]
        middle, carry = full_add(planes[second + i], middle, old & low)
        low ^= old
        high, carry = full_add(planes[third + i], high, carry)
        old = planes[fourth + i]
        top = old ^ carry
        carries[i] = old & carry
        more = majority(middle, low & mask_0, mask_1)
        same = majority(middle, low | mask_0, mask_1)
        above[i] = majority(top, majority(high, more, mask_2), mask_3)
        reaching[i] = majority(top, majority(high, same, mask_2), mask_3)


@kernel
def compare_plane(planes, start, n_words, mask, above, reaching, carries):
    """Carry the comparison on to the next plane, the carries added on the way."""
    for i in range(n_words):
        old, carry = planes[start + i], carries[i]
        bit = old ^ carry
        carries[i] = old & carry
        above[i] = majority(bit, above[i], mask)
        reaching[i] = majority(bit, reaching[i], mask)


@kernel
def compare_planes(
    planes, width, n_planes, n_words, threshold, above, reaching, carries
):
    """Carry the comparison of `compare_last_group` through the planes from the fifth.

    Then above = count > threshold and reaching = count >= threshold.
    """
    for plane in range(4, n_planes):
        compare_plane(
            planes,
            width * np.uintp(plane),
            n_words,
            unless(threshold, plane),
            above,
            reaching,
            carries,
        )


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
