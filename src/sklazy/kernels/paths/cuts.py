"""The best cut of an ordered attribute: between slots, or along a sorted list.

The list of a node is found in that of all rows, or sorted.

Sums are kept unnormalized: the *information* of weights w is
``W log2 W - sum w log2 w``, their entropy times their sum W. Weights are integers
until a row with a missing cell is divided among branches; one source serves both.
"""

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from sklazy.kernels.bits import ZERO
from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.paths.nodes import N_ROWS
from sklazy.kernels.paths.table import (
    CLASS_MASK,
    CLASS_SHIFT,
    LINE,
    N_LEVELS,
    PLACE,
    RANK_SHIFT,
    ROW_MASK,
)

ALIKE = 1e-6
"""Weights and gains this close are equal, as in C4.5."""

TOTAL, KNOWN, LEFT = 0, 1, 2
"""Rows of class weights: of the node, of its known cells, and left of a cut."""

_ONE = np.uintp(1)
_NOWHERE = np.int64(-1)


def xlog2x(logs: Any, x: Any) -> float:
    """``x * log2(x)``: from the table for whole weights, else computed."""
    whole = int(x)
    if whole == x:
        return float(logs[whole])
    return x * math.log2(x) if x > 1e-9 else 0.0


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


@lean_kernel
def information(logs, weights, total):
    """The entropy of class weights, times their sum."""
    result = xlog2x(logs, total)
    for weight in weights:
        result -= xlog2x(logs, weight)
    return result


@lean_kernel
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


@lean_kernel
def sum_known_classes(entries, n_entries, kept_weight, known):
    """Class weights of the entries of a list; return their sum."""
    total = kept_weight[0] - kept_weight[0]
    for c in range(known.size):
        known[c] = total
    for p in range(n_entries):
        known[(entries[p] >> CLASS_SHIFT) & CLASS_MASK] += kept_weight[p]
        total += kept_weight[p]
    return total


@lean_kernel
def fill_terms(totals, weight, logs, places, terms):
    """Tabulate what each side's class weights add to the worth of a cut.

    From ``places[0, c]`` on, `terms` has ``F(l) + F(totals[c] - l)`` for all l, with
    F(x) = x log2 x; from the last place on the same for the sum of the classes.
    """
    at = np.int64(0)
    for c in range(totals.size + 1):
        size = np.int64(totals[c] if c < totals.size else weight)
        places[0, c] = at
        for below in range(size + 1):
            terms[at + below] = logs[below] + logs[size - below]
        at += size + 1


