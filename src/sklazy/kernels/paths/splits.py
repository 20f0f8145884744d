"""The worth of splitting a node on one attribute, by the rules of C4.5."""

import math
from typing import NamedTuple

import numpy as np

from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.paths.cuts import (
    ALIKE,
    KNOWN,
    TOTAL,
    cut_list,
    cut_slots,
    cut_two_classes,
    cut_whole,
    information,
    sum_known_classes,
    xlog2x,
)
from sklazy.kernels.paths.table import FEW, GAPS, KIND, NOMINAL, PLACE, RANK_SHIFT

SLACK = 1e-3
"""How far below the average a gain may lie and still take part, as in C4.5."""

CHANCE = 2.0
"""A split into v branches of n rows explains by chance the (v - 1)th part of n of what
there is to explain; twice that in a bag, which holds rows more than once."""

GAIN, SPLIT = 0, 1
"""Rows of what attributes are worth."""

_NO = np.uintp(0)


class PathRules(NamedTuple):
    """The rules by which a tree splits.

    Attributes
    ----------
    min_branch_weight : float
        Two branches of a split must hold at least this.
    c45_min_side : bool
        Each side of a numeric split must hold a tenth of the mean weight of a class,
        but not more than 25.
    penalize_numeric_splits : bool
        The gain of a numeric split pays ``log2(candidate cuts) / weight``.
    penalize_nominal_splits : bool
        The gain of a nominal split pays what its branches explain by chance.
    split_at_values : bool
        A cut lies at a value that the bag holds instead of midway between two.
    inspect : int
        Attributes looked at in a node, drawn by the node's key; 0 looks at all.
    """

    min_branch_weight: float = 2.0
    c45_min_side: bool = True
    penalize_numeric_splits: bool = True
    penalize_nominal_splits: bool = False
    split_at_values: bool = True
    inspect: int = 0


@lean_kernel
def least_side(known, n_classes, rules):
    """The least weight of either side of a numeric split."""
    if not rules.c45_min_side:
        return rules.min_branch_weight
    return max(rules.min_branch_weight, min(25.0, 0.1 * known / n_classes))


