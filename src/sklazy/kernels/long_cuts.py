"""Cuts of a long column, whose rows are sorted only where a cut may lie.

Rows are put into blocks by value, as in the first step of a bucket sort. Most blocks
cannot have the best cut of any part, by the class counts at their ends, and stay in the
order in which they came. The cuts are those of `mdl_cuts`.
"""

import math
from typing import NamedTuple

import numpy as np

from sklazy.kernels.compiling import entry, inlined, kernel
from sklazy.kernels.cuts import ColumnBlocks, find_cuts, may_have_cut
from sklazy.kernels.sorting import key_of_number

_SAMPLE = 4096  # rows by which a scale is chosen


class _BlockScale(NamedTuple):
    """Which block a number is in: its place between the ends, or between their bits.

    Attributes
    ----------
    low : float
    by_unit : float
        Blocks by unit; 0.0 if the bits are taken, which suits numbers of very
        different size.
    low_key, shift : uint64
        The bits of `low`, and how many bits of a difference are dropped.
    """

    low: float
    by_unit: float
    low_key: np.uint64
    shift: np.uint64


@entry
def long_column_cuts(values, classes, n_classes, criterion, terms, n_blocks, room):
    """Cut points of a column in any order, ascending; NaN is left out.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
    classes : int32 array of shape (n_rows,)
    n_classes, criterion, terms
        As in `mdl_cuts`; the criterion without better encoding.
    n_blocks : int
        The most blocks that rows are put in, at least 2.
    room : float64 array and int32 array of shape (n_rows,)
        Where rows are put in the order of blocks; written only if there may be a cut.

    Returns
    -------
    float64 array of shape (n_cuts,)
    """
    n_present, low, high = np.int64(0), np.inf, -np.inf
    for i in range(len(values)):
        if not np.isnan(values[i]):
            n_present += 1
            low, high = min(low, values[i]), max(high, values[i])
    if not low < high:
        return np.empty(0, np.float64)
    scale = _choose_scale(values, low, high, n_blocks)
    counts = np.zeros((n_blocks, n_classes), np.int64)
    for i in range(len(values)):
        if not np.isnan(values[i]):
            counts[_block_of(values[i], scale), classes[i]] += 1
    blocks, places = _open_blocks(counts, room[0][:n_present], room[1][:n_present])
    if not may_have_cut(blocks, criterion, terms):
        return np.empty(0, np.float64)
    for i in range(len(values)):
        if not np.isnan(values[i]):
            block = _block_of(values[i], scale)
            place = places[block]
            blocks.values[place], blocks.classes[place] = values[i] + 0.0, classes[i]
            places[block] = place + 1
    return find_cuts(blocks, criterion, terms)


@kernel
def _choose_scale(values, low, high, n_blocks):
    """The scale that spreads a sample of the rows more evenly."""
    low_key = key_of_number(low)
    width, shift = key_of_number(high) - low_key, np.uint64(0)
    while width >> shift >= np.uint64(n_blocks):
        shift += np.uint64(1)
    by_bits = _BlockScale(low, 0.0, low_key, shift)
    by_unit = (n_blocks - 1) / (high - low)
    if not 0.0 < by_unit < math.inf:
        return by_bits
    evenly = _BlockScale(low, by_unit, low_key, shift)
    if _crowding(values, evenly, n_blocks) <= _crowding(values, by_bits, n_blocks):
        return evenly
    return by_bits


@kernel
def _crowding(values, scale, n_blocks):
    """Sum of the squared numbers of rows in a block, of a sample."""
    counts = np.zeros(n_blocks, np.int64)
    for i in range(0, len(values), max(1, len(values) // _SAMPLE)):
        if not np.isnan(values[i]):
            counts[_block_of(values[i], scale)] += 1
    return (counts * counts).sum()


@inlined
def _block_of(value, scale):
    """The block of a number, which does not fall as numbers rise."""
    if scale.by_unit > 0.0:
        return np.int64((value - scale.low) * scale.by_unit)
    return np.int64((key_of_number(value) - scale.low_key) >> scale.shift)


@kernel
def _open_blocks(counts, values, classes):
    """Blocks without rows yet, empty ones left out, and the first place of each."""
    n_all, n_classes = counts.shape
    places = np.zeros(n_all, np.int64)
    borders = np.zeros(n_all + 1, np.int64)
    sums = np.zeros((n_all + 1) * n_classes, np.int64)
    n_blocks = 0
    for block in range(n_all):
        places[block] = borders[n_blocks]
        n_inside = counts[block].sum()
        if n_inside == 0:
            continue
        at = n_blocks * n_classes
        n_blocks += 1
        borders[n_blocks] = borders[n_blocks - 1] + n_inside
        for c in range(n_classes):
            sums[at + n_classes + c] = sums[at + c] + counts[block, c]
    is_sorted = np.zeros(n_blocks, np.bool_)
    opened = ColumnBlocks(values, classes, borders, sums, n_blocks, is_sorted)
    return opened, places
