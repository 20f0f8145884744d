"""Only the path of a query through an unpruned regression tree.

The way is that of `sklazy.kernels.paths.classes`; what differs is the worth of a split:
the largest reduction of the weighted sum of squares. Targets are taken relative to the
mean of the node, so that a node far from the others loses no digits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bags import shuffle_attributes
from sklazy.kernels.bits import ZERO
from sklazy.kernels.compiling import lean_entry, lean_kernel
from sklazy.kernels.paths.classes import (
    SHARE,
    begin_path,
    cut_midway,
    descend_branch,
    enter_bag,
    next_open,
    write_step,
)
from sklazy.kernels.paths.cuts import ALIKE, read_list
from sklazy.kernels.paths.nodes import N_ROWS
from sklazy.kernels.paths.splits import CHANCE, GAIN
from sklazy.kernels.paths.table import (
    GAPS,
    KIND,
    MANY,
    NOMINAL,
    PLACE,
    RANK_SHIFT,
    ROW_MASK,
)

_ONE = np.uintp(1)
_BY_LIST = np.int64(0)


class RegressionRules(NamedTuple):
    """The rules by which a regression tree splits.

    Attributes
    ----------
    min_branch_weight : float
        Two branches of a split must hold at least this.
    penalize_nominal_splits : bool
        The reduction of a nominal split pays what its branches explain by chance.
    inspect : int
        Attributes looked at in a node, drawn by the node's key; 0 looks at all.
    """

    min_branch_weight: float = 2.0
    penalize_nominal_splits: bool = False
    inspect: int = 0


class CenteredTargets(NamedTuple):
    """Targets relative to the mean of a node.

    Attributes
    ----------
    rows : float64 array of shape (n_rows,)
        Each row's target less the mean; right for the rows of the node.
    slots : float64 array of shape (n_slots,)
        Their weighted sum in every slot.
    """

    rows: NDArray[np.float64]
    slots: NDArray[np.float64]


@lean_entry
def bagged_means(
    data,
    targets,
    rules,
    queries,
    neighbors,
    seeds,
    weights,
    node,
    moments,
    route,
    steps,
    answers,
):
    """Add the predictions of queries by the regression trees of their own bags.

    Parameters
    ----------
    data : PathTable
        Of rows of one class, without bit sets.
    targets : float64 array of shape (n_rows,)
    rules : RegressionRules
    queries, neighbors, seeds, weights, route, steps
        As in `bagged_paths`.
    node : Node
        With weights that are fractions.
    moments : CenteredTargets
    answers : float64 array of shape (n_queries, n_bags, 1)
    """
    rows, n_bags, last_step = node.rows, seeds.shape[2], steps.shape[2] - 1
    facts, codes, slots = data.facts, data.codes, data.slots
    for item in range(seeds.shape[1] * n_bags):
        query, bag = item // n_bags, item % n_bags
        seed, shared_seed = seeds[0, query, bag], seeds[1, query, bag]
        begin_path(node, route, seed, shared_seed, neighbors[query], weights, bag)
        enter_bag(rows, node.lengths, _BY_LIST)
        depth, n_steps = np.int64(0), np.int64(0)
        while depth >= 0:
            step = steps[query, bag, min(n_steps, last_step)]
            total, mean, squares = center_rows(rows, targets, moments.rows)
            node.sums[0, 0] = total
            j = choose_reduction(
                data, rules, node, moments, route.keys[depth], total, squares
            )
            cut = cut_midway(facts, data.lines, node.cuts, j) if j >= 0 else math.nan
            branch = write_step(
                data, queries, query, node, route, depth, j, cut, total, step
            )
            n_steps += 1
            if branch < 0:
                answers[query, bag, 0] += route.parts[depth, SHARE] * mean
                depth = next_open(
                    rows, node.lengths, facts, codes, node.sizes, route, depth
                )
            if depth >= 0:
                descend_branch(rows, facts, codes, slots, data.bits, route, depth)
                depth += 1


@lean_kernel
def center_rows(rows, targets, moments):
    """Weight, mean and sum of squares of a node; the squares are 0 if all are equal."""
    n_rows, total, moved = rows.now[N_ROWS], 0.0, 0.0
    first = targets[rows.rows[0]]
    pure = True
    for t in range(n_rows):
        row = rows.rows[t]
        total += rows.weight[row]
        moved += rows.weight[row] * (targets[row] - first)
        pure &= targets[row] == first
    if pure:
        return total, first, 0.0
    mean, squares = first + moved / total, 0.0
    for t in range(n_rows):
        row = rows.rows[t]
        apart = targets[row] - mean
        moments[row] = apart
        squares += rows.weight[row] * apart * apart
    return total, mean, squares


@lean_kernel
def choose_reduction(data, rules, node, moments, key, total, squares):
    """The attribute a node splits on, -1 for a leaf; ties go to the lowest index."""
    facts, n_attributes = data.facts, data.facts.shape[1]
    if total < 2 * rules.min_branch_weight - ALIKE or squares <= 0.0:
        return -1
    begin, end = 0, n_attributes
    for j in range(n_attributes):
        node.worth[GAIN, j] = 0.0
    if 0 < rules.inspect < n_attributes:
        shuffle_attributes(key, node.order)
        end = rules.inspect
    tie = ALIKE * squares
    price = CHANCE * squares / total if rules.penalize_nominal_splits else 0.0
    while True:
        attributes = node.order[begin:end]
        sum_cells(
            node.rows, facts, data.slots, data.cells, node.table, moments, attributes
        )
        for j in attributes:
            value_reduction(data, rules, node, moments, j, tie, price)
        chosen, best = -1, 0.0
        for j in range(n_attributes):
            if node.worth[GAIN, j] > best + tie:
                chosen, best = j, node.worth[GAIN, j]
        if chosen >= 0 or end == n_attributes:
            return chosen
        begin, end = end, end + 1


@lean_kernel
def sum_cells(rows, facts, slots, cells, table, moments, attributes):
    """Weights and weighted targets of a node in the slots of some attributes."""
    whole = attributes.size == facts.shape[1]
    for j in attributes:
        if facts[KIND, j] == MANY:
            continue
        place = facts[PLACE, j]
        for slot in range(slots[place], slots[place + 1]):
            table[slot], moments.slots[slot] = 0.0, 0.0
        if not whole:
            for t in range(rows.now[N_ROWS]):
                row = rows.rows[t]
                cell = np.uintp(cells[row, place])
                table[cell] += rows.weight[row]
                moments.slots[cell] += rows.weight[row] * moments.rows[row]
    if whole and cells.shape[1] > 0:
        for t in range(rows.now[N_ROWS]):
            row = rows.rows[t]
            weight = rows.weight[row]
            moment = weight * moments.rows[row]
            for cell in cells[row]:
                table[np.uintp(cell)] += weight
                moments.slots[np.uintp(cell)] += moment


@lean_kernel
def value_reduction(data, rules, node, moments, j, tie, price):
    """Write the reduction and the cut of an attribute; 0 marks one without a split."""
    facts, least = data.facts, rules.min_branch_weight - ALIKE
    place = facts[PLACE, j]
    if facts[KIND, j] == MANY:
        n_kept = read_list(data, j, node)
        entries = node.lists[place]
        worth, at = reduce_list(
            entries, n_kept, node.kept_weight, moments.rows, facts[GAPS, j], least, tie
        )
        if at > 0:
            node.cuts[0, j] = np.int64(entries[at - 1] >> RANK_SHIFT)
            node.cuts[1, j] = np.int64(entries[at] >> RANK_SHIFT)
    else:
        first, last = data.slots[place], data.slots[place + 1] - 1
        weights, sums = node.table[first:last], moments.slots[first:last]
        if facts[KIND, j] == NOMINAL:
            worth = reduce_values(weights, sums, least, price)
        else:
            worth, node.cuts[0, j], node.cuts[1, j] = reduce_slots(
                weights, sums, least, tie
            )
    node.worth[GAIN, j] = worth


@lean_kernel
def reduction(left, below, right, above):
    """Reduction of the sum of squares by a cut, given sums and weights of its sides.

    Equal to ``left**2 / below + right**2 / above - (left + right)**2 / both``.
    """
    apart = left * above - right * below
    return apart * apart / (below * above * (below + above))


@lean_kernel
def reduce_values(weights, sums, least, price):
    """Reduction of the known rows' sum of squares by one branch per value.

    Every branch but the first pays a price.
    """
    known, moment, within, n_large, paid = 0.0, 0.0, 0.0, 0, -price
    for value in range(weights.size):
        weight = weights[value]
        n_large += weight >= least
        if weight > 0:
            known += weight
            moment += sums[value]
            within += sums[value] * sums[value] / weight
            paid += price
    return within - moment * moment / known - paid if n_large >= 2 else 0.0


@lean_kernel
def reduce_slots(weights, sums, least, tie):
    """The best cut between slots: its worth and the ranks on its two sides."""
    above, right = 0.0, 0.0
    for value in range(weights.size):
        above += weights[value]
        right += sums[value]
    best, low, high, last = 0.0, np.int64(0), np.int64(0), np.int64(-1)
    below, left = 0.0, 0.0
    for value in range(weights.size):
        if weights[value] <= 0:
            continue
        if below >= least and above >= least:
            worth = reduction(left, below, right, above)
            if worth > best + tie:
                best, low, high = worth, last, np.int64(value)
        below, left = below + weights[value], left + sums[value]
        above, right = above - weights[value], right - sums[value]
        last = np.int64(value)
    return best, low, high


@lean_kernel
def reduce_list(entries, n_entries, kept_weight, moments, gaps, least, tie):
    """The best cut of a sorted list: its worth and the first place on the right."""
    known, moment = 0.0, 0.0
    for p in range(n_entries):
        known += kept_weight[p]
        if gaps:
            moment += kept_weight[p] * moments[entries[p] & ROW_MASK]
    best, at, below, left = 0.0, np.int64(0), 0.0, 0.0
    for p in range(_ONE, np.uintp(n_entries)):
        item, weight = entries[p - _ONE], kept_weight[p - _ONE]
        below += weight
        left += weight * moments[item & ROW_MASK]
        if (entries[p] ^ item) >> RANK_SHIFT == ZERO or below < least:
            continue
        if known - below < least:
            break
        worth = reduction(left, below, moment - left, known - below)
        if worth > best + tie:
            best, at = worth, np.int64(p)
    return best, at
