"""Weka's five best-known classifiers, as members of lazy stacking.

The paper names no members. With these, run in Weka itself, an independent review came
within noise of its figures; that the authors used them is not known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC

from sklazy.answer.batch import Floats
from sklazy.estimators.ensembles.member_kinds import Kinds, named_kinds
from sklazy.estimators.ensembles.sklearn_members import ClassifierMember
from sklazy.estimators.ensembles.stacking import LazyStackingClassifier
from sklazy.flow import Bags, Queries
from sklazy.methods.ensembles.data import EnsembleData
from sklazy.methods.ensembles.evidence import ModelEvidence
from sklazy.methods.ensembles.members import BagMember, NeighborsMember, TreeMember
from sklazy.methods.paths.bags import draw_weights
from sklazy.methods.paths.model import PathRules, answer_by_given_bags

N_TREES = 10  # of Weka 3.6's RandomForest


class PlainNaiveBayes(ClassifierMixin, BaseEstimator):
    """Normal densities for numbers, smoothed counts for labels, as Weka's NaiveBayes.

    Columns of 0 and 1 alone are taken for labels that are there or not: those that are
    there count.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [1.2, 0], [3.0, 1], [3.3, 1]])
    >>> PlainNaiveBayes().fit(X, np.array([0, 0, 1, 1])).predict(X[:1] + 0.1)
    array([0])
    """

    def fit(
        self, X: Floats, y: NDArray[Any], sample_weight: Floats | None = None
    ) -> Self:
        """Count and measure."""
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        self.classes_, codes = np.unique(y, return_inverse=True)
        of_class = np.eye(len(self.classes_))[codes] * weights[:, None]
        totals = of_class.sum(axis=0)
        self._priors = np.log((totals + 1) / (totals + 1).sum())
        self._is_label = ((X == 0) | (X == 1)).all(axis=0)
        counts = of_class.T @ X[:, self._is_label]
        self._logs = np.log((counts + 1) / (totals[:, None] + 2))
        numbers = X[:, ~self._is_label]
        self._means = of_class.T @ numbers / totals[:, None]
        squares = of_class.T @ numbers**2 / totals[:, None] - self._means**2
        # Weka's least deviation is a sixth of the mean distance of neighboring values.
        self._sizes = np.maximum(np.sqrt(np.maximum(squares, 0)), _steps(numbers) / 6)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Probabilities of the classes."""
        scores = self._priors + X[:, self._is_label] @ self._logs.T
        numbers = X[:, None, ~self._is_label]
        away = ((numbers - self._means) / self._sizes) ** 2
        scores = scores - (0.5 * away + np.log(self._sizes)).sum(axis=2)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Floats) -> NDArray[Any]:
        """The likeliest class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _steps(numbers: Floats) -> Floats:
    """Mean distance of neighboring values of each column."""
    steps = np.ones(numbers.shape[1])
    for j, column in enumerate(numbers.T):
        values = np.unique(column)
        if len(values) > 1:
            steps[j] = (values[-1] - values[0]) / (len(values) - 1)
    return steps


class PlainSmo(ClassifierMixin, BaseEstimator):
    """A linear support vector machine on columns in [0, 1], C = 1, as Weka's SMO."""

    def fit(
        self, X: Floats, y: NDArray[Any], sample_weight: Floats | None = None
    ) -> Self:
        """Scale and fit."""
        self._low = X.min(axis=0)
        width = X.max(axis=0) - self._low
        self._width = np.where(width > 0, width, 1.0)
        self._machine = SVC(kernel="linear", C=1.0, cache_size=50)
        self._machine.fit((X - self._low) / self._width, y, sample_weight)
        self.classes_ = self._machine.classes_
        return self

    def predict(self, X: Floats) -> NDArray[Any]:
        """The class that most pairs of classes vote for."""
        return self._machine.predict((X - self._low) / self._width)


@dataclass(frozen=True)
class ForestMember:
    """Ten random trees of each bag, of which only the query's paths are grown.

    Each is grown on as many draws from the bag as there are rows. A node looks at
    log2 of the number of attributes and one, drawn anew, and splits by the rules of
    C4.5; Weka's takes the best gain instead of the best gain ratio.
    """

    name: str = "forest"

    def prepare(self, data: EnsembleData) -> None:
        """Sort the columns."""
        data.paths  # noqa: B018 - found on first use

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Mean shares of the leaves."""
        rules = PathRules(1.0, False, False, False, False, _count_tried(data))
        answers = np.zeros((*bags.seeds.shape[1:], data.n_outputs))
        for query in range(len(answers)):
            one = Queries(queries.codes[[query]], queries.values[[query]])
            for place, bag in enumerate(draw_weights(bags, query, data.n_rows)):
                rng = np.random.default_rng(bags.seeds[0, query, place])
                weights = draw_again(bag, rng)
                keys = rng.integers(0, 1 << 63, N_TREES, np.uint64)
                shares = answer_by_given_bags(data.paths, one, weights, keys, rules)
                answers[query, place] = shares[0].mean(axis=0)
        return answers

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return N_TREES * (2e4 + data.n_rows * 30.0)

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[ModelEvidence]:
        """That each bag has a model."""
        return [ModelEvidence("ten random trees", True)] * bags.seeds.shape[2]


def _count_tried(data: EnsembleData) -> int:
    """Attributes that a node looks at."""
    n_attributes = len(data.weights)
    return min(n_attributes, int(np.log2(n_attributes)) + 1)


def draw_again(bag: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """Bags of a bag, one per tree, as weights of the rows.

    Examples
    --------
    >>> weights = draw_again(np.array([0, 3, 1], np.int32), np.random.default_rng(0))
    >>> weights.shape, weights.sum(axis=1).tolist() == [4] * 10, weights[:, 0].max()
    ((10, 3), True, np.int32(0))
    """
    held = np.repeat(np.arange(len(bag)), bag)
    drawn = held[rng.integers(0, len(held), (N_TREES, len(held)))]
    places = drawn + len(bag) * np.arange(N_TREES)[:, None]
    counts = np.bincount(places.ravel(), minlength=N_TREES * len(bag))
    return counts.reshape(N_TREES, -1).astype(np.int32)


MEMBERS: dict[str, Callable[[LazyStackingClassifier], BagMember]] = {
    "tree": lambda model: TreeMember(model._rules()),
    "naive bayes": lambda _: ClassifierMember(PlainNaiveBayes(), "naive bayes"),
    "nearest": lambda _: NeighborsMember(1, "nearest"),
    "smo": lambda _: ClassifierMember(PlainSmo(), "smo"),
    "forest": lambda _: ForestMember(),
}
"""Unpruned C4.5, naive Bayes, 1-NN, a linear SVM and a small forest.

For ten bags they are two of each.
"""


class WekaStackingClassifier(LazyStackingClassifier):
    """Lazy stacking whose members are Weka's five best-known kinds."""

    _kinds = Kinds(tuple(MEMBERS), tuple(MEMBERS), ClassifierMember)

    def _members(self) -> tuple[BagMember, ...]:
        named = named_kinds(self.estimators, self._kinds.all, self._kinds.default)
        return tuple(MEMBERS[str(kind)](self) for _, kind in named)
