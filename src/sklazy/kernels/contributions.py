"""Contributions of features to sums over cases of products over features.

A product kernel's score is ``sum_i a_i prod_j k_ij``; with feature j known with
probability t its factor is ``b_ij + t (k_ij - b_ij)``. Arrays have the cases along
their last axis, so that loops over them are vectorized.
"""

import numpy as np

from sklazy.kernels.compiling import entry, fast_kernel, kernel
from sklazy.kernels.kernel_models import MISMATCH
from sklazy.kernels.vectors import dot


@kernel
def _similarity(one, other, is_nominal, scale, absent):
    """The factor of a column: exp(-scale * difference)."""
    one_missing, other_missing = np.isnan(one), np.isnan(other)
    if one_missing or other_missing:
        return 1.0 if one_missing and other_missing else np.exp(-scale * absent)
    if is_nominal:
        return 1.0 if one == other else np.exp(-scale * MISMATCH)
    return np.exp(-scale * abs(one - other))


@entry
def fill_factors(cases, query, rate, features, factors):
    """Fill the factor of every feature and case for one query.

    Parameters
    ----------
    cases : flow.KernelColumns
    query : float64 (n_columns,)
    rate : float
    features : int64 (n_columns,)
        The feature of each column.
    factors : float64 (n_features, n_rows)
    """
    factors[:] = 1.0
    for j in range(query.size):
        scale, column = rate * cases.weights[j], cases.values[j]
        if scale == 0.0:
            continue
        factor, value, absent = factors[features[j]], query[j], cases.absents[j]
        gone, other = np.exp(-scale * absent), np.exp(-scale * MISMATCH)
        if np.isnan(value):
            for i in range(column.size):
                factor[i] *= 1.0 if np.isnan(column[i]) else gone
        elif cases.nominal[j]:
            for i in range(column.size):
                if np.isnan(column[i]):
                    factor[i] *= gone
                elif column[i] != value:
                    factor[i] *= other
        else:
            for i in range(column.size):
                apart = abs(column[i] - value)
                factor[i] *= gone if np.isnan(apart) else np.exp(-scale * apart)


@entry
def fill_means(cases, rows, rate, columns, means):
    """Fill for some rows the mean factor of one feature over all rows.

    Parameters
    ----------
    cases : flow.KernelColumns
    rows : int64 (n_wanted,)
    rate : float
    columns : int64 (n_columns,)
        Those of the feature.
    means : float64 (n_wanted,)
    """
    n_rows = cases.values.shape[1]
    for place in range(rows.size):
        i, total = rows[place], 0.0
        for r in range(n_rows):
            factor = 1.0
            for j in columns:
                factor *= _similarity(
                    cases.values[j, r],
                    cases.values[j, i],
                    cases.nominal[j],
                    rate * cases.weights[j],
                    cases.absents[j],
                )
            total += factor
        means[place] = total / n_rows


@entry
def add_decays(numbers, scale, sums):
    """Fill ``sums[i] = sum_r exp(-scale * abs(numbers[i] - numbers[r]))``.

    Parameters
    ----------
    numbers : float64 (n,)
        In order.
    scale : float
    sums : float64 (n,)
    """
    near = 0.0
    for i in range(numbers.size):
        gap = numbers[i] - numbers[i - 1] if i > 0 else 0.0
        near = 1.0 + np.exp(-scale * gap) * near
        sums[i] = near
    near = 0.0
    for i in range(numbers.size - 2, -1, -1):
        near = np.exp(-scale * (numbers[i + 1] - numbers[i])) * (1.0 + near)
        sums[i] += near


@kernel
def _multiply_factors(factors, means, node, products):
    for i in range(products.size):
        products[i] = 1.0
    for j in range(factors.shape[0]):
        factor, mean = factors[j], means[j]
        for i in range(products.size):
            products[i] *= mean[i] + node * (factor[i] - mean[i])


@entry
def add_along(factors, means, coefficients, nodes, products, scores):
    """Fill the products of all factors, and the scores, at places on the diagonal.

    Parameters
    ----------
    factors, means : float64 (n_features, n_rows)
        Factors where a feature is known, and where it is not.
    coefficients : float64 (n_scores, n_rows)
    nodes : float64 (n_nodes,)
    products : float64 (n_nodes, n_rows)
    scores : float64 (n_nodes, n_scores)
    """
    for m in range(nodes.size):
        _multiply_factors(factors, means, nodes[m], products[m])
        for c in range(coefficients.shape[0]):
            scores[m, c] = dot(coefficients[c], products[m])


@fast_kernel
def _sum_ratios(factor, mean, node, pulls):
    """The sum over cases of pull times (factor - mean) over the factor at a node."""
    total = 0.0
    for i in range(factor.size):
        apart = factor[i] - mean[i]
        total += pulls[i] * (apart / (mean[i] + node * apart))
    return total


@entry
def share_along(factors, means, coefficients, nodes, slopes, products, values):
    """Fill the features' parts of the integral of a slope along the diagonal.

    Parameters
    ----------
    factors, means, coefficients, nodes
        As in `add_along`.
    slopes : float64 (n_nodes, n_scores)
        Of the output by the scores, times the weight of the node.
    products : float64 (n_nodes, n_rows)
        From `add_along`.
    values : float64 (n_features,)
    """
    values[:] = 0.0
    pulls = np.empty(factors.shape[1])
    for m in range(nodes.size):
        pulls[:] = 0.0
        for c in range(coefficients.shape[0]):
            slope, weights = slopes[m, c], coefficients[c]
            for i in range(pulls.size):
                pulls[i] += slope * weights[i]
        for i in range(pulls.size):
            pulls[i] *= products[m, i]
        for j in range(values.size):
            values[j] += _sum_ratios(factors[j], means[j], nodes[m], pulls)
