"""Small regression models on a query's bags: one rule, k-NN."""

import numpy as np

from sklazy.flow import MISSING
from sklazy.kernels.bags import draw_bag, repeats_bag
from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.paths.cuts import ALIKE


@entry
def bagged_rule_means(
    bins, targets, codes, neighbors, seeds, bag, weights, sums, answers
):
    """Write the mean of the query's value of the attribute that explains most.

    Parameters
    ----------
    bins : BinTable
    targets : float64 array of shape (n_rows,)
        Their mean should be near 0.
    codes : int32 array of shape (n_queries, n_attributes)
    neighbors : int32 array of shape (n_queries, n_neighbors)
    seeds : uint64 array of shape (2, n_queries, n_bags)
    bag : int32 array of shape (n_rows,)
    weights, sums : float64 arrays of shape (n_slots,)
    answers : float64 array of shape (n_queries, n_bags, 1)
    """
    mean, j = 0.0, 0
    for b in range(seeds.shape[2]):
        for query in range(seeds.shape[1]):
            if not repeats_bag(neighbors, seeds, query, b):
                draw_bag(seeds[0, query, b], seeds[1, query, b], neighbors[query], bag)
                mean, squares = sum_bag(bins.cells, targets, bag, weights, sums)
                j = explain_most(bins.slots, weights, sums, ALIKE * squares)
            code, slot = codes[query, j], bins.slots[j] + codes[query, j]
            if code == MISSING:
                slot = bins.slots[j + 1] - 1
            answers[query, b, 0] = mean
            if code >= MISSING and weights[slot] > 0:
                answers[query, b, 0] += sums[slot] / weights[slot]


@kernel
def sum_bag(cells, targets, bag, weights, sums):
    """Weights of every slot, and its targets less the mean; mean and sum of squares."""
    total, mean, squares = 0.0, 0.0, 0.0
    for row in range(bag.size):
        total += bag[row]
        mean += bag[row] * targets[row]
    mean /= total
    for slot in range(weights.size):
        weights[slot], sums[slot] = 0.0, 0.0
    for row in range(bag.size):
        if bag[row] > 0:
            apart = targets[row] - mean
            squares += bag[row] * apart * apart
            for cell in cells[row]:
                weights[cell] += bag[row]
                sums[cell] += bag[row] * apart
    return mean, squares


@kernel
def explain_most(slots, weights, sums, tie):
    """The attribute whose values leave the least sum of squares, ties to the lowest."""
    chosen, best = 0, 0.0
    for j in range(slots.size - 1):
        worth = 0.0
        for slot in range(slots[j], slots[j + 1]):
            if weights[slot] > 0:
                worth += sums[slot] * sums[slot] / weights[slot]
        if worth > best + tie:
            chosen, best = j, worth
    return chosen


@entry
def bagged_neighbor_means(
    targets, rows, distances, n_neighbors, neighbors, seeds, bag, answers, complete
):
    """Write the mean target of the nearest rows of each bag, all ties included.

    Parameters
    ----------
    targets : float64 array of shape (n_rows,)
    rows, distances, n_neighbors, neighbors, seeds, bag, complete
        As in `bagged_neighbors`.
    answers : float64 array of shape (n_queries, n_bags, 1)
    """
    n_near = rows.shape[1]
    complete[:] = True
    for b in range(seeds.shape[2]):
        for query in range(rows.shape[0]):
            if not repeats_bag(neighbors, seeds, query, b):
                draw_bag(seeds[0, query, b], seeds[1, query, b], neighbors[query], bag)
            total, moment, reach, place = 0.0, 0.0, np.inf, 0
            while place < n_near and distances[query, place] <= reach:
                row = rows[query, place]
                total += bag[row]
                moment += bag[row] * targets[row]
                if total >= n_neighbors and reach == np.inf:
                    reach = distances[query, place]
                place += 1
            complete[query] &= place < n_near or n_near == targets.size
            answers[query, b, 0] = moment / max(total, 1.0)
