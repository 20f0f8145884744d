"""Which attribute a node splits on: all are counted and valued, one is chosen."""

from sklazy.kernels.bags import shuffle_attributes
from sklazy.kernels.compiling import kernel
from sklazy.kernels.path_cuts import ALIKE, TOTAL, fill_terms, keep_present
from sklazy.kernels.path_nodes import (
    BY_BITS,
    KEPT,
    WHOLE,
    count_bits,
    count_cells,
    count_column,
    count_spilt,
)
from sklazy.kernels.path_splits import (
    GAIN,
    SPLIT,
    choose_attribute,
    value_fews,
    value_many,
    value_nominals,
)
from sklazy.kernels.path_table import (
    COUNTED,
    GAPS,
    KIND,
    LINE,
    MANY,
    N_LEVELS,
    PLACE,
)


@kernel
def choose_split(data, rules, node, key, total):
    """The attribute a node splits on, -1 for a leaf."""
    totals, n_attributes = node.sums[TOTAL], data.facts.shape[1]
    largest, n_present = totals[0], 0
    for c in range(totals.size):
        largest = max(largest, totals[c])
        node.present[n_present] = c
        n_present += totals[c] > 0
    if total < 2 * rules.min_weight - ALIKE or total - largest <= ALIKE:
        return -1
    present = node.present[:n_present]
    begin, end = 0, n_attributes
    for j in range(n_attributes):
        node.worth[GAIN, j] = -1.0
    if 0 < rules.inspect < n_attributes:
        shuffle_attributes(key, node.order)
        end = rules.inspect
    while True:
        if not node.rows.now[KEPT]:
            count_slots(
                node.rows,
                data.facts,
                data.slots,
                data.cells,
                data.classes,
                data.bits,
                node.masked,
                totals,
                node.table,
                node.order[begin:end],
            )
        gainful = value_attributes(
            data, rules, node, total, present, node.order[begin:end]
        )
        if gainful or end == n_attributes:
            return choose_attribute(node.worth, data.facts[COUNTED])
        begin, end = end, end + 1


@kernel
def count_slots(
    rows, facts, slots, cells, classes, bits, masked, totals, table, attributes
):
    """Fill the table for some attributes."""
    n_classes = totals.size
    whole = attributes.size == facts.shape[1]
    for j in attributes:
        if facts[KIND, j] == MANY:
            continue
        place = facts[PLACE, j]
        first, last = slots[place], slots[place + 1] - 1
        if rows.now[BY_BITS]:
            n_counted = last if facts[GAPS, j] else last - 1
            count_bits(bits, masked, totals, first, last, n_counted, table)
            count_spilt(rows, cells, classes, place, n_counted, n_classes, table)
            continue
        for cell in range(first * n_classes, (last + 1) * n_classes):
            table[cell] = 0
        if not whole:
            count_column(rows, cells, place, classes, n_classes, table)
    if whole and not rows.now[BY_BITS]:
        rows.now[KEPT] = 1
        count_cells(rows, cells, classes, n_classes, table)


@kernel
def value_attributes(data, rules, node, total, present, attributes):
    """Write gain, split information and cut of attributes; tell whether any gains."""
    facts, sums, logs = data.facts, node.sums, data.logs
    gainful = value_nominals(
        facts,
        data.slots,
        node.table,
        sums,
        present,
        total,
        logs,
        rules.min_weight,
        attributes,
        node.worth,
    )
    gainful |= value_fews(
        facts,
        data.slots,
        node.table,
        sums,
        present,
        total,
        logs,
        rules,
        attributes,
        node.worth,
        node.cuts,
    )
    if node.lengths.size > 0 and node.rows.now[WHOLE]:
        fill_terms(sums[TOTAL], total, logs, node.places, node.terms)
    for j in attributes:
        if facts[KIND, j] == MANY:
            n_kept = read_list(data.lines, facts[:, j], node)
            gain, split, low, high = value_many(
                node.lists[facts[PLACE, j]],
                n_kept,
                node.kept_weight,
                facts[GAPS, j],
                sums,
                node.terms,
                node.places,
                total,
                logs,
                rules,
            )
            node.worth[GAIN, j], node.worth[SPLIT, j] = gain, split
            node.cuts[0, j], node.cuts[1, j] = low, high
            gainful |= gain > ALIKE
    return gainful


@kernel
def read_list(lines, fact, node):
    """Leave the rows of the node in an attribute's list; return how many."""
    place = fact[PLACE]
    kept = node.lists[place]
    entries, n_entries = kept, node.lengths[place]
    if n_entries < 0:
        entries = lines.lists[fact[LINE]]
        n_entries = lines.ends[fact[LINE], fact[N_LEVELS]]
    n_kept = keep_present(entries, n_entries, node.rows.weight, kept, node.kept_weight)
    node.lengths[place] = n_kept
    return n_kept
