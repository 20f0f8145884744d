"""Lazy decision trees: one conjunction of a query's own values, grown for it alone."""

import math

import numpy as np

from sklazy.kernels.compiling import entry, kernel

TIE = 1e-9
"""Gains this close are equal."""


@entry
def grow_lazy_trees(codes, classes, counts, offsets, known, queries, left, steps):
    """Follow each query's values as long as they separate the classes.

    At a node every class is given the same weight; the test "has the query's value"
    with the largest information gain decides, and the rows that pass it stay. Ties go
    to the test that more rows pass, then to the lower index.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    classes : int32 array of shape (n_rows,)
    counts : int64 array of shape (n_values, n_classes)
        Rows by (attribute, value) and class: the root needs no counting.
    offsets : int64 array of shape (n_attributes + 1,)
    known : int64 array of shape (n_attributes, n_classes)
        Rows whose value is known, by class.
    queries : int32 array of shape (n_queries, n_attributes)
    left : int64 array of shape (n_queries, n_classes)
        Receives the classes of the rows left.
    steps : int64 array of shape (n_queries, n_attributes)
        Receives the attributes tested, filled up with -1.
    """
    n_attributes, n_rows = codes.shape
    n_classes = left.shape[1]
    rows = np.empty(n_rows + 1, np.int64)
    agree = np.empty((n_attributes, n_classes), np.int64)
    node_known = np.empty((n_attributes, n_classes), np.int64)
    for query in range(queries.shape[0]):
        n_left, depth = n_rows, 0
        count_rows(classes, rows, -1, n_rows, left[query])
        read_root(counts, offsets, known, queries[query], agree, node_known)
        for t in range(n_attributes):
            steps[query, t] = -1
        while True:
            j = best_test(agree, node_known, left[query], n_left)
            if j < 0:
                break
            steps[query, depth] = j
            first = depth == 0
            n_left = keep_agreeing(codes[j], queries[query, j], rows, n_left, first)
            depth += 1
            count_rows(classes, rows, n_left, n_left, left[query])
            for other in range(n_attributes):
                count_test(
                    codes[other],
                    classes,
                    rows[:n_left],
                    queries[query, other],
                    agree[other],
                    node_known[other],
                )


@kernel
def read_root(counts, offsets, known, query, agree, node_known):
    """The counts of all rows, as the case base has them."""
    for j in range(agree.shape[0]):
        for c in range(agree.shape[1]):
            node_known[j, c] = known[j, c]
            agree[j, c] = counts[offsets[j] + query[j], c] if query[j] >= 0 else 0


@kernel
def count_rows(classes, rows, n_listed, n_rows, totals):
    """Rows by class: of the list, or of all if nothing is listed yet."""
    for c in range(totals.size):
        totals[c] = 0
    for t in range(n_rows):
        totals[classes[rows[t] if n_listed >= 0 else t]] += 1


@kernel
def keep_agreeing(codes, value, rows, n_rows, all_rows):
    """Leave the rows with a value; return how many."""
    n_left = 0
    for t in range(n_rows):
        row = t if all_rows else rows[t]
        rows[n_left] = row
        n_left += codes[row] == value
    return n_left


@kernel
def count_test(codes, classes, rows, value, agree, known):
    """Rows by class that know the attribute, and that have the query's value."""
    for c in range(agree.size):
        agree[c] = 0
        known[c] = 0
    if value < 0:
        return
    for row in rows:
        code, c = codes[row], classes[row]
        known[c] += code >= 0
        agree[c] += code == value


@kernel
def best_test(agree, known, totals, n_rows):
    """The attribute whose test gains most; -1 if none does or the node is pure."""
    n_present = 0
    for total in totals:
        n_present += total > 0
    chosen, best, most = -1, TIE, 0
    if n_present < 2:
        return chosen
    for j in range(agree.shape[0]):
        n_agree, n_known = 0, 0
        for c in range(totals.size):
            n_agree += agree[j, c]
            n_known += known[j, c]
        if n_agree == 0 or n_agree == n_known:
            continue
        gain = balanced_gain(agree[j], known[j], totals) * n_known / n_rows
        tied = chosen >= 0 and abs(gain - best) <= TIE and n_agree > most
        if gain > best + TIE or tied:
            chosen, best, most = j, gain, n_agree
    return chosen


@kernel
def balanced_gain(agree, known, totals):
    """The information gain of a test when all classes of the node weigh the same."""
    all_sum, in_sum, out_sum, terms = 0.0, 0.0, 0.0, 0.0
    for c in range(totals.size):
        if totals[c] > 0:
            whole, part = known[c] / totals[c], agree[c] / totals[c]
            all_sum += whole
            in_sum += part
            terms += xlog2x_of(part) + xlog2x_of(whole - part) - xlog2x_of(whole)
    out_sum = all_sum - in_sum
    terms += xlog2x_of(all_sum) - xlog2x_of(in_sum) - xlog2x_of(out_sum)
    return terms / all_sum


@kernel
def xlog2x_of(x):
    """``x * log2(x)``, 0 for what rounding leaves of nothing."""
    return x * math.log2(x) if x > 1e-9 else 0.0
