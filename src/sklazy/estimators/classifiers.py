"""Lazy classifiers: all of them, those with weights of rows, and the approximate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import CLASSES, Target
from sklazy.answer.target import class_labels
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.inputs import class_column
from sklazy.estimators.keeping import add_rows, gather_more, keep_rows
from sklazy.tables import Column, Table
from sklazy.tables.taking import take_columns

if TYPE_CHECKING:
    from sklazy.estimators.abstention import RiskCoverage
    from sklazy.estimators.coverage import Groups
    from sklazy.receipts import Wanted

Floats = NDArray[np.float64]


class BaseLazyClassifier(ClassifierMixin, LazyEstimator):
    """A lazy classifier: its classes are those of its cases."""

    target: ClassVar[Target] = CLASSES

    _poor_score: ClassVar[bool] = False  # by scikit-learn's tag: on few columns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    def fit(
        self,
        X: object,
        y: object,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Fit the model: keep the rows as cases.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numeric and nominal features. Cells may be missing.
        y : array-like of shape (n_rows,), or str
            Class labels, without missing values. Or the name of a column of X,
            which is then no feature.
        ids : sequence of int or str, or str, optional
            Row ids, used by `forget` and in receipts, or the name of a column of X,
            which is then no feature. Default: the index of a pandas frame if it has
            unique integers or strings and is not a RangeIndex, else 0, 1, ...
        times : array-like of shape (n_rows,), or str, optional
            Time of each row: numbers, dates, or text such as '2026-03-01T12:30'.
            Or the name of a column of X, which is then no feature.
            Windows and ``forget(before=...)`` use it. Without times, windows use the
            order of arrival.
        """
        return keep_rows(self, X, y, None, ids, times=times)

    def score(
        self, X: object, y: object, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of rows that are predicted rightly.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
        y : array-like of shape (n_rows,), or str
            The true labels, or the name of a column of X.
        sample_weight : array-like of shape (n_rows,), optional
        """
        X, y, _ = take_columns(gather_more(self, X), y, None)
        score: Any = ClassifierMixin.score  # also called for models of a cluster
        return float(score(self, X, y, sample_weight))

    def partial_fit(
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows. The result equals one fit to all rows together.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array-like, optional
            Classes to include from the first call on, even if no row has them.
            Optional: new classes may come at any time. A label of y that is not listed
            raises an error.
        ids, times
            As for `fit`.
        """
        return _add_classes(self, X, y, classes, None, ids, times)

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels, in order."""
        if not hasattr(self, "cases_"):
            check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            return class_labels(cases)

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

        Equals forgetting the row and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.

        Notes
        -----
        Where the learner can skip a row, it costs one query. Otherwise the row is
        forgotten in a copy of the cases, predicted and added again, one row after the
        other whatever `n_jobs`; that costs a query plus everything derived from the
        cases. Ensembles, lazy trees and lazy Bayesian rules always work this way.
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

    @overload
    def predict_set(
        self,
        X: ArrayLike,
        coverage: float = ...,
        *,
        method: str = ...,
        by: str | None = ...,
        groups: Groups = ...,
        as_labels: Literal[False] = ...,
    ) -> NDArray[np.bool_]: ...
    @overload
    def predict_set(
        self,
        X: ArrayLike,
        coverage: float = ...,
        *,
        method: str = ...,
        by: str | None = ...,
        groups: Groups = ...,
        as_labels: Literal[True],
    ) -> list[list[Any]]: ...
    def predict_set(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        method: str = "jackknife",
        by: str | None = None,
        groups: Groups = None,
        as_labels: bool = False,
    ) -> NDArray[np.bool_] | list[list[Any]]:
        """Predict sets of classes that contain the true one as often as promised.

        Conformal prediction without a calibration set: each row is scored by the
        others. A class is left out of a query's set if its score there is worse than
        that of a share `coverage` of the rows with their own class. Scores are computed
        again at the first query after rows were added or forgotten.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), default=0.9
            How often the set should contain the true class.
        method : {"jackknife", "jackknife+", "minmax", "full"}, default="jackknife"
            How the classes are compared; see the Notes.
        by : {None, "class", "nearness"}, default=None
            "class": the coverage holds within every class. "nearness": rows count by
            how near they are to the query.
        groups : str, or pair of array-likes, optional
            Groups within each of which the coverage holds: the name of a nominal
            column, or a pair of the groups of all rows (in order of arrival) and of the
            queries.
        as_labels : bool, default=False
            Whether to list the labels of each set.

        Returns
        -------
        sets : bool array of shape (n_queries, n_classes), or list of lists of labels
            In the order of `classes_`. In an empty set no class is as probable as the
            true one is in a share `coverage` of the rows: the query is doubtful, or
            unlike all rows. In a full set no class can be ruled out.

        Notes
        -----
        A class rarer than ``1 - coverage`` may be missing from every set, and the
        promise still holds; ``by="class"`` keeps it within every class. If a class has
        more than `coverage` of the rows, some sets are empty: if none were, more
        than `coverage` of them would be right.

        The plain jackknife compares with the answer from all rows. It covers as
        promised if leaving out a row changes little; there is no proof. It costs one
        left-out answer per row (at most 2000 per group), once for each state of the
        cases. Settings found from all rows are kept, as in `loo_predict`.

        "full" adds the query with each class in turn and then leaves out every row. If
        rows and query are exchangeable, the true class is in the set with a probability
        of at least `coverage`, for any learner. It costs left-out answers of all rows
        for every query and class, which is affordable for k-NN and naive Bayes.

        "jackknife+" and "minmax" compare with models that each left one row out. Their
        coverage is proven to be at least ``2 * coverage - 1`` and `coverage`. They cost
        a fit per row, shared by all queries of the call.

        References
        ----------
        V. Vovk, A. Gammerman, G. Shafer: Algorithmic Learning in a Random World, 2005.

        Y. Romano, M. Sesia, E. J. Candès: Classification with valid and adaptive
        coverage. NeurIPS 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LazyKNeighborsClassifier().fit(X[::2], y[::2])
        >>> model.predict_set(X[[1, 15, 51]], coverage=0.95, by="class")
        array([[ True, False, False],
               [ True, False, False],
               [False,  True, False]])
        >>> model.predict_set(X[[1, 51]], coverage=0.95, by="class", as_labels=True)
        [[0], [1]]
        """
        from sklazy.estimators.coverage import predict_sets

        sets, labels = predict_sets(self, X, coverage, method, by, groups)
        return [labels[row].tolist() for row in sets] if as_labels else sets

    def risk_coverage(self) -> RiskCoverage:
        """Accuracy when the least sure answers are withheld, by leave-one-out.

        Returns
        -------
        curve : RiskCoverage

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> curve = LazyKNeighborsClassifier().fit(X, y).risk_coverage()
        >>> bool(curve.accuracy[0] > curve.accuracy[-1]), float(curve.coverage[-1])
        (True, 1.0)
        """
        from sklazy.estimators.abstention import find_risk_coverage

        return find_risk_coverage(self)

    def predict_or_abstain(
        self,
        X: ArrayLike,
        accuracy: float | None = None,
        *,
        threshold: float | None = None,
        confidence: float | None = None,
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Predict classes, and flag the answers that are sure enough to be given.

        The labels are those of `predict`, for all queries, and can be used like any
        predictions.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        accuracy : float in (0, 1), optional
            Wanted accuracy of the answers given, by leave-one-out.
        threshold : float in [0, 1], optional
            Instead of `accuracy`: the least probability of an answer.
        confidence : float in (0, 1), optional
            As for `RiskCoverage.threshold_for`.

        Returns
        -------
        labels : array of shape (n_queries,)
        answered : bool array of shape (n_queries,)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklazy import LazyKNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LazyKNeighborsClassifier().fit(X[::2], y[::2])
        >>> labels, answered = model.predict_or_abstain(X[1::2], accuracy=0.97)
        >>> labels.shape, int(answered.sum())
        ((75,), 74)
        """
        from sklazy.estimators.abstention import predict_or_abstain

        return predict_or_abstain(self, X, accuracy, threshold, confidence)

    def _target(self, y: object) -> GivenTarget:
        return class_column(y)

    def _describe_doubt(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        from sklazy.estimators.coverage import describe_class_doubt

        return describe_class_doubt(self, cases, table, wanted)


class WeightedClassifier(BaseLazyClassifier):
    """A lazy classifier whose rows may have weights and times.

    Weights come before ids as positional arguments, as in scikit-learn.
    """

    def fit(  # type: ignore[override]
        self,
        X: object,
        y: object,
        sample_weight: ArrayLike | None = None,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Fit the model: keep the rows as cases.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
            Numeric and nominal features. Cells may be missing.
        y : array-like of shape (n_rows,), or str
            Class labels, without missing values. Or the name of a column of X,
            which is then no feature.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row.
        ids : sequence of int or str, or str, optional
            Row ids, used by `forget` and in receipts, or the name of a column of X,
            which is then no feature. Default: the index of a pandas frame if it has
            unique integers or strings and is not a RangeIndex, else 0, 1, ...
        times : array-like of shape (n_rows,), or str, optional
            Time of each row: numbers, dates, or text such as '2026-03-01T12:30'.
            Or the name of a column of X, which is then no feature.
            Windows, half-lives and ``forget(before=...)`` use it. Without times,
            windows and half-lives use the order of arrival.
        """
        return keep_rows(self, X, y, sample_weight, ids, times=times)

    def partial_fit(  # type: ignore[override]
        self,
        X: object,
        y: object,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows. The result equals one fit to all rows together.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array-like, optional
            Classes to include from the first call on, even if no row has them.
            Optional: new classes may come at any time. A label of y that is not listed
            raises an error.
        sample_weight, ids, times
            As for `fit`.
        """
        return _add_classes(self, X, y, classes, sample_weight, ids, times)


class ApproximateClassifier(BaseLazyClassifier):
    """A classifier that leaves rows out at once, or exactly; rows may have weights."""

    _approximates = True
    _can_approximate = True

    fit = WeightedClassifier.fit  # type: ignore[assignment]
    partial_fit = WeightedClassifier.partial_fit  # type: ignore[assignment]

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> NDArray[Any]:
        """Predict the class of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all.
        approximate : bool, default=True
            Whether settings chosen from all rows are kept; see the Notes of the class.
            If False, the result equals forgetting the row and predicting it, which
            costs a fit per row.

        Returns
        -------
        labels : array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.
        """
        (labels,) = self._left_out(rows, "decisions", approximate=approximate)
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
        (probabilities,) = self._left_out(
            rows, "probabilities", approximate=approximate
        )
        return probabilities


Model = TypeVar("Model", bound=BaseLazyClassifier)


def _add_classes(
    model: Model,
    X: object,
    y: object,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    ids: IdsLike,
    times: object = None,
) -> Model:
    X = gather_more(model, X)
    if classes is not None:
        _, target, _ = take_columns(X, y, None)
        _check_labels(class_column(target), class_column(classes))
    return add_rows(model, X, y, sample_weight, ids, classes, times)


def _check_labels(target: Column, classes: Column) -> None:
    strange = [l for l in target.categories if l not in classes.categories]
    if strange:
        raise BadInputError(
            f"y holds the labels {strange}, which are not among "
            f"classes={list(classes.categories)}; list all classes, or leave it out."
        )
