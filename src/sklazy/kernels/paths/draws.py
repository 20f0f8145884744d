"""Splits that are drawn: a random cut of a number, a random half of categories.

All draws of a node come from its key and the attribute, so that they depend on the way
to the node alone. Sides are 0, up to the cut, and 1, above it; of categories, 0 is the
side of the lowest one that the node has. Missing cells of a nominal attribute are a
category of their own. Missing numbers go to one side together, drawn by the weights of
the sides, and so does a query whose value no row of the node has.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bags import draw_some, word64
from sklazy.kernels.bits import ONE, ZERO
from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.paths.table import (
    KIND,
    LINE,
    N_LEVELS,
    NOMINAL,
    PathTable,
)

_11 = np.uint64(11)
_32 = np.uint64(32)
_SIX = np.int64(6)
_LAST = np.int64(63)
_UNIT = 2.0**-53

BELOW, ABOVE, OWN_DRAWS = 0, 1, 2
"""Branches, and what stands for one in the key of an attribute's own draws."""

CUT_WORD, LOT_WORD, FIRST_HALF = 0, 1, 2
"""The words of that key: the cut, the side of absent values, halves of categories."""


class DrawnTable(NamedTuple):
    """Table for drawing random paths: the part of a `PathTable` that they read.

    Attributes
    ----------
    n_categories : int64 array of shape (n_attributes,)
        -1 for a numeric attribute.
    codes : int32 array of shape (n_attributes, n_rows)
        Categories, or ranks among the distinct numbers; -1 if missing.
    lines : int64 array of shape (n_attributes,)
        The place of a numeric attribute among `levels`.
    levels : float64 array of shape (n_numeric, n_most_levels)
        The distinct numbers in order.
    """

    n_categories: NDArray[np.int64]
    codes: NDArray[np.int32]
    lines: NDArray[np.int64]
    levels: NDArray[np.float64]


class DrawnNode(NamedTuple):
    """Room for one node at a time, its rows listed class by class.

    Attributes
    ----------
    bag : int32 array of shape (n_rows,)
        Weights of the rows in the bag.
    rows, weight : int32 arrays of shape (n_rows + 1,)
        The rows of the node and their weights.
    cells : int32 array of shape (n_rows + 1,)
        Their codes of the attribute at hand.
    sides : int32 array of shape (2, n_rows + 1)
        Their sides, 0 or -1 for side 1, of the best split and of the one at hand.
    order : int64 array of shape (n_attributes,)
    halves : uint64 array of shape (n_words,)
        A bit for missing cells, then one for each category.
    """

    bag: NDArray[np.int32]
    rows: NDArray[np.int32]
    weight: NDArray[np.int32]
    cells: NDArray[np.int32]
    sides: NDArray[np.int32]
    order: NDArray[np.int64]
    halves: NDArray[np.uint64]


class Drawn(NamedTuple):
    """A split that was drawn.

    Attributes
    ----------
    attribute : int
        -1 where the node has no split.
    cut : float
        NaN for a nominal attribute.
    lot : int
        The side of values that no row of the node has.
    buffer : int
        Where the sides of the rows are.
    gain : float
        Its gain.
    """

    attribute: int
    cut: float
    lot: int
    buffer: int
    gain: float


def make_drawn_table(table: PathTable) -> DrawnTable:
    """The part of a table that random paths read."""
    nominal, levels = table.facts[KIND] == NOMINAL, table.lines.levels
    return DrawnTable(
        n_categories=np.where(nominal, table.facts[N_LEVELS], -1),
        codes=np.ascontiguousarray(table.codes),
        lines=np.maximum(table.facts[LINE], 0),
        levels=levels if len(levels) else np.zeros((1, 1)),
    )