@lean_kernel
def known_totals(table, missing_slot, sums):
    """Class weights of the rows whose cell is known; return their sum."""
    n_classes = sums.shape[1]
    width = np.uintp(table.size // n_classes)
    weight = sums[0, 0] - sums[0, 0]
    for c in range(n_classes):
        missing = table[np.uintp(c) * width + np.uintp(missing_slot)]
        sums[KNOWN, c] = sums[TOTAL, c] - missing
        weight += sums[KNOWN, c]
    return weight


@lean_kernel
def sum_slots(table, first, last, present, n_classes, logs, sizes, inner, outer):
    """Write size and terms of slots first..last-1; `present` lists the node's classes.

    For a slot of class weights w with the sum W: ``F(W) - sum F(w)`` into `inner` and
    F(W) into `outer`, with F(x) = x log2 x.
    """
    width = np.uintp(sizes.size)
    if n_classes == 2:  # the loop below, unrolled
        for slot in range(np.uintp(first), np.uintp(last)):
            zero, one = table[slot], table[width + slot]
            size = zero + one
            whole = xlog2x(logs, size)
            sizes[slot] = size
            outer[slot] = whole
            inner[slot] = whole - (xlog2x(logs, zero) + xlog2x(logs, one))
        return
    for slot in range(np.uintp(first), np.uintp(last)):
        size, within = table[0] - table[0], 0.0
        for c in present:
            weight = table[np.uintp(c) * width + slot]
            size += weight
            within += xlog2x(logs, weight)
        whole = xlog2x(logs, size)
        sizes[slot] = size
        outer[slot] = whole
        inner[slot] = whole - within


@lean_kernel
def value_nominals(data, node, present, total, rules, attributes):
    """Write gain and split information of nominal attributes, one branch per value.

    `present` lists the classes of the node. Returns whether any gains.
    """
    facts, slots, logs = data.facts, data.slots, data.logs
    sums, sizes, worth = node.sums, node.slot_sizes, node.worth
    inner, outer, n_classes = node.slot_inner, node.slot_outer, sums.shape[1]
    before, whole = information(logs, sums[TOTAL], total), xlog2x(logs, total)
    inverse, least, gainful = 1.0 / total, rules.min_branch_weight - ALIKE, False
    if attributes.size == facts.shape[1]:
        end = np.uintp(slots[-1])
        sum_slots(node.table, _NO, end, present, n_classes, logs, sizes, inner, outer)
    for j in attributes:
        if facts[KIND, j] != NOMINAL:
            continue
        place, n_large, n_branches = facts[PLACE, j], 0, 0
        within, split, known_before = 0.0, whole, before
        first, last = np.uintp(slots[place]), np.uintp(slots[place + 1] - 1)
        if attributes.size < facts.shape[1]:
            sum_slots(
                node.table, first, last, present, n_classes, logs, sizes, inner, outer
            )
        for slot in range(first, last):
            split -= outer[slot]
            within += inner[slot]
            n_large += sizes[slot] >= least
            n_branches += sizes[slot] > 0
        if facts[GAPS, j]:
            known = known_totals(node.table, last, sums)
            known_before = information(logs, sums[KNOWN], known)
            split -= xlog2x(logs, total - known)
        gain = known_before - within
        if rules.penalize_nominal_splits:
            gain -= CHANCE * (n_branches - 1) * inverse * known_before
        worth[GAIN, j] = max(0.0, gain) * inverse if n_large >= 2 else -1.0
        worth[SPLIT, j] = split * inverse
        gainful |= worth[GAIN, j] > ALIKE
    return gainful


@lean_kernel
def value_cut(gain, below, known, n_candidates, total, logs, rules):
    """Gain and split information of a binary split; a gain of -1 forbids it."""
    gain /= total
    if n_candidates == 0:
        return -1.0, 0.0
    if rules.penalize_numeric_splits:
        gain -= math.log2(n_candidates) / total
    if gain <= ALIKE:
        return -1.0, 0.0
    split = xlog2x(logs, total) - xlog2x(logs, total - known)
    split -= xlog2x(logs, below) + xlog2x(logs, known - below)
    return gain, split / total


@lean_kernel
def value_fews(data, node, present, total, rules, attributes):
    """Write gain, split information and best cut of attributes of few numbers.

    Returns whether any gains.
    """
    facts, slots, logs = data.facts, data.slots, data.logs
    table, sums, worth, cuts = node.table, node.sums, node.worth, node.cuts
    n_classes, gainful = sums.shape[1], False
    for j in attributes:
        if facts[KIND, j] != FEW:
            continue
        first, last = slots[facts[PLACE, j]], slots[facts[PLACE, j] + 1] - 1
        known = known_totals(table, last, sums)
        least = least_side(known, n_classes, rules)
        gain, cut, below, n_candidates = cut_slots(
            table, first, last, present, sums, known, logs, least, ALIKE * total
        )
        worth[GAIN, j] = -1.0
        if cut >= 0:
            worth[GAIN, j], worth[SPLIT, j] = value_cut(
                gain, below, known, n_candidates, total, logs, rules
            )
            cuts[0, j] = cut - first
            cuts[1, j] = next_filled(table, cut + 1, n_classes) - first
        gainful |= worth[GAIN, j] > ALIKE
    return gainful


@lean_kernel
def next_filled(table, slot, n_classes):
    """The first slot from `slot` on that holds any weight."""
    while True:
        for c in range(n_classes):
            if table[c * (table.size // n_classes) + slot] > 0:
                return slot
        slot += 1


@lean_kernel
def value_many(data, node, j, n_entries, total, rules):
    """Gain, split information and the ranks beside the best cut of a sorted list.

    With `places`, weights are whole and `terms` filled by `fill_terms`.
    """
    entries, kept_weight = node.lists[data.facts[PLACE, j]], node.kept_weight
    sums, terms, places, logs = node.sums, node.terms, node.places, data.logs
    known = total
    if data.facts[GAPS, j]:
        known = sum_known_classes(entries, n_entries, kept_weight, sums[KNOWN])
    else:
        for c in range(sums.shape[1]):
            sums[KNOWN, c] = sums[TOTAL, c]
    n_classes = sums.shape[1]
    least = least_side(known, n_classes, rules)
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
    gain, split = value_cut(gain, below, known, n_candidates, total, logs, rules)
    return gain, split, low, high


@lean_kernel
def choose_attribute(worth, counted):
    """The attribute of best gain ratio among those of at least average gain.

    `worth` has gains and split information, bits per unit of weight; a gain of -1 marks
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
