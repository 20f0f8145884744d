"""Small classifiers on a query's bags: naive Bayes, one rule, k-NN, linear.

Like the paths they see a bag as weights on shared data; none is ever written out.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import MISSING
from sklazy.kernels.bags import draw_bag, repeats_bag
from sklazy.kernels.compiling import entry, fast_kernel, kernel
from sklazy.kernels.paths.table import slot_cells
from sklazy.kernels.vectors import add_scaled, dot, factor_in_place, solve_factored


class BinTable(NamedTuple):
    """Training rows as slots of categories and bins; rows in canonical order.

    Attributes
    ----------
    cells : unsigned array of shape (n_rows, n_attributes)
        The slot of each cell; the last slot of an attribute is that of missing cells.
    slots : int64 array of shape (n_attributes + 1,)
        The first slot of each attribute.
    classes : int32 array of shape (n_rows,)
    """

    cells: NDArray[np.unsignedinteger]
    slots: NDArray[np.int64]
    classes: NDArray[np.int32]


def build_bin_table(
    codes: NDArray[np.int32], widths: NDArray[np.int64], classes: NDArray[np.int32]
) -> BinTable:
    """Lay out coded rows for naive Bayes and the one rule.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
        Categories and bins, -1 if missing.
    widths : int64 array of shape (n_attributes,)
        How many categories or bins there are.
    classes : int32 array of shape (n_rows,)
    """
    slots = np.append(0, np.cumsum(widths + 1)).astype(np.int64)
    return BinTable(slot_cells(codes, slots), slots, classes)


@entry
def bagged_counts(bins, codes, neighbors, seeds, alpha, by_rule, bag, table, answers):
    """Write class probabilities by naive Bayes or by one rule on the queries' bags.

    Parameters
    ----------
    bins : BinTable
    codes : int32 array of shape (n_queries, n_attributes)
    neighbors : int32 array of shape (n_queries, n_neighbors)
    seeds : uint64 array of shape (2, n_queries, n_bags)
    alpha : float
        Added to every count of naive Bayes.
    by_rule : bool
        One rule (Holte 1993) instead: the attribute whose values err least.
    bag : int32 array of shape (n_rows,)
    table : int32 array of shape (n_slots, n_classes)
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    """
    n_classes = answers.shape[2]
    totals = np.empty(n_classes, np.int64)
    for b in range(seeds.shape[2]):
        for query in range(seeds.shape[1]):
            if not repeats_bag(neighbors, seeds, query, b):
                draw_bag(seeds[0, query, b], seeds[1, query, b], neighbors[query], bag)
                count_bag(bins, bag, table, totals)
            if by_rule:
                follow_rule(bins.slots, table, totals, codes[query], answers[query, b])
            else:
                add_bag_logs(
                    bins.slots, table, totals, codes[query], alpha, answers[query, b]
                )
                normalize_logs(answers[query, b])


@kernel
def count_bag(bins, bag, table, totals):
    """Class weights of every slot, and of the whole bag."""
    for slot in range(table.shape[0]):
        for c in range(table.shape[1]):
            table[slot, c] = 0
    for c in range(totals.size):
        totals[c] = 0
    for row in range(bag.size):
        weight = bag[row]
        if weight > 0:
            c = bins.classes[row]
            totals[c] += weight
            for cell in bins.cells[row]:
                table[cell, c] += weight


@kernel
def add_bag_logs(slots, table, totals, codes, alpha, scores):
    """Logarithms of the smoothed prior and of the likelihoods of the query's values."""
    total = 0.0
    for c in range(scores.size):
        total += totals[c]
    for c in range(scores.size):
        prior = (totals[c] + alpha) / (total + alpha * scores.size)
        scores[c] = math.log(prior)
    for j in range(codes.size):
        if codes[j] < 0:
            continue
        missing = slots[j + 1] - 1
        width = missing - slots[j]
        for c in range(scores.size):
            known = totals[c] - table[missing, c] + alpha * width
            count = table[slots[j] + codes[j], c] + alpha
            scores[c] += math.log(count / known)


@kernel
def normalize_logs(scores):
    """Turn logarithms into probabilities."""
    largest, total = scores[0], 0.0
    for score in scores:
        largest = max(largest, score)
    for c in range(scores.size):
        scores[c] = math.exp(scores[c] - largest)
        total += scores[c]
    for c in range(scores.size):
        scores[c] /= total


@kernel
def follow_rule(slots, table, totals, codes, answer):
    """Class shares of the query's value of the attribute whose values err least.

    Missing cells count as a value. Ties go to the lower index. A value without rows
    leaves the bag's own shares.
    """
    best, chosen = np.int64(-1), 0
    for j in range(codes.size):
        right = np.int64(0)
        for slot in range(slots[j], slots[j + 1]):
            largest = np.int64(0)
            for c in range(answer.size):
                largest = max(largest, np.int64(table[slot, c]))
            right += largest
        if right > best:
            best, chosen = right, j
    slot = slots[chosen] + codes[chosen]
    if codes[chosen] == MISSING:
        slot = slots[chosen + 1] - 1
    weight, total = 0.0, 0.0
    for c in range(answer.size):
        total += totals[c]
        if codes[chosen] >= MISSING:
            weight += table[slot, c]
    for c in range(answer.size):
        answer[c] = table[slot, c] / weight if weight > 0 else totals[c] / total


