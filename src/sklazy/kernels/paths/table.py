"""The training rows as the paths need them: slots, ranks, sorted lists, bit sets.

A nominal cell, or a number of a column with few distinct ones, has a *slot*: the
place of its (attribute, value) in a table of class weights. A column of many distinct
numbers is kept as a sorted list of its rows instead.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import build_bits, words_for

NOMINAL, FEW, MANY = 0, 1, 2
"""How an attribute is counted: categories, few numbers by slot, many by list."""

KIND, N_LEVELS, PLACE, LINE, GAPS, COUNTED = range(6)
"""The rows of `PathTable.facts`."""

FEW_VALUES = 64
"""A numeric column with at most this many distinct values is counted by slot."""

_MOST_MARKS = 1 << 26  # bytes

# An entry of a sorted list: rank of the value, class and row, from the top bit down.
CLASS_SHIFT = np.uint64(24)
RANK_SHIFT = np.uint64(40)
ROW_MASK = np.uint64((1 << 24) - 1)
CLASS_MASK = np.uint64((1 << 16) - 1)


class Lines(NamedTuple):
    """The numeric columns, sorted.

    Attributes
    ----------
    lists : uint64 array of shape (n_numeric, n_rows)
        Entries of the rows with a number, sorted by it.
    ends : int64 array of shape (n_numeric, n_most_levels + 1)
        Rows of rank r are ``lists[line, ends[line, r]:ends[line, r + 1]]``.
    levels : float64 array of shape (n_numeric, n_most_levels)
        The distinct numbers in order, filled up with infinity.
    """

    lists: NDArray[np.uint64]
    ends: NDArray[np.int64]
    levels: NDArray[np.float64]


class PathTable(NamedTuple):
    """Table for growing paths; rows in canonical order.

    Attributes
    ----------
    facts : int64 array of shape (6, n_attributes)
        A row each for `KIND` (`NOMINAL`, `FEW` or `MANY`); `N_LEVELS`, the number of
        categories or distinct numbers; `PLACE`, the position among the attributes
        with slots or among those with long lists; `LINE`, the position among the
        numeric ones; `GAPS`, whether any cell is missing; `COUNTED`, whether the
        attribute takes part in the average gain (those of very many values do not).
    codes : int32 array of shape (n_attributes, n_rows)
        The category, or the rank among the column's distinct numbers; -1 if missing.
    cells : unsigned array of shape (n_rows, n_slotted)
        The slot of each cell; the last slot of an attribute is that of missing cells.
    slots : int64 array of shape (n_slotted + 1,)
        The first slot of each attribute with slots.
    lines : Lines
    classes : int32 array of shape (n_rows,)
    logs : float64 array of shape (n_rows + 1,)
        ``x * log2(x)``.
    bits : uint64 array of shape (n_slots + 1, n_words)
        The rows of each slot; empty where counting by bits does not pay.
    class_bits : uint64 array of shape (n_classes + 1, n_words)
    marks : uint8 array of shape (n_rows * n_padded_slots,)
        1 in the slots of each row's cells; empty where adding cells one by one is
        faster. There are as many slots as tables have, `padded_slots`.
    """

    facts: NDArray[np.int64]
    codes: NDArray[np.int32]
    cells: NDArray[np.unsignedinteger]
    slots: NDArray[np.int64]
    lines: Lines
    classes: NDArray[np.int32]
    logs: NDArray[np.float64]
    bits: NDArray[np.uint64]
    class_bits: NDArray[np.uint64]
    marks: NDArray[np.uint8]


def build_path_table(
    codes: NDArray[np.int32],
    values: NDArray[np.float64],
    n_categories: NDArray[np.int64],
    classes: NDArray[np.int32],
    n_classes: int,
    few_values: int = FEW_VALUES,
) -> PathTable:
    """Lay out training rows for the paths.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
        Categories of the nominal columns, -1 if missing; others are not read.
    values : float64 array of shape (n_attributes, n_rows)
        Numbers of the numeric columns, NaN if missing; others are not read.
    n_categories : int64 array of shape (n_attributes,)
        0 marks a numeric column.
    classes : int32 array of shape (n_rows,)
    n_classes : int
    few_values : int
        Numeric columns with at most this many distinct values are counted by slot.
    """
    numeric = np.flatnonzero(n_categories == 0)
    levels = [_levels(values[j]) for j in numeric]
    ranks = np.array(codes, np.int32)
    for j, level in zip(numeric, levels, strict=True):
        ranks[j] = _ranks(values[j], level)
    n_levels = n_categories.astype(np.int64)
    n_levels[numeric] = [level.size for level in levels]
    facts = _facts(n_categories, n_levels, ranks, few_values)
    slotted = np.flatnonzero(facts[KIND] != MANY)
    slots = np.append(0, np.cumsum(n_levels[slotted] + 1)).astype(np.int64)
    whole = np.arange(classes.size + 1, dtype=np.float64)
    bits, class_bits = _bit_sets(ranks[slotted], facts, slots, classes, n_classes)
    cells = slot_cells(ranks[slotted], slots)
    return PathTable(
        facts=facts,
        codes=ranks,
        cells=cells,
        slots=slots,
        lines=_lines(ranks[numeric], classes, levels),
        classes=np.ascontiguousarray(classes, np.int32),
        logs=whole * np.log2(np.maximum(whole, 1)),
        bits=bits,
        class_bits=class_bits,
        marks=_marks(cells, slots),
    )


def _levels(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distinct numbers of a column; -0 and 0 are one."""
    return np.unique(column[~np.isnan(column)] + 0.0)


