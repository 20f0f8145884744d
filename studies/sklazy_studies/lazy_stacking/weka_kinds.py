"""Weka's five best-known classifiers, as members of lazy stacking.

The paper names no members. With these, run in Weka itself, an independent review came
within noise of its figures; that the authors used them is not known.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

Floats = NDArray[np.float64]

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


class PlainForest(ClassifierMixin, BaseEstimator):
    """Ten trees of random attributes, log2 of their number and one, by entropy."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(
        self, X: Floats, y: NDArray[Any], sample_weight: Floats | None = None
    ) -> Self:
        """Grow the trees."""
        n_tried = min(X.shape[1], int(np.log2(X.shape[1])) + 1)
        self._forest = RandomForestClassifier(
            N_TREES,
            criterion="entropy",
            max_features=n_tried,
            random_state=self.random_state,
            n_jobs=1,
        ).fit(X, y, sample_weight)
        self.classes_ = self._forest.classes_
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Mean shares of the leaves."""
        return self._forest.predict_proba(X)

    def predict(self, X: Floats) -> NDArray[Any]:
        """The likeliest class."""
        return self._forest.predict(X)


def weka_kinds() -> list[Any]:
    """Unpruned C4.5, naive Bayes, 1-NN, a linear SVM and a small forest.

    For ten bags they are two of each; "neighbors" needs ``member_neighbors=1``.
    """
    return [
        "tree",
        ("naive bayes", PlainNaiveBayes()),
        "neighbors",
        ("smo", PlainSmo()),
        ("forest", PlainForest()),
    ]
