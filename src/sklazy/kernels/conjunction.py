"""Growing a conjunction of a query's values that leaves one class, if it can."""

import numpy as np

from sklazy.kernels.bits import ALL, find_set
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.planes import count_common, keep_valid


@kernel
def settled_entropy(counts, total):
    """Entropy of class counts in bits, on a grid of 12 decimals.

    The terms are added from the smallest count up, whatever the classes' order, so
    that what is equal on paper is equal here. Sorts `counts`.
    """
    for i in range(1, counts.size):
        j = i
        while j > 0 and counts[j - 1] > counts[j]:
            counts[j - 1], counts[j] = counts[j], counts[j - 1]
            j -= 1
    entropy = 0.0
    for count in counts:
        if 0 < count < total:
            share = count / total
            entropy -= share * np.log2(share)
    return np.rint(entropy * 1e12) / 1e12


@kernel
def intersect_sets(bits, start, words, n_words, out):
    """Out = words & one bit set."""
    for i in range(n_words):
        out[i] = words[i] & bits[start + i]


@kernel
def entropy_of(words, class_bits, stride, n_words, counts):
    """Entropy and number of the rows in a set."""
    total = np.int64(0)
    for c in range(counts.size):
        counts[c] = count_common(words, class_bits, stride * np.uintp(c), n_words)
        total += counts[c]
    return settled_entropy(counts, total), total


@entry
def grow_conjunctions(
    value_bits,
    starts,
    offsets,
    set_of_value,
    class_bits,
    n_rows,
    codes,
    excluded,
    min_support,
    first,
    last,
    attributes,
    sizes,
):
    """Add the attribute that leaves the purest rows, as long as one makes them purer.

    Parameters
    ----------
    value_bits, starts, offsets, set_of_value, class_bits, n_rows, codes, excluded
        As in `sklazy.kernels.matching.match_nominal`.
    min_support : int
        Rows that must remain.
    first, last : int
    attributes : int32 array of shape (n_queries, n_attributes), written
        In order of their choice, filled up with -1.
    sizes : int32 array of shape (n_queries,), written
    """
    n_attributes = codes.shape[1]
    n_words = (n_rows + 511) >> 9 << 3  # whole cache lines
    length = np.uintp(n_words)
    stride = np.uintp(value_bits.shape[1])
    bits, flat_classes = value_bits.reshape(-1), class_bits.reshape(-1)
    counts = np.empty(class_bits.shape[0], np.int64)
    matching = np.empty(n_words, np.uint64)
    trial = np.empty(n_words, np.uint64)
    places = np.empty(n_attributes, np.int64)
    for query in range(first, last):
        for j in range(n_attributes):
            attributes[query, j] = -1
            code = codes[query, j]
            places[j] = -1
            if code >= 0:
                places[j] = find_set(j, code, starts, offsets, set_of_value)
        for i in range(n_words):
            matching[i] = ALL
        keep_valid(matching, 0, n_words, n_rows, excluded[query])
        entropy, support = entropy_of(matching, flat_classes, stride, length, counts)
        size = 0
        while entropy > 0.0:
            chosen = -1
            for j in range(n_attributes):
                if places[j] < 0:
                    continue
                start = np.uintp(places[j]) * stride
                intersect_sets(bits, start, matching, length, trial)
                left, total = entropy_of(trial, flat_classes, stride, length, counts)
                purer = left < entropy or (
                    left == entropy and chosen >= 0 and total > support
                )
                if total >= min_support and purer:
                    entropy, support, chosen = left, total, j
            if chosen < 0:
                break
            start = np.uintp(places[chosen]) * stride
            intersect_sets(bits, start, matching, length, matching)
            places[chosen] = -1
            attributes[query, size] = chosen
            size += 1
        sizes[query] = size
