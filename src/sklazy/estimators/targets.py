"""Lazy classifiers and regressors, with and without weights of rows."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from sklazy.answer import CLASSES, NUMBERS, Target
from sklazy.answer.target import class_labels
from sklazy.casebase.incoming import GivenIds
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.errors import BadInputError
from sklazy.estimators.inputs import class_column
from sklazy.estimators.past import PastPredictor
from sklazy.estimators.uncertainty.intervals import IntervalPredictor
from sklazy.estimators.uncertainty.sets import SetPredictor
from sklazy.tables import Column, as_target

Floats = NDArray[np.float64]


class LazyClassifier(ClassifierMixin, SetPredictor):
    """A lazy classifier: its classes are those of its cases."""

    target: ClassVar[Target] = CLASSES

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels, in order."""
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return class_labels(cases).copy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each query.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries,)
        """
        (labels,) = self._answer(X, "decisions")
        return labels

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Predict the probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        probabilities : float64 array of shape (n_queries, n_classes)
        """
        (probabilities,) = self._answer(X, "probabilities")
        return probabilities

    def predict_both(self, X: ArrayLike) -> tuple[NDArray[Any], Floats]:
        """Predict classes and probabilities from one computation.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        labels : array of shape (n_queries,)
            Those of `predict`.
        probabilities : float64 array of shape (n_queries, n_classes)
            Those of `predict_proba`.
        """
        labels, probabilities = self._answer(X, "decisions", "probabilities")
        return labels, probabilities

    def loo_predict(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Equal to forgetting the row and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.

        Notes
        -----
        Rows that the learner can skip cost one query each. The others are forgotten
        in a copy of the cases, predicted and added again, one after the other whatever
        `n_jobs`: each costs a query plus all that is derived from the cases. All rows
        of ensembles, lazy trees and lazy Bayesian rules are of this second kind.
        """
        (labels,) = self._left_out(rows, "decisions")
        return labels

    def loo_predict_proba(self, rows: ArrayLike | None = None) -> Floats:
        """Predict the class probabilities of training rows, each from all others.

        Parameters
        ----------
        rows : array-like of int, optional
            As for `loo_predict`.

        Returns
        -------
        probabilities : float64 array of shape (n_rows, n_classes)
        """
        (probabilities,) = self._left_out(rows, "probabilities")
        return probabilities

    def _add_classes(
        self,
        X: object,
        y: object,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        ids: GivenIds,
        times: object = None,
    ) -> Self:
        if classes is not None:
            _check_labels(class_column(y), class_column(classes))
        return self._add(X, y, sample_weight, ids, classes, times)


class LazyRegressor(RegressorMixin, IntervalPredictor):
    """A lazy regressor."""

    target: ClassVar[Target] = NUMBERS

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the number of each query.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        values : float64 array of shape (n_queries,)
        """
        (values,) = self._answer(X, "values")
        return values[:, 0]

    def loo_predict(self, rows: ArrayLike | None = None) -> Floats:
        """Predict the number of training rows, each from all other rows.

        Equal to forgetting the row and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.
        """
        (values,) = self._left_out(rows, "values")
        return values[:, 0]


class WeightedClassifier(PastPredictor, LazyClassifier):
    """A lazy classifier whose rows may have weights."""

    def fit(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The classes, nowhere missing.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default the
            index of a pandas frame where it is unique and of integers or strings, but
            no range, so that they name ``X.loc[...]``; otherwise 0, 1, ... in order of
            arrival.
        times : array-like of shape (n_rows,), optional
            When each row happened: numbers, dates, or text as '2026-03-01T12:30'.
            `forget` takes a moment then, and windows and half-lives go by it; without
            times they go by the order of arrival.
        """
        return self._keep(X, y, sample_weight, ids, times=times)

    def partial_fit(
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array-like, optional
            In the first call: classes that count even where no row has them. Not
            needed: a new class may come at any time. A label of y that is not
            among them is refused.
        sample_weight, ids, times
            As for `fit`.
        """
        return self._add_classes(X, y, classes, sample_weight, ids, times)


class UnweightedClassifier(LazyClassifier):
    """A lazy classifier whose rows all count alike."""

    def fit(self, X: object, y: object, ids: GivenIds = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The classes, nowhere missing.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default the
            index of a pandas frame where it is unique and of integers or strings, but
            no range, so that they name ``X.loc[...]``; otherwise 0, 1, ... in order of
            arrival.
        """
        return self._keep(X, y, None, ids)

    def partial_fit(
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array-like, optional
            In the first call: classes that count even where no row has them. Not
            needed: a new class may come at any time. A label of y that is not
            among them is refused.
        ids
            As for `fit`.
        """
        return self._add_classes(X, y, classes, None, ids)


class WeightedRegressor(PastPredictor, LazyRegressor):
    """A lazy regressor whose rows may have weights."""

    def fit(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The numbers to predict, nowhere missing.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default the
            index of a pandas frame where it is unique and of integers or strings, but
            no range, so that they name ``X.loc[...]``; otherwise 0, 1, ... in order of
            arrival.
        times : array-like of shape (n_rows,), optional
            When each row happened: numbers, dates, or text as '2026-03-01T12:30'.
            `forget` takes a moment then, and windows and half-lives go by it; without
            times they go by the order of arrival.
        """
        return self._keep(X, y, sample_weight, ids, times=times)

    def partial_fit(
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None = None,
        ids: GivenIds = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, sample_weight, ids, times
            As for `fit`.
        """
        return self._add(X, y, sample_weight, ids, times=times)


class UnweightedRegressor(LazyRegressor):
    """A lazy regressor whose rows all count alike."""

    def fit(self, X: object, y: object, ids: GivenIds = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The numbers to predict, nowhere missing.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default the
            index of a pandas frame where it is unique and of integers or strings, but
            no range, so that they name ``X.loc[...]``; otherwise 0, 1, ... in order of
            arrival.
        """
        return self._keep(X, y, None, ids)

    def partial_fit(self, X: object, y: object, ids: GivenIds = None) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, ids
            As for `fit`.
        """
        return self._add(X, y, None, ids)

    def _target(self, y: object) -> GivenTarget:
        return as_target(None if y is None else column_or_1d(y, warn=True), "numeric")


def _check_labels(target: Column, classes: Column) -> None:
    strange = [l for l in target.categories if l not in classes.categories]
    if strange:
        raise BadInputError(
            f"y holds the labels {strange}, which are not among "
            f"classes={list(classes.categories)}; name all classes, or none."
        )