@entry
def bagged_neighbors(
    classes, rows, distances, n_neighbors, neighbors, seeds, bag, answers, complete
):
    """Write class shares of the nearest rows of each bag, all ties included.

    Parameters
    ----------
    classes : int32 array of shape (n_rows,)
    rows, distances : int64 and float64 arrays of shape (n_queries, n_near)
        Rows from near to far.
    n_neighbors : int
        Weights are added from near to far until they reach this.
    neighbors : int32 array of shape (n_queries, n_bagged)
    seeds : uint64 array of shape (2, n_queries, n_bags)
    bag : int32 array of shape (n_rows,)
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    complete : bool array of shape (n_queries,)
        Whether `rows` went far enough for every bag.
    """
    n_near = rows.shape[1]
    complete[:] = True
    for b in range(seeds.shape[2]):
        for query in range(rows.shape[0]):
            if not repeats_bag(neighbors, seeds, query, b):
                draw_bag(seeds[0, query, b], seeds[1, query, b], neighbors[query], bag)
            answer, total = answers[query, b], 0.0
            reach, place = np.inf, 0
            for c in range(answer.size):
                answer[c] = 0.0
            while place < n_near and distances[query, place] <= reach:
                row = rows[query, place]
                answer[classes[row]] += bag[row]
                total += bag[row]
                if total >= n_neighbors and reach == np.inf:
                    reach = distances[query, place]
                place += 1
            complete[query] &= place < n_near or n_near == classes.size
            for c in range(answer.size):
                answer[c] /= max(total, 1.0)


class LinearRoom(NamedTuple):
    """Room for one linear model.

    Attributes
    ----------
    bag : int32 array of shape (n_rows,)
    held : int32 array of shape (n_rows + 3,)
        The rows that the bag holds.
    weights : float64 array of shape (n_rows + 3,)
        How often it holds each of them.
    means, direction : float64 arrays of shape (n_regressors,)
    products : float64 array of shape (n_regressors, n_regressors)
    """

    bag: NDArray[np.int32]
    held: NDArray[np.int32]
    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    direction: NDArray[np.float64]
    products: NDArray[np.float64]


@entry
def bagged_linear(rows, targets, queries, ridge, neighbors, seeds, room, answers):
    """Write predictions of ridge regressions on the queries' bags.

    With indicators of classes as targets this is the linear classifier. Since only
    one query is predicted, the coefficients are never written down: with
    ``A = sum w (z - m)(z - m)' + ridge I`` and ``a = inv(A) (q - m)`` the prediction
    is ``mean(y) + sum w y (z - m)' a``, one solution for all targets.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_regressors)
        Centered and scaled, 0 where missing.
    targets : float64 array of shape (n_rows, n_targets)
    queries : float64 array of shape (n_queries, n_regressors)
    ridge : float
        Greater than zero; the intercept is free.
    neighbors : int32 array of shape (n_queries, n_neighbors)
    seeds : uint64 array of shape (2, n_queries, n_bags)
    room : LinearRoom
    answers : float64 array of shape (n_queries, n_bags, n_targets)
    """
    bag, held, weights, means, direction, products = room
    n_held = 0
    for b in range(seeds.shape[2]):
        for query in range(queries.shape[0]):
            if not repeats_bag(neighbors, seeds, query, b):
                draw_bag(seeds[0, query, b], seeds[1, query, b], neighbors[query], bag)
                n_held = list_held(bag, held, weights)
                weigh_products(rows, held[:n_held], weights, ridge, means, products)
                factor_in_place(products)
            for k in range(means.size):
                direction[k] = queries[query, k] - means[k]
            solve_factored(products, direction)
            predict_along(
                rows,
                held[:n_held],
                weights,
                targets,
                means,
                direction,
                answers[query, b],
            )


@fast_kernel
def add_four_rows(line, first, second, third, fourth, factors):
    """Add multiples of four lines to another."""
    a, b, c, d = factors
    for k in range(line.size):
        line[k] += a * first[k] + b * second[k] + c * third[k] + d * fourth[k]


@kernel
def list_held(bag, held, weights):
    """List the rows of a bag, made up to a multiple of four by rows without weight."""
    n_held = 0
    for row in range(bag.size):
        if bag[row] > 0:
            held[n_held], weights[n_held] = row, bag[row]
            n_held += 1
    while n_held % 4:
        held[n_held], weights[n_held] = held[0], 0.0
        n_held += 1
    return n_held


@kernel
def weigh_products(rows, held, weights, ridge, means, products):
    """Weighted means, and the lower half of the matrix A."""
    n = means.size
    for i in range(n):
        means[i] = 0.0
        for k in range(n):
            products[i, k] = ridge if i == k else 0.0
    total = 0.0
    for t in range(0, held.size, 4):
        # Four rows at a time: the matrix is read and written once for all of them.
        a, b, c, d = weights[t], weights[t + 1], weights[t + 2], weights[t + 3]
        w, x = rows[held[t]], rows[held[t + 1]]
        y, z = rows[held[t + 2]], rows[held[t + 3]]
        total += a + b + c + d
        add_four_rows(means, w, x, y, z, (a, b, c, d))
        for i in range(n):
            factors = a * w[i], b * x[i], c * y[i], d * z[i]
            add_four_rows(products[i, : i + 1], w, x, y, z, factors)
    for i in range(n):
        add_scaled(products[i, : i + 1], means[: i + 1], -means[i] / total)
    for i in range(n):
        means[i] /= total


@kernel
def predict_along(rows, held, weights, targets, means, direction, answer):
    """Predict all targets along one direction."""
    offset, total = dot(means, direction), 0.0
    for k in range(answer.size):
        answer[k] = 0.0
    for t in range(held.size):
        total += weights[t]
    for t in range(held.size):
        along = dot(rows[held[t]], direction) - offset
        add_scaled(answer, targets[held[t]], weights[t] * (along + 1.0 / total))
