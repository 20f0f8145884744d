"""The mean target of the rows that agree with a query most often, by bit planes.

Agreements are counted as in `sklazy.kernels.matching`. What is added up are targets,
not classes, so the rows that may count are listed, in canonical order.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.lines import GROUP, count_planes
from sklazy.kernels.matching import (
    BLOCK,
    MOST_QUERIES,
    plan_blocks,
    point_at_sets,
    search_block,
)
from sklazy.kernels.means import mean_within
from sklazy.kernels.planes import count_row, list_bits, make_block_room

_MOST_LISTED = 1 << 21  # rows, over the queries that share a block


@kernel
def _list_reaching(
    room, word, n_words, bits, sets, n_sets, threshold, levels, rows, counts, n_listed
):
    """List a block's rows above the threshold and at it, with their agreements.

    Those of one number are in order. Those above are counted by level; returns the
    number of rows listed by now.
    """
    n_above = list_bits(room.above, word, n_words, rows, n_listed)
    for i in range(n_listed, n_above):
        counts[i] = count_row(bits, sets, n_sets, rows[i])
        levels[counts[i]] += 1
    n_all = list_bits(room.same, word, n_words, rows, n_above)
    for i in range(n_above, n_all):
        counts[i] = threshold
    return n_all


@kernel
def _keep_reaching(rows, counts, n_listed, threshold):
    """Drop the rows below the threshold; returns how many are left."""
    left = 0
    for i in range(n_listed):
        if counts[i] >= threshold:
            rows[left], counts[left] = rows[i], counts[i]
            left += 1
    return left


@entry
def mean_of_agreeing(
    value_bits,
    starts,
    offsets,
    set_of_value,
    n_rows,
    targets,
    codes,
    attributes,
    counts,
    excluded,
    k,
    shares,
    by_distance,
    first,
    last,
    means,
):
    """The mean target of rows that agree at least as often as the k-th most agreeing.

    Equal to `sklazy.kernels.means.mean_of_nearest` where every column has codes.

    Parameters
    ----------
    value_bits, starts, offsets, set_of_value, n_rows
        The cases, as in `sklazy.kernels.matching.match_nominal`.
    targets : float64 array of shape (n_rows,)
    codes, attributes, counts, excluded, k, first, last
        The queries and what is asked, as there.
    shares, by_distance : bool
        As in `sklazy.kernels.means.mean_within`.
    means : float64 array of shape (n_queries,), written
    """
    stride = np.uintp(value_bits.shape[1])
    n_empty = value_bits.shape[0] - 1
    bits = value_bits.reshape(-1)
    n_levels = attributes.shape[1] + 1
    n_all, first_words = plan_blocks(n_rows, k)
    room = make_block_room(max(first_words, BLOCK), count_planes(n_levels - 1))
    step = min(MOST_QUERIES, max(1, _MOST_LISTED // n_rows), last - first)
    sets = np.empty((step, n_levels - 1 + GROUP), np.uintp)
    rows = np.empty((step, n_rows), np.int64)
    agreed = np.empty((step, n_rows), np.int32)
    n_listed = np.empty(step, np.int64)
    n_above = np.empty(step, np.int64)
    thresholds = np.empty(step, np.int64)
    levels = np.empty((step, n_levels), np.int64)
    for begin in range(first, last, step):
        n_queries = min(last, begin + step) - begin
        levels[:] = 0
        n_listed[:] = 0
        word = 0
        while word < n_all:
            n_words = min(n_all - word, first_words if word == 0 else BLOCK)
            for q in range(n_queries):
                query, query_sets = begin + q, sets[q]
                n_sets, threshold = np.int64(counts[query]), thresholds[q]
                if word == 0:
                    threshold = -1
                    point_at_sets(
                        codes[query],
                        attributes[query],
                        n_sets,
                        starts,
                        offsets,
                        set_of_value,
                        n_empty,
                        stride,
                        query_sets,
                    )
                thresholds[q], n_more, _ = search_block(
                    bits,
                    query_sets,
                    n_sets,
                    word,
                    n_words,
                    n_rows,
                    excluded[query],
                    k,
                    threshold,
                    room,
                )
                if thresholds[q] > threshold:
                    n_above[q] = levels[q, thresholds[q] + 1 :].sum()
                n_above[q] += n_more
                n_listed[q] = _list_reaching(
                    room,
                    word,
                    n_words,
                    bits,
                    query_sets,
                    n_sets,
                    thresholds[q],
                    levels[q],
                    rows[q],
                    agreed[q],
                    n_listed[q],
                )
                while n_above[q] >= k:
                    thresholds[q] += 1
                    n_above[q] -= levels[q, thresholds[q]]
            word += n_words
        for q in range(n_queries):
            query, n_used = begin + q, counts[begin + q]
            n_left = _keep_reaching(rows[q], agreed[q], n_listed[q], thresholds[q])
            exact = np.empty(n_left)
            for i in range(n_left):
                exact[i] = n_used - agreed[q, i]
            kth = np.float64(n_used - thresholds[q]) if n_left >= k else np.inf
            means[query] = mean_within(
                rows[q, :n_left], exact, kth, k, shares, by_distance, targets
            )
