"""Partial least squares on the neighbors of each query.

One target needs no deflation of the rows. With orthonormal scores T found so far and
the residuals r of the target, the next component is

    w = X'r,   t = X w - T T'X w,   t_query = x'w - (T'X w)'t_query_before

and the target's residuals lose their part along t. Rows are multiplied by the root of
their weight, so that weighted sums are plain ones. Directions w are orthogonal by
themselves, and made so against rounding. See `left_out` for leave-one-out.
"""

import math

import numpy as np

from sklazy.kernels.compiling import entry, lean_fast_kernel, lean_kernel
from sklazy.kernels.pls.blocks import load_block, make_block
from sklazy.kernels.pls.left_out import leave_neighbors_out
from sklazy.kernels.vectors import add_scaled, dot

_NEGLIGIBLE = 1e-12  # of what a direction or score could be: less is rounding
_EXPLAINED = 1e-14  # of the target: what is left then is rounding
_ALL = 1e-20  # of the squares of a row: what components leave then is rounding


@lean_fast_kernel
def combine_rows(rows, factors, n, sums):
    """Write ``factors @ rows`` of the first n columns, four rows a pass."""
    for c in range(n):
        sums[c] = 0.0
    i, k = 0, factors.size
    while i + 4 <= k:
        row0, row1, row2, row3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        f0, f1, f2, f3 = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
        for c in range(n):
            sums[c] += (row0[c] * f0 + row1[c] * f1) + (row2[c] * f2 + row3[c] * f3)
        i += 4
    while i < k:
        add_scaled(sums[:n], rows[i, :n], factors[i])
        i += 1


@lean_kernel
def _take_out(vector, others, n_others):
    """Make a vector orthogonal to others of length 1."""
    for b in range(n_others):
        other = others[b, : vector.size]
        add_scaled(vector, other, -dot(other, vector))


@lean_kernel
def _grow_components(block, n, n_most):
    """Find up to n_most components; how many there are."""
    rows, residuals = block.rows, block.residuals
    spread = 0.0
    for i in range(residuals.size):
        spread += dot(rows[i, :n], rows[i, :n])
    spread = math.sqrt(spread)
    start = math.sqrt(dot(residuals, residuals))
    point = block.point[:n]
    for a in range(n_most):
        left = math.sqrt(dot(residuals, residuals))
        if not left > _EXPLAINED * start:
            return a
        along = block.directions[a, :n]
        combine_rows(rows, residuals, n, along)
        _take_out(along, block.directions, a)
        length = math.sqrt(dot(along, along))
        if not length > _NEGLIGIBLE * spread * left:
            return a
        for c in range(n):
            along[c] /= length
        if not _score_rows(block, n, a, spread, dot(point, along)):
            return a
        step = dot(block.scores[a], residuals)
        block.steps[a] = step
        add_scaled(residuals, block.scores[a], -step)
    return n_most


@lean_kernel
def _score_rows(block, n, a, spread, query_score):
    """Scores of the neighbors and the query along a direction; False if negligible."""
    scores, along, holds = block.scores[a], block.directions[a, :n], block.holds
    for i in range(scores.size):
        scores[i] = dot(block.rows[i, :n], along)
    for b in range(a):
        holds[b, a] = 0.0
    for _ in range(2):  # once leaves what rounding has left
        for b in range(a):
            part = dot(block.scores[b], scores)
            holds[b, a] += part
            add_scaled(scores, block.scores[b], -part)
    size = math.sqrt(dot(scores, scores))
    if not size > _NEGLIGIBLE * spread:
        return False
    for b in range(a):
        query_score -= holds[b, a] * block.query_scores[b]
    for i in range(scores.size):
        scores[i] /= size
    holds[a, a] = size
    block.query_scores[a] = query_score / size
    return True


@entry
def fit_components(
    regressors,
    targets,
    queries,
    neighbors,
    weights,
    scaled,
    first,
    last,
    values,
    errors,
):
    """Predict the queries first..last with 0, 1, 2, ... components.

    Parameters
    ----------
    regressors : float64 (n_rows, n_columns)
    targets : float64 (n_queries, k)
        Of the neighbors.
    queries : float64 (n_queries, n_columns)
    neighbors : int64 (n_queries, k)
    weights : float64 (n_queries, k)
        Of the neighbors, their mean 1.
    scaled : bool
        Whether columns are divided by their deviation among the neighbors.
    first, last : int
    values : float64 (n_queries, 1 + n_components), written
        Where no further component is found, the last one stays.
    errors : float64 of the same shape, or empty, written
        The mean squared errors of the neighbors, each left out.
    """
    n_most = values.shape[1] - 1
    block = make_block(neighbors.shape[1], regressors.shape[1], n_most)
    for q in range(first, last):
        near, query_weights = neighbors[q], weights[q]
        n, mean, _, unit = load_block(
            regressors, targets[q], queries[q], near, query_weights, scaled, block
        )
        if errors.size:
            leave_neighbors_out(
                block.rows, n, block.residuals, query_weights, errors[q]
            )
            for a in range(n_most + 1):
                errors[q, a] = errors[q, a] / unit / unit
        grown = _grow_components(block, n, n_most)
        value = 0.0
        values[q, 0] = mean
        for a in range(n_most):
            if a < grown:
                value += block.query_scores[a] * block.steps[a]
            values[q, a + 1] = mean + value / unit


