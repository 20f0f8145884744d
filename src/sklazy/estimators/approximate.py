"""Estimators that can leave rows out at once where settings may stay as they are."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.targets import UnweightedClassifier, UnweightedRegressor

Floats = NDArray[np.float64]


class ApproximateEstimator(LazyEstimator):
    """An estimator whose learner has a flag `approximate`."""

    def _left_out_with(
        self, approximate: bool, rows: ArrayLike | None, *outputs: str
    ) -> tuple[NDArray[Any], ...]:
        """What is wanted of the answers to training rows, each left out."""
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            learner: Any = self._current_learner(cases)
            learner = replace(learner, approximate=bool(approximate))
            return self._left_out_by(cases, learner, rows, *outputs)


class ApproximateClassifier(ApproximateEstimator, UnweightedClassifier):
    """A classifier that leaves rows out at once, or exactly."""

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.
        approximate : bool, default=True
            Whether what was chosen by all rows stays chosen; see the Notes of the
            class. Otherwise equal to forgetting the row and predicting it, which costs
            a fit for every row.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.
        """
        (labels,) = self._left_out_with(approximate, rows, "decisions")
        return labels

    def loo_predict_proba(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> Floats:
        """Predict the class probabilities of training rows, each from all others.

        Parameters
        ----------
        rows, approximate
            As for `loo_predict`.

        Returns
        -------
        probabilities : float64 array of shape (n_rows, n_classes)
        """
        (probabilities,) = self._left_out_with(approximate, rows, "probabilities")
        return probabilities


class ApproximateRegressor(ApproximateEstimator, UnweightedRegressor):
    """A regressor that leaves rows out at once, or exactly."""

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> Floats:
        """Predict the number of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.
        approximate : bool, default=True
            Whether what was chosen by all rows stays chosen; see the Notes of the
            class. Otherwise equal to forgetting the row and predicting it, which costs
            a fit for every row.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.
        """
        (values,) = self._left_out_with(approximate, rows, "values")
        return values[:, 0]
