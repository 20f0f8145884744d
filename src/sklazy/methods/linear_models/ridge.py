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
from sklazy.methods.row_weights import RowWeights

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
    left_out, in_part : float64 arrays of shape (n_rows, 1)
        The prediction of each row by the line without it, and without that share of its
        weight by which the ridge is chosen.
    ridge : float
    loss : float
        The root of the mean squared left-out error, the least of all ridges.
    """

    coefficients: Floats
    intercepts: Floats
    left_out: Floats
    in_part: Floats
    ridge: float
    loss: float


def fit_ridge(
    rows: Floats, targets: Floats, weights: RowWeights | None = None
) -> RidgeFit:
    """Fit a line, with the ridge of least left-out squared error.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
        Centered.
    targets : float64 array of shape (n_rows,)
    weights : RowWeights, optional
    """
    unit = find_unit(targets)
    directions = find_directions(rows, MOST_DIRECTIONS)
    seen = rows if directions is None else rows @ directions
    if weights is None:
        weights = RowWeights(np.ones(len(targets)), np.ones(len(targets)))
    mean = float(np.average(targets * unit, weights=weights.values))
    best = _find_best(seen, targets * unit - mean, weights)
    beta = best.coefficients
    coefficients = beta if directions is None else directions @ beta
    return RidgeFit(
        coefficients[None, :] / unit,
        np.array([mean / unit]),
        (targets - best.errors / unit)[:, None],
        (targets - best.errors_in_part / unit)[:, None],
        best.ridge,
        float(np.sqrt(best.loss)) / unit,
    )


class _Tried(NamedTuple):
    """A ridge, the mean squared left-out error with it, coefficients and errors."""

    loss: float
    ridge: float
    coefficients: Floats
    errors: Floats
    errors_in_part: Floats


def _find_best(rows: Floats, targets: Floats, weights: RowWeights) -> _Tried:
    """The ridge of least left-out error.

    One eigendecomposition serves all ridges.
    """
    values, total = weights.values, float(weights.values.sum())
    sizes, vectors = np.linalg.eigh((rows.T * values) @ rows)
    sizes, along, tried = np.maximum(sizes, 0.0), rows @ vectors, []
    for ridge in RIDGES:
        beta = (along.T @ (values * targets)) / (sizes + ridge)
        leverages = (along**2 / (sizes + ridge)).sum(axis=1) + 1.0 / total
        leverages *= values
        residuals = targets - along @ beta
        errors, in_part = (
            residuals / np.maximum(1.0 - shares * leverages, _LEAST_LEFT)
            for shares in (1.0, weights.shares)
        )
        loss = float(values @ in_part**2) / total
        tried.append(_Tried(loss, ridge, vectors @ beta, errors, in_part))
    return min(tried, key=lambda item: item.loss)
