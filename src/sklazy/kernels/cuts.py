"""Where to cut a sorted column: recursive entropy minimisation with an MDL stop.

Entropies are sums of x log2 x over whole counts. They come from one table of 64-bit
integers, so a sum is exact: it has the same value in whatever order its terms came,
and rows of equal value may stand in any order. A row that moves from the right of
a cut to its left changes two terms a side, whatever the number of classes.
"""

import math

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.mdl import (
    BETTER_ENCODING,
    FAYYAD,
    KONONENKO,
    UNIT,
    fayyad_accepts,
    fayyad_least_gain,
    kononenko_accepts,
    log_terms,
    term_sum,
)

__all__ = ["BETTER_ENCODING", "FAYYAD", "KONONENKO", "log_terms", "mdl_cuts"]

_BLOCK = 64  # rows a block; fewer bound better, more cost less


@entry
def mdl_cuts(values, classes, n_classes, criterion, terms):
    """Cut points of a column, ascending; a value equal to a cut lies below it.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
        Ascending, without NaN.
    classes : int32 array of shape (n_rows,)
        The class of each row, 0 .. n_classes - 1.
    n_classes : int
    criterion : int
        `FAYYAD` or `KONONENKO`, plus `BETTER_ENCODING`.
    terms : int64 array
        `log_terms(n_rows)` or a longer one.

    Returns
    -------
    float64 array of shape (n_cuts,)
    """
    n_rows = len(values)
    borders, sums = _blocks(values, classes, n_classes)
    cuts = np.empty(n_rows, dtype=np.float64)
    n_cuts = 0
    # The ends of the parts still to be looked at: the leftmost is on top, so that
    # cuts are found in ascending order and nothing recurs.
    ends = np.empty(n_rows + 1, dtype=np.int64)
    ends[0] = n_rows
    n_ends = 1
    first = 0
    before = np.zeros(n_classes, dtype=np.int64)
    while n_ends > 0:
        last = ends[n_ends - 1]
        after = _counts_below(classes, borders, sums, last)
        cut = _accepted_cut(
            values,
            classes,
            borders,
            sums,
            first,
            last,
            before,
            after - before,
            criterion,
            terms,
        )
        if cut > 0:
            ends[n_ends] = cut
            n_ends += 1
            continue
        n_ends -= 1
        if n_ends > 0:
            cuts[n_cuts] = _between(values[last - 1], values[last])
            n_cuts += 1
        first = last
        before = after
    return cuts[:n_cuts].copy()


@kernel
def _between(low, high):
    """Midpoint of two neighbouring values that parts them under ``value <= cut``."""
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between adjacent floats the midpoint may round to the upper one.
    return middle if middle < high else low


