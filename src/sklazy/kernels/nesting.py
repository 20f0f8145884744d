"""Votes with one attribute, two, three, ...: nested searches in one sweep."""

import numpy as np

from sklazy.kernels.bits import ALL, ZERO, find_set
from sklazy.kernels.compiling import entry, kernel, lean_kernel, loop_kernel
from sklazy.kernels.exact import (
    RawCases,
    RawQuery,
    add_attribute,
    find_kth,
    vote_for_nearest,
)
from sklazy.kernels.planes import (
    count_common,
    file_counted,
    keep_valid,
    list_bits,
    make_block_room,
    planes_for,
    ripple_carries,
    select_threshold,
)
from sklazy.kernels.sorting import select_kth
from sklazy.kernels.votes import share_votes, weigh_agreements, weigh_distances

_BLOCK = 16  # rows that are looked at together


@kernel
def add_set(bits, start, n_words, planes, width, top, carries):
    """Add one bit set to the planes below `top`."""
    for i in range(n_words):
        carries[i] = bits[start + i]
    for plane in range(top):
        ripple_carries(planes, width * np.uintp(plane), carries, n_words)


@entry
def vote_nested_nominal(
    value_bits,
    starts,
    offsets,
    set_of_value,
    class_bits,
    classes,
    n_rows,
    codes,
    attributes,
    excluded,
    ks,
    shares,
    by_distance,
    first,
    last,
    votes,
):
    """Votes of the k nearest rows, and those tied, by a query's first r attributes.

    For every k and r at once: ``votes[i, q, r - 1]`` equals what `match_nominal` finds
    with the first r attributes and ``k = ks[i]``. One more attribute is one more bit
    set on the planes.

    Parameters
    ----------
    value_bits, starts, offsets, set_of_value, class_bits, classes, n_rows, codes
        As in `match_nominal`.
    attributes : int32 array of shape (n_queries, n_most)
        The complete order of each query's attributes.
    excluded : int64 array of shape (n_queries,)
        As in `match_nominal`.
    ks : int64 array of shape (n_ks,)
    shares, by_distance : bool
        How rows vote; see `share_votes`.
    first, last : int
    votes : float64 array of shape (n_ks, n_queries, n_most, n_classes), written
    """
    n_most, n_classes = votes.shape[2], votes.shape[3]
    n_words = (n_rows + 511) >> 9 << 3  # whole cache lines
    width = np.uintp(n_words)
    stride = np.uintp(value_bits.shape[1])
    bits, flat_classes = value_bits.reshape(-1), class_bits.reshape(-1)
    room = make_block_room(n_words, planes_for(n_most))
    carries = np.empty(n_words, np.uint64)
    planes, above, tied, rows = room.planes, room.above, room.same, room.rows
    at_last = np.empty(n_classes, np.int64)
    levels = np.empty((n_most + 1, n_classes), np.int64)
    weighted = np.empty(n_classes + 1 if by_distance else 0)
    for query in range(first, last):
        planes[:] = ZERO
        for r in range(n_most):
            attribute = attributes[query, r]
            code = codes[query, attribute]
            top = planes_for(r + 1)
            if code >= 0:
                place = find_set(attribute, code, starts, offsets, set_of_value)
                start = np.uintp(place) * stride
                add_set(bits, start, width, planes, width, top, carries)
            for i in range(ks.size):
                k, query_votes = ks[i], votes[i, query, r]
                for word in range(n_words):
                    tied[word] = ALL
                keep_valid(tied, 0, n_words, n_rows, excluded[query])
                threshold, _ = select_threshold(
                    planes, width, top, width, k, tied, above
                )
                for c in range(n_classes):
                    start = stride * np.uintp(c)
                    query_votes[c] = count_common(above, flat_classes, start, width)
                    at_last[c] = count_common(tied, flat_classes, start, width)
                if by_distance:
                    levels[: r + 2] = 0
                    n_listed = list_bits(above, 0, n_words, rows, 0)
                    file_counted(rows[:n_listed], 0, room, top, classes, levels)
                    weigh_agreements(levels, threshold, r + 1, weighted)
                share_votes(at_last, weighted, k, shares, query_votes)


@lean_kernel
def begin_sums(sums, excluded):
    """Begin distances at 0, that of an excluded row out of reach."""
    sums[:] = 0.0
    if excluded >= 0:
        sums[excluded] = np.inf