@lean_kernel
def cut_slots(table, first, last, present, sums, weight, logs, least, tie):
    """The best cut between slots of an ordered attribute.

    The known class weights (sum `weight`) are used up. Returns the gain (a sum), the
    last slot of the left side (-1: no cut), the weight of the left side, and the
    number of candidate cuts.
    """
    right, left, n_classes = sums[KNOWN], sums[LEFT], sums.shape[1]
    width = np.uintp(table.size // n_classes)
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
            moved = table[np.uintp(c) * width + np.uintp(slot)]
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


@lean_kernel
def cut_two_classes(
    entries, n_entries, kept_weight, terms, places, weight, before, least, tie
):
    """The best cut of a sorted list of two classes with whole weights.

    `before` is the information of the classes. Returns the gain (a sum), the position
    of the first entry on the right (-1: no cut), the weight of the left side, and the
    number of candidate cuts.
    """
    first, both = np.uintp(places[0, 1]), np.uintp(places[0, 2])
    best, at, best_left, n_candidates = -before, _NOWHERE, weight - weight, 0
    below, left = np.uintp(0), np.uintp(0)
    for p in range(_ONE, np.uintp(n_entries)):
        item = entries[p - _ONE]
        moved = np.uintp(kept_weight[p - _ONE])
        below += moved
        left += moved * ((item >> CLASS_SHIFT) & _ONE)
        if (entries[p] ^ item) >> RANK_SHIFT == ZERO or below < least - ALIKE:
            continue
        if weight - np.int64(below) < least - ALIKE:
            break
        n_candidates += 1
        same = terms[first + left] + terms[below - left] - terms[both + below]
        if same > best + tie:
            best, at, best_left = same, np.int64(p), np.int64(below)
    return best + before, at, best_left, n_candidates


@lean_kernel
def cut_whole(
    entries, n_entries, kept_weight, terms, places, weight, before, least, tie
):
    """Like `cut_two_classes`, for any number of classes."""
    starts, now, n_classes = places[0], places[1], places.shape[1] - 1
    both = np.uintp(starts[n_classes])
    inside = 0.0
    for c in range(n_classes):
        now[c] = starts[c]
        inside += terms[starts[c]]
    best, at, best_left, n_candidates = -before, _NOWHERE, weight - weight, 0
    below = np.uintp(0)
    for p in range(_ONE, np.uintp(n_entries)):
        item = entries[p - _ONE]
        c = (item >> CLASS_SHIFT) & CLASS_MASK
        moved = np.uintp(kept_weight[p - _ONE])
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


@lean_kernel
def cut_list(entries, n_entries, kept_weight, sums, weight, logs, before, least, tie):
    """Like `cut_whole`, with weights that are fractions; uses the known sums up."""
    right, left = sums[KNOWN], sums[LEFT]
    outer = before - xlog2x(logs, weight)
    for c in range(left.size):
        left[c] = 0
    inside = 0.0
    best, at, best_left, n_candidates = -before, _NOWHERE, weight - weight, 0
    below = weight - weight
    for p in range(_ONE, np.uintp(n_entries)):
        item = entries[p - _ONE]
        c = (item >> CLASS_SHIFT) & CLASS_MASK
        moved = kept_weight[p - _ONE]
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


SPARSE = 12
"""A list of this many times a node's rows is slower to read than they are to sort."""

FEWEST_SORTED = 2048
"""Shorter lists are always read: there is no room to sort beside them."""

_DIGIT = np.uint64(9)  # bits of a rank that a pass sorts by
_N_DIGITS = np.int64(1 << 9)
_MASK = np.uint64((1 << 9) - 1)
_NO = np.uint64(0)


@lean_kernel
def read_list(data, j, node):
    """Leave the rows of the node in an attribute's list; return how many."""
    facts, lines = data.facts, data.lines
    place, line = facts[PLACE, j], facts[LINE, j]
    kept, n_entries = node.lists[place], node.lengths[place]
    entries = kept
    if n_entries < 0:
        entries, n_entries = lines.lists[line], lines.ends[line, facts[N_LEVELS, j]]
        if n_entries >= max(FEWEST_SORTED, SPARSE * node.rows.now[N_ROWS]):
            codes, spare = data.codes[j], node.lists[-1]
            n_entries = sort_rows(
                codes, data.classes, node.rows, facts[N_LEVELS, j], kept, spare
            )
            entries = kept
    n_kept = keep_present(entries, n_entries, node.rows.weight, kept, node.kept_weight)
    node.lengths[place] = n_kept
    return n_kept


@lean_kernel
def sort_rows(codes, classes, rows, n_levels, entries, spare):
    """Write the entries of a node's rows, sorted by rank, then by row.

    A list of few rows is sooner sorted than found in that of all.
    """
    n_known = np.int64(0)
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        rank = codes[row]
        class_and_row = np.uint64(classes[row]) << CLASS_SHIFT | np.uint64(row)
        entries[n_known] = np.uint64(rank) << RANK_SHIFT | class_and_row
        n_known += rank >= 0
    shift, there = _NO, False
    while (np.uint64(n_levels) >> shift) > _NO:
        if there:
            sort_by_digit(spare, n_known, RANK_SHIFT + shift, entries, entries)
        else:
            sort_by_digit(entries, n_known, RANK_SHIFT + shift, spare, entries)
        there = not there
        shift += _DIGIT
    if there:
        for p in range(n_known):
            entries[p] = spare[p]
    return n_known


@lean_kernel
def sort_by_digit(entries, n_entries, shift, out, room):
    """Write the entries into `out`, sorted by one digit; equal ones as they came.

    The end of `room` counts the digits.
    """
    counts = room[room.size - _N_DIGITS :]
    for digit in range(_N_DIGITS):
        counts[digit] = _NO
    for p in range(n_entries):
        counts[(entries[p] >> shift) & _MASK] += np.uint64(1)
    before = _NO
    for digit in range(_N_DIGITS):
        count = counts[digit]
        counts[digit] = before
        before += count
    for p in range(n_entries):
        digit = (entries[p] >> shift) & _MASK
        out[counts[digit]] = entries[p]
        counts[digit] += np.uint64(1)