def make_drawn_node(data: DrawnTable) -> DrawnNode:
    """Room for the nodes of random paths through `data`."""
    n_attributes, n_rows = data.codes.shape
    return DrawnNode(
        bag=np.zeros(n_rows, np.int32),
        rows=np.zeros(n_rows + 1, np.int32),
        weight=np.zeros(n_rows + 1, np.int32),
        cells=np.zeros(n_rows + 1, np.int32),
        sides=np.zeros((2, n_rows + 1), np.int32),
        order=np.arange(n_attributes),
        halves=np.zeros(half_words(data), np.uint64),
    )


def half_words(data: DrawnTable) -> int:
    """The words of a bit for missing cells and one for each category."""
    return (int(data.n_categories.max(initial=0)) >> 6) + 1


@lean_kernel
def draw_bag_without(seed, shared_seed, neighbors, left_out, max_draws, bag):
    """Draw a bag; with a row left out, as if it were not there."""
    if left_out < 0:
        draw_some(seed, shared_seed, neighbors, max_draws, bag)
        return
    n_rows = bag.size
    draw_some(seed, shared_seed, neighbors, max_draws, bag[: n_rows - 1])
    for row in range(n_rows - 1, left_out, -1):
        bag[row] = bag[row - 1]
    bag[left_out] = 0


@lean_kernel
def list_bag(bag, by_class, rows, weights):
    """List the rows of a bag in the order given; return how many."""
    n_rows = np.uintp(0)
    for row in by_class:
        weight = bag[np.uintp(row)]
        rows[n_rows], weights[n_rows] = row, weight
        n_rows += np.uintp(weight > 0)
    return n_rows


@lean_kernel
def reset_order(order):
    """Attributes as they are, before any is drawn."""
    for j in range(order.size):
        order[j] = j


@lean_kernel
def next_attribute(key, order, i):
    """The attribute in place i of a node's shuffle, the earlier ones being drawn."""
    span = (word64(key, i) >> _32) * np.uint64(order.size - i)
    k = i + np.int64(span >> _32)
    order[i], order[k] = order[k], order[i]
    return order[i]


@lean_kernel
def draw_unit(key, number):
    """A number from 0 to 1 of a key's stream, 1 excluded."""
    return np.float64(word64(key, number) >> _11) * _UNIT


@lean_kernel
def read_codes(codes, rows, cells):
    """Copy the codes of rows; return the lowest, the lowest known and the highest."""
    for t in range(np.uintp(rows.size)):  # by itself: such a loop becomes vectors
        cells[t] = codes[np.uintp(rows[t])]
    low, known, high = cells[0], np.uint32(cells[0]), cells[0]
    for t in range(np.uintp(rows.size)):
        code = cells[t]
        low = min(low, code)
        known = min(known, np.uint32(code))
        high = max(high, code)
    return low, np.int64(known), high


@lean_kernel
def draw_cut(levels, low, high, key):
    """A cut between two ranks: a uniform number, and the rank left of it."""
    least, most, part = levels[low], levels[high], draw_unit(key, CUT_WORD)
    cut = least * (1.0 - part) + most * part
    if not least <= cut < most:  # by rounding
        cut = least
    first, last = low, high
    while last - first > 1:
        middle = (first + last) >> 1
        if levels[middle] <= cut:
            first = middle
        else:
            last = middle
    return cut, first


@lean_kernel
def side_by_rank(cells, rank, sides):
    """Put codes above a rank on side 1, and missing ones on side 0."""
    bound = np.int32(rank)
    for t in range(np.uintp(cells.size)):
        sides[t] = -np.int32(cells[t] > bound)


@lean_kernel
def move_missing(cells, sides):
    """Put missing cells on side 1."""
    for t in range(np.uintp(cells.size)):
        sides[t] |= -np.int32(cells[t] < 0)


@lean_kernel
def draw_halves(key, number, halves):
    """Bits of all categories, of one draw."""
    first = FIRST_HALF + number * halves.size
    for word in range(halves.size):
        halves[word] = word64(key, first + word)


