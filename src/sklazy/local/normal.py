"""Naive Bayes on numbers: one normal distribution per class and attribute."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.sums import nearest_float, sum_exactly

Floats = NDArray[np.float64]

_LEAST = 1e-9  # of the whole variance: a class is not narrower
_CONSTANT = 1e-10  # of the variance: what is left without a case's own value is noise


class Moments(NamedTuple):
    """Sums over the cases that know an attribute, about a center.

    Attributes
    ----------
    centers, scales : float64 arrays of shape (n_numeric,)
        Deviations are counted from the center and in terms of the largest of them.
    sums : float64 array of shape (n_numeric, 3, n_classes)
        Of weights, of deviations and of their squares.
    constant : bool array of shape (n_numeric,)
        Whether there is at most one value.
    """

    centers: Floats
    scales: Floats
    sums: Floats
    constant: NDArray[np.bool_]


def find_moments(
    numbers: Floats, classes: NDArray[np.int32], weights: Floats, n_classes: int
) -> Moments:
    """Sum up the numbers of each class.

    Parameters
    ----------
    numbers : float64 array of shape (n_numeric, n_rows)
        NaN where missing. Sums are exact, so the order of rows does not matter.
    classes : int32 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,)
    n_classes : int
    """
    sums = np.zeros((len(numbers), 3, n_classes))
    centers, scales = np.zeros(len(numbers)), np.ones(len(numbers))
    constant = np.ones(len(numbers), bool)
    for j, column in enumerate(numbers):
        known = ~np.isnan(column) & (weights > 0)
        if known.any():
            values, of_class = column[known], classes[known].astype(np.int64)
            low, high = values.min(), values.max()
            constant[j] = low == high
            mean = sum_exactly(values).whole()[0] / len(values)
            centers[j] = np.clip(nearest_float(mean), low, high)
            scales[j] = max(high - centers[j], centers[j] - low) or 1.0
            away = (values - centers[j]) / scales[j]
            for power in range(3):
                terms = weights[known] * away**power
                sums[j, power] = sum_exactly(terms, of_class, n_classes).rounded()
    return Moments(centers, scales, sums, constant)


def normal_terms(
    moments: Moments,
    attribute: int,
    values: Floats,
    alpha: float,
    own: tuple[NDArray[np.int32], Floats] | None = None,
) -> Floats:
    """Return log-densities of values of one attribute under each class.

    Each class is given `alpha` cases more, spread like those of all classes: a class
    with few cases leans on the whole, one without any is like it. A missing value, and
    any value of an attribute that is constant, says nothing: zeros.

    Parameters
    ----------
    moments : Moments
    attribute : int
        Counted among the numeric ones.
    values : float64 array of shape (n_values,)
    alpha : float
    own : pair of arrays of shape (n_values,), optional
        Class and weight of the case that has the value, if it is to be left out.

    Returns
    -------
    float64 array of shape (n_values, n_classes)

    Examples
    --------
    >>> numbers, classes = np.array([[0.0, 2.0, 5.0, 7.0]]), np.array([0, 0, 1, 1])
    >>> moments = find_moments(numbers, classes, np.ones(4), 2)
    >>> terms = normal_terms(moments, 0, np.array([1.0, np.nan]), 1.0)
    >>> bool(terms[0, 0] > terms[0, 1]), terms[1].tolist()
    (True, [0.0, 0.0])
    """
    away = (values - moments.centers[attribute]) / moments.scales[attribute]
    sums = np.repeat(moments.sums[attribute][None], len(values), axis=0)
    whole = _variance(sums.sum(axis=2))
    says = ~np.isnan(values) & (not moments.constant[attribute])
    if own is not None:
        rows = np.flatnonzero(says)
        for power in range(3):
            sums[rows, power, own[0][rows]] -= own[1][rows] * away[rows] ** power
        says &= _variance(sums.sum(axis=2)) > _CONSTANT * whole
    terms = np.zeros((len(values), sums.shape[2]))
    terms[says] = _log_densities(away[says], sums[says], alpha)
    return terms


def _variance(sums: Floats) -> Floats:
    """Variance from sums of weights, deviations and squares, shape (n, 3)."""
    n = np.maximum(sums[:, 0], np.finfo(float).tiny)
    return np.maximum(sums[:, 2] / n - (sums[:, 1] / n) ** 2, 0.0)


def _log_densities(away: Floats, sums: Floats, alpha: float) -> Floats:
    """Log-densities with the whole column as `alpha` cases more, (n, n_classes)."""
    whole = sums.sum(axis=2)
    middle = (whole[:, 1] / whole[:, 0])[:, None]
    square = (whole[:, 2] / whole[:, 0])[:, None]
    n = sums[:, 0] + alpha
    means = (sums[:, 1] + alpha * middle) / n
    variances = (sums[:, 2] + alpha * square) / n - means**2
    variances = np.maximum(variances, _LEAST * _variance(whole)[:, None])
    squares = (away[:, None] - means) ** 2 / variances
    return -0.5 * (np.log(2 * np.pi * variances) + squares)
