"""Only the path of a query through a regression tree with drawn splits.

The way is that of `sklazy.kernels.paths.drawn_classes`; what differs is the worth of a
split: the largest reduction of the weighted sum of squares. Targets are taken relative
to the mean of the node, so that a node far from the others loses no digits.
"""

import math

import numpy as np

from sklazy.kernels.bags import path_key
from sklazy.kernels.compiling import lean_entry, lean_fast_kernel, lean_kernel
from sklazy.kernels.paths.cuts import ALIKE
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
from sklazy.kernels.paths.means import reduction


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
    """
    n_bags, last_step = seeds.shape[2], steps.shape[2] - 1
    for item in range(seeds.shape[1] * n_bags):
        query, b = item // n_bags, item % n_bags
        key, shared = seeds[0, query, b], seeds[1, query, b]
        near, without = neighbors[query], left_out[query]
        draw_bag_without(key, shared, near, without, max_draws, node.bag)
        listed = list_bag(node.bag, all_rows, node.rows, node.weight)
        rows, weight = node.rows[:listed], node.weight[:listed]
        depth = np.int64(0)
        while True:
            total, mean, squares = center_targets(rows, weight, targets, moments)
            split = try_reductions(
                data, n_tried, node, rows, moments, key, total, squares
            )
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
            n_left = keep_rows(rows, weight, sides, side, 0, rows.size, 0)
            rows, weight = rows[:n_left], weight[:n_left]
            key = path_key(key, j, side)
            depth += 1
        answers[query, b, 0] = mean


@lean_kernel
def center_targets(rows, weight, targets, moments):
    """Weight, mean and sum of squares of a node; the squares are 0 if all are equal."""
    first = targets[rows[0]]
    total, moved, pure = sum_targets(rows, weight, targets, first)
    if pure:
        return total, first, 0.0
    shift = moved / total
    squares = write_moments(rows, weight, targets, first, shift, moments)
    return total, first + shift, squares


@lean_fast_kernel
def sum_targets(rows, weight, targets, first):
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
        own, sides = path_key(key, j, OWN_DRAWS), node.sides[free, :n_rows]
        n_categories, levels = data.n_categories[j], data.levels[data.lines[j]]
        splits, missing, cut = draw_split(
            data.codes[j], n_categories, levels, node.halves, rows, own, cells, sides
        )
        if not splits:
            continue
        tried += 1
        above = sum_weights(weight, sides)
        n_known = total - sum_missing(weight, cells) if missing else total
        lot = np.int64(draw_unit(own, LOT_WORD) * n_known < above)
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
