"""Classifiers whose rows all count alike: they take no sample weights."""

from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone

from sklazy.casebase.incoming import GivenIds
from sklazy.estimators.memory import Classifying, Remembering
from sklazy.estimators.settings import to_settings


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
