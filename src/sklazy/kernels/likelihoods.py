"""Naive Bayes on the query's own attributes: adding rows of a table."""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel

FEW = 4
"""So many sums are kept in registers."""

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
