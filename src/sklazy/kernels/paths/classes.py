"""Only the path of a query through an unpruned tree: the tree's answer, without it.

A split depends on nothing but the rows of its node, so the nodes beside the path
change nothing. A query that lacks the value a node asks for goes down all branches,
each by its share of the node's weight; what is left to visit is found again by
walking from the root, so that no node has to be kept.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import MISSING
from sklazy.kernels.bags import draw_some, path_key
from sklazy.kernels.compiling import lean_entry, lean_kernel
from sklazy.kernels.paths.choice import choose_split
from sklazy.kernels.paths.cuts import TOTAL
from sklazy.kernels.paths.nodes import (
    BY_BITS,
    KEPT,
    N_GONE,
    N_ROWS,
    WHOLE,
    divide_bits,
    divide_rows,
    enter_root,
    list_node_rows,
    sum_bits,
    sum_rows,
    take_away,
    weigh_branches,
)
from sklazy.kernels.paths.table import (
    GAPS,
    KIND,
    LINE,
    MANY,
    N_LEVELS,
    NOMINAL,
    PLACE,
    ROW_MASK,
)


class Route(NamedTuple):
    """The way from the root, one element per depth.

    Attributes
    ----------
    turns : int64 array of shape (n_depths, 5)
        A column each for `ATTRIBUTE`; `CUT`, the rank left of the cut; `BRANCH`, the
        one taken; `LAST`, the last one to take; `LACKING`, whether the query lacks
        the value, so that all branches are taken.
    parts : float64 array of shape (n_depths, 2)
        `FRACTION`, the branch's part of the known weight; `SHARE`, the node's part of
        the query.
    keys : uint64 array of shape (n_depths,)
    """

    turns: NDArray[np.int64]
    parts: NDArray[np.float64]
    keys: NDArray[np.uint64]


_BY_LIST = np.int64(0)  # not a literal: that would be compiled for itself

ATTRIBUTE, CUT, BRANCH, LAST, LACKING = range(5)
FRACTION, SHARE = range(2)

PART, N_STEP_COLUMNS = 5, 6
"""A step is: depth, attribute, branch, cut, weight of the node, part of the query."""


def make_route(n_rows: int) -> Route:
    """Room for the longest way: every split leaves a row behind."""
    return Route(
        turns=np.zeros((n_rows + 2, 5), np.int64),
        parts=np.zeros((n_rows + 2, 2)),
        keys=np.zeros(n_rows + 2, np.uint64),
    )


@lean_kernel
def enter_bag(rows, lengths, by_bits):
    """Go to the root: all rows of the bag, and lists that no node has read."""
    for long in range(lengths.size):
        lengths[long] = -1
    enter_root(rows, by_bits)


@lean_kernel
def sum_node(rows, classes, class_bits, masked, slots, totals):
    """Class weights of the node; return their sum. Small nodes leave the bits."""
    if rows.now[KEPT]:
        total = totals[0] - totals[0]
        for c in range(totals.size):
            total += totals[c]
        return total
    if not rows.now[BY_BITS]:
        return sum_rows(rows, classes, totals)
    total = sum_bits(rows, classes, class_bits, masked, totals)
    n_words = slots[-1] * totals.size * rows.inside.size
    if n_words * 3 >= 8 * total * (slots.size - 1):
        list_node_rows(rows)
    return total


@lean_kernel
def cut_midway(facts, lines, cuts, j):
    """The cut midway between two ranks of a numeric attribute; NaN for a nominal one.

    Where no number lies between the two, it is the lower one.
    """
    if facts[KIND, j] == NOMINAL:
        return math.nan
    levels = lines.levels[facts[LINE, j]]
    low, high = levels[cuts[0, j]], levels[cuts[1, j]]
    middle = 0.5 * low + 0.5 * high
    return low if middle == high else middle


@lean_kernel
def place_cut(facts, lines, bag, cuts, j, rules):
    """The cut between two ranks of a numeric attribute, as a number.

    Midway between the two values, or the greatest value below that which the bag
    holds; NaN for a nominal attribute.
    """
    middle = cut_midway(facts, lines, cuts, j)
    if not rules.split_at_values or facts[KIND, j] == NOMINAL:
        return middle
    line, low, rank = facts[LINE, j], cuts[0, j], cuts[1, j]
    levels, ends, entries = lines.levels[line], lines.ends[line], lines.lists[line]
    while levels[rank] > middle:
        rank -= 1
    while rank > low:
        for p in range(ends[rank], ends[rank + 1]):
            if bag[entries[p] & ROW_MASK] > 0:
                return levels[rank]
        rank -= 1
    return levels[low]


@lean_kernel
def first_branch(data, node, route, depth, j, cut, code, value):
    """Write the query's first branch into the route and return it; -1 if none.

    `code` and `value` are the query's. A category that the node has not seen has no
    branch: the node itself answers.
    """
    rows, sizes, facts, slots = node.rows, node.sizes, data.facts, data.slots
    nominal, place = facts[KIND, j] == NOMINAL, facts[PLACE, j]
    branch = np.int64(code) if nominal else np.int64(value > cut)
    lacking = branch == MISSING if nominal else math.isnan(value)
    turn, part = route.turns[depth], route.parts[depth]
    turn[ATTRIBUTE], turn[CUT], turn[LACKING] = j, node.cuts[0, j], lacking
    turn[BRANCH], turn[LAST] = branch, branch
    part[FRACTION] = 1.0
    if not lacking:
        if nominal and not has_value(facts, slots, node, j, branch):
            return -1
        # A list does not show whether rows of the node are missing in it.
        if not facts[GAPS, j] or (
            facts[KIND, j] != MANY
            and not slot_filled(node.table, node.present.size, slots[place + 1] - 1)
        ):
            return branch
    if rows.now[BY_BITS]:
        list_node_rows(rows)
    weigh_branches(rows, data.codes[j], nominal, turn[CUT], sizes)
    if not lacking:
        return take_branch(sizes, turn, part, branch)
    turn[LAST] = sizes.size - 1
    while sizes[turn[LAST]] <= 0:
        turn[LAST] -= 1
    return take_branch(sizes, turn, part, np.int64(0))


@lean_kernel
def has_value(facts, slots, node, j, value):
    """Whether a row of the node has a category."""
    if not 0 <= value < facts[N_LEVELS, j]:
        return False
    return slot_filled(node.table, node.present.size, slots[facts[PLACE, j]] + value)


@lean_kernel
def slot_filled(table, n_classes, slot):
    """Whether a slot of the table holds any weight."""
    weight = table[0] - table[0]
    for c in range(n_classes):
        weight += table[c * (table.size // n_classes) + slot]
    return weight > 0


@lean_kernel
def take_branch(sizes, turn, part, branch):
    """Take the first branch from `branch` on that has any weight; return it."""
    while sizes[branch] <= 0:
        branch += 1
    known = 0.0
    for size in sizes:
        known += size
    turn[BRANCH] = branch
    part[FRACTION] = sizes[branch] / known
    return branch


@lean_kernel
def next_open(rows, lengths, facts, codes, sizes, route, depth):
    """Go back to the deepest node with a branch still to take; -1 if there is none."""
    depth -= 1
    while depth >= 0 and route.turns[depth, BRANCH] == route.turns[depth, LAST]:
        depth -= 1
    if depth < 0:
        return -1
    enter_bag(rows, lengths, _BY_LIST)
    for level in range(depth + 1):
        turn, part = route.turns[level], route.parts[level]
        j = turn[ATTRIBUTE]
        nominal = facts[KIND, j] == NOMINAL
        if level == depth:
            weigh_branches(rows, codes[j], nominal, turn[CUT], sizes)
            take_branch(sizes, turn, part, turn[BRANCH] + 1)
        else:
            divide_rows(
                rows, codes[j], nominal, turn[CUT], turn[BRANCH], part[FRACTION]
            )
    return depth


@lean_kernel
def descend_branch(rows, facts, codes, slots, bits, route, depth):
    """Go down the branch of the route."""
    turn = route.turns[depth]
    j, cut, branch = turn[ATTRIBUTE], turn[CUT], turn[BRANCH]
    fraction, share = route.parts[depth, FRACTION], route.parts[depth, SHARE]
    route.parts[depth + 1, SHARE] = share * fraction if turn[LACKING] else share
    route.keys[depth + 1] = path_key(route.keys[depth], j, branch)
    nominal = facts[KIND, j] == NOMINAL
    if not rows.now[BY_BITS]:
        divide_rows(rows, codes[j], nominal, cut, branch, fraction)
        # The smaller part is counted: what stays, or what has gone.
        fewer_gone = rows.now[N_GONE] < rows.now[N_ROWS]
        rows.now[KEPT] = rows.now[KEPT] and rows.now[WHOLE] and fewer_gone
        return
    first = slots[facts[PLACE, j]]
    last = first + facts[N_LEVELS, j]
    if nominal:
        first, last = first + branch, first + branch + 1
    elif branch == 0:
        last = first + cut + 1
    else:
        first += cut + 1
    divide_bits(rows.inside, bits, first, last)


@lean_entry
def bagged_paths(
    data, rules, queries, neighbors, seeds, weights, node, route, steps, answers
):
    """Add the class probabilities of queries by the trees of their own bags.

    Parameters
    ----------
    data : PathTable
    rules : PathRules
    queries : Queries
        Categories and numbers of the queries.
    neighbors : int32 array of shape (n_queries, n_neighbors)
    seeds : uint64 array of shape (2, n_queries, n_bags)
        The bags' own seeds, and those of the part drawn from all rows.
    weights : int32 array of shape (n_bags, n_rows)
        Given bags, summing to at most `n_rows` each. Without any, bags are drawn, and
        each has as many draws as `weights` has columns.
    node : Node
    route : Route
    steps : float64 array of shape (n_queries, n_bags, n_steps, 6)
        Room for the nodes visited, at least one; the last one is written over.
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    """
    rows, n_bags, last_step = node.rows, seeds.shape[2], steps.shape[2] - 1
    totals, facts, codes, slots = node.sums[TOTAL], data.facts, data.codes, data.slots
    for item in range(seeds.shape[1] * n_bags):
        query, bag = item // n_bags, item % n_bags
        seed, shared_seed = seeds[0, query, bag], seeds[1, query, bag]
        begin_path(node, route, seed, shared_seed, neighbors[query], weights, bag)
        enter_bag(rows, node.lengths, np.int64(data.bits.shape[0] > 0))
        depth, n_steps = np.int64(0), np.int64(0)
        while depth >= 0:
            step = steps[query, bag, min(n_steps, last_step)]
            total = sum_node(
                rows, data.classes, data.class_bits, node.masked, slots, totals
            )
            j = choose_split(data, rules, node, route.keys[depth], total)
            cut = math.nan
            if j >= 0:
                cut = place_cut(facts, data.lines, rows.bag, node.cuts, j, rules)
            branch = write_step(
                data, queries, query, node, route, depth, j, cut, total, step
            )
            n_steps += 1
            if branch < 0:
                add_leaf(totals, total, step[PART], answers[query, bag])
                depth = next_open(
                    rows, node.lengths, facts, codes, node.sizes, route, depth
                )
            if depth >= 0:
                descend_branch(rows, facts, codes, slots, data.bits, route, depth)
                if rows.now[KEPT]:
                    take_away(
                        rows, data.cells, data.marks, data.classes, totals, node.table
                    )
                depth += 1


@lean_kernel
def begin_path(node, route, seed, shared_seed, neighbors, weights, number):
    """Take the bag of a number from the weights, or draw it; begin the route."""
    bag = node.rows.bag
    if weights.shape[0] > 0:
        for row in range(bag.size):
            bag[row] = weights[number, row]
    else:
        draw_some(seed, shared_seed, neighbors, weights.shape[1], bag)
    route.parts[0, SHARE], route.keys[0] = 1.0, seed


@lean_kernel
def write_step(data, queries, query, node, route, depth, j, cut, total, step):
    """Write a step of the path down; return the query's first branch, -1 at a leaf."""
    branch = -1
    if j >= 0:
        code, value = queries.codes[query, j], queries.values[query, j]
        branch = first_branch(data, node, route, depth, j, cut, code, value)
    step[0], step[1], step[2] = depth, j if branch >= 0 else -1, branch
    step[3], step[4], step[5] = cut, total, route.parts[depth, SHARE]
    return branch


@lean_kernel
def add_leaf(totals, total, part, answer):
    """Add the class shares of a leaf to the answer."""
    for c in range(answer.size):
        answer[c] += part * totals[c] / total
