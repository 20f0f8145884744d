"""Evidence behind a member's answer, found from the bag that it answered from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.flow import MISSING, Queries
from sklazy.methods.ensembles.data import ClassData, EnsembleData
from sklazy.methods.ensembles.member_models import place_linear
from sklazy.methods.paths.model import PathStep
from sklazy.methods.paths.random_paths import RandomStep
from sklazy.methods.space import place

Bag = NDArray[np.int32]

_ALIKE = 1e-6  # of a bag's sum of squares: reductions this close are equal


class PathEvidence(NamedTuple):
    """The nodes that the query passed in a tree."""

    steps: list[PathStep]


class RandomPathEvidence(NamedTuple):
    """The nodes that the query passed in a tree whose splits were drawn."""

    steps: list[RandomStep]


class BayesEvidence(NamedTuple):
    """Terms of naive Bayes, as logarithms.

    Attributes
    ----------
    priors : float64 array of shape (n_classes,)
    terms : float64 array of shape (n_attributes, n_classes)
        Zeros for an uninformative value.
    """

    priors: Floats
    terms: Floats


class NeighborsEvidence(NamedTuple):
    """The rows of the bag that voted, nearest first.

    Attributes
    ----------
    rows, times : int64 arrays of shape (n_voting,)
        The rows, and how often the bag holds each.
    distances : float64 array of shape (n_voting,)
        Weighted sums of squares.
    """

    rows: Ints
    times: Ints
    distances: Floats


class LinearEvidence(NamedTuple):
    """The terms of a linear model, whose sum is the prediction.

    Attributes
    ----------
    intercepts : float64 array of shape (n_targets,)
        The means of the bag.
    terms : float64 array of shape (n_regressors, n_targets)
    """

    intercepts: Floats
    terms: Floats


class RuleEvidence(NamedTuple):
    """The one attribute that decided.

    Attributes
    ----------
    attribute : int
    worth : float
        The share of the bag that the rule has right, or of its variance that it
        explains.
    """

    attribute: int
    worth: float


class ModelEvidence(NamedTuple):
    """A model of scikit-learn.

    Attributes
    ----------
    estimator : str
    fitted : bool
        Whether a model gave the answer; else the bag's own shares counted.
    """

    estimator: str
    fitted: bool


Evidence = (
    PathEvidence
    | RandomPathEvidence
    | BayesEvidence
    | NeighborsEvidence
    | LinearEvidence
    | RuleEvidence
    | ModelEvidence
)


def find_bayes(
    data: EnsembleData, codes: NDArray[np.int32], bag: Bag, alpha: float
) -> BayesEvidence:
    """The logarithms that naive Bayes adds up on a bag."""
    n_classes = data.n_outputs
    totals = np.bincount(data.targets, bag, n_classes)
    priors = np.log((totals + alpha) / (totals.sum() + alpha * n_classes))
    terms = np.zeros((len(codes), n_classes))
    for j in np.flatnonzero(codes >= 0):
        column = data.codes[j]
        known = np.bincount(data.targets, bag * (column != MISSING), n_classes)
        count = np.bincount(data.targets, bag * (column == codes[j]), n_classes)
        terms[j] = np.log((count + alpha) / (known + alpha * data.widths[j]))
    return BayesEvidence(priors, terms)


def find_neighbors(
    data: EnsembleData, query: Queries, bag: Bag, n_neighbors: int
) -> NeighborsEvidence:
    """The rows of a bag that vote: the nearest, and all that tie with the last."""
    near = data.nearest(query, data.n_rows)
    rows, distances = near.rows[0], near.distances[0]
    held = bag[rows] > 0
    rows, distances = rows[held], distances[held]
    reached = np.cumsum(bag[rows])
    last = min(int(np.searchsorted(reached, n_neighbors)), len(rows) - 1)
    voting = distances <= distances[last]
    times = bag[rows[voting]].astype(np.int64)
    return NeighborsEvidence(rows[voting], times, distances[voting])


def find_linear(
    data: EnsembleData, query: Queries, bag: Bag, ridge: float
) -> LinearEvidence:
    """The terms that a ridge regression on a bag adds up."""
    cases = data.linear
    placed = place_linear(cases, place(data.space, query)[1])[0]
    weights = bag / bag.sum()
    means, intercepts = weights @ cases.rows, weights @ cases.targets
    centered = cases.rows - means
    products = (centered * bag[:, None]).T @ centered + ridge * np.eye(len(means))
    right = (centered * bag[:, None]).T @ (cases.targets - intercepts)
    coefficients = np.linalg.solve(products, right)
    terms = (placed - means)[:, None] * coefficients
    return LinearEvidence(intercepts / data.unit, terms / data.unit)


def find_rule(data: EnsembleData, bag: Bag) -> RuleEvidence:
    """The attribute that has most of a bag right, or explains most of its variance."""
    if isinstance(data, ClassData):
        return _find_class_rule(data, bag)
    return _find_number_rule(data, bag)


def _find_class_rule(data: ClassData, bag: Bag) -> RuleEvidence:
    """The attribute whose values have most of a bag right; the first of equals."""
    table, n_classes = data.bins, data.n_outputs
    rights = []
    for j in range(len(data.codes)):
        slots = table.cells[:, j].astype(np.int64) * n_classes + data.targets
        counts = np.bincount(slots, bag, int(table.slots[-1]) * n_classes)
        rights.append(counts.reshape(-1, n_classes).max(axis=1).sum())
    best = int(np.argmax(rights))
    return RuleEvidence(best, float(rights[best] / bag.sum()))


def _find_number_rule(data: EnsembleData, bag: Bag) -> RuleEvidence:
    """The attribute whose values explain most of a bag; the first of equals."""
    bins = data.bins
    centered = data.targets - np.average(data.targets, weights=bag)
    total, n_slots = float(bag @ centered**2), int(bins.slots[-1])
    chosen, best = 0, 0.0
    for j, cells in enumerate(bins.cells.T.astype(np.int64)):
        weights = np.bincount(cells, bag, n_slots)
        sums = np.bincount(cells, bag * centered, n_slots)
        gain = float((sums**2 / np.where(weights > 0, weights, 1.0)).sum())
        if gain > best + _ALIKE * total:
            chosen, best = j, gain
    return RuleEvidence(chosen, best / total if total > 0 else 0.0)
