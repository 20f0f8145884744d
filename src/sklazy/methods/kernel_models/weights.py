"""Weights of attributes in a distance, by their information on the target."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def measure_information(
    bins: Ints, classes: Ints, weights: Floats | None = None
) -> Floats:
    """Mutual information of each attribute with the class, less its bias.

    Parameters
    ----------
    bins : int64 array of shape (n_attributes, n_rows)
    classes : int64 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), optional
        Of rows; each counts once by default.

    Returns
    -------
    information : float64 array of shape (n_attributes,)
        In nats, not below 0. Independent attributes have ``(b - 1)(c - 1) / 2n`` in
        the mean, of b values and c classes in n rows, which is taken off.

    Examples
    --------
    >>> bins, classes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), np.array([0, 0, 1, 1])
    >>> measure_information(bins, classes).round(3)
    array([0.568, 0.   ])
    """
    return np.array([_inform(own, classes, weights) for own in bins])


def _inform(bins: Ints, classes: Ints, weights: Floats | None) -> float:
    n_classes = int(classes.max()) + 1
    n_rows = len(classes) if weights is None else float(weights.sum())
    cells = np.bincount(
        bins * n_classes + classes, weights, minlength=(bins.max() + 1) * n_classes
    )
    counts = cells.reshape(-1, n_classes)
    by_bin, by_class = counts.sum(axis=1), counts.sum(axis=0)
    at, of = np.nonzero(counts)
    seen = counts[at, of]
    ratios = seen * (n_rows / by_bin[at]) / by_class[of]
    bias = ((by_bin > 0).sum() - 1) * ((by_class > 0).sum() - 1) / (2.0 * n_rows)
    return max(float((seen * np.log(ratios)).sum() / n_rows - bias), 0.0)


def find_telling(placed: Floats) -> NDArray[np.bool_]:
    """Which attributes differ between cases, of (n_attributes, n_rows) places."""
    missing = np.isnan(placed)
    same = (placed == placed[:, :1]) | (missing & missing[:, :1])
    return np.asarray(~same.all(axis=1))


def weigh_attributes(
    information: Floats, telling: NDArray[np.bool_], share: float
) -> Floats:
    """Weights between equal ones (share 0) and the attributes' information (share 1).

    They sum to the number of attributes that distinguish cases; the others weigh 0.

    Examples
    --------
    >>> weigh_attributes(np.array([0.3, 0.1, 0.0]), np.array([True, True, False]), 0.5)
    array([1.25, 0.75, 0.  ])
    """
    total, n_telling = information.sum(), int(telling.sum())
    if total <= 0.0:
        return telling.astype(float)
    informed = n_telling * information / total
    return np.where(telling, share * informed + (1.0 - share), 0.0)
