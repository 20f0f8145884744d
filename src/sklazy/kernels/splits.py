"""The worth of splitting a node on one attribute, by the rules of C4.5.

Sums are kept unnormalised: the *information* of weights w is
``W log2 W - sum w log2 w``, their entropy times their sum W. Weights are integers
until a row with a missing cell is divided among branches; one source serves both.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload

from sklazy.kernels.compiling import kernel
from sklazy.kernels.path_table import CLASS_MASK, CLASS_SHIFT, RANK_SHIFT, ROW_MASK

ZERO = np.uint64(0)
ONE = np.uintp(1)

ALIKE = 1e-6
"""Weights and gains this close are equal, as in C4.5."""

SLACK = 1e-3
"""How far below the average a gain may lie and still take part, as in C4.5."""

GAIN, SPLIT = 0, 1
"""Rows of what attributes are worth."""

TOTAL, KNOWN, LEFT = 0, 1, 2
"""Rows of class weights: of the node, of its known cells, and left of a cut."""


class PathRules(NamedTuple):
    """The rules by which a tree splits.

    Attributes
    ----------
    min_weight : float
        Two branches of a split must hold at least this.
    min_share : bool
        Each side of a numeric split must hold a tenth of the mean weight of a class,
        but not more than 25.
    correct : bool
        The gain of a numeric split pays ``log2(candidate cuts) / weight``.
    at_values : bool
        A cut lies at a value that the bag holds instead of midway between two.
    inspect : int
        Attributes looked at in a node, drawn by the node's key; 0 looks at all.
    """

    min_weight: float = 2.0
    min_share: bool = True
    correct: bool = True
    at_values: bool = True
    inspect: int = 0


def xlog2x(logs: Any, x: Any) -> float:
    """``x * log2(x)``: from the table for whole weights, else computed."""
    raise NotImplementedError  # compiled code has the versions below


@overload(xlog2x)
def _xlog2x(logs, x):
    if isinstance(x, types.Integer):
        return lambda logs, x: logs[np.uintp(x)]

    def of_float(logs, x):
        whole = int(x)
        if whole == x:
            return logs[np.uintp(whole)]
        return x * math.log2(x) if x > 1e-9 else 0.0

    return of_float


@kernel
def least_side(known, n_classes, min_weight, min_share):
    """The least weight of either side of a numeric split."""
    if not min_share:
        return min_weight
    return max(min_weight, min(25.0, 0.1 * known / n_classes))


@kernel
def known_totals(table, missing_slot, sums):
    """Class weights of the rows whose cell is known; return their sum."""
    n_classes = sums.shape[1]
    weight = sums[0, 0] - sums[0, 0]
    for c in range(n_classes):
        sums[KNOWN, c] = sums[TOTAL, c] - table[missing_slot * n_classes + c]
        weight += sums[KNOWN, c]
    return weight


@kernel
def information(logs, weights, total):
    """The entropy of class weights, times their sum."""
    result = xlog2x(logs, total)
    for weight in weights:
        result -= xlog2x(logs, weight)
    return result


@kernel
def value_nominal(table, first, last, sums, present, total, logs, min_weight):
    """Gain and split information of one branch a value; a gain of -1 forbids it.

    Slots first..last-1 of `table` are the values and `last` the missing cells.
    `present` lists the classes of the node. Bits a unit of weight.
    """
    n_classes = sums.shape[1]
    known = known_totals(table, last, sums)
    inner, split, n_large = 0.0, xlog2x(logs, total) - xlog2x(logs, total - known), 0
    for slot in range(first, last):
        size = total - total
        within = 0.0
        for c in present:
            weight = table[slot * n_classes + c]
            size += weight
            within += xlog2x(logs, weight)
        outer = xlog2x(logs, size)
        split -= outer
        inner += outer - within
        n_large += size >= min_weight - ALIKE
    if n_large < 2:
        return -1.0, 0.0
    gain = information(logs, sums[KNOWN], known) - inner
    return max(0.0, gain) / total, split / total


@kernel
def value_cut(gain, below, known, n_candidates, total, logs, correct):
    """Gain and split information of a binary split; a gain of -1 forbids it."""
    gain /= total
    if n_candidates == 0:
        return -1.0, 0.0
    if correct:
        gain -= math.log2(n_candidates) / total
    if gain <= ALIKE:
        return -1.0, 0.0
    split = xlog2x(logs, total) - xlog2x(logs, total - known)
    split -= xlog2x(logs, below) + xlog2x(logs, known - below)
    return gain, split / total


@kernel
def value_few(table, first, last, sums, present, total, logs, rules):
    """Gain, split information and the ranks beside the best cut between slots."""
    n_classes = sums.shape[1]
    known = known_totals(table, last, sums)
    least = least_side(known, n_classes, rules.min_weight, rules.min_share)
    gain, cut, below, n_candidates = cut_slots(
        table, first, last, present, sums, known, logs, least, ALIKE * total
    )
    if cut < 0:
        return -1.0, 0.0, 0, 0
    above = next_filled(table, cut + 1, n_classes)
    gain, split = value_cut(
        gain, below, known, n_candidates, total, logs, rules.correct
    )
    return gain, split, cut - first, above - first


@kernel
def next_filled(table, slot, n_classes):
    """The first slot from `slot` on that holds any weight."""
    while True:
        for c in range(n_classes):
            if table[slot * n_classes + c] > 0:
                return slot
        slot += 1


@kernel
def value_many(
    entries, n_entries, kept_weight, gaps, sums, terms, places, total, logs, rules
):
    """Gain, split information and the ranks beside the best cut of a sorted list.

    With `places`, weights are whole and `terms` filled by `fill_terms`.
    """
    known = total
    if gaps:
        known = sum_classes(entries, n_entries, kept_weight, sums[KNOWN])
    else:
        for c in range(sums.shape[1]):
            sums[KNOWN, c] = sums[TOTAL, c]
    n_classes = sums.shape[1]
    least = least_side(known, n_classes, rules.min_weight, rules.min_share)
    tie = ALIKE * total
    before = information(logs, sums[KNOWN], known)
    if places.size == 0:
        gain, at, below, n_candidates = cut_list(
            entries, n_entries, kept_weight, sums, known, logs, before, least, tie
        )
    elif n_classes == 2:
        gain, at, below, n_candidates = cut_two_classes(
            entries, n_entries, kept_weight, terms, places, known, before, least, tie
        )
    else:
        gain, at, below, n_candidates = cut_whole(
            entries, n_entries, kept_weight, terms, places, known, before, least, tie
        )
    if at < 0:
        return -1.0, 0.0, 0, 0
    low = np.int64(entries[at - 1] >> RANK_SHIFT)
    high = np.int64(entries[at] >> RANK_SHIFT)
    gain, split = value_cut(
        gain, below, known, n_candidates, total, logs, rules.correct
    )
    return gain, split, low, high


@kernel
def cut_slots(table, first, last, present, sums, weight, logs, least, tie):
    """The best cut between slots of an ordered attribute.

    The known class weights (sum `weight`) are used up. Returns the gain (a sum), the
    last slot of the left side (-1: no cut), the weight of the left side, and the
    number of candidate cuts.
    """
    right, left, n_classes = sums[KNOWN], sums[LEFT], sums.shape[1]
    before = information(logs, right, weight)
    outer = before - xlog2x(logs, weight)  # minus the sum over classes on the right
    for c in range(n_classes):
        left[c] = 0
    inside = 0.0  # the same sum on the left
    best, cut, best_left, n_candidates = 0.0, -1, weight - weight, 0
    below = weight - weight
    for slot in range(first, last):
        size = weight - weight
        for c in present:
            moved = table[slot * n_classes + c]
            if moved > 0:
                more, less = left[c] + moved, right[c] - moved
                inside += xlog2x(logs, more) - xlog2x(logs, left[c])
                outer -= xlog2x(logs, less) - xlog2x(logs, right[c])
                left[c], right[c] = more, less
                size += moved
        if size <= 0:
            continue
        below += size
        above = weight - below
        if above < least - ALIKE:
            break
        if below >= least - ALIKE:
            n_candidates += 1
            gain = before - xlog2x(logs, below) + inside - xlog2x(logs, above) - outer
            if gain > best + tie:
                best, cut, best_left = gain, slot, below
    return best, cut, best_left, n_candidates


@kernel
def keep_present(entries, n_entries, weight, kept, kept_weight):
    """Keep the entries whose row still weighs something; return how many.

    `kept` may be `entries` itself.
    """
    n_kept = np.uintp(0)
    for p in range(np.uintp(n_entries)):
        item = entries[p]
        w = weight[item & ROW_MASK]
        kept[n_kept] = item
        kept_weight[n_kept] = w
        n_kept += np.uintp(w > 0)
    return np.int64(n_kept)


@kernel
def sum_classes(entries, n_entries, kept_weight, known):
    """Class weights of the entries of a list; return their sum."""
    total = kept_weight[0] - kept_weight[0]
    for c in range(known.size):
        known[c] = total
    for p in range(n_entries):
        known[(entries[p] >> CLASS_SHIFT) & CLASS_MASK] += kept_weight[p]
        total += kept_weight[p]
    return total


@kernel
def fill_terms(totals, weight, logs, places, terms):
    """Tabulate what each side's class weights add to the worth of a cut.

    From ``places[c]`` on, `terms` has ``F(l) + F(totals[c] - l)`` for all l, with
    F(x) = x log2 x; from the last place on the same for the sum of the classes.
    """
    at = 0
    for c in range(totals.size + 1):
        size = np.int64(totals[c] if c < totals.size else weight)
        places[c] = at
        for below in range(size + 1):
            terms[at + below] = logs[below] + logs[size - below]
        at += size + 1


@kernel
def cut_two_classes(
    entries, n_entries, kept_weight, terms, places, weight, before, least, tie
):
    """The best cut of a sorted list of two classes with whole weights.

    `before` is the information of the classes. Returns the gain (a sum), the position
    of the first entry on the right (-1: no cut), the weight of the left side, and the
    number of candidate cuts.
    """
    first, both = np.uintp(places[1]), np.uintp(places[2])
    best, at, best_left, n_candidates = -before, -1, weight - weight, 0
    below, left = np.uintp(0), np.uintp(0)
    for p in range(ONE, np.uintp(n_entries)):
        item = entries[p - ONE]
        moved = np.uintp(kept_weight[p - ONE])
        below += moved
        left += moved * ((item >> CLASS_SHIFT) & ONE)
        if (entries[p] ^ item) >> RANK_SHIFT == ZERO or below < least - ALIKE:
            continue
        if weight - np.int64(below) < least - ALIKE:
            break
        n_candidates += 1
        same = terms[first + left] + terms[below - left] - terms[both + below]
        if same > best + tie:
            best, at, best_left = same, np.int64(p), np.int64(below)
    return best + before, at, best_left, n_candidates


@kernel
def cut_whole(
    entries, n_entries, kept_weight, terms, places, weight, before, least, tie
):
    """Like `cut_two_classes`, for any number of classes."""
    n_classes = places.size - 1
    both = np.uintp(places[n_classes])
    now = places.copy()
    inside = 0.0
    for c in range(n_classes):
        inside += terms[places[c]]
    best, at, best_left, n_candidates = -before, -1, weight - weight, 0
    below = np.uintp(0)
    for p in range(ONE, np.uintp(n_entries)):
        item = entries[p - ONE]
        c = (item >> CLASS_SHIFT) & CLASS_MASK
        moved = np.uintp(kept_weight[p - ONE])
        place = np.uintp(now[c])
        inside += terms[place + moved] - terms[place]
        now[c] = place + moved
        below += moved
        if (entries[p] ^ item) >> RANK_SHIFT == ZERO or below < least - ALIKE:
            continue
        if weight - np.int64(below) < least - ALIKE:
            break
        n_candidates += 1
        same = inside - terms[both + below]
        if same > best + tie:
            best, at, best_left = same, np.int64(p), np.int64(below)
    return best + before, at, best_left, n_candidates


@kernel
def cut_list(entries, n_entries, kept_weight, sums, weight, logs, before, least, tie):
    """Like `cut_whole`, with weights that are fractions; uses the known sums up."""
    right, left = sums[KNOWN], sums[LEFT]
    outer = before - xlog2x(logs, weight)
    for c in range(left.size):
        left[c] = 0
    inside = 0.0
    best, at, best_left, n_candidates = -before, -1, weight - weight, 0
    below = weight - weight
    for p in range(ONE, np.uintp(n_entries)):
        item = entries[p - ONE]
        c = (item >> CLASS_SHIFT) & CLASS_MASK
        moved = kept_weight[p - ONE]
        more, less = left[c] + moved, right[c] - moved
        inside += xlog2x(logs, more) - xlog2x(logs, left[c])
        outer -= xlog2x(logs, less) - xlog2x(logs, right[c])
        left[c], right[c] = more, less
        below += moved
        if (entries[p] ^ item) >> RANK_SHIFT == ZERO or below < least - ALIKE:
            continue
        above = weight - below
        if above < least - ALIKE:
            break
        n_candidates += 1
        same = inside - outer - xlog2x(logs, below) - xlog2x(logs, above)
        if same > best + tie:
            best, at, best_left = same, np.int64(p), below
    return best + before, at, best_left, n_candidates


@kernel
def choose_attribute(worth, counted):
    """The attribute of best gain ratio among those of at least average gain.

    `worth` has gains and split information, bits a unit of weight; a gain of -1 marks
    an attribute that cannot split; returns -1 if none can. Ties: the lowest index.
    """
    total, n_counted = 0.0, 0
    for j in range(worth.shape[1]):
        if worth[GAIN, j] >= 0 and counted[j]:
            total += worth[GAIN, j]
            n_counted += 1
    if n_counted == 0:
        return -1
    average = total / n_counted
    chosen, best = -1, 0.0
    for j in range(worth.shape[1]):
        if worth[GAIN, j] >= 0 and worth[GAIN, j] >= average - SLACK:
            split = worth[SPLIT, j]
            ratio = worth[GAIN, j] / split if split > ALIKE else 0.0
            if ratio > best + ALIKE:
                chosen, best = j, ratio
    return chosen
