"""Weights by which all classes count alike."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def balance_weights(weights: Floats, classes: NDArray[np.integer]) -> Floats:
    """Weights of rows such that every class has the same sum, the total staying.

    As ``compute_class_weight("balanced")`` of scikit-learn, times the weights.

    Parameters
    ----------
    weights : float64 array of shape (n_rows,)
    classes : int array of shape (n_rows,)

    Examples
    --------
    >>> balance_weights(np.ones(4), np.array([0, 0, 0, 2])).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    sums = _sum_exactly(weights, classes)
    some = sums > 0
    factors = np.zeros(len(sums))
    factors[some] = sums.sum() / (some.sum() * sums[some])
    balanced: Floats = weights * factors[classes]
    return balanced


def _sum_exactly(weights: Floats, classes: NDArray[np.integer]) -> Floats:
    """Sum weights by class, rounded once: the order of rows plays no part."""
    if (weights == 1.0).all():
        counts: Floats = np.bincount(classes).astype(np.float64)
        return counts
    order = np.argsort(classes, kind="stable")
    ends = np.cumsum(np.bincount(classes))[:-1]
    groups = np.split(weights[order], ends)
    try:
        return np.array([math.fsum(group) for group in groups])
    except OverflowError:
        return np.asarray(np.bincount(classes, weights), np.float64)
