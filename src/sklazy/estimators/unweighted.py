"""Classifiers whose rows all count alike: they take no sample weights."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone

from sklazy.answer import Left, leave_each_out
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import GivenIds
from sklazy.estimators.base import Classifying, Remembering
from sklazy.estimators.settings import to_settings
from sklazy.flow import Queries


class Unweighted(Remembering):
    """An estimator that keeps rows without weights."""

    def fit(  # type: ignore[override]
        self, X: object, y: object, ids: GivenIds = None
    ) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numbers and labels, missing cells where there are some.
        y : array-like of shape (n_rows,)
            The target, nowhere missing.
        ids : sequence of int or str, optional
            The rows' names, by which `forget` and receipts know them; by default
            0, 1, ... in order of arrival.
        """
        return self._keep(X, y, None, ids, None)

    def _told_settings(self) -> dict[str, Any]:
        """The parameters that answers depend on, as plain data."""
        settings = to_settings(clone(self).set_params(**self._settled()))
        settings.pop("n_jobs", None)
        return settings

    def _settled(self) -> dict[str, Any]:
        """Parameters as they were settled when the estimator was fitted."""
        return {}


class UnweightedClassifier(ClassifierMixin, Unweighted, Classifying):
    """A classifier that keeps rows without weights."""

    def partial_fit(  # type: ignore[override]
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        ids: GivenIds = None,
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, ids
            As for `fit`.
        classes : array-like, optional
            In the first call: classes that count even where no row has them. Not
            needed: a new class may come at any time.
        """
        return Classifying.partial_fit(self, X, y, classes, None, ids)

    def loo_predict(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Equal to forgetting the row and asking for it; the row itself counts nowhere,
        not in bags, cuts, ranges or counts either.

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
        Every row is forgotten in a copy of the cases, asked for, and added again. So
        each costs a query and all that is derived from the cases before the first
        one; for an estimate from many rows `sklearn.model_selection.cross_val_score`
        is cheaper.
        """
        return self.classes_[self._left_out(rows).decisions]

    def loo_predict_proba(self, rows: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the class shares of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            As for `loo_predict`.

        Returns
        -------
        shares : float64 array of shape (n_rows, n_classes)
        """
        return self._left_out(rows).probabilities

    def _left_out(self, rows: ArrayLike | None) -> Left:
        places = self._places(rows)
        return leave_each_out(self.cases_, places, self._decide)

    def _decide(self, cases: CaseBase, queries: Queries) -> Left:
        """Classes and shares of queries, by other cases than our own."""
        raise NotImplementedError
