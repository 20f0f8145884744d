"""Nominal nearest neighbors: the rows that agree with a query most often.

The k-th largest number of agreements is a threshold; every row that reaches it votes,
ties and all. No distance and no list of rows is ever written down.
"""

import numpy as np

from sklazy.kernels.bits import ALL, ONE, ZERO, popcount, trailing_zeros
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.planes import (
    GROUP,
    compare_last_group,
    compare_planes,
    count_common,
    planes_for,
    select_threshold,
    sum_sets,
)
from sklazy.kernels.votes import (
    add_levels,
    move_threshold,
    raise_threshold,
    weigh_levels,
)

FIRST_BLOCK = 64  # words; the threshold among these rows starts the search
BLOCK = 256  # words; what many queries read of the bit sets stays in the L2 cache
MOST_QUERIES = 64  # that share a block
MOST_FILED = 16  # times k rows above the threshold; beyond, a new one is sought first
MOST_LEVELS = 1 << 17  # counters of rows above the threshold, over these queries


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


@kernel
def point_at_sets(
    codes, attributes, n_sets, starts, offsets, set_of_value, n_empty, stride, sets
):
    """Write the word offsets of the bit sets of one query's values.

    What agrees with nothing, and every place left over, points at the empty set.
    """
    for i in range(sets.size):
        sets[i] = np.uintp(n_empty) * stride
    for i in range(n_sets):
        attribute = attributes[i]
        code = codes[attribute]
        if code >= 0:
            place = starts[attribute] + code
            if starts[attribute] < 0:
                place = set_of_value[offsets[attribute] + code]
            sets[i] = np.uintp(place) * stride


@kernel
def select_in_block(
    planes, width, n_planes, word, n_words, n_rows, excluded, k, above, reaching
):
    """Find the threshold among the rows of one block alone; return it.

    Leaves above = count > threshold and reaching = count == threshold behind.
    """
    for i in range(n_words):
        reaching[i] = ALL
    keep_valid(reaching, word, n_words, n_rows, excluded)
    length = np.uintp(n_words)
    return select_threshold(planes, width, n_planes, length, k, reaching, above)


