"""Nominal nearest neighbors: the rows that agree with a query most often.

The k-th largest number of agreements is a threshold; every row that reaches it votes,
ties and all. No distance and no list of rows is ever written down.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import ALL, find_set
from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.lines import GROUP, LINE, compare_lines, count_planes, sum_lines
from sklazy.kernels.planes import (
    ClassSets,
    count_common,
    file_counted,
    file_rows,
    keep_valid,
    list_bits,
    make_block_room,
    planes_for,
    select_threshold,
    separate_above,
    vote_by_class,
)
from sklazy.kernels.votes import (
    add_levels,
    move_threshold,
    raise_threshold,
    take_over,
    weigh_agreements,
    write_tallies,
)

FIRST_BLOCK = 64  # words; the threshold among these rows starts the search
BLOCK = 256  # words; what many queries read of the bit sets stays in the L2 cache
MOST_QUERIES = 1024  # that share a block; each reads of memory what all of them need
MOST_FILED = 16  # times k rows above the threshold; beyond, a new one is sought first
MOST_LEVELS = 1 << 17  # counters of rows above the threshold, over these queries


@lean_kernel
def point_at_sets(
    codes, attributes, n_sets, starts, offsets, set_of_value, n_empty, stride, sets
):
    """Write the word offsets of the bit sets of one query's values.

    A value that agrees with no row, and every place left over, points at the empty set.
    """
    for i in range(sets.size):
        sets[i] = np.uintp(n_empty) * stride
    for i in range(n_sets):
        attribute = attributes[i]
        code = codes[attribute]
        if code >= 0:
            place = find_set(attribute, code, starts, offsets, set_of_value)
            sets[i] = np.uintp(place) * stride


@lean_kernel
def plan_blocks(n_rows, k):
    """The words of all rows, in whole cache lines, and those of the first block."""
    n_all = (n_rows + 511) >> 9 << 3
    if n_all <= 2 * FIRST_BLOCK:  # a second block would not pay
        return n_all, n_all
    # At least 2 k rows, so that the first threshold is not far from the last.
    return n_all, min(n_all, max(FIRST_BLOCK, (k + 255) >> 8 << 3))


@lean_kernel
def search_block(
    bits, sets, n_sets, word, n_words, n_rows, excluded, k, threshold, room
):
    """Find the rows of a block above the threshold and those at it.

    Without a threshold (-1), or where it turns out to be far too low, it becomes the
    k-th largest count among the rows of this block alone; the planes then hold the
    counts of these.

    Returns the threshold and the numbers of rows above and at it; leaves the bit sets
    of both behind.
    """
    above, same, planes, width = room.above, room.same, room.planes, room.width
    n_lines, length = n_words // LINE, np.uintp(n_words)
    if threshold >= 0:
        n_above, n_same = compare_lines(
            bits, sets, n_sets, word, n_lines, threshold, above, same
        )
        # Where rows end in this block, or one of them does not take part.
        is_last = ((word + n_words) << 6) > n_rows
        if is_last or word <= excluded >> 6 < word + n_words:
            keep_valid(same, word, n_words, n_rows, excluded)
            keep_valid(above, word, n_words, n_rows, excluded)
            n_above, n_same = separate_above(above, same, length)
        if n_above <= MOST_FILED * k:
            return threshold, n_above, n_same
    sum_lines(bits, sets, n_sets, word, n_lines, planes, width)
    for i in range(n_words):
        same[i] = ALL
    keep_valid(same, word, n_words, n_rows, excluded)
    n_planes = planes_for(n_sets)
    threshold, n_above = select_threshold(
        planes, np.uintp(width), n_planes, length, k, same, above
    )
    return threshold, n_above, count_common(same, same, np.uintp(0), length)


class BlockTallies(NamedTuple):
    """What is known of some queries between two blocks.

    Attributes
    ----------
    votes : int64 array of shape (n_queries, n_classes)
        The rows at the threshold, by class.
    thresholds, n_above : int64 arrays of shape (n_queries,)
        The threshold, and how many rows lie above it.
    levels : int64 array of shape (n_queries, n_levels, n_classes)
        The rows above it by number of agreements and class.
    """

    votes: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    n_above: NDArray[np.int64]
    levels: NDArray[np.int64]


@lean_kernel
def search_blocks(bits, classes, n_rows, counts, excluded, k, sets, room, tallies):
    """Search all blocks for some queries, whose tallies are written."""
    word, (n_all, first_words) = 0, plan_blocks(n_rows, k)
    while word < n_all:
        n_words = min(n_all - word, first_words if word == 0 else BLOCK)
        for query in range(counts.size):
            votes, levels = tallies.votes[query], tallies.levels[query]
            before, n_above = tallies.thresholds[query], tallies.n_above[query]
            query_sets, n_sets = sets[query], np.int64(counts[query])
            threshold, n_more, n_same = search_block(
                bits,
                query_sets,
                n_sets,
                word,
                n_words,
                n_rows,
                excluded[query],
                k,
                before,
                room,
            )
            if threshold > before:
                n_above = move_threshold(threshold, levels, votes)
            if n_more > 0:
                n_above += n_more
                n_listed = list_bits(room.above, word, n_words, room.rows, 0)
                rows = room.rows[:n_listed]
                if threshold > before:  # the planes hold the counts of this block
                    n_planes = planes_for(n_sets)
                    file_counted(rows, word, room, n_planes, classes.codes, levels)
                else:
                    file_rows(rows, bits, query_sets, n_sets, classes.codes, levels)
            # A higher threshold has its tied rows filed; those at the old one, of
            # this block, too, do not vote any more.
            if n_above >= k:
                threshold, n_above = raise_threshold(
                    threshold, k, n_above, levels, votes
                )
            elif n_same > 0:
                vote_by_class(
                    room.same, word, n_words, n_same, classes, room.rows, votes
                )
            tallies.thresholds[query], tallies.n_above[query] = threshold, n_above
        word += n_words


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
    known,
    floors,
    k,
    first,
    last,
    votes,
    thresholds,
    tied,
    weighted,
    tallies,
):
    """Let all rows vote that agree at least as often as the k-th most agreeing one.

    Equal, for each query, to ``agreements = sum(cases[j] == query[j])`` over its
    attributes and ``bincount(classes[agreements >= kth_largest(agreements)])``.

    The arguments are the cases (up to `n_rows`), the queries (up to `excluded`), what
    is asked, and the five arrays that are written.

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
    known : int32 array, or empty
        The `tallies` of rows elsewhere, which are to be counted with these.
    floors : int64 array of shape (n_queries,)
        The `thresholds` of those.
    k, first, last : int
        Neighbors asked for; the queries to answer are ``first..last - 1``.
    votes : int64 array of shape (n_queries, n_classes), written
    thresholds : int64 array of shape (n_queries,), written
        The number of agreements of the k-th neighbor.
    tied : int64 array of shape (n_queries, n_classes), written
        The votes of the rows that have just this number.
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        The votes of rows nearer than these, weighed, and a tied one's weight.
    tallies : int32 array of shape (n_queries, n_most + 1, n_classes), written; or empty
        Rows by number of agreements and class, from the threshold up, those that are
        known among them: what searches among several parts of the rows add up.

    Notes
    -----
    *Bit planes.* A query of r attributes points at r bit sets, those of its values; a
    row agrees as often as it is in them. The sets are added like binary numbers, one
    per row, 64 rows per word: plane l holds bit l of every row's count, and a handful
    of logical operations adds seven sets to the planes (`sklazy.kernels.lines`). No
    count is ever written down for a row by itself.

    *Loops.* Queries by up to `MOST_QUERIES`; for these, blocks of rows, a small one
    first; for a block, the queries one by one. So the sets of a block are read from
    memory once and from the cache for all but the first query, and what a query needs
    between two blocks is small: its threshold, the classes of the rows at it (in
    `votes`), and those of the rows above it by number of agreements (`levels`).

    *A block of a query.* In the first one a radix selection on the planes finds the
    k-th largest count. It is the threshold of the next block, where rows are only
    compared with it: sets are added and compared in one pass that writes two bit
    sets, the rows above and the rows at the threshold. Rows above are
    few; they are counted one by one and filed. As soon as k rows lie above, the
    threshold rises. Where more than `MOST_FILED` k rows of a block lie above, the
    threshold was far too low, and the block gets a new one by selection.

    *Rows elsewhere.* Where another part of the rows was searched before, its threshold
    and its counts are those that the first block here goes on from, which is then one
    like the others.

    *Why it is exact.* After every block fewer than k of the rows so far lie above the
    threshold, and at least k lie at or above it (if there are as many): it is their
    k-th largest count. It never falls, so a row that was below it once is never
    needed again, and all rows above it are filed.
    """
    stride = np.uintp(value_bits.shape[1])
    n_classes, n_levels = votes.shape[1], attributes.shape[1] + 1
    _, first_words = plan_blocks(n_rows, k)
    room = make_block_room(max(first_words, BLOCK), count_planes(n_levels - 1))
    step = min(MOST_QUERIES, max(4, MOST_LEVELS // (n_levels * n_classes)))
    step = min(step, last - first)
    sets = np.empty((step, n_levels - 1 + GROUP), np.uintp)
    all_levels = np.empty((step, n_levels, n_classes), np.int64)
    n_above = np.empty(step, np.int64)
    class_sets = ClassSets(class_bits.reshape(-1), stride, classes)
    for begin in range(first, last, step):
        end = min(last, begin + step)
        all_levels[:] = 0
        for query in range(begin, end):
            q = query - begin
            votes[query, :] = 0
            n_above[q] = 0
            thresholds[query] = -1
            if known.size > 0:
                thresholds[query] = floors[query]
                n_above[q] = take_over(
                    known[query], floors[query], all_levels[q], votes[query]
                )
            point_at_sets(
                codes[query],
                attributes[query],
                counts[query],
                starts,
                offsets,
                set_of_value,
                value_bits.shape[0] - 1,
                stride,
                sets[q],
            )
        search_blocks(
            value_bits.reshape(-1),
            class_sets,
            n_rows,
            counts[begin:end],
            excluded[begin:end],
            k,
            sets,
            room,
            BlockTallies(votes[begin:end], thresholds[begin:end], n_above, all_levels),
        )
        # So far only the rows at the threshold have voted; now those above it.
        for query in range(begin, end):
            levels, threshold = all_levels[query - begin], thresholds[query]
            for c in range(n_classes):
                tied[query, c] = votes[query, c]
            if tallies.size > 0:
                write_tallies(levels, threshold, tied[query], tallies[query])
            add_levels(levels, threshold, counts[query], votes[query])
            if weighted.size > 0:
                weigh_agreements(levels, threshold, counts[query], weighted[query])
