"""A node on a query's path: its rows, and how they are counted and divided.

While a node is large and its weights are whole, its rows are a bit set and their
weights three bit planes; otherwise a list of rows with weights.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bits import (
    ALL,
    ONE,
    ZERO,
    popcount,
    set_bit,
    trailing_zeros,
)
from sklazy.kernels.compiling import inlined, lean_kernel
from sklazy.kernels.paths.table import (
    KIND,
    MANY,
    N_LEVELS,
    NOMINAL,
    PathTable,
    padded_slots,
)

_TWO = np.uint64(2)

N_ROWS, BY_BITS, N_GONE, N_SPILT, WHOLE, KEPT = range(6)
"""Places in `NodeRows.now`."""

N_PLANES = 3
MOST = (1 << N_PLANES) - 1
"""The greatest weight that the planes hold; the few greater ones spill."""


class NodeRows(NamedTuple):
    """The rows of a node; `unit` is int32, or float64 if cells are missing.

    Attributes
    ----------
    bag : int32 array of shape (n_rows,)
        Weights of the rows in the bag.
    weight : unit array of shape (n_rows,)
        Weights of the rows in the node, 0 outside.
    rows : int32 array of shape (n_rows + 1,)
        The rows of the node; the first ``now[N_ROWS]`` count.
    gone : int32 array of shape (n_rows + 1,)
        The rows that the last split has sent elsewhere; for bits, those of the node
        that weigh more than the planes hold.
    now : int64 array of shape (6,)
        `N_ROWS`; `BY_BITS`, whether rows are bits instead of a list; `N_GONE`;
        `N_SPILT`; `WHOLE`, whether weights are integers for good; `KEPT`,
        whether the table and the totals are up to date.
    inside : uint64 array of shape (n_words,)
        The rows of the node as a bit set.
    planes : uint64 array of shape (3, n_words)
        The bag's weights, at most `MOST`, a bit per plane.
    """

    bag: NDArray[np.int32]
    weight: NDArray[np.number]
    rows: NDArray[np.int32]
    gone: NDArray[np.int32]
    now: NDArray[np.int64]
    inside: NDArray[np.uint64]
    planes: NDArray[np.uint64]


class Node(NamedTuple):
    """Room for one node at a time.

    Attributes
    ----------
    rows : NodeRows
    sums : unit array of shape (3, n_classes)
        Rows `TOTAL`, `KNOWN` and `LEFT` of class weights.
    present : int64 array of shape (n_classes,)
        Room for the classes of the node.
    table : unit array of shape (n_classes * n_padded_slots,)
        Class weights of every slot, class by class.
    slot_sizes : unit array of shape (n_padded_slots,)
    slot_inner, slot_outer : float64 arrays of shape (n_padded_slots,)
        The weight of every slot, and what it adds to the worth of its attribute.
    masked : uint64 array of shape (n_classes, 3, n_words)
        The planes of each class inside the node.
    lists : uint64 array of shape (n_long + 1, n_rows + 1)
        The long lists, less the rows that have left, and room to sort one.
    lengths : int64 array of shape (n_long,)
        -1 for a list that no node of the path has read yet.
    kept_weight : unit array of shape (n_rows + 1,)
    terms : float64 array of shape (2 * n_rows + n_classes + 1,)
    places : int64 array of shape (2, n_classes + 1)
        The table of `fill_terms` for whole weights, and room; no places otherwise.
    worth : float64 array of shape (2, n_attributes)
        Gain and split information, bits per unit of weight; a gain of -1 marks an
        attribute that cannot split.
    cuts : int64 array of shape (2, n_attributes)
        Ranks on the two sides of the best cut.
    order : int64 array of shape (n_attributes,)
        The attributes in the order in which the node looks at them.
    sizes : float64 array of shape (n_most_branches,)
    """

    rows: NodeRows
    sums: NDArray[np.number]
    present: NDArray[np.int64]
    table: NDArray[np.number]
    slot_sizes: NDArray[np.number]
    slot_inner: NDArray[np.float64]
    slot_outer: NDArray[np.float64]
    masked: NDArray[np.uint64]
    lists: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    kept_weight: NDArray[np.number]
    terms: NDArray[np.float64]
    places: NDArray[np.int64]
    worth: NDArray[np.float64]
    cuts: NDArray[np.int64]
    order: NDArray[np.int64]
    sizes: NDArray[np.float64]


def make_node(data: PathTable, n_classes: int, unit: type) -> Node:
    """Room for the nodes of paths through `data`, with weights of type `unit`."""
    n_attributes, n_rows = data.codes.shape
    n_slots = padded_slots(data.slots)
    n_long = int((data.facts[KIND] == MANY).sum())
    n_words = data.bits.shape[1] if data.bits.shape[0] else 0
    levels = data.facts[N_LEVELS, data.facts[KIND] == NOMINAL]
    rows = NodeRows(
        bag=np.zeros(n_rows, np.int32),
        weight=np.zeros(n_rows, unit),
        rows=np.zeros(n_rows + 1, np.int32),
        gone=np.zeros(n_rows + 1, np.int32),
        now=np.zeros(6, np.int64),
        inside=np.zeros(n_words, np.uint64),
        planes=np.zeros((N_PLANES, n_words), np.uint64),
    )
    rows.now[WHOLE] = np.dtype(unit).kind == "i"
    return Node(
        rows=rows,
        sums=np.zeros((3, n_classes), unit),
        present=np.zeros(n_classes, np.int64),
        table=np.zeros(n_classes * n_slots, unit),
        slot_sizes=np.zeros(n_slots, unit),
        slot_inner=np.zeros(n_slots),
        slot_outer=np.zeros(n_slots),
        masked=np.zeros((n_classes, N_PLANES, n_words), np.uint64),
        lists=np.zeros((n_long + min(n_long, 1), n_rows + 1), np.uint64),
        lengths=np.zeros(n_long, np.int64),
        kept_weight=np.zeros(n_rows + 1, unit),
        terms=np.zeros(2 * n_rows + n_classes + 1 if n_long else 0),
        places=np.zeros((2, n_classes + 1 if rows.now[WHOLE] else 0), np.int64),
        worth=np.zeros((2, n_attributes)),
        cuts=np.zeros((2, n_attributes), np.int64),
        order=np.arange(n_attributes),
        sizes=np.zeros(max(2, int(levels.max(initial=0)))),
    )


@lean_kernel
def enter_root(rows, by_bits):
    """Begin with the whole bag, as bits or as a list."""
    rows.now[KEPT] = 0
    rows.now[BY_BITS] = by_bits
    if by_bits:
        fill_planes(rows)
        for word in range(rows.inside.size):
            rows.inside[word] = ALL
        return
    n_present = 0
    for row in range(rows.bag.size):
        rows.weight[row] = rows.bag[row]
        rows.rows[n_present] = row
        n_present += rows.bag[row] > 0
    rows.now[N_ROWS] = n_present


@lean_kernel
def fill_planes(rows):
    """Write the bag as bit planes, and list the rows that weigh too much for them."""
    bag, planes, n_rows, some = rows.bag, rows.planes, rows.bag.size, ZERO
    for word in range((n_rows + 63) // 64):
        ones, twos, fours = ZERO, ZERO, ZERO
        for row in range(word * 64, min(n_rows, word * 64 + 64)):
            weight = np.uint64(bag[row])
            shift = np.uint64(row & 63)
            ones |= (weight & ONE) << shift
            twos |= ((weight >> ONE) & ONE) << shift
            fours |= ((weight >> _TWO) & ONE) << shift
            some |= weight
        planes[0, word] = ones
        planes[1, word] = twos
        planes[2, word] = fours
    n_spilt = 0
    if np.int64(some) > MOST:
        for row in range(n_rows):
            if bag[row] > MOST:
                for plane in range(N_PLANES):
                    set_bit(planes[plane], row)
                rows.gone[n_spilt] = row
                n_spilt += 1
    rows.now[N_SPILT] = n_spilt


@lean_kernel
def list_node_rows(rows):
    """Turn the bit set into a list of rows with weights."""
    n_rows = 0
    for word in range(rows.inside.size):
        left = rows.planes[0, word] | rows.planes[1, word] | rows.planes[2, word]
        left &= rows.inside[word]
        while left != ZERO:
            row = word * 64 + np.int64(trailing_zeros(left))
            left &= left - ONE
            rows.rows[n_rows] = row
            rows.weight[row] = rows.bag[row]
            n_rows += 1
    rows.now[N_ROWS] = n_rows
    rows.now[BY_BITS] = 0


@lean_kernel
def sum_rows(rows, classes, totals):
    """Class weights of the rows of a node; return their sum."""
    total = totals[0] - totals[0]
    for c in range(totals.size):
        totals[c] = 0
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        totals[classes[row]] += rows.weight[row]
        total += rows.weight[row]
    return total


@lean_kernel
def mask_planes(inside, planes, class_bits, masked, totals):
    """Write the planes of each class inside a node, and what they weigh."""
    for c in range(totals.size):
        for word in range(inside.size):
            members = inside[word] & class_bits[c, word]
            masked[c, 0, word] = members & planes[0, word]
            masked[c, 1, word] = members & planes[1, word]
            masked[c, 2, word] = members & planes[2, word]
        totals[c] = weigh_bits(masked[c], inside)


@lean_kernel
def sum_bits(rows, classes, class_bits, masked, totals):
    """Class weights of a node by bits; return their sum."""
    mask_planes(rows.inside, rows.planes, class_bits, masked, totals)
    n_spilt = 0
    for t in range(rows.now[N_SPILT]):
        row = rows.gone[t]
        if (rows.inside[row >> 6] >> np.uint64(row & 63)) & ONE:
            totals[classes[row]] += rows.bag[row] - MOST
            rows.gone[n_spilt] = row
            n_spilt += 1
    rows.now[N_SPILT] = n_spilt
    total = totals[0] - totals[0]
    for c in range(totals.size):
        total += totals[c]
    return total


@lean_kernel
def weigh_bits(planes, rows):
    """The weight of a set of rows: one, two and four for a bit of the planes."""
    weight = ZERO
    ones, twos, fours = planes[0], planes[1], planes[2]
    for word in range(rows.size):
        inside = rows[word]
        weight += popcount(ones[word] & inside)
        weight += popcount(twos[word] & inside) << ONE
        weight += popcount(fours[word] & inside) << _TWO
    return np.int64(weight)


@lean_kernel
def count_bits(bits, masked, totals, first, last, n_counted, table):
    """Fill slots first..last of one attribute: by bits, the last one from the rest.

    Without missing cells `n_counted` is one less, and the slot after it the last.
    """
    width = table.size // totals.size
    for c in range(totals.size):
        class_planes, rest, line = masked[c], np.int64(totals[c]), c * width
        for slot in range(first, n_counted):
            weight = weigh_bits(class_planes, bits[slot])
            table[line + slot] = weight
            rest -= weight
        table[line + last] = 0
        table[line + n_counted] = rest


@lean_kernel
def count_spilt(rows, cells, classes, place, rest, n_classes, table):
    """Move what the planes do not hold from the slot of the rest to the right one."""
    width = table.size // n_classes
    for t in range(rows.now[N_SPILT]):
        row = rows.gone[t]
        more, line = rows.bag[row] - MOST, classes[row] * width
        table[line + rest] -= more
        table[line + np.int64(cells[row, place])] += more


@inlined
def add_row(cells, marks, row, c, weight, width, table):
    """Add a weight to the slots of a row's cells, in the part of its class."""
    line = np.uintp(c) * width
    if marks.size > 0:
        marks_start = np.uintp(row) * width
        for slot in range(width):
            table[line + slot] += weight * marks[marks_start + slot]
    else:
        for a in range(np.uintp(cells.shape[1])):
            table[line + np.uintp(cells[np.uintp(row), a])] += weight


