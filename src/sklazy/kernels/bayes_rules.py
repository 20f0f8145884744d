"""Lazy Bayesian rules: naive Bayes among the cases that have some values of a query.

Cases are judged by leaving each out of the counts of its own subset. Subsets, and the
cases that are judged wrongly, are bit sets.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import ONE, ZERO, set_bit, trailing_zeros
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.conjunction import intersect_sets
from sklazy.kernels.planes import count_common, fill_zero
from sklazy.kernels.ties import TIE


class CountedCases(NamedTuple):
    """Counts and bit sets of the cases.

    Attributes
    ----------
    value_bits : uint64 array of shape (n_sets + 1, n_words)
    starts : int64 array of shape (n_attributes,)
        The first set of each attribute, below 0 where it has none.
    offsets : int64 array of shape (n_attributes + 1,)
    class_bits : uint64 array of shape (n_classes, n_words)
    codes : int32 array of shape (n_attributes, capacity)
    classes : int32 array of shape (capacity,)
    """

    value_bits: NDArray[np.uint64]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    class_bits: NDArray[np.uint64]
    codes: NDArray[np.int32]
    classes: NDArray[np.int32]


# Words counted by their bits in the time that a row takes by its code.
_WORDS_PER_ROW = 4


@entry
def try_values(
    cases,
    used,
    alpha,
    inside,
    wrong,
    places,
    attributes,
    min_support,
    least_wrong,
    figures,
    again,
):
    """Judge the cases of a subset that have a value, by naive Bayes among themselves.

    Parameters
    ----------
    cases : CountedCases
    used : bool array of shape (n_attributes,)
        The attributes that naive Bayes uses in the subset.
    alpha : float
    inside, wrong : uint64 arrays of shape (n_words,)
        The subset, and those of it that are judged wrongly so far.
    places, attributes : int64 arrays of shape (n_values,)
        The sets of the values, and whose they are: of attributes in use.
    min_support : int
        Cases that must have the value.
    least_wrong : int
        How many of them must have been judged wrongly; fewer are not worth a try.
    figures : int64 array of shape (n_values, 2), written
        Cases judged wrongly before and rightly now, and the other way around; -1 for
        values that were not tried.
    again : uint64 array of shape (n_values, n_words), written
        The cases that are judged wrongly now.
    """
    stride = np.uintp(cases.value_bits.shape[1])
    flat = cases.value_bits.reshape(-1)
    n_all = count_common(inside, inside, np.uintp(0), stride)
    trial = np.empty(inside.size, np.uint64)
    for i in range(places.size):
        intersect_sets(flat, np.uintp(places[i]) * stride, inside, stride, trial)
        n_left = count_common(trial, inside, np.uintp(0), stride)
        n_wrong = count_common(trial, wrong, np.uintp(0), stride)
        figures[i, 0] = figures[i, 1] = -1
        if n_left < min_support or n_left == n_all or n_wrong < least_wrong:
            continue
        used[attributes[i]] = False
        judge_subset(cases, used, alpha, trial, n_left, again[i])
        used[attributes[i]] = True
        n_both = count_common(again[i], wrong, np.uintp(0), stride)
        n_again = count_common(again[i], trial, np.uintp(0), stride)
        figures[i, 0] = n_wrong - n_both
        figures[i, 1] = n_again - n_both


@entry
def judge_all(cases, used, alpha, inside, wrong):
    """Find the cases of a subset that naive Bayes on the others has wrong.

    The parameters are those of `try_values`; `wrong` is written.
    """
    n_left = count_common(inside, inside, np.uintp(0), np.uintp(inside.size))
    judge_subset(cases, used, alpha, inside, n_left, wrong)


@entry
def count_subset(cases, used, inside, counts, class_counts):
    """Count a subset by class, and by value and class for the attributes in use.

    The parameters are those of `try_values`; `counts` of shape (n_values, n_classes)
    and `class_counts` of shape (n_classes,) are written, int64.
    """
    n_left = count_common(inside, inside, np.uintp(0), np.uintp(inside.size))
    rows = list_members(inside, n_left)
    count_members(cases, used, inside, rows, counts, class_counts)


@kernel
def list_members(inside, n_left):
    """The rows of a bit set, in order."""
    rows = np.empty(n_left, np.int64)
    t = 0
    for i in range(inside.size):
        word = inside[i]
        while word != ZERO:
            rows[t] = (i << 6) + np.int64(trailing_zeros(word))
            word &= word - ONE
            t += 1
    return rows


@kernel
def count_members(cases, used, inside, rows, counts, class_counts):
    """Count rows by class and by value; by popcount unless there are few rows."""
    offsets, starts = cases.offsets, cases.starts
    n_classes, n_words = cases.class_bits.shape
    stride = np.uintp(n_words)
    bits, flat = cases.value_bits.reshape(-1), cases.class_bits.reshape(-1)
    of_class = np.empty((n_classes, n_words), np.uint64)
    for c in range(n_classes):
        intersect_sets(flat, np.uintp(c) * stride, inside, stride, of_class[c])
        class_counts[c] = count_common(of_class[c], inside, np.uintp(0), stride)
    for j in range(used.size):
        first, last = offsets[j], offsets[j + 1]
        for cell in range(first, last):
            for c in range(n_classes):
                counts[cell, c] = 0
        if not used[j]:
            continue
        n_sets = (last - first) * n_classes
        if starts[j] >= 0 and n_sets * n_words < _WORDS_PER_ROW * rows.size:
            for cell in range(first, last):
                start = np.uintp(starts[j] + cell - first) * stride
                for c in range(n_classes):
                    counts[cell, c] = count_common(of_class[c], bits, start, stride)
        else:
            for row in rows:
                code = cases.codes[j, row]
                if code >= 0:
                    counts[first + code, cases.classes[row]] += 1


@kernel
def judge_subset(cases, used, alpha, inside, n_left, wrong):
    """Find the cases of a subset that naive Bayes on the others has wrong."""
    offsets, classes = cases.offsets, cases.classes
    n_classes, n_values = cases.class_bits.shape[0], offsets[used.size]
    rows = list_members(inside, n_left)
    counts = np.empty((n_values, n_classes), np.int64)
    class_counts = np.empty(n_classes, np.int64)
    count_members(cases, used, inside, rows, counts, class_counts)
    table = np.empty((n_values, n_classes))
    table_without = np.empty((n_values, n_classes))
    scores = np.empty((n_left, n_classes))
    scores_without = np.empty(n_left)
    start_scores(class_counts, classes, rows, alpha, scores, scores_without)
    for j in range(used.size):
        if used[j]:
            first, last = offsets[j], offsets[j + 1]
            fill_logs(counts[first:last], alpha, table[first:last], 0)
            fill_logs(counts[first:last], alpha, table_without[first:last], 1)
            add_attribute_logs(
                cases.codes[j],
                classes,
                rows,
                table[first:last],
                table_without[first:last],
                scores,
                scores_without,
            )
    fill_zero(wrong, 0, wrong.size)
    for t in range(n_left):
        right = classes[rows[t]]
        scores[t, right] = scores_without[t]
        if choose_class(scores[t], class_counts, right) != right:
            set_bit(wrong, rows[t])


@kernel
def start_scores(class_counts, classes, rows, alpha, scores, scores_without):
    """Begin with the classes; what all of them are divided by decides nothing."""
    for t in range(rows.size):
        for c in range(class_counts.size):
            scores[t, c] = math.log(class_counts[c] + alpha)
        scores_without[t] = math.log(class_counts[classes[rows[t]]] - 1 + alpha)


@kernel
def fill_logs(counts, alpha, table, n_fewer):
    """Write log P(value | class) of an attribute, less `n_fewer` rows of each value."""
    n_values, n_classes = counts.shape
    for c in range(n_classes):
        total = np.int64(0)
        for v in range(n_values):
            total += counts[v, c]
        below = total - n_fewer + alpha * n_values
        for v in range(n_values):
            # Without a row of the value there is none to be left out.
            above = max(counts[v, c] - n_fewer, 0) + alpha
            table[v, c] = math.log(above / below)


@kernel
def add_attribute_logs(
    codes, classes, rows, table, table_without, scores, scores_without
):
    """Add an attribute's log-likelihoods per row, its own class's without itself."""
    for t in range(rows.size):
        code = codes[rows[t]]
        if code >= 0:
            for c in range(scores.shape[1]):
                scores[t, c] += table[code, c]
            scores_without[t] += table_without[code, classes[rows[t]]]


@kernel
def choose_class(scores, class_counts, left_out):
    """The class of the highest score; of ties the largest without the row itself."""
    best = scores[0]
    for c in range(1, scores.size):
        best = max(best, scores[c])
    least = best - TIE * max(1.0, abs(best))
    chosen, most = -1, -1
    for c in range(scores.size):
        size = class_counts[c] - (c == left_out)
        if scores[c] >= least and size > most:
            chosen, most = c, size
    return chosen
