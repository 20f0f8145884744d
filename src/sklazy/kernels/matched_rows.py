"""Rows of a block as a bit set: kept, counted, filed by agreements, voting."""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, popcount, trailing_zeros
from sklazy.kernels.compiling import kernel
from sklazy.kernels.planes import count_common


@kernel
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


@kernel
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


@kernel
def count_row(bits, sets, n_sets, row):
    """Number of the sets that have one row."""
    count = np.int64(0)
    word, bit = np.uintp(row >> 6), np.uint64(row & 63)
    for i in range(n_sets):
        count += np.int64((bits[sets[i] + word] >> bit) & ONE)
    return count


@kernel
def class_of(classes, row):
    """The class of a row, from its bytes."""
    found = np.int64(classes[row, 0])
    for i in range(1, classes.shape[1]):
        found |= np.int64(classes[row, i]) << (8 * i)
    return found


@kernel
def line_is_empty(words, i):
    """Tell whether a cache line of words has no row."""
    found = ZERO
    for j in range(i, i + np.uintp(8)):
        found |= words[j]
    return found == ZERO


@kernel
def file_rows(words, word, n_words, bits, sets, n_sets, classes, levels):
    """Count the block's rows by their number of agreements and class."""
    for line in range(0, n_words, 8):
        if line_is_empty(words, np.uintp(line)):
            continue
        for i in range(line, line + 8):
            left = words[i]
            while left != ZERO:
                row = ((word + i) << 6) + np.int64(trailing_zeros(left))
                levels[count_row(bits, sets, n_sets, row), class_of(classes, row)] += 1
                left &= left - ONE


@kernel
def vote(words, word, n_words, n_members, class_bits, stride, classes, votes):
    """One vote for the class of every row in the block's set.

    Row by row while they are few (a row costs some 40 words of popcount), else class
    by class.
    """
    if 40 * n_members < votes.size * n_words:
        for line in range(0, n_words, 8):
            if line_is_empty(words, np.uintp(line)):
                continue
            for i in range(line, line + 8):
                left = words[i]
                while left != ZERO:
                    row = ((word + i) << 6) + np.int64(trailing_zeros(left))
                    votes[class_of(classes, row)] += 1
                    left &= left - ONE
    else:
        for c in range(votes.size):
            start = stride * np.uintp(c) + np.uintp(word)
            votes[c] += count_common(words, class_bits, start, np.uintp(n_words))
