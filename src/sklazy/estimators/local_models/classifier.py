"""Classification by local regression on class indicators."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from sklazy.estimators.base import Classifying
from sklazy.estimators.local_models.base import LocalLearner

Floats = NDArray[np.float64]


class LazyLearningClassifier(ClassifierMixin, LocalLearner, Classifying):
    """Classify each query by local regressions on class indicators.

    For every class a `LazyLearningRegressor` predicts 1 for its cases and 0 for
    others; all share the query's neighbors, each chooses its own models. The
    predictions are clipped to [0, 1] and divided by their sum. Equal probabilities
    go to the class with more cases, then to the lower one.

    Parameters
    ----------
    degrees, n_neighbors, n_best, metric, ridge, scale, attribute_weights
        As for `LazyLearningRegressor`.
    max_categories, categorical_features, parity, n_jobs
        As for `LazyLearningRegressor`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    cases_ : CaseBase
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    References
    ----------
    G. Bontempi, M. Birattari, H. Bersini (1999). Lazy learning for local modeling
    and control design. International Journal of Control 72, 643-658.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklazy import LazyLearningClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LazyLearningClassifier().fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> bool((model.loo_predict() == y).mean() > 0.9)
    True
    """

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the class of each query.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        y : array of shape (n_queries,)
        """
        return self.classes_[self._decide(self._ask(X).values)]

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        probabilities : float64 array of shape (n_queries, n_classes)
        """
        return self._probabilities(self._ask(X).values)

    def loo_predict(
        self, groups: ArrayLike | None = None, rows: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Predict the class of every case from the others.

        Parameters
        ----------
        groups : array-like of shape (n_cases,), optional
            Cases of one group do not see each other. In order of arrival.
        rows : array-like of int, optional
            The cases to predict, by their place in order of arrival; all by default.

        Returns
        -------
        y : array of shape (n_cases,), in order of arrival, or of `rows`
        """
        return self.classes_[self._decide(self._ask_cases(groups, rows).values)]

    def loo_predict_proba(
        self, groups: ArrayLike | None = None, rows: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Predict the class probabilities of every case from the others."""
        return self._probabilities(self._ask_cases(groups, rows).values)

    def _probabilities(self, values: Floats) -> Floats:
        """Clipped and normalized; the shares of cases where nothing is left."""
        clipped = np.clip(values, 0.0, 1.0)
        totals = clipped.sum(axis=1, keepdims=True)
        known = np.divide(clipped, totals, where=totals > 0, out=np.zeros_like(clipped))
        return np.where(totals > 0, known, self._priors())

    def _priors(self) -> NDArray[np.float64]:
        counts = self.cases_.cases.class_counts
        return counts / counts.sum()

    def _decide(self, values: Floats) -> NDArray[np.intp]:
        """The class of highest probability; ties by more cases, then lower code."""
        probabilities, priors = self._probabilities(values), self._priors()
        best = probabilities.max(axis=1, keepdims=True)
        return np.where(probabilities == best, priors, -1.0).argmax(axis=1)

    def _answers(self, values: Floats) -> list[Any]:
        return self.classes_[self._decide(values)].tolist()
