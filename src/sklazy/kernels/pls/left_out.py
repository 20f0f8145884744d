"""Leave-one-out of partial least squares, all neighbors at once, on inner products.

Let x be the rows about their weighted mean, y the targets, w the weights and W their
sum. Without row i the mean moves by -g x_i, g = w_i / (W - w_i), so that the other rows
stand at x_j + g x_i and row i at (1 + g) x_i. Since the residuals r of the others have
the weighted mean 0, scores without row i need one product with S = X X' alone:

    v = S (w r),   t_j = v_j + g v_i,   t_i = (1 + g) v_i

A column of a matrix for each row left out makes that a product of two k x k matrices a
component, whatever the number of wavelengths.
"""

import math

import numpy as np

from sklazy.kernels.compiling import kernel, lean_fast_kernel, lean_kernel
from sklazy.kernels.vectors import dot, multiply_matrix

_NEGLIGIBLE = 1e-13  # of the largest score there could be: less is rounding
_EXPLAINED = 1e-14  # of the target: what is left then is rounding


@lean_kernel
def _multiply_rows(rows, n, gram):
    """Inner products of rows; the sum of their squares."""
    total = 0.0
    for i in range(rows.shape[0]):
        for j in range(i + 1):
            product = dot(rows[i, :n], rows[j, :n])
            gram[i, j] = product
            gram[j, i] = product
        total += gram[i, i]
    return total


@lean_kernel
def _multiply_squares(left, right, product):
    """``left @ right`` of square matrices."""
    for j in range(left.shape[0]):
        multiply_matrix(right, left[j], product[j])


@lean_fast_kernel
def _add_products(a, b, sums):
    """Column sums of ``a * b``."""
    k = sums.size
    for i in range(k):
        sums[i] = 0.0
    for j in range(k):
        one, other = a[j], b[j]
        for i in range(k):
            sums[i] += one[i] * other[i]


@lean_fast_kernel
def _subtract_products(a, b, factors):
    """``a -= b * factors``, a factor for each column."""
    for j in range(factors.size):
        one, other = a[j], b[j]
        for i in range(factors.size):
            one[i] -= other[i] * factors[i]


@kernel
def leave_neighbors_out(rows, n, residuals, weights, errors):
    """Write the mean squared errors of rows left out, with 0, 1, ... components.

    Parameters
    ----------
    rows : float64 (k, n_most)
        About the weighted mean, times the roots of weights; the first n columns count.
    residuals : float64 (k,)
        Targets, likewise.
    weights : float64 (k,)
        Their mean 1.
    errors : float64 (1 + n_components,), written
        NaN where there is a single row.
    """
    k, n_most = residuals.size, errors.size - 1
    if k < 2:
        for a in range(n_most + 1):
            errors[a] = np.nan
        return
    roots, gains = np.empty(k), np.empty(k)
    gram, left, missed = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    spread = _multiply_rows(rows, n, gram)
    _center_others(residuals, weights, roots, gains, left, missed)
    errors[0] = _mean_square(missed, weights)
    scores, query_scores = np.empty((n_most, k, k)), np.empty((n_most, k))
    start, squares, steps = np.empty(k), np.empty(k), np.empty(k)
    _add_products(left, left, start)
    for a in range(n_most):
        component, of_left_out = scores[a], query_scores[a]
        _add_products(left, left, squares)
        _multiply_squares(gram, left, component)
        _move_to_others(component, of_left_out, roots, gains, steps)
        _take_out(scores, query_scores, a, steps)
        _normalize_scores(component, of_left_out, squares, start, spread, steps)
        _add_products(component, left, steps)
        _subtract_products(left, component, steps)
        for i in range(k):
            missed[i] -= steps[i] * of_left_out[i]
        errors[a + 1] = _mean_square(missed, weights)


@lean_kernel
def _center_others(residuals, weights, roots, gains, left, missed):
    """Targets about the mean of the others, a column for each row left out."""
    k = residuals.size
    for i in range(k):
        roots[i], gains[i] = math.sqrt(weights[i]), weights[i] / (k - weights[i])
    for i in range(k):
        target = residuals[i] / roots[i]
        missed[i] = (1.0 + gains[i]) * target
        for j in range(k):
            left[j, i] = 0.0 if i == j else residuals[j] + roots[j] * gains[i] * target


@lean_kernel
def _move_to_others(component, of_left_out, roots, gains, steps):
    """Scores about the mean of the others, and that of the row left out."""
    k = roots.size
    for i in range(k):
        alone = component[i, i] / roots[i]
        of_left_out[i] = (1.0 + gains[i]) * alone
        steps[i] = gains[i] * alone
    for j in range(k):
        for i in range(k):
            component[j, i] += roots[j] * steps[i]
    for i in range(k):
        component[i, i] = 0.0


@lean_kernel
def _take_out(scores, query_scores, a, parts):
    """Make scores orthogonal to the earlier ones, twice: rounding leaves something."""
    for _ in range(2):
        for b in range(a):
            _add_products(scores[b], scores[a], parts)
            _subtract_products(scores[a], scores[b], parts)
            for i in range(parts.size):
                query_scores[a, i] -= parts[i] * query_scores[b, i]


@lean_kernel
def _normalize_scores(component, of_left_out, squares, start, spread, factors):
    """Give scores the length 1, or 0 where there is nothing left."""
    k = factors.size
    _add_products(component, component, factors)
    for i in range(k):
        least = _NEGLIGIBLE * spread * math.sqrt(squares[i])
        done = math.sqrt(squares[i]) <= _EXPLAINED * math.sqrt(start[i])
        small = not math.sqrt(factors[i]) > least
        factors[i] = 0.0 if done or small else 1.0 / math.sqrt(factors[i])
        of_left_out[i] *= factors[i]
    for j in range(k):
        for i in range(k):
            component[j, i] *= factors[i]


@lean_kernel
def _mean_square(values, weights):
    total = 0.0
    for i in range(values.size):
        total += weights[i] * values[i] * values[i]
    return total / values.size