def _ranks(
    column: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.int32]:
    ranks = np.searchsorted(levels, column).astype(np.int32)
    ranks[np.isnan(column)] = -1
    return ranks


def _facts(
    n_categories: NDArray[np.int64],
    n_levels: NDArray[np.int64],
    ranks: NDArray[np.int32],
    few_values: int,
) -> NDArray[np.int64]:
    numeric = n_categories == 0
    facts = np.empty((6, n_categories.size), np.int64)
    facts[KIND] = np.where(n_levels <= few_values, FEW, MANY)
    facts[KIND, ~numeric] = NOMINAL
    facts[N_LEVELS] = n_levels
    long = facts[KIND] == MANY
    facts[PLACE] = np.where(long, np.cumsum(long), np.cumsum(~long)) - 1
    facts[LINE] = np.cumsum(numeric) - 1
    facts[GAPS] = (ranks < 0).any(axis=1)
    many = ~numeric & (n_categories >= 0.3 * ranks.shape[1] - 1e-6)
    facts[COUNTED] = ~many | many.all()
    return facts


def slot_cells(
    ranks: NDArray[np.int32], slots: NDArray[np.int64]
) -> NDArray[np.unsignedinteger]:
    """The slot of each cell, in the narrowest type that holds them all."""
    missing = slots[1:, None] - 1
    cells = np.where(ranks < 0, missing, slots[:-1, None] + ranks)
    kind = np.uint16 if slots[-1] < 1 << 16 else np.uint32
    return np.ascontiguousarray(cells.T, kind)


def _lines(
    ranks: NDArray[np.int32],
    classes: NDArray[np.int32],
    levels: list[NDArray[np.float64]],
) -> Lines:
    """Entries sorted by number, where the rows of each rank begin, and the numbers."""
    n_numeric, n_rows = ranks.shape
    most = max((level.size for level in levels), default=0)
    lists = np.zeros((n_numeric, n_rows), np.uint64)
    ends = np.zeros((n_numeric, most + 1), np.int64)
    filled = np.full((n_numeric, most), np.inf)
    rest = classes.astype(np.uint64) << CLASS_SHIFT | np.arange(n_rows, dtype=np.uint64)
    for line, rank in enumerate(ranks):
        known = np.flatnonzero(rank >= 0)
        known = known[np.argsort(rank[known], kind="stable")]
        entries = rank[known].astype(np.uint64) << RANK_SHIFT | rest[known]
        lists[line, : known.size] = entries
        ends[line, 1:] = np.cumsum(np.bincount(rank[known], minlength=most))
        filled[line, : levels[line].size] = levels[line]
    return Lines(lists, ends, filled)


def _bit_sets(
    ranks: NDArray[np.int32],
    facts: NDArray[np.int64],
    slots: NDArray[np.int64],
    classes: NDArray[np.int32],
    n_classes: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Bit sets of the slots, where counting by them can pay: no long lists."""
    n_words = words_for(classes.size)
    if (facts[KIND] == MANY).any() or not _bits_pay(slots, n_classes):
        return np.zeros((0, n_words), np.uint64), np.zeros((0, n_words), np.uint64)
    class_ends = np.array([0, n_classes], np.int64)
    rows = np.ascontiguousarray(classes[None, :], np.int32)
    return build_bits(ranks, slots, n_words), build_bits(rows, class_ends, n_words)


def padded_slots(slots: NDArray[np.int64]) -> int:
    """The slots of a table, filled up so that vectors of them end evenly."""
    return -(-int(slots[-1]) // 16) * 16


def _marks(
    cells: NDArray[np.unsignedinteger], slots: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Mark the slots of each row, where adding whole lines of slots can pay."""
    (n_rows, n_cells), width = cells.shape, padded_slots(slots)
    if width > 4 * n_cells or n_rows * width > _MOST_MARKS:
        return np.zeros(0, np.uint8)
    marks = np.zeros((n_rows, width), np.uint8)
    np.put_along_axis(marks, cells.astype(np.int64), 1, axis=1)
    return marks.reshape(-1)


def _bits_pay(slots: NDArray[np.int64], n_classes: int) -> bool:
    """Whether counting all rows by bits can beat adding their cells one by one."""
    return int(slots[-1]) * n_classes * 3 < 512 * (slots.size - 1)
