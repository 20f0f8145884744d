"""A table of some rows of another: what a bag holds that is smaller than all rows.

Paths through it cost what its rows cost, however many there are beside them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import lean_entry, lean_kernel
from sklazy.kernels.paths.table import (
    CLASS_SHIFT,
    FEW_VALUES,
    KIND,
    LINE,
    MANY,
    N_LEVELS,
    NOMINAL,
    RANK_SHIFT,
    ROW_MASK,
    Lines,
    PathTable,
    padded_slots,
)

_LAST = np.uint64((1 << 64) - 1)
_BELOW_RANK = np.uint64((1 << 40) - 1)


class WholeTable(NamedTuple):
    """A table from which rows are taken.

    Attributes
    ----------
    table : PathTable
    codes : int32 array of shape (n_rows, n_attributes)
        Its codes, those of a row side by side: rows lie far apart in memory.
    numbers : float64 array of shape (n_rows, n_numeric)
        The numbers of numeric attributes, NaN where missing.
    """

    table: PathTable
    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]


def make_whole(table: PathTable) -> WholeTable:
    """Make a table ready for rows to be taken from it."""
    ranks, levels = table.codes[table.facts[KIND] != NOMINAL], table.lines.levels
    ended = np.hstack([levels, np.full((len(levels), 1), np.nan)])  # a rank of -1
    numbers = np.take_along_axis(ended, ranks.astype(np.int64), axis=1)
    return WholeTable(
        table, np.ascontiguousarray(table.codes.T), np.ascontiguousarray(numbers.T)
    )


class SubRoom(NamedTuple):
    """Room for the table of so many rows, used again and again.

    Attributes
    ----------
    facts, codes, lines
        As in `PathTable`.
    numbers : float64 array of shape (n_numeric, n_rows)
    """

    facts: NDArray[np.int64]
    codes: NDArray[np.int32]
    lines: Lines
    numbers: NDArray[np.float64]


def make_sub_room(table: PathTable, n_rows: int) -> SubRoom:
    """Room for a table of `n_rows` rows."""
    n_numeric, n_levels = len(table.lines.lists), max(n_rows, FEW_VALUES)
    lines = Lines(
        lists=np.zeros((n_numeric, n_rows), np.uint64),
        ends=np.zeros((n_numeric, n_levels + 1), np.int64),
        levels=np.zeros((n_numeric, n_levels)),
    )
    return SubRoom(
        facts=table.facts.copy(),
        codes=np.zeros((len(table.codes), n_rows), np.int32),
        lines=lines,
        numbers=np.zeros((n_numeric, n_rows)),
    )


def take_rows(whole: WholeTable, rows: NDArray[np.int32], room: SubRoom) -> PathTable:
    """The table of some rows, valid until the room is used again.

    Numbers of long lists are ranked anew, among those of the rows. Counting by bits
    does not pay for few rows.

    Parameters
    ----------
    whole : WholeTable
    rows : int32 array of shape (n_rows,)
        Ascending; a row may come again.
    room : SubRoom
        For as many rows.
    """
    table = whole.table
    classes, no_bits = table.classes[rows], np.zeros((0, 1), np.uint64)
    written = room.codes, room.numbers, room.lines.lists
    list_rows(table.facts, whole.codes, whole.numbers, rows, classes, *written)
    room.lines.lists.sort(axis=1)  # numpy has the processor's own way for this
    n_known = (room.lines.lists != _LAST).sum(axis=1)
    levels, own = table.lines.levels, (room.facts, room.codes, room.numbers)
    rank_rows(table.facts, levels, *own, n_known, *room.lines)
    marks = table.marks
    if marks.size:
        marks = marks.reshape(-1, padded_slots(table.slots))[rows].reshape(-1)
    return table._replace(
        facts=room.facts,
        codes=room.codes,
        cells=table.cells[rows],
        lines=room.lines,
        classes=classes,
        logs=table.logs[: rows.size + 1],
        bits=no_bits,
        class_bits=no_bits,
        marks=marks,
    )


@lean_entry
def list_rows(facts, all_codes, all_numbers, rows, classes, codes, numbers, lists):
    """Write codes and numbers of some rows, and the entries of lists, not sorted.

    Entries of missing cells are the last that there can be.
    """
    for i in range(rows.size):
        for j in range(codes.shape[0]):
            codes[j, i] = all_codes[rows[i], j]
        for line in range(numbers.shape[0]):
            numbers[line, i] = all_numbers[rows[i], line]
    for j in range(codes.shape[0]):
        if facts[KIND, j] != NOMINAL:
            entries = lists[facts[LINE, j]]
            for i in range(rows.size):
                own = np.uint64(classes[i]) << CLASS_SHIFT | np.uint64(i)
                entry = np.uint64(codes[j, i]) << RANK_SHIFT | own
                entries[i] = entry if codes[j, i] >= 0 else _LAST


@lean_entry
def rank_rows(
    facts, all_levels, own_facts, codes, numbers, n_known, lists, ends, levels
):
    """Write the levels of sorted lists, and where they end; see `take_rows`."""
    for j in range(codes.shape[0]):
        if facts[KIND, j] == NOMINAL:
            continue
        line = facts[LINE, j]
        entries, n_entries = lists[line], n_known[line]
        if facts[KIND, j] == MANY:
            own_facts[N_LEVELS, j] = rank_anew(
                entries, n_entries, numbers[line], codes[j], ends[line], levels[line]
            )
        else:
            end_ranks(entries, n_entries, facts[N_LEVELS, j], ends[line])
            for rank in range(facts[N_LEVELS, j]):
                levels[line, rank] = all_levels[line, rank]


@lean_kernel
def rank_anew(entries, n_entries, numbers, codes, ends, levels):
    """Number the levels of sorted entries from 0 on; return how many there are."""
    level, before = np.int64(-1), np.int64(-1)
    for p in range(n_entries):
        rank = np.int64(entries[p] >> RANK_SHIFT)
        if rank != before:
            level, before = level + 1, rank
            ends[level] = p
            levels[level] = numbers[entries[p] & ROW_MASK]
        codes[entries[p] & ROW_MASK] = level
        entries[p] = np.uint64(level) << RANK_SHIFT | (entries[p] & _BELOW_RANK)
    ends[level + 1] = n_entries
    return level + 1


@lean_kernel
def end_ranks(entries, n_entries, n_levels, ends):
    """Write where the entries of each rank begin, and where the last ones end."""
    at = 0
    for rank in range(n_levels + 1):
        while at < n_entries and np.int64(entries[at] >> RANK_SHIFT) < rank:
            at += 1
        ends[rank] = at
