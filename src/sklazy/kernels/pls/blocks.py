"""The neighbors of a query as a block: weighted, centered, in one unit."""

import math
from typing import Any, NamedTuple

import numpy as np

from sklazy.kernels.compiling import entry, kernel, lean_kernel
from sklazy.kernels.vectors import copy_into, dot


class Block(NamedTuple):
    """The neighbors of one query, ready for components; of a query with n columns.

    Attributes
    ----------
    rows : (k, n_most) centered, scaled if asked for, times the roots of weights
    point : (n_most,) the query in the same terms, its weight 1
    residuals : (k,) the centered targets, times the roots of weights
    columns : (n_most,) which columns the query has
    centers, factors : (n_most,) what is subtracted in these columns, and multiplied by
    totals, lows, highs : (n_most,) weights of the cells there, and the ends of ranges
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
    factors: Any
    totals: Any
    lows: Any
    highs: Any
    directions: Any
    paths: Any
    scores: Any
    holds: Any
    query_scores: Any
    steps: Any


@kernel
def make_block(k, n_columns, n_components):
    """Room for k neighbors and `n_components` components."""
    return Block(
        np.empty((k, n_columns)),
        np.empty(n_columns),
        np.empty(k),
        np.empty(n_columns, np.int64),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty((n_components, n_columns)),
        np.empty((n_components, n_columns)),
        np.empty((n_components, k)),
        np.zeros((n_components, n_components)),
        np.empty(n_components),
        np.empty(n_components),
    )


@lean_kernel
def _gather_cells(regressors, query, near, block):
    """Copy the neighbors' cells of the columns that the query has; how many these."""
    n = 0
    for j in range(query.size):
        if not np.isnan(query[j]):
            block.columns[n] = j
            block.point[n] = query[j]
            n += 1
    for i in range(near.size):
        source, row = regressors[near[i]], block.rows[i]
        if n == query.size:
            copy_into(source, row)
            continue
        for c in range(n):
            row[c] = source[block.columns[c]]
    return n


@lean_kernel
def _find_centers(block, weights, n):
    """Weighted means of the cells that are there, and the ends of their ranges."""
    centers, totals, lows, highs = block.centers, block.totals, block.lows, block.highs
    for c in range(n):
        centers[c], totals[c], lows[c], highs[c] = 0.0, 0.0, np.inf, -np.inf
    for i in range(weights.size):
        row, weight = block.rows[i], weights[i]
        for c in range(n):
            cell = row[c]
            known = cell == cell
            centers[c] += weight * cell if known else 0.0
            totals[c] += weight if known else 0.0
            lows[c] = cell if cell < lows[c] else lows[c]
            highs[c] = cell if cell > highs[c] else highs[c]


@lean_kernel
def _finish_centers(block, n):
    """Means from sums, the very number where all are equal; how far cells go from it.

    A column that no neighbor has is centered on NaN.
    """
    farthest = 0.0
    for c in range(n):
        low, high = block.lows[c], block.highs[c]
        center = block.centers[c] / block.totals[c] if low < high else low
        center = center if low <= high else np.nan
        block.centers[c] = center
        if low < high:
            farthest = max(farthest, high - center, center - low)
    return farthest


@lean_kernel
def _find_factors(block, weights, n, unit, scaled):
    """Find the factors of centered cells: one unit, or one over the deviations."""
    factors = block.factors
    for c in range(n):
        factors[c] = 0.0
    for i in range(weights.size if scaled else 0):
        row, weight = block.rows[i], weights[i]
        for c in range(n):
            cell = (row[c] - block.centers[c]) * unit
            factors[c] += weight * cell * cell if cell == cell else 0.0
    for c in range(n):
        if scaled:
            deviation = math.sqrt(factors[c] / weights.size)
            factors[c] = unit / deviation if deviation > 0.0 else 1.0
        else:
            factors[c] = unit