@lean_kernel
def _measure_fit(block, n, grown, rest):
    """Leverage of the query, and the sum of squares that its scores leave of it."""
    k = block.scores.shape[1]
    leverage = 1.0 / k
    for c in range(n):
        rest[c] = block.point[c]
    for a in range(grown):
        score = block.query_scores[a]
        leverage += score * score
        for i in range(k):
            add_scaled(rest[:n], block.rows[i, :n], -score * block.scores[a, i])
    square, whole = dot(rest[:n], rest[:n]), dot(block.point[:n], block.point[:n])
    return leverage, square if square > _ALL * whole else 0.0


@lean_kernel
def _write_slopes(block, n, shares, target_unit, slopes):
    """Write the change of the prediction per unit of each column."""
    paths = block.paths
    for c in range(slopes.size):
        slopes[c] = 0.0
    for a in range(shares.size):
        for c in range(n):
            paths[a, c] = block.directions[a, c]
        for b in range(a):
            add_scaled(paths[a, :n], paths[b, :n], -block.holds[b, a])
        factor = block.steps[a] * shares[a]
        for c in range(n):
            paths[a, c] /= block.holds[a, a]
            slope = factor * paths[a, c] * block.factors[c] / target_unit
            slopes[block.columns[c]] += slope


@lean_kernel
def _drop_neighbor(near, targets, weights, i, rows, outcomes, left_weights):
    """Copy all neighbors but one, the mean of their weights 1."""
    total = 0.0
    for l in range(rows.size):
        rows[l] = near[l + (l >= i)]
        outcomes[l] = targets[l + (l >= i)]
        left_weights[l] = weights[l + (l >= i)]
        total += left_weights[l]
    for l in range(rows.size):
        left_weights[l] *= rows.size / total


@entry
def explain_components(
    regressors,
    targets,
    query,
    near,
    weights,
    scaled,
    shares,
    n_judged,
    slopes,
    leverages,
    residuals,
):
    """Explain the answer to one query.

    Parameters
    ----------
    regressors, scaled
        As for `fit_components`.
    targets : float64 (k,)
    query : float64 (n_columns,)
    near : int64 (k,)
    weights : float64 (k,)
    shares : float64 (n_components,)
        How much the step of each component counts.
    n_judged : int
        The components that leverages and residuals are of.
    slopes : float64 (n_columns,), written
        0 where the query has no cell.
    leverages, residuals : float64 (1 + k,), written
        Leverages, and squares that components leave of a row: of the query, and of
        each neighbor among the others.

    Returns
    -------
    grown : int
        How many components there are.
    """
    k, n_columns = near.size, regressors.shape[1]
    rest = np.empty(n_columns)
    block = make_block(k, n_columns, shares.size)
    n, _, unit, target_unit = load_block(
        regressors, targets, query, near, weights, scaled, block
    )
    grown = _grow_components(block, n, shares.size)
    _write_slopes(block, n, shares[:grown], target_unit, slopes)
    judged = min(grown, n_judged)
    leverages[0], residuals[0] = _measure_fit(block, n, judged, rest)
    residuals[0] = residuals[0] / unit / unit
    if k < 2:
        return grown
    others = make_block(k - 1, n_columns, n_judged)
    rows, outcomes, left_weights = (
        np.empty(k - 1, np.int64),
        np.empty(k - 1),
        np.empty(k - 1),
    )
    for i in range(k):
        _drop_neighbor(near, targets, weights, i, rows, outcomes, left_weights)
        n, _, unit, _ = load_block(
            regressors,
            outcomes,
            regressors[near[i]],
            rows,
            left_weights,
            scaled,
            others,
        )
        judged = _grow_components(others, n, n_judged)
        leverages[i + 1], residuals[i + 1] = _measure_fit(others, n, judged, rest)
        residuals[i + 1] = residuals[i + 1] / unit / unit
    return grown
