"""Classification by local regression on class indicators."""

from collections.abc import Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.regression import LocalAnswer
from sklazy.casebase.incoming import GivenIds
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_codes
from sklazy.estimators.local_learner import LocalLearner
from sklazy.estimators.saving import savable
from sklazy.tables import Column, Label


@savable
class LazyLearningClassifier(ClassifierMixin, LocalLearner):
    """Classify each query by local regressions on class indicators.

    For every class a `LazyLearningRegressor` predicts 1 for its cases and 0 for
    others; all share the query's neighbours, each chooses its own models. The
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
    G. Bontempi, M. Birattari, H. Bersini (1999). Lazy learning for local modelling
    and control design. International Journal of Control 72, 643-658.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklazy import LazyLearningClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LazyLearningClassifier().fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> (model.loo_predict() == y).mean() > 0.9
    True
    """

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of probabilities."""
        check_is_fitted(self)
        labels = self.cases_.class_labels
        return np.array(labels, None if _alike(labels) else object)

    def partial_fit(
        self,
        X: object,
        y: object,
        classes: Sequence[Label] | None = None,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Remember further cases; the state is that of one fit on all of them.

        Parameters
        ----------
        X, y, sample_weight, ids
            As for `fit`.
        classes : sequence of labels, optional
            Allowed and not needed: a new class may come at any time. A label of y
            that is not among them is refused.
        """
        target = self._target(y)
        allowed = target.categories if classes is None else list(classes)
        strange = [label for label in target.categories if label not in allowed]
        if strange:
            raise BadInputError(
                f"y holds the labels {strange}, which are not among "
                f"classes={classes!r}."
            )
        return self._add(X, y, sample_weight, ids)

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the class of each query.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        y : array of shape (n_queries,)
        """
        check_is_fitted(self)
        return self.classes_[self._decide(self._ask(self._queries(X)))]

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        probabilities : float64 array of shape (n_queries, n_classes)
        """
        check_is_fitted(self)
        return self._probabilities(self._ask(self._queries(X)))

    def loo_predict(self, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the class of every case from the others.

        Parameters
        ----------
        groups : array-like of shape (n_cases,), optional
            Cases of one group do not see each other. In order of arrival.

        Returns
        -------
        y : array of shape (n_cases,), in order of arrival
        """
        check_is_fitted(self)
        return self.classes_[self._decide(self._ask_cases(groups))]

    def loo_predict_proba(self, groups: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the class probabilities of every case from the others."""
        check_is_fitted(self)
        return self._probabilities(self._ask_cases(groups))

    def _probabilities(self, answer: LocalAnswer) -> NDArray[np.float64]:
        """Clipped and normalised; the shares of cases where nothing is left."""
        clipped = np.clip(answer.models.coefficients[:, :, 0], 0.0, 1.0)
        totals = clipped.sum(axis=1, keepdims=True)
        known = np.divide(clipped, totals, where=totals > 0, out=np.zeros_like(clipped))
        return np.where(totals > 0, known, self._priors())

    def _priors(self) -> NDArray[np.float64]:
        counts = self.cases_.cases.class_counts
        return counts / counts.sum()

    def _decide(self, answer: LocalAnswer) -> NDArray[np.intp]:
        """The class of highest probability; ties by more cases, then lower code."""
        probabilities, priors = self._probabilities(answer), self._priors()
        best = probabilities.max(axis=1, keepdims=True)
        return np.where(probabilities == best, priors, -1.0).argmax(axis=1)

    def _target(self, y: object) -> Column:
        labels, codes = class_codes(cast(ArrayLike, y))
        return Column("y", "nominal", codes, tuple(labels.tolist())).occurring()

    def _values(self, answer: LocalAnswer) -> list[Any]:
        return self.classes_[self._decide(answer)].tolist()


def _alike(labels: list[Any]) -> bool:
    return len({type(label) for label in labels}) <= 1
