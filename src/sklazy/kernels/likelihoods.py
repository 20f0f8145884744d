"""Naive Bayes on the query's own attributes: adding rows of a table."""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, trailing_zeros
from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.ranking import mark_ranks

FEW = 4
"""The number of sums that are kept in registers."""

_ZERO = np.uintp(0)


@lean_kernel
def sum_few(flat, priors, offsets, codes, attributes, n_used, out):
    """Write the sums of one query, for at most `FEW` classes.

    Sums in memory wait for each other; those of classes that are not there repeat the
    last one.
    """
    n_classes, d = np.uintp(priors.size), np.uintp(priors.size - 1)
    b, c = min(np.uintp(1), d), min(np.uintp(2), d)
    sum_a, sum_b, sum_c, sum_d = priors[_ZERO], priors[b], priors[c], priors[d]
    for i in range(np.uintp(n_used)):
        attribute = np.uintp(attributes[i])
        code = codes[attribute]
        if code >= 0:
            start = np.uintp(offsets[attribute] + code) * n_classes
            sum_a += flat[start]
            sum_b += flat[start + b]
            sum_c += flat[start + c]
            sum_d += flat[start + d]
    out[d], out[c], out[b], out[_ZERO] = sum_d, sum_c, sum_b, sum_a


@entry
def sum_likelihoods(
    table, priors, offsets, codes, attributes, counts, first, last, out
):
    """Add up the log-likelihoods of the values that each query has, class by class.

    Equal to ``out[q] = priors + sum(table[offsets[j] + codes[q, j]])`` over the
    query's attributes j, added in their order; a code below zero adds nothing.

    Parameters
    ----------
    table : float64 array of shape (n_values, n_classes)
    priors : float64 array of shape (n_classes,)
    offsets : int64 array of shape (n_attributes + 1,)
    codes : int32 array of shape (n_queries, n_attributes)
    attributes : int32 array of shape (n_queries, n_most)
    counts : int32 array of shape (n_queries,)
    first, last : int
    out : float64 array of shape (n_queries, n_classes), written
    """
    n_classes = priors.size
    flat = table.reshape(-1)
    total = np.empty(n_classes)
    for query in range(first, last):
        if n_classes <= FEW:
            used = attributes[query], counts[query]
            sum_few(flat, priors, offsets, codes[query], *used, out[query])
            continue
        for c in range(n_classes):
            total[c] = priors[c]
        for i in range(counts[query]):
            attribute = np.uintp(attributes[query, i])
            code = codes[query, attribute]
            if code >= 0:
                start = np.uintp(offsets[attribute] + code) * np.uintp(n_classes)
                for c in range(np.uintp(n_classes)):
                    total[c] += flat[start + c]
        for c in range(n_classes):
            out[query, c] = total[c]


@lean_kernel
def read_ranked_rows(present, n_selected, n_classes, places):
    """Write where the table rows of the lowest set bits begin; returns their number.

    Leaves the set empty.
    """
    n_read = _ZERO
    for word in range(np.uintp(present.size >> 1)):
        even = word << ONE
        bits = present[even] | present[even | ONE]
        present[even] = present[even | ONE] = ZERO
        base = word << np.uintp(6)
        while bits != ZERO and n_read < n_selected:
            places[n_read] = (base | trailing_zeros(bits)) * n_classes
            n_read += ONE
            bits &= bits - ONE
    return n_read


@lean_kernel
def sum_block(flat, priors, places, n_places, first, out):
    """Write the sums of the classes ``first..first + FEW - 1``, as far as they are.

    Sums in memory would wait for each other; those of classes that are not there repeat
    the last one.
    """
    last = np.uintp(priors.size - 1)
    a, b = first, min(first + np.uintp(1), last)
    c, d = min(first + np.uintp(2), last), min(first + np.uintp(3), last)
    sum_a, sum_b, sum_c, sum_d = priors[a], priors[b], priors[c], priors[d]
    for i in range(n_places):
        start = places[i] + first
        sum_a += flat[start]
        sum_b += flat[start + b - a]
        sum_c += flat[start + c - a]
        sum_d += flat[start + d - a]
    out[d], out[c], out[b], out[a] = sum_d, sum_c, sum_b, sum_a


@entry
def sum_by_rank(flat, priors, codes, starts, ranks, n_selected, first, last, out):
    """Select the attributes of lowest rank, and sum the likelihoods of their values.

    Equal to `select_by_rank` and `sum_likelihoods`, digit for digit: a rank is that
    of one value of one attribute, so that the table may be in the order of ranks.

    Parameters
    ----------
    flat : float64 array of shape (n_cells * n_classes,)
        The log-likelihoods of the cell of rank 0, of rank 1, ...; zeros for a fallback.
    priors : float64 array of shape (n_classes,)
    codes, starts, ranks, n_selected, first, last
        As in `select_by_rank`.
    out : float64 array of shape (n_queries, n_classes), written
    """
    n_classes = np.uintp(priors.size)
    present = np.zeros(((ranks.size >> 6) + 1) * 2, np.uint64)
    places = np.empty(n_selected, np.uintp)
    total = np.empty(n_classes)
    for query in range(first, last):
        mark_ranks(codes[query], starts, ranks, present)
        n_found = read_ranked_rows(present, np.uintp(n_selected), n_classes, places)
        if n_classes <= 2 * FEW:
            for block in range(_ZERO, n_classes, np.uintp(FEW)):
                sum_block(flat, priors, places, n_found, block, out[query])
            continue
        total[:] = priors
        for i in range(n_found):
            start = places[i]
            for c in range(n_classes):
                total[c] += flat[start + c]
        out[query] = total