@lean_kernel
def take_away(rows, cells, marks, classes, totals, table):
    """Subtract the rows that have gone, whose weights are whole."""
    width = np.uintp(table.size // totals.size)
    for t in range(rows.now[N_GONE]):
        row = rows.gone[t]
        weight, c = rows.bag[row], classes[row]
        totals[c] -= weight
        add_row(cells, marks, row, c, -weight, width, table)


@lean_kernel
def count_node_cells(rows, cells, marks, classes, n_classes, table):
    """Add the weights of a node's rows to the slots of all their cells."""
    width = np.uintp(table.size // n_classes)
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        add_row(cells, marks, row, classes[row], rows.weight[row], width, table)


@lean_kernel
def count_column(rows, cells, place, classes, n_classes, table):
    """Add the weights of a node's rows to the slots of one attribute."""
    width = np.uintp(table.size // n_classes)
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        line = np.uintp(classes[row]) * width
        table[line + np.uintp(cells[row, place])] += rows.weight[row]


@lean_kernel
def weigh_branches(rows, codes, nominal, cut, sizes):
    """Write the known weight of each branch of a split into `sizes`."""
    for place in range(sizes.size):
        sizes[place] = 0.0
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        code = codes[row]
        if code >= 0:
            branch = np.int64(code) if nominal else np.int64(code > cut)
            sizes[branch] += rows.weight[row]


@lean_kernel
def divide_rows(rows, codes, nominal, cut, branch, fraction):
    """Leave the rows of a branch, and a fraction of those without the value."""
    n_left, n_gone = 0, 0
    for t in range(rows.now[N_ROWS]):
        row = rows.rows[t]
        code = codes[row]
        stays = code == branch if nominal else np.int64(code > cut) == branch
        if code < 0:
            stays = True
            rows.weight[row] = rows.weight[row] * fraction
        rows.weight[row] *= stays
        rows.gone[n_gone] = row
        rows.rows[n_left] = row
        n_left += stays
        n_gone += not stays
    rows.now[N_ROWS], rows.now[N_GONE] = n_left, n_gone


@lean_kernel
def divide_bits(inside, bits, first, last):
    """Leave the rows of slots first..last-1."""
    for word in range(inside.size):
        stay = ZERO
        for slot in range(first, last):
            stay |= bits[slot, word]
        inside[word] &= stay
