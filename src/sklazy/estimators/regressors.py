"""Lazy regressors: all of them, those with weights of rows, and the approximate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d

from sklazy.answer import NUMBERS, Target
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.keeping import add_rows, gather_more, keep_rows
from sklazy.tables import Table, as_target
from sklazy.tables.taking import take_columns

if TYPE_CHECKING:
    from sklazy.estimators.coverage import Groups
    from sklazy.receipts import Wanted

Floats = NDArray[np.float64]


class BaseLazyRegressor(RegressorMixin, LazyEstimator):
    """A lazy regressor."""

    target: ClassVar[Target] = NUMBERS

    _multi_output: ClassVar[bool] = False  # whether there may be several targets

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._multi_output
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
            Target values, without missing values. Or the name of a column of X,
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
        """Return R², the share of the variance that is explained.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_rows, n_attributes)
        y : array-like of shape (n_rows,), or str
            The true values, or the name of a column of X.
        sample_weight : array-like of shape (n_rows,), optional
        """
        X, y, _ = take_columns(gather_more(self, X), y, None)
        score: Any = RegressorMixin.score  # also called for models of a cluster
        return float(score(self, X, y, sample_weight))

    def partial_fit(
        self,
        X: object,
        y: object,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows. The result equals one fit to all rows together.

        Parameters
        ----------
        X, y, ids, times
            As for `fit`.
        """
        return add_rows(self, X, y, None, ids, times=times)

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

        Equals forgetting the row and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.
        """
        (values,) = self._left_out(rows, "values")
        return values[:, 0]

    def predict_interval(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        method: str = "jackknife",
        by: str | None = "auto",
        groups: Groups = None,
    ) -> Floats:
        """Predict intervals that contain the target as often as promised.

        Conformal prediction without a calibration set: each row is predicted by the
        others, and a quantile of the residuals gives the interval. Residuals are
        computed again at the first query after rows were added or forgotten.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), default=0.9
            How often the interval should contain the target.
        method : {"jackknife", "jackknife+", "minmax"}, default="jackknife"
            The plain jackknife is centered on the prediction from all rows. It covers
            as promised if leaving out a row changes little; there is no proof. The
            others use models that each left one row out. If rows and queries are
            exchangeable, their coverage is proven to be at least ``2 * coverage - 1``
            and `coverage`. They cost a fit per row, shared by all queries of the call.
        by : {"auto", None, "nearness", "ratio", "both"}, default="auto"
            How widths follow the row. None: all have the same width. "nearness": wider
            where the 25 nearest rows are predicted worse. "ratio", for targets above 0:
            in proportion to the prediction. "both" of these. "auto" takes the one with
            the least interval score (width, and how far targets lie outside) of rows
            left out; with `groups` or another method, None.
        groups : str, or pair of array-likes, optional
            Groups within each of which the coverage holds: the name of a nominal
            column, or a pair of the groups of all rows (in order of arrival) and of the
            queries.

        Returns
        -------
        intervals : float64 array of shape (n_queries, 2), or (n_queries, n_targets, 2)
            Lower and upper ends.

        Notes
        -----
        If no row has a target below 0, no interval of the plain jackknife begins there.

        Residuals are used as they are; those of `LazyLearningRegressor` and
        `LazyPLSRegressor` are divided by the error that their local models expect, with
        scales from all rows. At most 2000 rows of each group are left out, drawn by
        their content. Regressors that choose settings from all targets (kernel, ridge,
        blend) predict each of ten folds from the others instead, since their settings
        minimize left-out residuals. Many rows have no part in settings of the kernel
        and of blends; those are left out one by one if there are at least 1000.

        References
        ----------
        R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani: Predictive inference
        with the jackknife+. Annals of Statistics 49, 2021.

        Examples
        --------
        >>> import numpy as np
        >>> from sklazy import LazyRidgeRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(200, 1))
        >>> y = 5 * X[:, 0] + rng.normal(size=200)
        >>> model = LazyRidgeRegressor().fit(X[:100], y[:100])
        >>> low, high = model.predict_interval(X[100:], coverage=0.9).T
        >>> float(((low <= y[100:]) & (y[100:] <= high)).mean())
        0.9
        """
        from sklazy.estimators.coverage import predict_intervals

        return predict_intervals(self, X, coverage, method, by, groups)

    def _target(self, y: object) -> GivenTarget:
        if y is not None and not self._multi_output:
            y = column_or_1d(y, warn=True)
        return as_target(y, "numeric")

    def _describe_doubt(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        from sklazy.estimators.coverage import describe_number_doubt

        return describe_number_doubt(self, cases, table, wanted)


class WeightedRegressor(BaseLazyRegressor):
    """A lazy regressor whose rows may have weights and times.

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
            Target values, without missing values. Or the name of a column of X,
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
        sample_weight: ArrayLike | None = None,
        ids: IdsLike = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Add rows. The result equals one fit to all rows together.

        Parameters
        ----------
        X, y, sample_weight, ids, times
            As for `fit`.
        """
        return add_rows(self, X, y, sample_weight, ids, times=times)


class ApproximateRegressor(BaseLazyRegressor):
    """A regressor that leaves rows out at once, or exactly; rows may have weights."""

    _approximates = True
    _can_approximate = True

    fit = WeightedRegressor.fit  # type: ignore[assignment]
    partial_fit = WeightedRegressor.partial_fit  # type: ignore[assignment]

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> Floats:
        """Predict the number of training rows, each from all other rows.

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
        values : float64 array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.
        """
        (values,) = self._left_out(rows, "values", approximate=approximate)
        return values[:, 0]
