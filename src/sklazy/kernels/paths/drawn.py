"""Only the path of a query through a tree with drawn splits, of classes or of numbers.

At a node some attributes are tried, each with one drawn split; the best decides, the
first of those tried where several tie. For classes that is the largest information
gain; the rows are listed class by class, so that class weights are sums over parts of a
list. For numbers it is the largest reduction of the weighted sum of squares; targets
are taken relative to the mean of the node, so that a node far from the others loses no
digits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bags import path_key
from sklazy.kernels.compiling import lean_entry, lean_fast_kernel, lean_kernel
from sklazy.kernels.paths.cuts import ALIKE, information, xlog2x
from sklazy.kernels.paths.draws import (
    LOT_WORD,
    OWN_DRAWS,
    Drawn,
    draw_bag_without,
    draw_split,
    draw_unit,
    keep_side_rows,
    list_bag,
    mark_categories,
    move_missing,
    next_attribute,
    query_side,
    reset_order,
    sum_missing,
    sum_weights,
)
from sklazy.kernels.paths.means import reduction

TOTAL, ABOVE, MISSING_CELLS = range(3)
"""Rows of class weights: of the node, on side 1, and of missing cells."""


class ClassRows(NamedTuple):
    """The rows of a node by class.

    Attributes
    ----------
    classes : int32 array of shape (n_rows,)
    by_class : int32 array of shape (n_rows,)
        All rows, class by class.
    logs : float64 array of shape (n_rows + 1,)
        ``x * log2(x)``.
    ends : int64 array of shape (n_classes + 1,)
        The rows of class c are ``ends[c]..ends[c + 1] - 1`` of the node's list.
    sums : int64 array of shape (3, n_classes)
    """

    classes: NDArray[np.int32]
    by_class: NDArray[np.int32]
    logs: NDArray[np.float64]
    ends: NDArray[np.int64]
    sums: NDArray[np.int64]


@lean_entry
def drawn_paths(
    data,
    n_tried,
    queries,
    neighbors,
    seeds,
    left_out,
    max_draws,
    node,
    classes,
    steps,
    sets,
    answers,
    changes,
):
    """Write the class probabilities of queries by random paths on their own bags.

    Parameters
    ----------
    data : DrawnTable
    n_tried : int
        Attributes tried at a node; those of one value there do not count.
    queries : Queries
    neighbors : int32 array of shape (n_queries, n_neighbors)
    seeds : uint64 array of shape (2, n_queries, n_bags)
    left_out : int64 array of shape (n_queries,)
        The row that a query does without, or -1.
    max_draws : int
        Of a bag.
    node : DrawnNode
    classes : ClassRows
    steps : float64 array of shape (n_queries, n_bags, n_steps, 7)
        Room for the nodes visited, at least one; the last one is written over.
        Depth, attribute, side, cut, weight, 1 where the side was drawn, and gain.
    sets : uint64 array of shape (n_queries, n_bags, n_steps, n_words)
        The categories of the query's side, where there is room for steps.
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    changes : float64 array of shape (n_queries, n_bags, n_attributes + 2, n_classes)
        Zeros, to which each attribute's changes of the class shares are added; then
        the shares of all rows of the bag, and those of the leaf. No queries where not
        wanted.
    """
    n_bags = seeds.shape[2]
    for item in range(seeds.shape[1] * n_bags):
        query, b = item // n_bags, item % n_bags
        key, shared = seeds[0, query, b], seeds[1, query, b]
        near, without = neighbors[query], left_out[query]
        draw_bag_without(key, shared, near, without, max_draws, node.bag)
        listed = list_bag(node.bag, classes.by_class, node.rows, node.weight)
        rows = node.rows[:listed]
        find_class_ends(classes.classes, rows, classes.ends)
        depth, source = np.int64(0), np.int64(changes.shape[2] - 2)
        while True:
            total = sum_class_weights(node.weight, classes.ends, classes.sums[TOTAL])
            if changes.shape[0] > 0:
                for c in range(answers.shape[2]):
                    share = classes.sums[TOTAL, c] / total
                    add_change(changes[query, b], source, c, share)
            split = try_attributes(data, n_tried, node, rows, classes, key, total)
            j, sides = split.attribute, node.sides[split.buffer]
            room = sets[query, b], steps[query, b]
            side = take_side(
                data, queries, query, rows, split, sides, depth, total, *room
            )
            if j < 0:
                break
            rows = rows[: keep_side(rows, node.weight, sides, side, classes.ends)]
            key = path_key(key, j, side)
            depth, source = depth + 1, np.int64(j)
        for c in range(answers.shape[2]):
            answers[query, b, c] = classes.sums[TOTAL, c] / total


@lean_kernel
def take_side(data, queries, query, rows, split, sides, depth, total, sets, steps):
    """The side of a query at a node, which is written down; -1 at a leaf."""
    j, side, by_lot = split.attribute, np.int64(-1), False
    if j >= 0:
        codes, nominal = data.codes[j], data.n_categories[j] >= 0
        code, value = queries.codes[query, j], queries.values[query, j]
        side, by_lot = query_side(codes, nominal, rows, split, sides, code, value)
        if nominal and depth < sets.shape[0]:
            mark_categories(codes, rows, sides, side, sets[depth])
    step = steps[min(depth, steps.shape[0] - 1)]
    step[0], step[1], step[2] = depth, j, side
    step[3], step[4], step[5] = split.cut, total, by_lot
    step[6] = split.gain
    return side


@lean_kernel
def add_change(changes, source, output, value):
    """Add what an output has changed by since the node before, to what split that."""
    last = changes.shape[0] - 1
    changes[source, output] += value - changes[last, output]
    changes[last, output] = value


@lean_kernel
def find_class_ends(row_classes, rows, ends):
    """Where the rows of each class end in a list that is sorted by class."""
    for c in range(ends.size):
        ends[c] = 0
    for row in rows:
        ends[row_classes[row] + 1] += 1
    for c in range(1, ends.size):
        ends[c] += ends[c - 1]


@lean_kernel
def sum_class_weights(weight, ends, totals):
    """Class weights of a node; return their sum."""
    total = np.int64(0)
    for c in range(totals.size):
        totals[c] = sum_part(weight[ends[c] : ends[c + 1]])
        total += totals[c]
    return total


@lean_kernel
def sum_part(weight):
    """The sum of whole weights."""
    total = np.int64(0)
    for t in range(np.uintp(weight.size)):
        total += weight[t]
    return total


@lean_kernel
def try_attributes(data, n_tried, node, rows, classes, key, total):
    """The drawn split of largest gain; without an attribute at a leaf."""
    sums, ends, n_rows = classes.sums, classes.ends, rows.size
    cells, weight, order = node.cells[:n_rows], node.weight[:n_rows], node.order
    best = Drawn(np.int64(-1), math.nan, np.int64(0), np.int64(1), 0.0)
    n_present = 0
    for c in range(sums.shape[1]):
        n_present += sums[TOTAL, c] > 0
    if n_present < 2:
        return best
    before, worth, tried = information(classes.logs, sums[TOTAL], total), -1.0, 0
    reset_order(order)
    for i in range(order.size):
        if tried == n_tried:
            break
        j, free = next_attribute(key, order, i), 1 - best.buffer
        draw_key, sides = path_key(key, j, OWN_DRAWS), node.sides[free, :n_rows]
        n_categories, levels = data.n_categories[j], data.levels[data.lines[j]]
        column = data.codes[j], n_categories, levels
        splits, missing, cut = draw_split(
            *column, node.halves, rows, draw_key, cells, sides
        )
        if not splits:
            continue
        tried += 1
        n_known = total
        above = np.int64(0)
        for c in range(ends.size - 1):
            part = slice(ends[c], ends[c + 1])
            sums[ABOVE, c] = sum_weights(weight[part], sides[part])
            above += sums[ABOVE, c]
            if missing:
                sums[MISSING_CELLS, c] = sum_missing(weight[part], cells[part])
                n_known -= sums[MISSING_CELLS, c]
        lot = np.int64(draw_unit(draw_key, LOT_WORD) * n_known < above)
        if missing and lot == 1:
            move_missing(cells, sides)
            for c in range(ends.size - 1):
                sums[ABOVE, c] += sums[MISSING_CELLS, c]
                above += sums[MISSING_CELLS, c]
        gain = before - left_over(classes.logs, sums, total, above)
        if gain > worth + ALIKE * total or best.attribute < 0:
            best, worth = Drawn(j, cut, lot, free, gain), gain
    return best


@lean_kernel
def left_over(logs, sums, total, above):
    """The information of both sides of a split."""
    result = xlog2x(logs, above) + xlog2x(logs, total - above)
    for c in range(sums.shape[1]):
        result -= xlog2x(logs, sums[ABOVE, c])
        result -= xlog2x(logs, sums[TOTAL, c] - sums[ABOVE, c])
    return result


@lean_kernel
def keep_side(rows, weight, sides, side, ends):
    """Leave the rows of one side, class by class; return how many."""
    n_left, first = np.uintp(0), np.int64(0)
    for c in range(ends.size - 1):
        last = ends[c + 1]
        n_left = keep_side_rows(rows, weight, sides, side, first, last, n_left)
        first, ends[c + 1] = last, n_left
    return n_left


@lean_entry
def drawn_means(
    data,
    targets,
    n_tried,
    queries,
    neighbors,
    seeds,
    left_out,
    max_draws,
    node,
    all_rows,
    moments,
    steps,
    sets,
    answers,
    changes,
):
    """Write the predictions of queries by random paths on their own bags.

    Parameters
    ----------
    data, n_tried, queries, neighbors, seeds, left_out, max_draws, node, steps,
    sets
        As in `drawn_paths`.
    targets : float64 array of shape (n_rows,)
    all_rows : int32 array of shape (n_rows,)
        0, 1, ...: the order in which rows are listed.
    moments : float64 array of shape (n_rows + 1,)
        Room for the weighted targets of the node's rows, less their mean.
    answers : float64 array of shape (n_queries, n_bags, 1)
    changes : float64 array of shape (n_queries, n_bags, n_attributes + 2, 1)
        The same of the mean.
    """
    n_bags = seeds.shape[2]
    for item in range(seeds.shape[1] * n_bags):
        query, b = item // n_bags, item % n_bags
        key, shared = seeds[0, query, b], seeds[1, query, b]
        near, without = neighbors[query], left_out[query]
        draw_bag_without(key, shared, near, without, max_draws, node.bag)
        listed = list_bag(node.bag, all_rows, node.rows, node.weight)
        rows, weight = node.rows[:listed], node.weight[:listed]
        depth, source = np.int64(0), np.int64(changes.shape[2] - 2)
        while True:
            total, mean, squares = center_targets(rows, weight, targets, moments)
            if changes.shape[0] > 0:
                add_change(changes[query, b], source, 0, mean)
            split = try_reductions(
                data, n_tried, node, rows, moments, key, total, squares
            )
            j, sides = split.attribute, node.sides[split.buffer]
            room = sets[query, b], steps[query, b]
            side = take_side(
                data, queries, query, rows, split, sides, depth, total, *room
            )
            if j < 0:
                break
            n_left = keep_side_rows(rows, weight, sides, side, 0, rows.size, 0)
            rows, weight = rows[:n_left], weight[:n_left]
            key = path_key(key, j, side)
            depth, source = depth + 1, np.int64(j)
        answers[query, b, 0] = mean


@lean_kernel
def center_targets(rows, weight, targets, moments):
    """Weight, mean and sum of squares of a node; the squares are 0 if all are equal."""
    first = targets[rows[0]]
    total, moved, pure = sum_node_targets(rows, weight, targets, first)
    if pure:
        return total, first, 0.0
    shift = moved / total
    squares = write_moments(rows, weight, targets, first, shift, moments)
    return total, first + shift, squares


@lean_fast_kernel
def sum_node_targets(rows, weight, targets, first):
    """Weight and weighted targets relative to the first one; whether all equal it."""
    total, moved, pure = np.int64(0), 0.0, True
    for t in range(np.uintp(rows.size)):
        target = targets[np.uintp(rows[t])]
        total += weight[t]
        moved += weight[t] * (target - first)
        pure &= target == first
    return total, moved, pure


@lean_fast_kernel
def write_moments(rows, weight, targets, first, shift, moments):
    """Write weighted targets relative to the mean; return their sum of squares."""
    squares = 0.0
    for t in range(np.uintp(rows.size)):
        apart = (targets[np.uintp(rows[t])] - first) - shift
        moments[t] = weight[t] * apart
        squares += moments[t] * apart
    return squares


@lean_kernel
def try_reductions(data, n_tried, node, rows, moments, key, total, squares):
    """The drawn split that takes most from the squares; none at a leaf."""
    n_rows, order, tried, worth = rows.size, node.order, 0, -1.0
    cells, weight = node.cells[:n_rows], node.weight[:n_rows]
    best = Drawn(np.int64(-1), math.nan, np.int64(0), np.int64(1), 0.0)
    if squares <= 0.0:
        return best
    reset_order(order)
    for i in range(order.size):
        if tried == n_tried:
            break
        j, free = next_attribute(key, order, i), 1 - best.buffer
        draw_key, sides = path_key(key, j, OWN_DRAWS), node.sides[free, :n_rows]
        n_categories, levels = data.n_categories[j], data.levels[data.lines[j]]
        column = data.codes[j], n_categories, levels
        splits, missing, cut = draw_split(
            *column, node.halves, rows, draw_key, cells, sides
        )
        if not splits:
            continue
        tried += 1
        above = sum_weights(weight, sides)
        n_known = total - sum_missing(weight, cells) if missing else total
        lot = np.int64(draw_unit(draw_key, LOT_WORD) * n_known < above)
        if missing and lot == 1:
            move_missing(cells, sides)
            above = sum_weights(weight, sides)
        moment = sum_moments(moments, sides)
        taken = reduction(-moment, total - above, moment, np.float64(above))
        if taken > worth + ALIKE * squares or best.attribute < 0:
            best, worth = Drawn(j, cut, lot, free, taken), taken
    return best


@lean_fast_kernel
def sum_moments(moments, sides):
    """The sum of the moments on side 1."""
    total = 0.0
    for t in range(np.uintp(sides.size)):
        total += moments[t] if sides[t] < 0 else 0.0
    return total
