"""Votes with one attribute, two, three, ...: nested searches in one sweep."""

import numpy as np

from sklazy.kernels.bits import ALL, ZERO
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import find_kth, list_rows, measure_cell, vote_for_nearest
from sklazy.kernels.matched_rows import file_rows, keep_valid
from sklazy.kernels.planes import count_common, planes_for, ripple, select_threshold
from sklazy.kernels.votes import finish_votes, weigh_levels, weigh_rows


@kernel
def add_set(bits, start, n_words, planes, width, top, carries):
    """Add one bit set to the planes below `top`."""
    for i in range(n_words):
        carries[i] = bits[start + i]
    for plane in range(top):
        ripple(planes, width * np.uintp(plane), carries, n_words)


@entry
def vote_nested(
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
    k,
    shares,
    by_distance,
    first,
    last,
    votes,
):
    """Votes of the k nearest rows, and those tied, by a query's first r attributes.

    For every r at once: ``votes[q, r - 1]`` equals what `match_nominal` finds with
    the first r attributes. One more attribute is one more bit set on the planes.

    Parameters
    ----------
    value_bits, starts, offsets, set_of_value, class_bits, classes, n_rows, codes
        As in `match_nominal`.
    attributes : int32 array of shape (n_queries, n_most)
        The complete order of each query's attributes.
    excluded, k
        As in `match_nominal`.
    shares, by_distance : bool
        How rows vote; see `finish_votes`.
    first, last : int
    votes : float64 array of shape (n_queries, n_most, n_classes), written
    """
    n_most, n_classes = votes.shape[1], votes.shape[2]
    n_words = (n_rows + 511) >> 9 << 3  # whole cache lines
    width = np.uintp(n_words)
    stride = np.uintp(value_bits.shape[1])
    bits, flat_classes = value_bits.reshape(-1), class_bits.reshape(-1)
    n_planes = planes_for(n_most)
    planes = np.empty(width * np.uintp(n_planes), np.uint64)
    carries = np.empty(n_words, np.uint64)
    above = np.empty(n_words, np.uint64)
    tied = np.empty(n_words, np.uint64)
    at_last = np.empty(n_classes, np.int64)
    sets = np.empty(n_most, np.uintp)
    levels = np.empty((n_most + 1, n_classes), np.int64)
    weighted = np.empty(n_classes + 1 if by_distance else 0)
    for query in range(first, last):
        planes[:] = ZERO
        for r in range(n_most):
            attribute = attributes[query, r]
            code = codes[query, attribute]
            top = planes_for(r + 1)
            sets[r] = np.uintp(value_bits.shape[0] - 1) * stride  # the empty one
            if code >= 0:
                place = starts[attribute] + code
                if starts[attribute] < 0:
                    place = set_of_value[offsets[attribute] + code]
                sets[r] = np.uintp(place) * stride
                add_set(bits, sets[r], width, planes, width, top, carries)
            for i in range(n_words):
                tied[i] = ALL
            keep_valid(tied, 0, n_words, n_rows, excluded[query])
            threshold = select_threshold(planes, width, top, width, k, tied, above)
            for c in range(n_classes):
                start = stride * np.uintp(c)
                votes[query, r, c] = count_common(above, flat_classes, start, width)
                at_last[c] = count_common(tied, flat_classes, start, width)
            if by_distance:
                levels[: r + 2] = 0
                file_rows(above, 0, n_words, bits, sets, r + 1, classes, levels)
                weigh_levels(levels, threshold, r + 1, weighted)
            finish_votes(at_last, weighted, k, shares, votes[query, r])


@kernel
def add_cells(
    sums, rows, attribute, codes, values, case_codes, numeric, numbers, widths
):
    """Add the squared differences of all rows in one attribute."""
    for i in range(rows.size):
        difference = measure_cell(
            rows[i], attribute, codes, values, case_codes, numeric, numbers, widths
        )
        sums[i] += difference * difference


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
    k,
    shares,
    by_distance,
    first,
    last,
    votes,
):
    """What `vote_nested` does, by HEOM distances of numbers and codes.

    ``votes[q, r - 1]`` equals what `search_mixed` finds with the first r attributes:
    exact distances are sums in the order of the attributes, so that those on r are
    those on r - 1 and one term more.

    Parameters
    ----------
    n_rows, case_codes, numeric, numbers, classes, codes, values
        As in `search_mixed`.
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    attributes, excluded, k, shares, by_distance, first, last, votes
        As in `vote_nested`.
    """
    n_most, n_classes = votes.shape[1], votes.shape[2]
    counted = np.empty(n_classes, np.int64)
    at_last = np.empty(n_classes, np.int64)
    weighted = np.empty(n_classes + 1 if by_distance else 0)
    for query in range(first, last):
        rows = list_rows(n_rows, excluded[query])
        sums = np.zeros(rows.size)
        for r in range(n_most):
            add_cells(
                sums,
                rows,
                attributes[query, r],
                codes[query],
                values[query],
                case_codes,
                numeric,
                numbers,
                widths[query],
            )
            counted[:] = 0
            at_last[:] = 0
            kth = find_kth(sums, k)
            vote_for_nearest(rows, sums, kth, classes, counted, at_last)
            if by_distance:
                weigh_rows(rows, sums, kth, k, classes, weighted)
            for c in range(n_classes):
                votes[query, r, c] = counted[c] - at_last[c]
            finish_votes(at_last, weighted, k, shares, votes[query, r])
