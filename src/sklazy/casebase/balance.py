"""Weights by which all classes count alike."""

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
    sums = np.bincount(classes, weights)
    some = sums > 0
    factors = np.zeros(len(sums))
    factors[some] = sums.sum() / (some.sum() * sums[some])
    balanced: Floats = weights * factors[classes]
    return balanced
