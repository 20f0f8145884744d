"""Votes with one attribute, two, three, ...: nested searches in one sweep."""

import numpy as np

from sklazy.kernels.bits import ALL, ZERO
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.matching import keep_valid
from sklazy.kernels.planes import count_common, planes_for, ripple, select_threshold


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
    n_rows,
    codes,
    attributes,
    excluded,
    k,
    first,
    last,
    votes,
):
    """Votes of the k nearest rows, ties and all, by a query's first r attributes.

    For every r at once: ``votes[q, r - 1]`` equals what `match_nominal` finds with
    the first r attributes. One more attribute is one more bit set on the planes.

    Parameters
    ----------
    value_bits, starts, offsets, set_of_value, class_bits, n_rows, codes, excluded, k
        As in `match_nominal`.
    attributes : int32 array of shape (n_queries, n_most)
        The complete order of each query's attributes.
    first, last : int
    votes : int32 array of shape (n_queries, n_most, n_classes), written
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
    for query in range(first, last):
        planes[:] = ZERO
        for r in range(n_most):
            attribute = attributes[query, r]
            code = codes[query, attribute]
            top = planes_for(r + 1)
            if code >= 0:
                place = starts[attribute] + code
                if starts[attribute] < 0:
                    place = set_of_value[offsets[attribute] + code]
                start = np.uintp(place) * stride
                add_set(bits, start, width, planes, width, top, carries)
            for i in range(n_words):
                tied[i] = ALL
            keep_valid(tied, 0, n_words, n_rows, excluded[query])
            select_threshold(planes, width, top, width, k, tied, above)
            for i in range(n_words):
                above[i] |= tied[i]
            for c in range(n_classes):
                start = stride * np.uintp(c)
                votes[query, r, c] = count_common(above, flat_classes, start, width)
