"""The neighbors of a query as a block: centered, in one unit, weighted."""

import math
from typing import Any, NamedTuple

import numpy as np

from sklazy.kernels.compiling import kernel, lean_kernel


class Block(NamedTuple):
    """The neighbors of one query, ready for components; of a query with n columns.

    Attributes
    ----------
    rows : (k, n_most) centered, scaled if asked for, times the roots of weights
    point : (n_most,) the query in the same terms, its weight 1
    residuals : (k,) the centered targets, times the roots of weights
    columns : (n_most,) which columns the query has
    centers, deviations, totals : (n_most,) of these columns; deviations undo the unit
    moves : (n_most,) whether a column differs among the neighbors
    directions, paths : (n_components, n_most) w, and what takes a query to its score
    scores : (n_components, k) orthonormal
    holds : (n_components, n_components) what t had along earlier scores, its length
    query_scores, steps : (n_components,) the query's scores, the target's slopes
    """

    rows: Any
    point: Any
    residuals: Any
    columns: Any
    centers: Any
    deviations: Any
    totals: Any
    moves: Any
    directions: Any
    paths: Any
    scores: Any
    holds: Any
    query_scores: Any
    steps: Any


@kernel
def make_block(k, n_columns, n_components):
    """Room for k neighbors and so many components."""
    return Block(
        np.empty((k, n_columns)),
        np.empty(n_columns),
        np.empty(k),
        np.empty(n_columns, np.int64),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns, np.bool_),
        np.empty((n_components, n_columns)),
        np.empty((n_components, n_columns)),
        np.empty((n_components, k)),
        np.zeros((n_components, n_components)),
        np.empty(n_components),
        np.empty(n_components),
    )


@lean_kernel
def _gather(regressors, query, near, block):
    """Copy the neighbors' cells of the columns that the query has; how many these."""
    n = 0
    for j in range(query.size):
        if not np.isnan(query[j]):
            block.columns[n] = j
            block.point[n] = query[j]
            n += 1
    for i in range(near.size):
        source, row = regressors[near[i]], block.rows[i]
        for c in range(n):
            row[c] = source[block.columns[c]]
    return n


@lean_kernel
def _find_centers(rows, weights, n, centers, totals, moves):
    """Weighted means of the cells that are there, and which columns differ at all."""
    for c in range(n):
        centers[c], totals[c], moves[c] = 0.0, 0.0, False
    for i in range(weights.size):
        row, first, weight = rows[i], rows[0], weights[i]
        for c in range(n):
            cell = row[c]
            known = cell == cell
            centers[c] += weight * cell if known else 0.0
            totals[c] += weight if known else 0.0
            moves[c] |= known and cell != first[c]
    for c in range(n):
        centers[c] = centers[c] / totals[c] if totals[c] > 0.0 else np.nan


@lean_kernel
def _center(rows, n, centers, moves, point):
    """Subtract the means; a missing cell stands at the mean, an unknown column too.

    Returns the largest cell.
    """
    largest = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        for c in range(n):
            cell = row[c] - centers[c]
            cell = cell if cell == cell and moves[c] else 0.0
            row[c] = cell
            largest = max(largest, abs(cell))
    for c in range(n):
        away = point[c] - centers[c]
        point[c] = away if away == away else 0.0
    return largest


@lean_kernel
def _scale(rows, weights, n, deviations, unit, scaled, point):
    """Bring the cells to one unit, and to a deviation of 1 if asked for."""
    for c in range(n):
        deviations[c] = 0.0
    if scaled:
        for i in range(weights.size):
            row, weight = rows[i], weights[i]
            for c in range(n):
                cell = row[c] * unit
                deviations[c] += weight * cell * cell
    for c in range(n):
        deviation = math.sqrt(deviations[c] / weights.size) if scaled else 1.0
        deviations[c] = deviation / unit if deviation > 0.0 else 1.0
        point[c] /= deviations[c]
    for i in range(weights.size):
        row, root = rows[i], math.sqrt(weights[i])
        for c in range(n):
            row[c] = row[c] / deviations[c] * root


@lean_kernel
def power_of_two(largest):
    """What brings a largest number to between a half and 1, without loss of digits."""
    if not 0.0 < largest < np.inf:
        return 1.0
    return math.ldexp(1.0, -max(-1000, min(1000, math.frexp(largest)[1])))


@lean_kernel
def _center_targets(targets, near, weights, residuals):
    """The weighted mean, the unit of what is left, and that, times roots of weights."""
    mean, largest = 0.0, 0.0
    for i in range(near.size):
        mean += weights[i] * targets[near[i]]
    mean /= near.size
    for i in range(near.size):
        residuals[i] = targets[near[i]] - mean
        largest = max(largest, abs(residuals[i]))
    unit = power_of_two(largest)
    for i in range(near.size):
        residuals[i] *= unit * math.sqrt(weights[i])
    return mean, unit


@lean_kernel
def load_block(regressors, targets, query, near, weights, scaled, block):
    """Make a block of a query and its neighbors; columns, mean, units."""
    n = _gather(regressors, query, near, block)
    _find_centers(block.rows, weights, n, block.centers, block.totals, block.moves)
    largest = _center(block.rows, n, block.centers, block.moves, block.point)
    unit = power_of_two(largest)
    _scale(block.rows, weights, n, block.deviations, unit, scaled, block.point)
    mean, target_unit = _center_targets(targets, near, weights, block.residuals)
    return n, mean, 1.0 if scaled else unit, target_unit
