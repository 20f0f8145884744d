"""Which attribute a node splits on: all are counted and valued, one is chosen."""

from sklazy.kernels.bags import shuffle_attributes
from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.paths.cuts import ALIKE, TOTAL, fill_terms, read_list
from sklazy.kernels.paths.nodes import (
    BY_BITS,
    KEPT,
    WHOLE,
    count_bits,
    count_column,
    count_node_cells,
    count_spilt,
)
from sklazy.kernels.paths.splits import (
    GAIN,
    SPLIT,
    choose_attribute,
    value_fews,
    value_many,
    value_nominals,
)
from sklazy.kernels.paths.table import (
    COUNTED,
    GAPS,
    KIND,
    MANY,
    PLACE,
)


@lean_kernel
def choose_split(data, rules, node, key, total):
    """The attribute a node splits on, -1 for a leaf."""
    totals, n_attributes = node.sums[TOTAL], data.facts.shape[1]
    largest, n_present = totals[0], 0
    for c in range(totals.size):
        largest = max(largest, totals[c])
        node.present[n_present] = c
        n_present += totals[c] > 0
    if total < 2 * rules.min_branch_weight - ALIKE or total - largest <= ALIKE:
        return -1
    present = node.present[:n_present]
    begin, end = 0, n_attributes
    for j in range(n_attributes):
        node.worth[GAIN, j] = -1.0
    if 0 < rules.inspect < n_attributes:
        shuffle_attributes(key, node.order)
        end = rules.inspect
    while True:
        attributes = node.order[begin:end]
        if not node.rows.now[KEPT]:
            count_slots(data, node, totals, attributes)
        gainful = value_nominals(data, node, present, total, rules, attributes)
        gainful |= value_fews(data, node, present, total, rules, attributes)
        if node.lengths.size > 0:
            gainful |= value_lists(data, rules, node, total, attributes)
        if gainful or end == n_attributes:
            return choose_attribute(node.worth, data.facts[COUNTED])
        begin, end = end, end + 1


@lean_kernel
def count_slots(data, node, totals, attributes):
    """Fill the table for some attributes."""
    rows, facts, slots, cells = node.rows, data.facts, data.slots, data.cells
    classes, table = data.classes, node.table
    whole = attributes.size == facts.shape[1]
    if whole and not rows.now[BY_BITS]:
        rows.now[KEPT] = 1
        for cell in range(table.size):
            table[cell] = 0
        count_node_cells(rows, cells, data.marks, classes, totals.size, table)
        return
    for j in attributes:
        if facts[KIND, j] == MANY:
            continue
        place = facts[PLACE, j]
        first, last = slots[place], slots[place + 1] - 1
        if rows.now[BY_BITS]:
            n_counted = last if facts[GAPS, j] else last - 1
            count_bits(data.bits, node.masked, totals, first, last, n_counted, table)
            count_spilt(rows, cells, classes, place, n_counted, totals.size, table)
            continue
        for line in range(0, table.size, table.size // totals.size):
            for slot in range(first, last + 1):
                table[line + slot] = 0
        count_column(rows, cells, place, classes, totals.size, table)


@lean_kernel
def value_lists(data, rules, node, total, attributes):
    """Write gain, split information and cut of attributes with long lists.

    Returns whether any gains.
    """
    facts, gainful = data.facts, False
    if node.rows.now[WHOLE]:
        fill_terms(node.sums[TOTAL], total, data.logs, node.places, node.terms)
    for j in attributes:
        if facts[KIND, j] == MANY:
            n_kept = read_list(data, j, node)
            gain, split, low, high = value_many(data, node, j, n_kept, total, rules)
            node.worth[GAIN, j], node.worth[SPLIT, j] = gain, split
            node.cuts[0, j], node.cuts[1, j] = low, high
            gainful |= gain > ALIKE
    return gainful