@lean_kernel
def half_of(halves, code):
    """The bit of a category."""
    place = np.int64(code) + 1
    return (halves[place >> _SIX] >> np.uint64(place & _LAST)) & ONE


@lean_kernel
def side_by_half(cells, halves, low, sides):
    """Put each category on its side; return whether any is on side 1."""
    flip, some = half_of(halves, low), np.int32(0)
    if halves.size == 1:
        word = halves[0] if flip == ZERO else ~halves[0]
        for t in range(np.uintp(cells.size)):
            side = -np.int32((word >> np.uint64(cells[t] + 1)) & ONE)
            sides[t] = side
            some |= side
        return some != 0
    for t in range(np.uintp(cells.size)):
        side = -np.int32(half_of(halves, cells[t]) ^ flip)
        sides[t] = side
        some |= side
    return some != 0


@lean_kernel
def draw_halves_of(halves, cells, key, low, high, sides):
    """Draw halves of the categories until both have a row."""
    if high == low + 1:  # the two there are, whatever the draw
        side_by_rank(cells, low, sides)
        return
    number = np.int64(0)
    draw_halves(key, number, halves)
    while not side_by_half(cells, halves, low, sides):
        number += 1
        draw_halves(key, number, halves)


@lean_kernel
def draw_split(codes, n_categories, levels, halves, rows, key, cells, sides):
    """Draw a split of a node's rows by an attribute, and put them on their sides.

    Returns whether there is one, whether missing numbers are yet to be put on a side,
    and the cut. A number with one known value in the node does not split it.

    It takes what it reads of the table: with the table itself a query took a quarter
    longer.
    """
    low, known, high = read_codes(codes, rows, cells)
    if n_categories >= 0:
        if low < high:
            words = halves[: (n_categories >> _SIX) + 1]
            draw_halves_of(words, cells, key, low, high, sides)
        return low < high, False, math.nan
    if high <= known:
        return False, False, math.nan
    cut, rank = draw_cut(levels, known, np.int64(high), key)
    side_by_rank(cells, rank, sides)
    return True, low < 0, cut


@lean_kernel
def query_side(codes, nominal, rows, split, sides, code, value):
    """The side of a query, and whether it was drawn since no row has its value."""
    if not nominal:
        if math.isnan(value):
            return split.lot, True
        return np.int64(value > split.cut), False
    place = find_code(codes, rows, code)
    if place < 0:
        return split.lot, True
    return -np.int64(sides[place]), False


@lean_kernel
def find_code(codes, rows, code):
    """The place of the first row with a code, -1 if there is none."""
    for t in range(rows.size):
        if codes[rows[t]] == code:
            return t
    return -1


@lean_kernel
def keep_side_rows(rows, weight, sides, side, first, last, n_left):
    """Move the rows of one side among first..last-1 to place `n_left`; its new end."""
    place, wanted = np.uintp(n_left), np.int32(-side)
    for t in range(np.uintp(first), np.uintp(last)):
        rows[place], weight[place] = rows[t], weight[t]
        place += np.uintp(sides[t] == wanted)
    return place


@lean_kernel
def sum_weights(weight, sides):
    """The sum of the weights on side 1."""
    total = np.int64(0)
    for t in range(np.uintp(weight.size)):
        total += weight[t] & sides[t]
    return total


@lean_kernel
def sum_missing(weight, cells):
    """The sum of the weights of missing cells."""
    total = np.int64(0)
    for t in range(np.uintp(weight.size)):
        total += weight[t] if cells[t] < 0 else np.int32(0)
    return total


@lean_kernel
def mark_categories(codes, rows, sides, side, categories):
    """Set the bits of the categories that rows have on one side."""
    for word in range(categories.size):
        categories[word] = ZERO
    for t in range(rows.size):
        if sides[t] == -side:
            place = np.int64(codes[rows[t]]) + 1
            categories[place >> _SIX] |= ONE << np.uint64(place & _LAST)
