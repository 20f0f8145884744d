"""How much each neighbor's target counts in a prediction."""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats
from sklazy.methods.local_models.answers import LocalAnswer
from sklazy.methods.local_models.data import LocalData


def influences(answer: LocalAnswer, query: int, target: int) -> Floats:
    """The weights of the neighbors' targets, whose sum of products is the prediction.

    A local model is linear in the targets: its prediction is the first row of
    ``inv(Z'WZ + ridge) Z'W`` times y. The weights of combined models are combined.
    The target of a neighbor that is like other cases is the mean of all of these.

    Returns
    -------
    weights : float64 array of shape (k,), k the most neighbors of a model chosen
    """
    data = answer.data
    models, _, shares = chosen_models(answer, query, target)
    rows = answer.neighbors.rows[query]
    rows = rows[rows >= 0]
    pools = answer.pooled(query, len(rows))
    weights = _case_weights(data, rows) if pools is None else pools.weights[0]
    centered = np.nan_to_num(data.cases.regressors[rows] - answer.regressors[query])
    penalties = _penalties(data, centered, weights)
    total = np.zeros(models[:, 1].max())
    for (degree, k), share in zip(models.tolist(), shares, strict=True):
        terms = _terms(centered[:k], degree)
        total[:k] += share * _first_row(terms, weights[:k], penalties)
    return total


def chosen_models(
    answer: LocalAnswer, query: int, target: int
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Models (degree, k) behind a prediction, best first, with scores and shares."""
    scores = answer.models.scores[query, target]
    order = np.argsort(scores, kind="stable")[: np.isfinite(scores).sum()]
    weights = 1.0 / np.where(scores[order] > 0, scores[order], 1e-20)
    models = answer.models.models[query, target, order]
    return models, scores[order], weights / weights.sum()


def _case_weights(data: LocalData, rows: NDArray[np.int64]) -> Floats:
    weights = data.cases.weights
    return weights[rows] if len(weights) else np.ones(len(rows))


def _terms(centered: Floats, degree: int) -> Floats:
    """Terms of a model, shape (k, p)."""
    ones = np.ones((len(centered), 1))
    if degree == 0:
        return ones
    if degree == 1:
        return np.hstack([ones, centered])
    first, second = np.triu_indices(centered.shape[1])
    return np.hstack([ones, centered, centered[:, first] * centered[:, second]])


def _penalties(data: LocalData, centered: Floats, weights: Floats) -> Floats:
    """The ridge of each coefficient; constants have none, nor has a free intercept."""
    d, plan = centered.shape[1], data.plan
    n_products = d * (d + 1) // 2
    if plan.as_in_r:
        return np.full(1 + d + n_products, 1.0 / plan.prior_variance)
    square = (weights @ centered**2).sum() / (weights.sum() * d) if d else 0.0
    square = square if square > 0 else 1.0
    powers = [0.0] + [square] * d + [square**2] * n_products
    return np.array(powers) / plan.prior_variance


def _first_row(terms: Floats, weights: Floats, penalties: Floats) -> Floats:
    n_terms = terms.shape[1]
    weighted = terms * weights[:, None]
    if n_terms == 1:
        return weights / weights.sum()
    ridge = np.diag(penalties[:n_terms])
    try:
        normal = terms.T @ weighted + ridge
        return weighted @ np.linalg.solve(normal, np.eye(n_terms)[0])
    except np.linalg.LinAlgError:  # too far away, or columns too alike, to be squared
        return _first_row_of_least_squares(terms, weights, penalties[:n_terms])


def _first_row_of_least_squares(
    terms: Floats, weights: Floats, penalties: Floats
) -> Floats:
    """The same without squares: the ridge as rows of its own, columns of length 1."""
    roots = np.sqrt(weights)
    rows = np.vstack([terms * roots[:, None], np.diag(np.sqrt(penalties))])
    lengths = np.linalg.norm(rows, axis=0)
    lengths[lengths == 0] = 1.0
    row: Floats = np.linalg.pinv(rows / lengths)[0, : len(terms)] * roots / lengths[0]
    return row
