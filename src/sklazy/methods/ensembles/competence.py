"""Weights of an ensemble's members by how they do on the cases nearest to a query."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats

Marks = NDArray[np.bool_]
"""Of shape (n_queries, n_tried, n_bags), the nearest cases first."""

_STEPS = 200  # of the projected gradient, far more than ten members need
_RIDGE = 1.0  # cases' worth of belief that all members count alike


def weigh_members(how: str, right: Marks, lacking: Marks) -> Floats:
    """Weights of members, (n_queries, n_bags).

    Parameters
    ----------
    how : {"accuracy", "knora-e", "knora-u", "stacked"}
    right : bool array of shape (n_queries, n_tried, n_bags)
        Whether a member is right on a case; the nearest cases come first.
    lacking : bool array of the same shape
        Whether the member's bag lacks the case: only these count.
    """
    return _WAYS[how](right, lacking)


def weigh_by_accuracy(right: Marks, lacking: Marks) -> Floats:
    """The share of cases it is right on: (right + 1) over (tried + 2)."""
    n_right = (right & lacking).sum(axis=1)
    return (n_right + 1.0) / (lacking.sum(axis=1) + 2.0)


def weigh_by_union(right: Marks, lacking: Marks) -> Floats:
    """KNORA-Union: one vote for each case that a member is right on.

    All count alike where none is right on any (Ko, Sabourin, Britto 2008).
    """
    n_right = (right & lacking).sum(axis=1).astype(np.float64)
    return np.where(n_right.any(axis=1, keepdims=True), n_right, 1.0)


def weigh_by_elimination(right: Marks, lacking: Marks) -> Floats:
    """KNORA-Eliminate: only members right on all of the nearest cases vote.

    The neighborhood shrinks, case by case, until a member is right on all of it; all
    count alike where none is right on the nearest case. Cases that a bag holds are
    passed over for that member, unless it has no other.
    """
    n_queries, n_tried, n_bags = right.shape
    flawless = np.logical_and.accumulate(right | ~lacking, axis=1)
    flawless &= np.logical_or.accumulate(lacking, axis=1)
    weights = np.ones((n_queries, n_bags))
    for size in range(n_tried):  # larger neighborhoods come last and win
        able = flawless[:, size]
        some = able.any(axis=1)
        weights[some] = able[some]
    return weights


def weigh_by_stacking(right: Marks, lacking: Marks) -> Floats:
    """Weights, none negative, that sum to 1 and fit the left-out answers best.

    They minimize the sum over cases of ``(1 - share of the votes for its class)**2``
    plus a ridge that pulls them together (stacked regressions, Breiman 1996).
    """
    counted = lacking.astype(np.float64)
    # A member that saw a case counts there like the mean of those that did not.
    n_counted = np.maximum(counted.sum(axis=2, keepdims=True), 1.0)
    means = (right * counted).sum(axis=2, keepdims=True) / n_counted
    answers = np.where(lacking, right, means)
    n_bags = right.shape[2]
    equal = np.full((len(right), n_bags), 1.0 / n_bags)
    products = np.einsum("qtb,qtc->qbc", answers, answers)
    products += _RIDGE * n_bags * np.eye(n_bags)
    sums = answers.sum(axis=1) + _RIDGE * n_bags * equal
    longest = np.trace(products, axis1=1, axis2=2)[:, None]
    weights = equal.copy()
    for _ in range(_STEPS):
        slope = np.einsum("qbc,qc->qb", products, weights) - sums
        weights = project_on_simplex(weights - slope / longest)
    return weights


def project_on_simplex(points: Floats) -> Floats:
    """The nearest points whose coordinates are not negative and sum to 1.

    Examples
    --------
    >>> project_on_simplex(np.array([[0.5, 0.7], [2.0, 0.0]]))
    array([[0.4, 0.6],
           [1. , 0. ]])
    """
    falling = -np.sort(-points, axis=1)
    counts = np.arange(1, points.shape[1] + 1)
    excess = (np.cumsum(falling, axis=1) - 1.0) / counts
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(points - excess[np.arange(len(points)), last][:, None], 0.0)


_WAYS: dict[str, Callable[[Marks, Marks], Floats]] = {
    "accuracy": weigh_by_accuracy,
    "knora-e": weigh_by_elimination,
    "knora-u": weigh_by_union,
    "stacked": weigh_by_stacking,
}
