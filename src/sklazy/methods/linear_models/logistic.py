"""Logistic regression, one class against the rest, with left-out answers for free.

References
----------
Rad, K. R., Maleki, A.: A scalable estimate of the out-of-sample prediction error via
approximate leave-one-out cross-validation. Journal of the Royal Statistical Society B
82 (2020).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import expit

from sklazy.methods.linear_models.columns import find_directions

Floats = NDArray[np.float64]

RIDGES = (25.0, 5.0, 1.0, 0.1)
"""The penalties tried, the strongest first: each starts where the last one ended."""

MOST_DIRECTIONS = 200
"""Columns of a logistic model; of more it sees the directions that vary most."""

_OF_INTERCEPT = 1e-4  # so that a class without its opposite has a finite score
_MOST_STEPS, _MOST_HALVINGS = 50, 30
_SMALL_STEP = 1e-8
_LEAST_VARIANCE = 1e-6  # of an outcome: all but certain ones still have weight
_LEAST_LEFT = 1e-3  # of a row's leverage
_KEPT_OFF_ZERO = 1e-3


class LogisticFit(NamedTuple):
    """A logistic model of each class, and its left-out scores.

    Attributes
    ----------
    coefficients : float64 array of shape (n_classes, n_columns)
    intercepts : float64 array of shape (n_classes,)
    left_out : float64 array of shape (n_rows, n_classes)
        Scores of each row by the model without it, found by one Newton step.
    ridge : float
    loss : float
        The mean log loss of the left-out scores, the least of all ridges.
    """

    coefficients: Floats
    intercepts: Floats
    left_out: Floats
    ridge: float
    loss: float


def fit_logistic(
    rows: Floats, classes: NDArray[np.integer], n_classes: int
) -> LogisticFit:
    """Fit one class against the rest, with the ridge of least left-out log loss.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
        Centered.
    classes : int array of shape (n_rows,)
    n_classes : int
    """
    directions = find_directions(rows, MOST_DIRECTIONS)
    seen = rows if directions is None else rows @ directions
    design = np.column_stack([np.ones(len(seen)), seen])
    # Of two classes the second has the scores of the first with the other sign.
    n_models = 1 if n_classes == 2 else n_classes
    betas, best = np.zeros((n_models, design.shape[1])), None
    for ridge in RIDGES:
        penalties = np.full(design.shape[1], ridge)
        penalties[0] = _OF_INTERCEPT
        scores = np.zeros((len(design), n_models))
        for c in range(n_models):
            outcomes = (classes == c).astype(np.float64)
            betas[c], scores[:, c] = _fit_one(design, outcomes, penalties, betas[c])
        scores = _both_signs(scores) if n_classes == 2 else scores
        loss = log_loss(to_probabilities(scores), classes)
        if best is None or loss < best.loss:
            best = LogisticFit(
                betas[:, 1:].copy(), betas[:, 0].copy(), scores, ridge, loss
            )
    assert best is not None
    coefficients, intercepts = best.coefficients, best.intercepts
    if directions is not None:
        coefficients = coefficients @ directions.T
    if n_classes == 2:
        coefficients = np.vstack([coefficients, -coefficients])
        intercepts = np.concatenate([intercepts, -intercepts])
    return best._replace(
        coefficients=np.ascontiguousarray(coefficients), intercepts=intercepts
    )


def _both_signs(scores: Floats) -> Floats:
    return np.concatenate([scores, -scores], axis=1)


def to_probabilities(scores: Floats) -> Floats:
    """Scores of classes against the rest, as shares that sum to 1.

    Examples
    --------
    >>> to_probabilities(np.array([[0.0, 0.0], [800.0, -800.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    shares = expit(np.clip(scores, -700.0, 700.0))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def log_loss(probabilities: Floats, classes: NDArray[np.integer]) -> float:
    """The mean log loss; probabilities are kept off zero by 0.001 over the classes."""
    of_class = probabilities[np.arange(len(classes)), classes]
    floor = _KEPT_OFF_ZERO / probabilities.shape[1]
    return float(-np.log((1.0 - _KEPT_OFF_ZERO) * of_class + floor).mean())


def _fit_one(
    design: Floats, outcomes: Floats, penalties: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Coefficients of one class against the rest, and the left-out scores of rows."""
    beta = start
    for _ in range(_MOST_STEPS):
        means, _, factor = _curvature(design, beta, penalties)
        slope = design.T @ (outcomes - means) - penalties * beta
        step = cho_solve(factor, slope)
        beta = _shorten(design, outcomes, penalties, beta, step)
        if np.abs(step).max() < _SMALL_STEP:
            break
    means, variances, factor = _curvature(design, beta, penalties)
    reached = solve_triangular(factor[0], design.T, lower=True)
    leverages = (reached**2).sum(axis=0)
    left = np.maximum(1.0 - leverages * variances, _LEAST_LEFT)
    return beta, design @ beta - leverages * (outcomes - means) / left


def _curvature(
    design: Floats, beta: Floats, penalties: Floats
) -> tuple[Floats, Floats, tuple[Floats, bool]]:
    """Means and variances of the outcomes, and the Hessian as a Cholesky factor."""
    means = expit(design @ beta)
    variances = np.maximum(means * (1.0 - means), _LEAST_VARIANCE)
    hessian = (design.T * variances) @ design
    hessian[np.diag_indices_from(hessian)] += penalties
    return means, variances, cho_factor(hessian, lower=True)


def _shorten(
    design: Floats, outcomes: Floats, penalties: Floats, beta: Floats, step: Floats
) -> Floats:
    """Go a step, or as much of it as does not make the fit worse."""
    before = _badness(design, outcomes, penalties, beta)
    for _ in range(_MOST_HALVINGS):
        after = _badness(design, outcomes, penalties, beta + step)
        if after <= before + 1e-12 * abs(before):
            return beta + step
        step = step / 2.0
    return beta


def _badness(
    design: Floats, outcomes: Floats, penalties: Floats, beta: Floats
) -> float:
    """Minus the logarithm of the penalized likelihood."""
    scores = design @ beta
    likelihood = (np.logaddexp(0.0, scores) - outcomes * scores).sum()
    return float(likelihood + 0.5 * (penalties * beta**2).sum())