@kernel
def _blocks(values, classes, n_classes):
    """Part the rows into blocks, none of which parts equal values.

    Returns
    -------
    borders : int64 array of shape (n_blocks + 1,)
        The first row of each block, and the number of rows.
    sums : int64 array of shape (n_blocks + 1, n_classes)
        The class counts of the rows below each border.
    """
    n_rows = len(values)
    size = max(_BLOCK, n_classes)
    borders = np.zeros(n_rows // size + 2, dtype=np.int64)
    sums = np.zeros((n_rows // size + 2, n_classes), dtype=np.int64)
    counts = np.zeros(n_classes, dtype=np.int64)
    n_blocks = 0
    start = 0
    while start < n_rows:
        end = min(start + size, n_rows)
        while end < n_rows and values[end - 1] == values[end]:
            end += 1
        for i in range(start, end):
            counts[classes[i]] += 1
        n_blocks += 1
        borders[n_blocks] = end
        sums[n_blocks] = counts
        start = end
    return borders[: n_blocks + 1], sums[: n_blocks + 1]


@kernel
def _counts_below(classes, borders, sums, row):
    """Class counts of the rows below `row`."""
    block = np.searchsorted(borders, row, side="right") - 1
    counts = sums[block].copy()
    for i in range(borders[block], row):
        counts[classes[i]] += 1
    return counts


@kernel
def _accepted_cut(
    values, classes, borders, sums, first, last, before, total, criterion, terms
):
    """First row right of the best cut of rows first .. last - 1, or 0: no cut.

    `before` has the class counts below row `first`, `total` those of the part.
    """
    n_rows = last - first
    prior = terms[n_rows] - term_sum(total, terms)
    if prior == 0:
        return 0
    limit = prior
    if criterion == FAYYAD:
        limit -= max(0, np.int64(UNIT * fayyad_least_gain(total, terms)))
    cut = _best_cut(
        values, classes, borders, sums, first, last, before, total, limit, terms
    )
    if cut == 0:
        return 0
    left = _counts_below(classes, borders, sums, cut) - before
    n_candidates = n_rows - 1
    if criterion & BETTER_ENCODING:
        n_candidates = 0
        for i in range(first, last - 1):
            n_candidates += values[i] < values[i + 1]
    if criterion & KONONENKO:
        accepted = kononenko_accepts(left, total - left, n_candidates)
    else:
        accepted = fayyad_accepts(left, total - left, n_candidates, terms)
    return cut if accepted else 0


@kernel
def _best_cut(values, classes, borders, sums, first, last, before, total, limit, terms):
    """First row right of the cut of least entropy below `limit`, or 0: none.

    Entropies are in total, not per row: ``|S1| Ent(S1) + |S2| Ent(S2)``, in units
    of the table. Of cuts that tie, the first is taken. Equal to looking at every
    row; a block that cannot have a better cut than the best border is left out.
    """
    n_rows = last - first
    # A table entry is off by half a unit from its rounding and by x 2**-49 bits from
    # that of the logarithm: what is closer than the sum of these errors is a tie.
    error = 1 + (n_rows >> 18)
    tie = 2 * (len(total) + 1) * error
    low = np.searchsorted(borders, first, side="right")
    high = np.searchsorted(borders, last)
    after = before + total
    known = limit
    for j in range(low, high):
        known = min(known, _entropy(sums[j], before, total, terms))
    least = limit + 2 * tie
    cut = 0
    left = np.zeros(len(total), dtype=np.int64)
    start = first
    for j in range(low, high + 1):
        end = min(borders[j], last)
        slack = 4 * (end - start + len(total)) * error
        below = sums[j] if j < high else after
        bound = _least_entropy(left, below, before, total, start - first, terms)
        if bound - slack <= known + tie:
            if values[start] < values[end - 1]:
                found, least = _best_row(
                    values, classes, start, end, last, left, total, least, tie, terms
                )
                cut = max(cut, found)
            elif end < last:
                entropy = _entropy(below, before, total, terms)
                if entropy < least - tie:
                    cut, least = end, entropy
            known = min(known, least)
        for c in range(len(left)):  # an array expression would make a new array
            left[c] = below[c] - before[c]
        start = end
    return cut


@kernel
def _entropy(below, before, total, terms):
    """Total entropy of a cut that leaves the class counts ``below - before`` left."""
    n_left = 0
    n_rows = 0
    inside = 0
    for c in range(len(total)):
        count = below[c] - before[c]
        n_left += count
        n_rows += total[c]
        inside += terms[count] + terms[total[c] - count]
    return terms[n_left] + terms[n_rows - n_left] - inside


@kernel
def _least_entropy(left, below, before, total, n_left, terms):
    """Lower bound of the total entropy of all cuts in a block.

    With F(n) = terms[n] + terms[N - n] and g_c alike for the rows of class c, the
    entropy of a cut is F(n) - sum g_c(l_c). All are convex: F lies above its tangent
    at the start of the block, and g_c less the tangent's slope has its greatest value
    at an end of the block.
    """
    n_rows = total.sum()
    n_right = n_rows - n_left
    slope = terms[n_left + 1] - terms[n_left] + terms[n_right - 1] - terms[n_right]
    bound = terms[n_left] + terms[n_right]
    for c in range(len(total)):
        count = below[c] - before[c]
        at_start = terms[left[c]] + terms[total[c] - left[c]]
        at_end = terms[count] + terms[total[c] - count] - slope * (count - left[c])
        bound -= max(at_start, at_end)
    return bound


@kernel
def _best_row(values, classes, start, end, last, left, total, least, tie, terms):
    """First row right of the best cut of a block, or 0, and the least entropy now.

    `left` has the class counts of the part below row `start`; it is used up.
    """
    right = total - left
    n_left = left.sum()
    n_right = right.sum()
    inside = term_sum(left, terms) + term_sum(right, terms)
    cut = 0
    for i in range(start, min(end, last - 1)):
        label = classes[i]
        count = left[label]
        inside += terms[count + 1] - terms[count]
        left[label] = count + 1
        count = right[label]
        inside += terms[count - 1] - terms[count]
        right[label] = count - 1
        n_left += 1
        n_right -= 1
        if values[i] < values[i + 1]:
            entropy = terms[n_left] + terms[n_right] - inside
            if entropy < least - tie:
                least = entropy
                cut = i + 1
    return cut, least
