"""Rows of a block as a bit set: kept, counted, filed by agreements, voting."""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, popcount, trailing_zeros
from sklazy.kernels.compiling import kernel, lean_kernel
from sklazy.kernels.lines import find_filled
from sklazy.kernels.planes import count_common, read_count


@kernel
def make_block(width):
    """Room for the rows of a block: two bit sets, and a list."""
    n_words = (width + 63) >> 6 << 6
    above = np.empty(n_words, np.uint64)
    same = np.empty(n_words, np.uint64)
    return above, same, np.empty(n_words << 6, np.int64)


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
def separate(above, reaching, n_words):
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
    found = np.int64(classes[row, 0])
    for i in range(1, classes.shape[1]):
        found |= np.int64(classes[row, i]) << (8 * i)
    return found


@lean_kernel
def list_rows(words, word, n_words, rows, n_listed):
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
def file_counted(rows, word, planes, width, n_planes, classes, levels):
    """The same for rows of a block whose agreements planes hold."""
    for row in rows:
        level = read_count(planes, width, n_planes, row - (word << 6))
        levels[level, class_of(classes, row)] += 1


@lean_kernel
def vote(words, word, n_words, n_members, class_bits, stride, classes, rows, votes):
    """One vote for the class of every row in the block's set.

    Row by row while they are few (a row costs some 40 words of popcount), else class
    by class.
    """
    if 40 * n_members < votes.size * n_words:
        for i in range(list_rows(words, word, n_words, rows, 0)):
            votes[class_of(classes, rows[i])] += 1
    else:
        for c in range(votes.size):
            start = stride * np.uintp(c) + np.uintp(word)
            votes[c] += count_common(words, class_bits, start, np.uintp(n_words))
