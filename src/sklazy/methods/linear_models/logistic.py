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
from sklazy.methods.row_weights import RowWeights

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
    left_out, in_part : float64 arrays of shape (n_rows, n_classes)
        Scores of each row by the model without it, found by one Newton step, and
        without that share of its weight by which the ridge is chosen.
    ridge : float
    loss : float
        The mean log loss of the left-out scores, the least of all ridges.
    """

    coefficients: Floats
    intercepts: Floats
    left_out: Floats
    in_part: Floats
    ridge: float
    loss: float


def fit_logistic(
    rows: Floats,
    classes: NDArray[np.integer],
    n_classes: int,
    weights: RowWeights | None = None,
) -> LogisticFit:
    """Fit one class against the rest, with the ridge of least left-out log loss.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
        Centered.
    classes : int array of shape (n_rows,)
    n_classes : int
    weights : RowWeights, optional
    """
    if weights is None:
        weights = RowWeights(np.ones(len(rows)), np.ones(len(rows)))
    directions = find_directions(rows, MOST_DIRECTIONS)
    design = _with_ones(rows if directions is None else rows @ directions)
    # Of two classes the second has the scores of the first with the other sign.
    n_models = 1 if n_classes == 2 else n_classes
    betas, best = np.zeros((n_models, design.shape[1])), None
    for ridge in RIDGES:
        penalties = np.full(design.shape[1], ridge)
        penalties[0] = _OF_INTERCEPT
        scores = np.zeros((2, len(design), n_models))
        for c in range(n_models):
            problem = _Problem(design, (classes == c) * 1.0, penalties, weights)
            betas[c], scores[:, :, c] = _fit_one(problem, betas[c])
        scores = _both_signs(scores) if n_classes == 2 else scores
        loss = log_loss(to_probabilities(scores[1]), classes, weights.values)
        if best is None or loss < best.loss:
            slopes, intercepts = betas[:, 1:].copy(), betas[:, 0].copy()
            left_out, in_part = scores
            best = LogisticFit(slopes, intercepts, left_out, in_part, ridge, loss)
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


def _with_ones(rows: Floats) -> Floats:
    return np.column_stack([np.ones(len(rows)), rows])


def _both_signs(scores: Floats) -> Floats:
    return np.concatenate([scores, -scores], axis=-1)


def to_probabilities(scores: Floats) -> Floats:
    """Scores of classes against the rest, as shares that sum to 1.

    Examples
    --------
    >>> to_probabilities(np.array([[0.0, 0.0], [800.0, -800.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    shares = expit(np.clip(scores, -700.0, 700.0))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def log_loss(
    probabilities: Floats, classes: NDArray[np.integer], weights: Floats | None = None
) -> float:
    """The mean log loss; probabilities are kept off zero by 0.001 over the classes."""
    of_class = probabilities[np.arange(len(classes)), classes]
    floor = _KEPT_OFF_ZERO / probabilities.shape[1]
    losses = -np.log((1.0 - _KEPT_OFF_ZERO) * of_class + floor)
    return float(np.average(losses, weights=weights))


class _Problem(NamedTuple):
    """One class against the rest: columns with ones, outcomes, penalties, weights."""

    design: Floats
    outcomes: Floats
    penalties: Floats
    weights: RowWeights


def _fit_one(problem: _Problem, start: Floats) -> tuple[Floats, Floats]:
    """Coefficients of one class against the rest, and the left-out scores of rows."""
    design, outcomes, penalties, weights = problem
    beta = start
    for _ in range(_MOST_STEPS):
        means, _, factor = _curvature(problem, beta)
        slope = design.T @ (weights.values * (outcomes - means)) - penalties * beta
        step = cho_solve(factor, slope)
        beta = _shorten(problem, beta, step)
        if np.abs(step).max() < _SMALL_STEP:
            break
    return beta, _leave_out(problem, beta)


def _leave_out(problem: _Problem, beta: Floats) -> Floats:
    """The scores without each row, and without a share of its weight, (2, n_rows)."""
    design, outcomes, _, weights = problem
    means, variances, factor = _curvature(problem, beta)
    reached = solve_triangular(factor[0], design.T, lower=True)
    leverages = (reached**2).sum(axis=0) * weights.values
    scores, errors = design @ beta, outcomes - means
    left_out = []
    for shares in (1.0, weights.shares):
        gone = shares * leverages
        left = np.maximum(1.0 - gone * variances, _LEAST_LEFT)
        left_out.append(scores - gone * errors / left)
    return np.stack(left_out)


def _curvature(
    problem: _Problem, beta: Floats
) -> tuple[Floats, Floats, tuple[Floats, bool]]:
    """Means and variances of the outcomes, and the Hessian as a Cholesky factor."""
    design, _, penalties, weights = problem
    means = expit(design @ beta)
    variances = np.maximum(means * (1.0 - means), _LEAST_VARIANCE)
    hessian = (design.T * (variances * weights.values)) @ design
    hessian[np.diag_indices_from(hessian)] += penalties
    return means, variances, cho_factor(hessian, lower=True)


def _shorten(problem: _Problem, beta: Floats, step: Floats) -> Floats:
    """Go a step, or as much of it as does not make the fit worse."""
    before = _badness(problem, beta)
    for _ in range(_MOST_HALVINGS):
        after = _badness(problem, beta + step)
        if after <= before + 1e-12 * abs(before):
            return beta + step
        step = step / 2.0
    return beta


def _badness(problem: _Problem, beta: Floats) -> float:
    """Minus the logarithm of the penalized likelihood."""
    design, outcomes, penalties, weights = problem
    scores = design @ beta
    likelihood = weights.values @ (np.logaddexp(0.0, scores) - outcomes * scores)
    return float(likelihood + 0.5 * (penalties * beta**2).sum())
