"""Rows whose removal surely leaves the cuts of a sorted column where they are.

Without a row of class c, a cut to its right has one row of c less on its left, and a
cut to its left one less on its right. So all removals of a class see the same two
entropies of each cut, and the best of the others is a minimum from the left or from
the right: a part of n rows is judged in O(n) for each class. Entropies are whole
numbers, as in `cuts`; where cuts are nearly as good the rows are left undecided.
"""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.mdl import (
    FAYYAD,
    KONONENKO,
    UNIT,
    fayyad_accepts,
    fayyad_least_gain,
    kononenko_accepts,
    term_sum,
)

_NEVER = np.int64(2**62)


@entry
def mark_steady_rows(values, classes, n_classes, criterion, terms, ends, steady):
    """Clear the mark of rows without which the cuts may be others.

    Parameters
    ----------
    values, classes, n_classes, criterion, terms
        As in `mdl_cuts`; the criterion without better encoding.
    ends : int64 array of shape (n_cuts,)
        The first row right of each cut, ascending.
    steady : bool array of shape (n_rows,), written
    """
    n_rows = len(values)
    entropies = np.empty(n_rows + 1, np.int64)
    best_right = np.empty(n_rows + 2, np.int64)
    firsts = np.empty(2 * len(ends) + 2, np.int64)
    lasts = np.empty(2 * len(ends) + 2, np.int64)
    firsts[0], lasts[0], n_parts = 0, n_rows, 1
    while n_parts > 0:
        n_parts -= 1
        first, last = firsts[n_parts], lasts[n_parts]
        if last - first < 2:
            continue
        total = np.zeros(n_classes, np.int64)
        for i in range(first, last):
            total[classes[i]] += 1
        best = _measure_cuts(values, classes, first, last, total, terms, entropies)
        n_inside, is_cut = 0, False
        for i in range(len(ends)):
            n_inside += first < ends[i] < last
            is_cut |= ends[i] == best and first < best < last
        if n_inside > 0 and not is_cut:  # two cuts are as good: not decided here
            steady[first:last] = False
            continue
        _judge_rows(
            values,
            classes,
            first,
            last,
            total,
            best,
            is_cut,
            criterion,
            terms,
            entropies,
            best_right,
            steady,
        )
        if is_cut:
            firsts[n_parts], lasts[n_parts] = first, best
            firsts[n_parts + 1], lasts[n_parts + 1] = best, last
            n_parts += 2


@kernel
def _measure_cuts(values, classes, first, last, total, terms, entropies):
    """Write the entropy of each cut of a part by its first row; return the best.

    `_NEVER` where equal values would be parted, and best -1 where there is no cut.
    """
    n_rows, least, best = last - first, _NEVER, np.int64(-1)
    left = np.zeros(len(total), np.int64)
    right = total.copy()
    inside = term_sum(right, terms)
    entropies[first] = _NEVER
    for i in range(first, last - 1):
        c = classes[i]
        inside += terms[left[c] + 1] - terms[left[c]]
        left[c] += 1
        inside += terms[right[c] - 1] - terms[right[c]]
        right[c] -= 1
        n_left = i + 1 - first
        entropies[i + 1] = _NEVER
        if values[i] < values[i + 1]:
            entropies[i + 1] = terms[n_left] + terms[n_rows - n_left] - inside
            if entropies[i + 1] < least:
                least, best = entropies[i + 1], np.int64(i + 1)
    return best


@kernel
def _without(entropy, n_side, n_class, terms):
    """The entropy of a cut, one side of which loses a row of a class."""
    if entropy == _NEVER or n_class == 0:
        return _NEVER
    less = terms[n_side] - terms[n_side - 1]
    return entropy - less + terms[n_class] - terms[n_class - 1]


@kernel
def _accepts(left, right, total, criterion, terms):
    """Whether a cut with these counts is accepted, as `mdl_cuts` does."""
    n_candidates = total.sum() - 1
    if criterion & KONONENKO:
        return kononenko_accepts(left, right, total, n_candidates)
    return fayyad_accepts(left, right, total, n_candidates, terms)


@kernel
def _judge_rows(
    values,
    classes,
    first,
    last,
    total,
    best,
    is_cut,
    criterion,
    terms,
    entropies,
    best_right,
    steady,
):
    """Clear the marks of rows of a part, class by class."""
    n_rows, n_classes = last - first, len(total)
    margin = 8 * (n_classes + 1) * (1 + (n_rows >> 18))  # four ties of `mdl_cuts`
    for c in range(n_classes):
        if total[c] == 0:
            continue
        left = np.zeros(n_classes, np.int64)
        for i in range(first, max(best, first)):
            left[classes[i]] += 1
        right = total - left
        total[c] -= 1
        prior = terms[n_rows - 1] - term_sum(total, terms)
        limit = prior
        if criterion == FAYYAD and n_rows > 2 and prior > 0:
            limit -= np.int64(UNIT * max(0.0, fayyad_least_gain(total, terms)))
        # The best cut, where a row on its right, or on its left, is gone.
        side_entropy = np.full(2, _NEVER)
        side_accepts = np.zeros(2, np.bool_)
        for side in range(2 if best > first else 0):
            counts = left if side else right
            n_side = best - first if side else last - best
            side_entropy[side] = _without(entropies[best], n_side, counts[c], terms)
            if counts[c] > 0 and n_side > 1:
                counts[c] -= 1
                side_accepts[side] = _accepts(left, right, total, criterion, terms)
                counts[c] += 1
        n_left = total[c] + 1
        best_right[last] = _NEVER
        for k in range(last - 1, first, -1):
            n_left -= classes[k] == c
            found = _without(entropies[k], k - first, n_left, terms)
            best_right[k] = min(best_right[k + 1], found if k != best else _NEVER)
        best_left, n_right = _NEVER, total[c] + 1
        for p in range(first, last):
            if p > first and p != best:
                found = _without(entropies[p], last - p, n_right, terms)
                best_left = min(best_left, found)
            if classes[p] != c:
                continue
            n_right -= 1
            others = min(best_left, best_right[p + 1])
            side = 1 if best > p else 0
            entropy, accepts = side_entropy[side], side_accepts[side]
            is_clear = entropy != _NEVER and entropy + margin < others
            if is_cut:
                stays = is_clear and accepts and entropy + margin < limit
                stays &= not _holds_cut(values, first, last, best, p)
            else:
                stays = prior == 0 or min(entropy, others) >= limit + margin
                stays |= is_clear and not accepts
            steady[p] &= stays
        total[c] += 1


@kernel
def _holds_cut(values, first, last, cut, row):
    """Whether a row alone has one of the two values that a cut lies between."""
    if values[row] == values[cut - 1]:
        return cut - 2 < first or values[cut - 2] != values[cut - 1]
    if values[row] == values[cut]:
        return cut + 1 >= last or values[cut + 1] != values[cut]
    return False
