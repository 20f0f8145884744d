"""Counting agreements 64 rows per word, in bit planes; `lines` sums bit sets into them.

Plane l holds bit l of every row's count. Planes lie one after the other in a flat
array, `width` words each. Loops over words run over plain unsigned indices, which is
what lets them vectorize. The rows of a block that a count selects are a bit set, too:
kept, listed, filed by agreements, voting.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import ONE, ZERO, popcount, trailing_zeros
from sklazy.kernels.compiling import kernel, lean_kernel
from sklazy.kernels.lines import LINE, find_filled, narrow_lines


@lean_kernel
def planes_for(n_sets):
    """Number of planes that can hold a count of `n_sets`, at least four."""
    planes = 4
    while (1 << planes) <= n_sets:
        planes += 1
    return planes


@lean_kernel
def ripple_carries(planes, start, carries, n_words):
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
        plane_word = planes[np.uintp(width) * np.uintp(plane) + word]
        count |= np.int64((plane_word >> bit) & ONE) << plane
    return count


class BlockRoom(NamedTuple):
    """Room for the rows of a block of `width` words.

    Attributes
    ----------
    planes : uint64 array of shape (n_planes * width,)
    width : int
    above, same : uint64 arrays, at least `width` words
        The rows above a threshold, and those at it.
    rows : int64 array
        A list of rows.
    """

    planes: NDArray[np.uint64]
    width: int
    above: NDArray[np.uint64]
    same: NDArray[np.uint64]
    rows: NDArray[np.int64]


@kernel
def make_block_room(width, n_planes):
    """Room for the rows of a block, in whole multiples of 64 words."""
    n_words = (width + 63) >> 6 << 6
    return BlockRoom(
        np.empty(width * n_planes, np.uint64),
        width,
        np.empty(n_words, np.uint64),
        np.empty(n_words, np.uint64),
        np.empty(n_words << 6, np.int64),
    )


class ClassSets(NamedTuple):
    """The classes of all rows, twice.

    Attributes
    ----------
    bits : uint64 array of shape (n_classes * stride,)
    stride : int
    codes : uint8 array of shape (capacity, n_bytes)
        The bytes of each row's class, low first.
    """

    bits: NDArray[np.uint64]
    stride: np.uintp
    codes: NDArray[np.uint8]


@lean_kernel
def keep_valid(words, word, n_words, n_rows, excluded):
    """Take the rows beyond the last and the excluded one out of the block."""
    for i in range(max(0, (n_rows >> 6) - word), n_words):
        left = n_rows - ((word + i) << 6)
        if left <= 0:
            words[i] = ZERO
        elif left < 64:
            words[i] &= (ONE << np.uint64(left)) - ONE
    place = (excluded >> 6) - word
    if excluded >= 0 and 0 <= place < n_words:
        words[place] &= ~(ONE << np.uint64(excluded & 63))


@lean_kernel
def separate_above(above, reaching, n_words):
    """Reaching &= ~above; returns the numbers of rows above and of those left."""
    n_above = n_left = ZERO
    for i in range(n_words):
        more = above[i]
        left = reaching[i] & ~more
        reaching[i] = left
        n_above += popcount(more)
        n_left += popcount(left)
    return np.int64(n_above), np.int64(n_left)


@lean_kernel
def count_row(bits, sets, n_sets, row):
    """Number of the sets that have one row."""
    count = np.int64(0)
    word, bit = np.uintp(row >> 6), np.uint64(row & 63)
    for i in range(n_sets):
        count += np.int64((bits[sets[i] + word] >> bit) & ONE)
    return count


@lean_kernel
def class_of(classes, row):
    """The class of a row, from its bytes."""
    label = np.int64(classes[row, 0])
    for i in range(1, classes.shape[1]):
        label |= np.int64(classes[row, i]) << (8 * i)
    return label


@lean_kernel
def list_bits(words, word, n_words, rows, n_listed):
    """Write down the rows of a block's set, ascending; returns how many are listed.

    There is room for whole multiples of 64 words.
    """
    for first in range(0, n_words, 64):
        filled = find_filled(words, first)
        if n_words - first < 64:
            filled &= (ONE << np.uint64(n_words - first)) - ONE
        while filled != ZERO:
            place = first + np.int64(trailing_zeros(filled))
            left = words[place]
            while left != ZERO:
                rows[n_listed] = ((word + place) << 6) + np.int64(trailing_zeros(left))
                n_listed += 1
                left &= left - ONE
            filled &= filled - ONE
    return n_listed


@lean_kernel
def file_rows(rows, bits, sets, n_sets, classes, levels):
    """Count rows by their number of agreements and class."""
    for row in rows:
        levels[count_row(bits, sets, n_sets, row), class_of(classes, row)] += 1


@lean_kernel
def file_counted(rows, word, room, n_planes, classes, levels):
    """The same for rows of a block whose agreements planes hold."""
    for row in rows:
        level = read_count(room.planes, room.width, n_planes, row - (word << 6))
        levels[level, class_of(classes, row)] += 1


@lean_kernel
def vote_by_class(words, word, n_words, n_members, classes, rows, votes):
    """One vote for the class of every row in the block's set.

    Row by row while they are few (a row costs some 40 words of popcount), else class
    by class.
    """
    if 40 * n_members < votes.size * n_words:
        for i in range(list_bits(words, word, n_words, rows, 0)):
            votes[class_of(classes.codes, rows[i])] += 1
    else:
        for c in range(votes.size):
            start = classes.stride * np.uintp(c) + np.uintp(word)
            votes[c] += count_common(words, classes.bits, start, np.uintp(n_words))
