"""Class association rules of a query: which of its values go with which class."""

import numpy as np

from sklazy.kernels.bits import ALL, popcount
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.conjunction import intersect_sets
from sklazy.kernels.planes import keep_valid


@entry
def mine_rules(
    value_bits,
    class_bits,
    n_rows,
    places,
    excluded,
    min_count,
    min_confidence,
    max_length,
    by_support,
    first,
    last,
    sums,
    weights,
    n_rules,
    rules,
    figures,
):
    """Go through the sets of each query's values, depth first, in column order.

    A set that too few cases of every class have is not extended: neither would more
    cases have a larger one.

    Parameters
    ----------
    value_bits : uint64 array of shape (n_sets + 1, n_words)
    class_bits : uint64 array of shape (n_classes, n_words)
    n_rows : int
    places : int64 array of shape (n_queries, n_attributes)
        The bit set of each value; below 0 the value is not known.
    excluded : int64 array of shape (n_queries,)
        The case that must not count, or -1.
    min_count : int
        Cases that must have the values and the class, at least 1.
    min_confidence : float
        The least share of the class among those that have the values.
    max_length : int
    by_support : bool
        Whether a rule weighs as much as it has cases, or 1.
    first, last : int
    sums, weights : float64 arrays of shape (n_queries, n_classes), written
        Confidences times weights, and the weights.
    n_rules : int64 array of shape (n_queries, n_classes), written
    rules : int64 array of shape (n_listed, max_length), written
        The attributes of the rules, filled up with -1; for one query, or no rows.
    figures : int64 array of shape (n_listed, 3), written
        The class of each rule, and how many cases it has right and covers.
    """
    n_attributes, n_classes = places.shape[1], class_bits.shape[0]
    n_words = (n_rows + 511) >> 9 << 3  # whole cache lines
    length = np.uintp(n_words)
    stride = np.uintp(value_bits.shape[1])
    bits, of_class = value_bits.reshape(-1), class_bits.reshape(-1)
    depths = min(max_length, n_attributes)
    everyone = np.empty(n_words, np.uint64)
    items = np.empty((n_attributes, n_words), np.uint64)
    item_attributes = np.empty(n_attributes, np.int64)
    inside = np.empty((depths + 1, n_words), np.uint64)
    chosen = np.empty(depths + 1, np.int64)
    counts = np.empty(n_classes, np.int64)
    for query in range(first, last):
        for c in range(n_classes):
            sums[query, c] = weights[query, c] = 0.0
            n_rules[query, c] = 0
        for i in range(n_words):
            everyone[i] = inside[0, i] = ALL
        keep_valid(everyone, 0, n_words, n_rows, excluded[query])
        n_items = 0
        for j in range(n_attributes):
            if places[query, j] >= 0:
                start = np.uintp(places[query, j]) * stride
                intersect_sets(bits, start, everyone, length, items[n_items])
                item_attributes[n_items] = j
                item_rows = items[n_items]
                most = count_classes(
                    item_rows, item_rows, of_class, stride, length, counts
                )
                n_items += most >= min_count
        depth, n_listed = 1, 0
        chosen[1] = -1
        while depth > 0:
            chosen[depth] += 1
            i = chosen[depth]
            if i == n_items:
                depth -= 1
                continue
            before = inside[depth - 1]
            most = count_classes(before, items[i], of_class, stride, length, counts)
            if most < min_count:
                continue
            first_listed = n_listed
            n_listed = add_rules(
                counts,
                min_count,
                min_confidence,
                by_support,
                sums[query],
                weights[query],
                n_rules[query],
                figures,
                n_listed,
            )
            for rule in range(first_listed, n_listed):
                for d in range(max_length):
                    rules[rule, d] = item_attributes[chosen[d + 1]] if d < depth else -1
            if depth < depths and i + 1 < n_items:
                intersect_sets(items[i], np.uintp(0), before, length, inside[depth])
                depth += 1
                chosen[depth] = i


@kernel
def add_rules(
    counts,
    min_count,
    min_confidence,
    by_support,
    sums,
    weights,
    n_rules,
    figures,
    n_listed,
):
    """Add up the rules of one set of values; returns how many are listed by now."""
    total = np.int64(0)
    for count in counts:
        total += count
    for c in range(counts.size):
        share = counts[c] / total
        if counts[c] >= min_count and share >= min_confidence:
            weight = counts[c] if by_support else np.int64(1)
            sums[c] += weight * share
            weights[c] += weight
            n_rules[c] += 1
            if n_listed < figures.shape[0]:
                figures[n_listed, 0] = c
                figures[n_listed, 1] = counts[c]
                figures[n_listed, 2] = total
                n_listed += 1
    return n_listed


@kernel
def count_classes(one, other, class_bits, stride, n_words, counts):
    """Count what two sets have in common by class; returns the largest count."""
    most = np.int64(0)
    for c in range(counts.size):
        counts[c] = count_three(one, other, class_bits, stride * np.uintp(c), n_words)
        most = max(most, counts[c])
    return most


@kernel
def count_three(one, other, planes, start, n_words):
    """Number of bits that two sets have in common with one plane."""
    count = np.int64(0)
    for i in range(n_words):
        count += np.int64(popcount(one[i] & other[i] & planes[start + i]))
    return count