@loop_kernel
def gather_near(sums, limit, excluded, near_rows, near_sums):
    """Copy the rows within a distance, but one; returns their number.

    Most blocks of rows have none within it, which is seen at once.
    """
    n_near, n_whole = 0, sums.size - sums.size % _BLOCK
    for first in range(0, n_whole, _BLOCK):
        n_within = 0
        for row in range(first, first + _BLOCK):
            n_within += sums[row] <= limit
        if n_within == 0:
            continue
        for row in range(first, first + _BLOCK):
            near_rows[n_near], near_sums[n_near] = row, sums[row]
            n_near += (sums[row] <= limit) & (row != excluded)  # no branch to guess
    for row in range(n_whole, sums.size):
        near_rows[n_near], near_sums[n_near] = row, sums[row]
        n_near += (sums[row] <= limit) & (row != excluded)
    return n_near


@lean_kernel
def narrow_near(limit, near_rows, near_sums, n_listed):
    """Keep the listed rows within a distance; returns their number."""
    n_near = 0
    for i in range(n_listed):
        near_rows[n_near], near_sums[n_near] = near_rows[i], near_sums[i]
        n_near += near_sums[i] <= limit
    return n_near


@lean_kernel
def find_bound(sums, near_rows, near_sums, n_near, k):
    """A distance within which k rows are: those that were near are near yet."""
    for i in range(n_near):
        near_sums[i] = sums[near_rows[i]]
    return select_kth(near_sums[:n_near], k - 1)


@lean_kernel
def find_last(near_sums, room, n_near, k):
    """The k-th smallest distance, infinite if there are fewer."""
    if n_near < k:
        return np.inf
    for i in range(n_near):
        room[i] = near_sums[i]
    return select_kth(room[:n_near], k - 1)


@entry
def vote_nested_mixed(
    n_rows,
    case_codes,
    numeric,
    numbers,
    classes,
    widths,
    codes,
    values,
    attributes,
    excluded,
    ks,
    shares,
    by_distance,
    first,
    last,
    votes,
):
    """Vote as in `vote_nested_nominal`, by HEOM distances of numbers and codes.

    ``votes[i, q, r - 1]`` equals what `search_mixed` finds with the first r attributes:
    exact distances are sums in the order of the attributes, so that those on r are
    those on r - 1 and one term more. The rows within the largest k are looked for among
    all, those within the others among these.

    Parameters
    ----------
    n_rows, case_codes, numeric, numbers, classes, codes, values
        As in `search_mixed`.
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    attributes, excluded, ks, shares, by_distance, first, last, votes
        As in `vote_nested_nominal`.
    """
    n_most, n_classes, largest = votes.shape[2], votes.shape[3], ks.max()
    near_rows, near_sums = np.empty(n_rows, np.int64), np.empty(n_rows)
    room = np.empty(n_rows)
    counted = np.empty(n_classes, np.int64)
    at_last = np.empty(n_classes, np.int64)
    weighted = np.empty(n_classes + 1 if by_distance else 0)
    sums, smallest = np.empty(n_rows), np.empty(largest)
    order = np.empty(largest, np.int64)
    for number in range(first, last):
        cases = RawCases(case_codes, numeric, numbers, widths[number])
        query = RawQuery(codes[number], values[number], attributes[number])
        begin_sums(sums, excluded[number])
        n_near = 0
        for r in range(n_most):
            add_attribute(sums, attributes[number, r], query, cases)
            if n_near < largest:
                bound = find_kth(sums, smallest)
            else:
                bound = find_bound(sums, near_rows, near_sums, n_near, largest)
            n_near = gather_near(sums, bound, excluded[number], near_rows, near_sums)
            limit = find_last(near_sums, room, n_near, largest)
            n_near = narrow_near(limit, near_rows, near_sums, n_near)
            near, squares = near_rows[:n_near], near_sums[:n_near]
            for i in range(ks.size):
                k, query_votes = ks[i], votes[i, number, r]
                counted[:] = 0
                at_last[:] = 0
                kth = limit if k == largest else find_kth(squares, smallest[:k])
                vote_for_nearest(near, squares, kth, classes, counted, at_last)
                if by_distance:
                    weigh_distances(near, squares, kth, order, classes, weighted)
                for c in range(n_classes):
                    query_votes[c] = counted[c] - at_last[c]
                share_votes(at_last, weighted, k, shares, query_votes)
