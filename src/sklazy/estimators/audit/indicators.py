"""Lines of least squares on indicators of classes, with left-out answers for free.

With Z the columns of all rows and r the ridge, h the diagonal of Z (Z'Z + rI)^-1 Z', a
row left out is answered by its target less its residual over 1 - h, where the center of
the targets is the mean of the others.
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.methods.kernel_models.choice import ClassJudge
from sklazy.methods.kernel_models.solution import mean_of_others
from sklazy.methods.linear_models.columns import find_directions
from sklazy.methods.linear_models.logistic import MOST_DIRECTIONS

Floats = NDArray[np.float64]

RIDGES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
"""The penalties tried, the strongest first."""

N_JUDGED = 250
"""Rows at most whose left-out log loss chooses ridge and temperature."""


def leave_out_lines(
    rows: Floats, classes: NDArray[np.integer], n_classes: int
) -> Floats:
    """Predict class probabilities of each row by lines that do not see it.

    Softmax of the scores times a temperature; ridge and temperature have the least
    left-out log loss. A class that no other row has gets probability 0. Rows are
    centered, in an order that depends on their content alone.
    """
    judge, best = ClassJudge(classes[:N_JUDGED].astype(np.int64)), None
    for left_out in _leave_out(rows, np.eye(n_classes)[classes]):
        loss, temperature = judge.measure(left_out[:N_JUDGED])
        if best is None or loss < best[0]:
            best = loss, temperature, left_out
    assert best is not None
    _, temperature, scores = best
    others = np.tile(np.bincount(classes, minlength=n_classes), (len(classes), 1))
    others[np.arange(len(classes)), classes] -= 1
    seen = np.where(others > 0, scores, -np.inf)
    shares = np.exp(temperature * (seen - seen.max(axis=1, keepdims=True)))
    probabilities: Floats = shares / shares.sum(axis=1, keepdims=True)
    return probabilities


def _leave_out(rows: Floats, targets: Floats) -> list[Floats]:
    """The left-out answers with every ridge, (n_rows, n_targets) each."""
    directions = find_directions(rows, MOST_DIRECTIONS)
    columns = rows if directions is None else rows @ directions
    sizes, vectors = np.linalg.eigh(columns.T @ columns)
    turned, sides = columns @ vectors, np.column_stack([targets, np.ones(len(rows))])
    squares, along, answers = turned**2, turned.T @ sides, []
    for ridge in RIDGES:
        inverse = 1.0 / (np.maximum(sizes, 0.0) + ridge)
        left = sides - turned @ (inverse[:, None] * along)
        residuals = left[:, :-1] - mean_of_others(targets) * left[:, -1:]
        answers.append(targets - residuals / (1.0 - squares @ inverse)[:, None])
    return answers
