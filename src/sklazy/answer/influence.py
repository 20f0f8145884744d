"""How much each neighbour's target counts in a prediction."""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.regression import LocalAnswer, LocalMemory

Floats = NDArray[np.float64]


def influences(
    memory: LocalMemory, answer: LocalAnswer, query: int, target: int
) -> Floats:
    """The weights of the neighbours' targets, whose sum of products is the prediction.

    A local model is linear in the targets: its prediction is the first row of
    ``inv(Z'WZ + ridge) Z'W`` times y. The weights of combined models are combined.

    Returns
    -------
    weights : float64 array of shape (k,), k the most neighbours of a model chosen
    """
    models, shares = chosen_models(answer, query, target)
    rows = answer.neighbours.rows[query, : models[:, 1].max()]
    weights = _case_weights(memory, rows)
    total = np.zeros(len(rows))
    for (degree, k), share in zip(models.tolist(), shares, strict=True):
        terms = _terms(memory, answer.regressors[query], rows[:k], degree)
        total[:k] += share * _first_row(terms, weights[:k], degree, memory)
    return total


def chosen_models(
    answer: LocalAnswer, query: int, target: int
) -> tuple[NDArray[np.int64], Floats]:
    """The models (degree, k) behind a prediction, and the share each has in it."""
    chosen = answer.models.models[query, target, :, 0] >= 0
    scores = answer.models.scores[query, target, chosen]
    weights = 1.0 / np.where(scores > 0, scores, 1e-20)
    return answer.models.models[query, target, chosen], weights / weights.sum()


def _case_weights(memory: LocalMemory, rows: NDArray[np.int64]) -> Floats:
    weights = memory.cases.weights
    return weights[rows] if len(weights) else np.ones(len(rows))


def _terms(
    memory: LocalMemory, query: Floats, rows: NDArray[np.int64], degree: int
) -> Floats:
    """Terms of a model, shape (k, p)."""
    ones = np.ones((len(rows), 1))
    if degree == 0:
        return ones
    centred = np.nan_to_num(memory.cases.regressors[rows] - query)
    if degree == 1:
        return np.hstack([ones, centred])
    first, second = np.triu_indices(len(query))
    return np.hstack([ones, centred, centred[:, first] * centred[:, second]])


def _first_row(
    terms: Floats, weights: Floats, degree: int, memory: LocalMemory
) -> Floats:
    penalty = np.full(terms.shape[1], 1.0 / memory.plan.spread)
    if degree == 0 or not memory.plan.as_in_r:
        penalty[0] = 0.0
    weighted = terms * weights[:, None]
    unit = np.eye(terms.shape[1])[0]
    return weighted @ np.linalg.solve(terms.T @ weighted + np.diag(penalty), unit)