@lean_kernel
def _scale_cells(block, weights, n):
    """Center and scale cells; a missing one stands at the mean."""
    centers, factors, point = block.centers, block.factors, block.point
    for i in range(weights.size):
        row, root = block.rows[i], math.sqrt(weights[i])
        for c in range(n):
            cell = (row[c] - centers[c]) * factors[c] * root
            row[c] = cell if cell == cell else 0.0
    for c in range(n):
        away = (point[c] - centers[c]) * factors[c]
        point[c] = away if away == away else 0.0


@lean_kernel
def power_of_two(largest):
    """Factor that scales a largest number to between a half and 1, without rounding."""
    if not 0.0 < largest < np.inf:
        return 1.0
    return math.ldexp(1.0, -max(-1000, min(1000, math.frexp(largest)[1])))


@lean_kernel
def _center_targets(targets, weights, residuals):
    """The weighted mean, the unit of what is left, and that, times roots of weights."""
    mean, largest = 0.0, 0.0
    for i in range(weights.size):
        mean += weights[i] * targets[i]
    mean /= weights.size
    for i in range(weights.size):
        residuals[i] = targets[i] - mean
        largest = max(largest, abs(residuals[i]))
    unit = power_of_two(largest)
    for i in range(weights.size):
        residuals[i] *= unit * math.sqrt(weights[i])
    return mean, unit


@lean_kernel
def load_block(regressors, targets, query, near, weights, scaled, block):
    """Make a block of a query and its neighbors; columns, mean, units."""
    n = _gather_cells(regressors, query, near, block)
    _find_centers(block, weights, n)
    unit = power_of_two(_finish_centers(block, n))
    _find_factors(block, weights, n, unit, scaled)
    _scale_cells(block, weights, n)
    mean, target_unit = _center_targets(targets, weights, block.residuals)
    return n, mean, 1.0 if scaled else unit, target_unit


_LIGHTEST = 1e-12  # a neighbor's weight, that of the nearest being 1


@entry
def weigh_spectra(distances, localization, rows, row_weights, weights):
    """Write the weights of neighbors, their mean 1.

    Parameters
    ----------
    distances : float64 (n_queries, k)
    localization : float
        How fast a weight falls off, in deviations of the distances; 0 not at all.
    rows : int64 (n_queries, k)
    row_weights : float64 (n_rows,), or empty
    weights : float64 (n_queries, k), written
    """
    k = distances.shape[1]
    for q in range(distances.shape[0]):
        mean, square = 0.0, 0.0
        for i in range(k):
            mean += distances[q, i] / k
        unit = power_of_two(mean)
        for i in range(k):
            off = (distances[q, i] - mean) * unit
            square += off * off / k
        deviation, total = math.sqrt(square), 0.0
        for i in range(k):
            weight = 1.0
            if deviation > 0.0:
                off = (distances[q, i] - distances[q, 0]) * unit / deviation
                weight = max(math.exp(-localization * off), _LIGHTEST)
            if row_weights.size:
                weight *= row_weights[rows[q, i]]
            weights[q, i] = weight
            total += weight
        for i in range(k):
            weights[q, i] *= k / total


@entry
def to_directions(rows, centered, directions):
    """Write rows of length 1, about their own mean if centered; zeros if flat.

    Parameters
    ----------
    rows, directions : float64 (n_rows, n_columns)
    centered : bool
    """
    n = rows.shape[1]
    for i in range(rows.shape[0]):
        mean, largest, first = 0.0, 0.0, rows[i, 0] if n else 0.0
        for c in range(n):  # about the first, so that a flat row is flat to the digit
            mean += (rows[i, c] - first) / n
        mean = first + mean if centered else 0.0
        for c in range(n):
            directions[i, c] = rows[i, c] - mean
            largest = max(largest, abs(directions[i, c]))
        unit = power_of_two(largest)
        for c in range(n):
            directions[i, c] *= unit
        length = math.sqrt(dot(directions[i], directions[i]))
        for c in range(n):
            directions[i, c] = directions[i, c] / length if length > 0.0 else 0.0
