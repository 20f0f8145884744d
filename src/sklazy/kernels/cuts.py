"""Where to cut a sorted column: recursive entropy minimization with an MDL stop.

Entropies are sums of x log2 x over whole counts. They come from one table of 64-bit
integers, so a sum is exact: it has the same value in whatever order its terms came,
and rows of equal value may stand in any order. A row that moves from the right of
a cut to its left changes two terms a side, whatever the number of classes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import entry, kernel, loop_kernel
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
from sklazy.kernels.sorting import sort_spread_rows

__all__ = ["BETTER_ENCODING", "FAYYAD", "KONONENKO", "log_terms", "mdl_cuts"]

_NO_ENTROPY = np.int64(-(2**62))
_BLOCK = 64  # rows a block; fewer bound better, more cost less
_FEW_CLASSES = 8


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
    return find_cuts(_part_rows(values, classes, n_classes), criterion, terms)


@kernel
def find_cuts(blocks, criterion, terms):
    """Cut points of the rows in blocks; see `mdl_cuts`."""
    values, n_classes = blocks.values, len(blocks.sums) // len(blocks.borders)
    n_rows = np.int64(len(values))
    cuts = np.empty(n_rows, dtype=np.float64)
    n_cuts = 0
    # The ends of the parts still to be looked at: the leftmost is on top, so that
    # cuts are found in ascending order and nothing recurs.
    ends = np.empty(n_rows + 1, dtype=np.int64)
    ends[0] = n_rows
    n_ends = 1
    first = np.int64(0)
    before = np.zeros(n_classes, dtype=np.int64)
    after = np.zeros(n_classes, dtype=np.int64)
    while n_ends > 0:
        last = ends[n_ends - 1]
        low = _first_border_above(blocks, first)
        high = _first_border_above(blocks, last - 1)
        _count_below(blocks, high - 1, last, after)
        cut = _accepted_cut(
            blocks, low, high, first, last, before, after, criterion, terms
        )
        if cut > 0:
            ends[n_ends] = cut
            n_ends += 1
            continue
        n_ends -= 1
        if n_ends > 0:
            _sort_block(blocks, _first_border_above(blocks, last - 1) - 1)
            _sort_block(blocks, _first_border_above(blocks, last) - 1)
            cuts[n_cuts] = cut_between(values[last - 1], values[last])
            n_cuts += 1
        first = last
        before, after = after, before
    return cuts[:n_cuts].copy()


@kernel
def cut_between(low, high):
    """Midpoint of two neighboring values that parts them under ``value <= cut``."""
    middle = (low + high) / 2.0
    if math.isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between adjacent floats the midpoint may round to the upper one.
    return middle if middle < high else low


class ColumnBlocks(NamedTuple):
    """The rows of a column in blocks, none of which parts equal values.

    Attributes
    ----------
    values, classes
        As in `mdl_cuts`, but that rows of a block may be in any order.
    borders : int64 array of shape (>= n_blocks + 1,)
        The first row of each block, and the number of rows.
    sums : int64 array of shape (>= (n_blocks + 1) * n_classes,)
        The class counts of the rows below each border, one border after the other.
    n_blocks : int
    is_sorted : bool array of shape (>= n_blocks,)
        The blocks whose rows ascend.
    """

    values: NDArray[np.float64]
    classes: NDArray[np.int32]
    borders: NDArray[np.int64]
    sums: NDArray[np.int64]
    n_blocks: int
    is_sorted: NDArray[np.bool_]


@kernel
def _part_rows(values, classes, n_classes):
    """Part the rows into blocks."""
    n_rows = len(values)
    size = max(_BLOCK, n_classes)
    borders = np.zeros(n_rows // size + 2, dtype=np.int64)
    sums = np.zeros((n_rows // size + 2) * n_classes, dtype=np.int64)
    n_blocks = 0
    start = 0
    while start < n_rows:
        end = min(start + size, n_rows)
        while end < n_rows and values[end - 1] == values[end]:
            end += 1
        n_blocks += 1
        borders[n_blocks] = end
        start = end
    _sum_classes(classes, borders, n_blocks, n_classes, sums)
    is_sorted = np.ones(n_blocks, np.bool_)
    return ColumnBlocks(values, classes, borders, sums, n_blocks, is_sorted)


@kernel
def _sum_classes(classes, borders, n_blocks, n_classes, sums):
    """Write the class counts of the rows below each border."""
    for block in range(n_blocks):
        first, end = borders[block], borders[block + 1]
        below = sums[block * n_classes : (block + 1) * n_classes]
        upto = sums[(block + 1) * n_classes : (block + 2) * n_classes]
        for c in range(n_classes):
            upto[c] = below[c]
        if n_classes > _FEW_CLASSES:
            for i in range(first, end):
                upto[classes[i]] += 1
            continue
        for c in range(n_classes):
            upto[c] += _count_class(classes[first:end], c)


@loop_kernel
def _count_class(classes, label):
    """Count the rows of a class: of few classes faster than row by row."""
    count = np.int32(0)
    for i in range(classes.size):
        count = np.int32(count + (classes[i] == label))
    return np.int64(count)


@kernel
def _sort_block(blocks, block):
    """Put the rows of a block in ascending order."""
    if blocks.is_sorted[block]:
        return
    blocks.is_sorted[block] = True
    first, end = blocks.borders[block], blocks.borders[block + 1]
    sort_spread_rows(blocks.values[first:end], blocks.classes[first:end])


@kernel
def _first_border_above(blocks, row):
    """Index of the first border above `row`, at most that of the last border."""
    low, high = 0, blocks.n_blocks
    while low < high:
        middle = (low + high) // 2
        if blocks.borders[middle] > row:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _count_below(blocks, border, row, counts):
    """Set `counts` to the class counts below `row`, given a border not above it."""
    border = max(border, 0)
    at = border * len(counts)
    for c in range(len(counts)):
        counts[c] = blocks.sums[at + c]
    for i in range(blocks.borders[border], row):
        counts[blocks.classes[i]] += 1


@kernel
def _accepted_cut(blocks, low, high, first, last, before, after, criterion, terms):
    """First row right of the best cut of rows first .. last - 1, or 0: no cut.

    `low` is the first border above `first`, `high` the first not below `last`;
    `before` and `after` are the class counts below `first` and below `last`.
    """
    values, n_rows = blocks.values, last - first
    total = np.empty(len(before), dtype=np.int64)
    for c in range(len(total)):
        total[c] = after[c] - before[c]
    limit = _highest_entropy(total, n_rows, criterion, terms)
    if limit == _NO_ENTROPY:
        return np.int64(0)
    cut = _best_cut(blocks, low, high, first, last, before, total, limit, terms)
    if cut == 0:
        return cut
    n_candidates = n_rows - 1
    if criterion & BETTER_ENCODING:
        n_candidates = np.int64(0)
        for i in range(first, last - 1):
            n_candidates += values[i] < values[i + 1]
    left = np.empty(len(total), dtype=np.int64)
    _count_below(blocks, _first_border_above(blocks, cut) - 1, cut, left)
    right = np.empty(len(total), dtype=np.int64)
    for c in range(len(total)):
        left[c] -= before[c]
        right[c] = total[c] - left[c]
    if criterion & KONONENKO:
        accepted = kononenko_accepts(left, right, total, n_candidates)
    else:
        accepted = fayyad_accepts(left, right, total, n_candidates, terms)
    return cut if accepted else np.int64(0)


@kernel
def _highest_entropy(total, n_rows, criterion, terms):
    """The entropy that no accepted cut is above; `_NO_ENTROPY` if there is no cut."""
    prior = terms[n_rows] - term_sum(total, terms)
    if prior == 0:
        return _NO_ENTROPY
    if criterion == FAYYAD:
        return prior - np.int64(UNIT * max(0.0, fayyad_least_gain(total, terms)))
    return prior


@kernel
def may_have_cut(blocks, criterion, terms):
    """Whether a cut of all rows may be accepted, by the class counts at borders."""
    borders, n_rows = blocks.borders, np.int64(len(blocks.values))
    n_classes = len(blocks.sums) // len(borders)
    sums = blocks.sums[: (blocks.n_blocks + 1) * n_classes].reshape(-1, n_classes)
    total = sums[blocks.n_blocks]
    limit = _highest_entropy(total, n_rows, criterion, terms)
    error = 1 + (n_rows >> 18)
    for block in range(blocks.n_blocks):
        first, size = borders[block], borders[block + 1] - borders[block]
        left, upto = sums[block], sums[block + 1]
        bound = _least_entropy(left, upto, total, first, n_rows, terms)
        slack = 4 * (size + n_classes) * error + 2 * (n_classes + 1) * error
        if limit != _NO_ENTROPY and bound - slack <= limit:
            return True
    return False


@kernel
def _best_cut(blocks, low, high, first, last, before, total, limit, terms):
    """First row right of the cut of least entropy below `limit`, or 0: none.

    Entropies are in total, not per row: ``|S1| Ent(S1) + |S2| Ent(S2)``, in units
    of the table. Of cuts that tie, the first is taken. Equal to looking at every
    row; a block that cannot have a better cut than the best border is left out.
    """
    values, classes = blocks.values, blocks.classes
    borders, sums = blocks.borders, blocks.sums
    n_classes, n_rows = len(total), last - first
    # A table entry is off by half a unit from its rounding and by x 2**-49 bits from
    # that of the logarithm: what is closer than the sum of these errors is a tie.
    error = 1 + (n_rows >> 18)
    tie = 2 * (n_classes + 1) * error
    left = np.zeros(n_classes, dtype=np.int64)
    right = np.empty(n_classes, dtype=np.int64)
    upto = np.empty(n_classes, dtype=np.int64)
    known = limit
    for border in range(low, high):
        for c in range(n_classes):
            upto[c] = sums[border * n_classes + c] - before[c]
        known = min(
            known, _entropy(upto, total, borders[border] - first, n_rows, terms)
        )
    least = limit + 2 * tie
    cut = np.int64(0)
    start = first
    for border in range(low, high + 1):
        end = min(borders[border], last)
        for c in range(n_classes):
            inside = sums[border * n_classes + c] - before[c]
            upto[c] = inside if border < high else total[c]
        slack = 4 * (end - start + n_classes) * error
        bound = _least_entropy(left, upto, total, start - first, n_rows, terms)
        if bound - slack <= known + tie:
            _sort_block(blocks, border - 1)
            if values[start] < values[end - 1]:
                for c in range(n_classes):
                    right[c] = total[c] - left[c]
                block_cut, least = _best_row(
                    values, classes, start, end, last, left, right, least, tie, terms
                )
                cut = max(cut, block_cut)
            elif end < last:
                entropy = _entropy(upto, total, end - first, n_rows, terms)
                if entropy < least - tie:
                    cut, least = end, entropy
            known = min(known, least)
        left, upto = upto, left
        start = end
    return cut


@kernel
def _entropy(left, total, n_left, n_rows, terms):
    """Total entropy of a cut with the class counts `left` on its left."""
    entropy = terms[n_left] + terms[n_rows - n_left]
    for c in range(len(total)):
        entropy -= terms[left[c]] + terms[total[c] - left[c]]
    return entropy


@kernel
def _least_entropy(left, upto, total, n_left, n_rows, terms):
    """Lower bound of the total entropy of all cuts in a block.

    With F(n) = terms[n] + terms[N - n] and g_c alike for the rows of class c, the
    entropy of a cut is F(n) - sum g_c(l_c). All are convex: F lies above its tangent
    at the start of the block, and g_c less the tangent's slope has its greatest value
    at an end of the block. `left` and `upto` are the class counts at those ends.
    """
    n_right = n_rows - n_left
    slope = terms[n_left + 1] - terms[n_left] + terms[n_right - 1] - terms[n_right]
    bound = terms[n_left] + terms[n_right]
    for c in range(len(total)):
        at_start = terms[left[c]] + terms[total[c] - left[c]]
        at_end = terms[upto[c]] + terms[total[c] - upto[c]]
        bound -= max(at_start, at_end - slope * (upto[c] - left[c]))
    return bound


@kernel
def _best_row(values, classes, start, end, last, left, right, least, tie, terms):
    """First row right of the best cut of a block, or 0, and the least entropy now.

    `left` and `right` are the class counts on both sides of row `start`; they are
    used up.
    """
    n_left = np.int64(0)
    n_right = np.int64(0)
    for c in range(len(left)):
        n_left += left[c]
        n_right += right[c]
    inside = term_sum(left, terms) + term_sum(right, terms)
    cut = np.int64(0)
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
                cut = np.int64(i + 1)
    return cut, least
