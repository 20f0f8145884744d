"""Answers of kernel models without some of their cases, exactly.

Coding, weights, width, ridge and temperature stay as all cases chose them. With G the
inverse of the similarities and the ridge, u = G k for the similarities k of a query,
and c the mean of the other targets, the answer without the rows B is
``c + k'G(y - c) - u_B' G_BB^-1 (G(y - c))_B``: one product for all cases at once. Sums
over landmarks lose what the rows added to them; the landmarks stay where they are. With
w the weights of targets, H the leverages and e the residuals of the fit, the answer is
less by ``w_B' (I - H_BB)^-1 e_B``. Where rows have weights, similarities, targets, ones
and residuals are multiplied by their roots.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Wish
from sklazy.errors import BadInputError
from sklazy.kernels.kernel_models import measure_distances
from sklazy.measures.blending import temper_probabilities
from sklazy.measures.shapley import soften
from sklazy.methods.kernel_models.data import KernelData, measure_similarities
from sklazy.methods.kernel_models.landmarks import (
    LARGEST_LEVERAGE,
    Landmarks,
    each_block,
    weigh_all,
)
from sklazy.methods.kernel_models.learner import KernelAnswer, weigh_neighbors
from sklazy.methods.kernel_models.solution import invert, weigh_system

_ROUNDING = 1e-12  # of the sum of all weights

Blocks = Sequence[Ints]
"""Rows of the base that are left out together."""


class Inverse(NamedTuple):
    """The inverse of a system, and its products with targets and ones.

    Attributes
    ----------
    matrix : float64 array of shape (n_rows, n_rows)
    targets : float64 array of shape (n_rows, n_targets)
    ones : float64 array of shape (n_rows,)
    """

    matrix: Floats
    targets: Floats
    ones: Floats


def answer_without(
    learner: AnyLearner, answer: KernelAnswer, batch: Batch, wish: Wish, blocks: Blocks
) -> Floats:
    """Outputs without each block of cases, (n_queries, n_blocks)."""
    data = answer.data
    places = np.empty(len(data.rows), np.int64)
    places[data.rows] = np.arange(len(data.rows))
    gone = [places[block] for block in blocks]
    outputs = np.empty((len(batch), len(blocks)))
    if not blocks:
        return outputs
    for query in range(len(batch)):
        if data.solution is None:
            scores = _score_nearest(data, answer.placed[query], gone)
        elif isinstance(data.solution, Landmarks):
            scores = _score_landmarks(data, data.solution, answer.placed[query], gone)
        else:
            scores = _score_all(data, answer.placed[query], gone)
        output = int(wish.outputs[query])
        outputs[query] = _to_outputs(data, scores, gone, output, wish.power)
    return outputs


def _invert(data: KernelData) -> Inverse:
    similarities = measure_similarities(data.columns, data.settings.rate)
    if data.weights is not None:
        similarities = weigh_system(similarities, data.weights)
    matrix, roots = invert(similarities, data.settings.ridge), data.roots
    return Inverse(matrix, matrix @ (roots[:, None] * data.targets), matrix @ roots)


def _score_all(data: KernelData, placed: Floats, blocks: Blocks) -> Floats:
    """Scores of a query without each block, by a system of all cases."""
    inverse = data.base.derive((_invert, data.limits), lambda: _invert(data))
    distances = np.empty((1, len(data.rows)))
    measure_distances(data.columns, placed[None, :], distances)
    near = np.exp(-data.settings.rate * distances[0]) * data.roots
    weights = inverse.matrix @ near
    of_targets, of_ones = near @ inverse.targets, float(near @ inverse.ones)
    centers = _find_centers(data, blocks)
    scores = centers + of_targets - centers * of_ones
    single = np.array([len(block) == 1 for block in blocks])
    rows = np.array([b[0] for b in blocks if len(b) == 1], np.int64)
    rest = inverse.targets[rows] - inverse.ones[rows, None] * centers[single]
    scores[single] -= (weights[rows] / inverse.matrix[rows, rows])[:, None] * rest
    for i in np.flatnonzero(~single).tolist():
        block = blocks[i]
        rest = inverse.targets[block] - inverse.ones[block, None] * centers[i]
        part = inverse.matrix[np.ix_(block, block)]
        scores[i] -= weights[block] @ np.linalg.solve(part, rest)
    return np.asarray(scores)


class Fit(NamedTuple):
    """How sums over landmarks fit all rows.

    Attributes
    ----------
    leverages : float64 array of shape (n_rows,)
    targets : float64 array of shape (n_rows, n_targets)
        The fit of the targets as they are, not centered.
    ones : float64 array of shape (n_rows,)
        The fit of ones.
    solved_targets : float64 array of shape (n_landmarks, n_targets)
    solved_ones : float64 array of shape (n_landmarks,)
        The coefficients of both.
    """

    leverages: Floats
    targets: Floats
    ones: Floats
    solved_targets: Floats
    solved_ones: Floats


def _fit_rows(data: KernelData, landmarks: Landmarks) -> Fit:
    n_rows, roots = len(data.rows), data.roots
    side = np.zeros(len(landmarks.places))
    for rows in each_block(n_rows):
        side += roots[rows] ** 2 @ landmarks.near(rows)
    ones, _ = lapack.dpotrs(landmarks.factor, side, lower=1)
    solved = landmarks.coefficients.T + ones[:, None] * data.center
    leverages, of_targets = np.empty(n_rows), np.empty((n_rows, solved.shape[1]))
    of_ones = np.empty(n_rows)
    for rows in each_block(n_rows):
        near = landmarks.near(rows)
        halves = dtrsm(1.0, landmarks.factor, near.T, lower=1)
        leverages[rows] = np.einsum("ij,ij->j", halves, halves) * roots[rows] ** 2
        of_targets[rows], of_ones[rows] = near @ solved, near @ ones
    return Fit(leverages, of_targets, of_ones, solved, ones)


def _score_landmarks(
    data: KernelData, landmarks: Landmarks, placed: Floats, blocks: Blocks
) -> Floats:
    """Scores of a query without each block, by sums over landmarks."""
    fit = data.base.derive((_fit_rows, data.limits), lambda: _fit_rows(data, landmarks))
    rate, centers = data.settings.rate, _find_centers(data, blocks)
    distances = np.empty((1, len(landmarks.places)))
    measure_distances(landmarks.columns, placed[None, :], distances)
    side = np.exp(-rate * distances[0])
    roots = data.roots
    weights = roots * weigh_all(landmarks, len(roots), side)
    scores = centers + side @ fit.solved_targets
    scores -= centers * float(side @ fit.solved_ones)
    for i, block in enumerate(blocks):
        residuals = data.targets[block] - fit.targets[block]
        residuals -= (1.0 - fit.ones[block, None]) * centers[i]
        residuals *= roots[block, None]
        if len(block) == 1:
            free = 1.0 - min(float(fit.leverages[block[0]]), LARGEST_LEVERAGE)
            scores[i] -= weights[block[0]] * residuals[0] / free
        else:
            near = landmarks.near(block) * roots[block, None]
            halves = dtrsm(1.0, landmarks.factor, near.T, lower=1)
            free_part = np.eye(len(block)) - halves.T @ halves
            scores[i] -= weights[block] @ np.linalg.solve(free_part, residuals)
    return np.asarray(scores)


def _score_nearest(data: KernelData, placed: Floats, blocks: Blocks) -> Floats:
    """Scores of a query without each case, by systems of its nearest."""
    if any(len(block) > 1 for block in blocks):
        raise BadInputError(
            f"ids names several rows as one block, but of {len(data.rows)} rows each "
            f"query's nearest are solved (max_rows={data.limits.max_rows}); give ids "
            "one by one, or a larger max_rows."
        )
    hidden = np.array([block[0] for block in blocks], np.int64)
    (near,), (influences,) = weigh_neighbors(data, placed[None, :], np.array([-1]))
    centers = data.find_centers(hidden)
    of_targets = influences @ data.targets[near]
    scores = of_targets + centers * (1.0 - influences.sum())
    inside = np.flatnonzero(np.isin(hidden, near))
    if len(inside):
        queries = np.repeat(placed[None, :], len(inside), axis=0)
        rows, weights = weigh_neighbors(data, queries, hidden[inside])
        for at, other, weight in zip(inside, rows, weights, strict=True):
            scores[at] = centers[at] + weight @ (data.targets[other] - centers[at])
    return np.asarray(scores)


def _sum_blocks(values: Floats, blocks: Blocks) -> Floats:
    """The sums of the rows of each block, (n_blocks, n_values)."""
    sizes = [len(block) for block in blocks]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return np.asarray(np.add.reduceat(values[np.concatenate(blocks)], starts))


def _find_centers(data: KernelData, blocks: Blocks) -> Floats:
    """The mean of the targets without each block, (n_blocks, n_targets)."""
    weights = data.roots[:, None] ** 2
    weighed = np.hstack([weights * data.targets, weights])
    left = weighed.sum(axis=0) - _sum_blocks(weighed, blocks)
    some = left[:, -1:] > _ROUNDING * weights.sum()
    return np.asarray(
        np.where(some, left[:, :-1], 0.0) / np.where(some, left[:, -1:], 1.0)
    )


def _to_outputs(
    data: KernelData, scores: Floats, blocks: Blocks, output: int, power: float | None
) -> Floats:
    """Scores as probabilities of a class, or as numbers, (n_blocks,)."""
    if not data.base.class_labels:
        with np.errstate(over="ignore"):
            return np.asarray(scores[:, 0] / data.unit)
    used = data.targets * (data.roots[:, None] > 0)
    left = used.sum(axis=0) - _sum_blocks(used, blocks)
    shares, _ = soften(np.where(left > 0, scores, -np.inf), data.settings.temperature)
    outputs = np.zeros((len(blocks), len(data.base.class_labels)))
    outputs[:, data.present] = shares
    if power is not None:
        outputs = temper_probabilities(outputs, np.array(power))
    return np.asarray(outputs[:, output])
