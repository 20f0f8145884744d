"""Only the path of a query through a tree of classes with drawn splits.

At a node some attributes are tried, each with one drawn split; the largest information
gain decides, the first of those tried where gains tie. The rows are listed class by
class, so that class weights are sums over parts of a list.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.bags import path_key
from sklazy.kernels.compiling import lean_entry, lean_kernel
from sklazy.kernels.paths.cuts import ALIKE, information, xlog2x
from sklazy.kernels.paths.draws import (
    LOT_WORD,
    OWN_DRAWS,
    Drawn,
    draw_bag_without,
    draw_split,
    draw_unit,
    keep_rows,
    list_bag,
    move_missing,
    next_attribute,
    query_side,
    reset_order,
    sum_missing,
    sum_weights,
    write_set,
)

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
    """
    n_bags, last_step = seeds.shape[2], steps.shape[2] - 1
    for item in range(seeds.shape[1] * n_bags):
        query, b = item // n_bags, item % n_bags
        key, shared = seeds[0, query, b], seeds[1, query, b]
        near, without = neighbors[query], left_out[query]
        draw_bag_without(key, shared, near, without, max_draws, node.bag)
        listed = list_bag(node.bag, classes.by_class, node.rows, node.weight)
        rows = node.rows[:listed]
        find_ends(classes.classes, rows, classes.ends)
        depth = np.int64(0)
        while True:
            total = sum_classes(node.weight, classes.ends, classes.sums[TOTAL])
            split = try_attributes(data, n_tried, node, rows, classes, key, total)
            j, side, by_lot = split.attribute, np.int64(-1), False
            codes, sides = data.codes[j], node.sides[split.buffer]
            if j >= 0:
                nominal = data.n_categories[j] >= 0
                code, value = queries.codes[query, j], queries.values[query, j]
                side, by_lot = query_side(
                    codes, nominal, rows, split, sides, code, value
                )
                if nominal and depth < sets.shape[2]:
                    write_set(codes, rows, sides, side, sets[query, b, depth])
            step = steps[query, b, min(depth, last_step)]
            step[0], step[1], step[2] = depth, j, side
            step[3], step[4], step[5] = split.cut, total, by_lot
            step[6] = split.gain
            if j < 0:
                break
            rows = rows[: keep_side(rows, node.weight, sides, side, classes.ends)]
            key = path_key(key, j, side)
            depth += 1
        for c in range(answers.shape[2]):
            answers[query, b, c] = classes.sums[TOTAL, c] / total


@lean_kernel
def find_ends(row_classes, rows, ends):
    """Where the rows of each class end in a list that is sorted by class."""
    for c in range(ends.size):
        ends[c] = 0
    for row in rows:
        ends[row_classes[row] + 1] += 1
    for c in range(1, ends.size):
        ends[c] += ends[c - 1]


@lean_kernel
def sum_classes(weight, ends, totals):
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
        own, sides = path_key(key, j, OWN_DRAWS), node.sides[free, :n_rows]
        n_categories, levels = data.n_categories[j], data.levels[data.lines[j]]
        splits, missing, cut = draw_split(
            data.codes[j], n_categories, levels, node.halves, rows, own, cells, sides
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
        lot = np.int64(draw_unit(own, LOT_WORD) * n_known < above)
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
        n_left = keep_rows(rows, weight, sides, side, first, last, n_left)
        first, ends[c + 1] = last, n_left
    return n_left
