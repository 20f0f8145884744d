"""A ridge line of numbers, with exact left-out answers for free (PRESS).

References
----------
Allen, D. M.: The relationship between variable selection and data augmentation and a
method for prediction. Technometrics 16 (1974).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.magnitudes import find_unit
from sklazy.methods.linear_models.columns import find_directions

Floats = NDArray[np.float64]

RIDGES = (1.0, 0.01, 10.0, 100.0, 1000.0)
"""The penalties tried; the first one where all do equally well."""

MOST_DIRECTIONS = 1000
"""Columns of a line; of more it sees the directions that vary most."""

_LEAST_LEFT = 1e-12  # of a row's leverage


class RidgeFit(NamedTuple):
    """A line, and its left-out predictions.

    Attributes
    ----------
    coefficients : float64 array of shape (1, n_columns)
    intercepts : float64 array of shape (1,)
    left_out : float64 array of shape (n_rows, 1)
        The prediction of each row by the line without it.
    ridge : float
    loss : float
        The root of the mean squared left-out error, the least of all ridges.
    """

    coefficients: Floats
    intercepts: Floats
    left_out: Floats
    ridge: float
    loss: float


def fit_ridge(rows: Floats, targets: Floats) -> RidgeFit:
    """Fit a line, with the ridge of least left-out squared error.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
        Centered.
    targets : float64 array of shape (n_rows,)
    """
    unit = find_unit(targets)
    directions = find_directions(rows, MOST_DIRECTIONS)
    seen = rows if directions is None else rows @ directions
    mean = float((targets * unit).mean())
    loss, ridge, beta, errors = _find_best(seen, targets * unit - mean)
    coefficients = beta if directions is None else directions @ beta
    return RidgeFit(
        coefficients[None, :] / unit,
        np.array([mean / unit]),
        (targets - errors / unit)[:, None],
        ridge,
        float(np.sqrt(loss)) / unit,
    )


def _find_best(rows: Floats, targets: Floats) -> tuple[float, float, Floats, Floats]:
    """The least mean squared left-out error, its ridge, coefficients and errors.

    One eigendecomposition serves all ridges.
    """
    sizes, vectors = np.linalg.eigh(rows.T @ rows)
    sizes, along, tried = np.maximum(sizes, 0.0), rows @ vectors, []
    for ridge in RIDGES:
        beta = (along.T @ targets) / (sizes + ridge)
        leverages = (along**2 / (sizes + ridge)).sum(axis=1) + 1.0 / len(rows)
        left = np.maximum(1.0 - leverages, _LEAST_LEFT)
        errors = (targets - along @ beta) / left
        tried.append((float((errors**2).mean()), ridge, vectors @ beta, errors))
    return min(tried, key=lambda item: item[0])
