"""The sorted list of an attribute in a node: found in that of all rows, or sorted."""

import numpy as np

from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.paths.cuts import keep_present
from sklazy.kernels.paths.nodes import N_ROWS
from sklazy.kernels.paths.table import (
    CLASS_SHIFT,
    LINE,
    N_LEVELS,
    PLACE,
    RANK_SHIFT,
)

SPARSE = 12
"""A list of so many times the rows of a node takes longer to read than to sort them."""

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
        own = np.uint64(classes[row]) << CLASS_SHIFT | np.uint64(row)
        entries[n_known] = np.uint64(rank) << RANK_SHIFT | own
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
        own = counts[digit]
        counts[digit] = before
        before += own
    for p in range(n_entries):
        digit = (entries[p] >> shift) & _MASK
        out[counts[digit]] = entries[p]
        counts[digit] += np.uint64(1)