@entry
def match_nominal(
    value_bits,
    starts,
    offsets,
    set_of_value,
    class_bits,
    classes,
    n_rows,
    codes,
    attributes,
    counts,
    excluded,
    k,
    first,
    last,
    votes,
    thresholds,
    tied,
    weighted,
):
    """Let all rows vote that agree at least as often as the k-th most agreeing one.

    Equal, for each query, to ``agreements = sum(cases[j] == query[j])`` over its
    attributes and ``bincount(classes[agreements >= kth_largest(agreements)])``.

    The arguments are the cases (up to `n_rows`), the queries (up to `excluded`), what
    is asked, and the four arrays that are written.

    Parameters
    ----------
    value_bits : uint64 array of shape (n_sets + 1, n_words), the last set empty
        The rows that have a value, one bit per row.
    starts : int64 array of shape (n_attributes,)
        The set of value v of attribute j is ``starts[j] + v``; where `starts` is -1,
        it is ``set_of_value[offsets[j] + v]``.
    offsets : int64 array of shape (n_attributes + 1,)
    set_of_value : int64 array of shape (offsets[-1],), or empty if none is used
    class_bits : uint64 array of shape (n_classes, n_words)
    classes : uint8 array of shape (capacity, n_bytes)
        The bytes of each row's class, low first: one signature for any type.
    n_rows : int
        The rows there are; the arrays may have room for more.
    codes : int32 array of shape (n_queries, n_attributes)
    attributes : int32 array of shape (n_queries, n_most)
    counts : int32 array of shape (n_queries,)
        A query uses the first ``counts`` of its attributes.
    excluded : int64 array of shape (n_queries,)
        A row that does not take part, or -1.
    k, first, last : int
        Neighbors asked for; the queries to answer are ``first..last - 1``.
    votes : int64 array of shape (n_queries, n_classes), written
    thresholds : int64 array of shape (n_queries,), written
        The number of agreements of the k-th neighbor.
    tied : int64 array of shape (n_queries, n_classes), written
        The votes of the rows that have just this number.
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        The votes of rows nearer than these, weighed, and a tied one's weight.

    Notes
    -----
    *Bit planes.* A query of r attributes points at r bit sets, those of its values; a
    row agrees as often as it is in them. The sets are added like binary numbers, one
    per row, 64 rows per word: plane l holds bit l of every row's count, and a handful
    of logical operations adds seven sets to the planes (`sklazy.kernels.planes`). No
    count is ever written down for a row by itself.

    *Loops.* Queries by up to `MOST_QUERIES`; for these, blocks of rows, a small one
    first; for a block, the queries one by one. So the sets of a block are read from
    memory once and from the cache for all but the first query, and what a query needs
    between two blocks is small: its threshold, the classes of the rows at it (in
    `votes`), and those of the rows above it by number of agreements (`levels`).

    *A block of a query.* In the first one a radix selection on the planes finds the
    k-th largest count. It is the threshold of the next block, where rows are only
    compared with it: the last seven sets are added and compared in one pass that
    writes two bit sets, the rows above and the rows at the threshold. Rows above are
    few; they are counted one by one and filed. As soon as k rows lie above, the
    threshold rises. Where more than `MOST_FILED` k rows of a block lie above, the
    threshold was far too low, and the block gets a new one by selection.

    *Why it is exact.* After every block fewer than k of the rows so far lie above the
    threshold, and at least k lie at or above it (if there are as many): it is their
    k-th largest count. It never falls, so a row that was below it once is never
    needed again, and all rows above it are filed.
    """
    stride = np.uintp(value_bits.shape[1])
    n_empty = value_bits.shape[0] - 1
    bits, flat_classes = value_bits.reshape(-1), class_bits.reshape(-1)
    n_classes = votes.shape[1]
    n_levels = attributes.shape[1] + 1
    n_all = (n_rows + 511) >> 9 << 3  # words, in whole cache lines
    # At least 2 k rows, so that the first threshold is not far from the last.
    first_words = min(n_all, max(FIRST_BLOCK, (k + 255) >> 8 << 3))
    if n_all <= 2 * FIRST_BLOCK:  # a second block would not pay
        first_words = n_all
    width = np.uintp(max(first_words, BLOCK))
    planes = np.empty(width * np.uintp(planes_for(n_levels - 1)), np.uint64)
    carries = np.empty(width, np.uint64)
    above = np.empty(width, np.uint64)
    reaching = np.empty(width, np.uint64)
    nothing = np.zeros(width * np.uintp(4), np.uint64)  # planes of no sets at all
    step = min(MOST_QUERIES, max(4, MOST_LEVELS // (n_levels * n_classes)))
    step = min(step, last - first)
    sets = np.empty(
        (step, (max(1, n_levels - 1) + GROUP - 1) // GROUP * GROUP), np.uintp
    )
    levels = np.empty((step, n_levels, n_classes), np.int64)
    n_above = np.empty(step, np.int64)
    for begin in range(first, last, step):
        end = min(last, begin + step)
        levels[:] = 0
        word = 0
        while word < n_all:
            n_words = min(n_all - word, first_words if word == 0 else BLOCK)
            start, length = np.uintp(word), np.uintp(n_words)
            for query in range(begin, end):
                own, own_levels = sets[query - begin], levels[query - begin]
                n_sets, without = np.int64(counts[query]), excluded[query]
                if word == 0:
                    point_at_sets(
                        codes[query],
                        attributes[query],
                        n_sets,
                        starts,
                        offsets,
                        set_of_value,
                        n_empty,
                        stride,
                        own,
                    )
                n_planes = planes_for(n_sets)
                last_group = max(0, (n_sets - 1) // GROUP) * GROUP
                selects = word == 0
                # Twice at the most: compared, and if the threshold was far too low,
                # summed as a whole for a new one.
                while True:
                    n_summed = n_sets if selects else last_group
                    before = nothing
                    if n_summed > 0:
                        before = planes
                        sum_sets(
                            bits,
                            own,
                            n_summed,
                            start,
                            length,
                            planes,
                            width,
                            n_planes,
                            carries,
                        )
                    if selects:
                        break
                    compare_last_group(
                        bits,
                        own[last_group:],
                        start,
                        length,
                        before,
                        width,
                        thresholds[query],
                        above,
                        reaching,
                        carries,
                    )
                    compare_planes(
                        planes,
                        width,
                        n_planes,
                        length,
                        thresholds[query],
                        above,
                        reaching,
                        carries,
                    )
                    keep_valid(reaching, word, n_words, n_rows, without)
                    keep_valid(above, word, n_words, n_rows, without)
                    n_more, n_same = separate(above, reaching, length)
                    if n_more <= MOST_FILED * k:
                        break
                    selects = True
                if selects:
                    thresholds[query] = select_in_block(
                        before,
                        width,
                        n_planes,
                        word,
                        n_words,
                        n_rows,
                        without,
                        k,
                        above,
                        reaching,
                    )
                    n_more, n_same = separate(above, reaching, length)
                    votes[query, :] = 0
                    n_above[query - begin] = 0
                    if word > 0:
                        n_above[query - begin] = move_threshold(
                            thresholds[query], own_levels, votes[query]
                        )
                if n_more > 0:
                    file_rows(
                        above, word, n_words, bits, own, n_sets, classes, own_levels
                    )
                    n_above[query - begin] += n_more
                # A higher threshold has its tied rows filed; those at the old one,
                # of this block, too, do not vote any more.
                if n_above[query - begin] >= k:
                    thresholds[query], n_above[query - begin] = raise_threshold(
                        thresholds[query],
                        k,
                        n_above[query - begin],
                        own_levels,
                        votes[query],
                    )
                elif n_same > 0:
                    vote(
                        reaching,
                        word,
                        n_words,
                        n_same,
                        flat_classes,
                        stride,
                        classes,
                        votes[query],
                    )
            word += n_words
        # So far only the rows at the threshold have voted; now those above it.
        for query in range(begin, end):
            tied[query] = votes[query]
            own_levels = levels[query - begin]
            add_levels(own_levels, thresholds[query], counts[query], votes[query])
            if weighted.size > 0:
                weigh_levels(
                    own_levels, thresholds[query], counts[query], weighted[query]
                )
