"""Regressors that answer with intervals."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.uncertainty.intervals import find_intervals, find_left_out_intervals
from sklazy.answer.uncertainty.sets import Asked
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.next_attribute.base import SuggestingEstimator
from sklazy.estimators.uncertainty.groups import (
    Grouped,
    Groups,
    check_coverage,
    check_enough,
    check_way,
    find_groups,
)
from sklazy.receipts import Wanted
from sklazy.receipts.uncertainty import describe_interval
from sklazy.tables import Table

Floats = NDArray[np.float64]

METHODS = ("jackknife", "jackknife+", "minmax")


class IntervalPredictor(SuggestingEstimator):
    """A regressor that says how far off it may be."""

    def predict_interval(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        method: str = "jackknife",
        by: str | None = None,
        groups: Groups = None,
    ) -> Floats:
        """Predict intervals that hold the target as often as promised.

        Every row is predicted by the others, none is set aside for it; a quantile of
        these residuals makes the interval. After rows came or went they are found anew
        with the next question.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        coverage : float in (0, 1), default=0.9
            How often the target is to be in the interval.
        method : {"jackknife", "jackknife+", "minmax"}, default="jackknife"
            The plain jackknife is around the prediction of all rows, and nothing is
            proven of it: it covers as promised if leaving out a row changes little. The
            others are around the predictions of the models that left a row out; at
            least ``2 * coverage - 1`` and `coverage` are proven if rows and queries are
            exchangeable. They cost a fit for every row, shared by all queries of the
            call.
        by : {None, "nearness"}, default=None
            "nearness": wider where the 25 nearest rows are predicted worse.
        groups : str, or pair of array-likes, optional
            The coverage holds within every group: the name of a nominal column, or the
            groups of all rows, in order of arrival, and those of the queries.

        Returns
        -------
        intervals : float64 array of shape (n_queries, 2), or (n_queries, n_targets, 2)
            Lower and upper ends.

        Notes
        -----
        Residuals are taken as they are; those of `LazyLearningRegressor` and
        `LazyPLSRegressor` in terms of the error that their local models expect, scales
        staying those of all rows. At
        most 2000 rows of each group are left out, drawn by their content. Regressors
        that choose settings by all targets (kernel, ridge, blend) are asked without
        each of ten folds instead, for left-out residuals are what they make small.

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
        check_is_fitted(self)
        share = check_coverage(coverage)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            ends = self._intervals(cases, table, share, method, by, groups)
        return ends[:, 0] if getattr(self, "_is_flat", True) else ends

    def _beside(
        self, cases: CaseBase, table: Table, wanted: Wanted
    ) -> list[dict[str, Any]]:
        if wanted.accuracy is not None:
            raise BadInputError(
                f"accuracy={wanted.accuracy!r} is for classes; for numbers give a "
                "coverage, which makes an interval."
            )
        told = super()._beside(cases, table, wanted)
        if wanted.coverage is None:
            return told
        share = check_coverage(wanted.coverage)
        found = self._intervals(cases, table, share, wanted.method, wanted.by, None)
        pairs = zip(told, found, strict=True)
        return [
            {**own, **describe_interval(cases, wanted, ends)} for own, ends in pairs
        ]

    def _intervals(
        self,
        cases: CaseBase,
        table: Table,
        coverage: float,
        method: str,
        by: str | None,
        groups: Groups,
    ) -> Floats:
        """Intervals by one state of the cases, (n_queries, n_targets, 2)."""
        check_way(method, by, groups, METHODS)
        if by not in (None, "nearness"):
            raise BadInputError(f"by={by!r}; expected None or 'nearness'.")
        found = find_groups(groups, cases, table)
        check_enough(_count(found, cases), coverage)
        asked = Asked(table, found.queries, found.rows)
        learner, n_jobs = self._current_learner(cases), self._n_jobs
        if method == "jackknife":
            near = by == "nearness"
            return find_intervals(
                learner, cases, asked, coverage, n_jobs, by_nearness=near
            )
        widest = method == "minmax"
        return find_left_out_intervals(
            learner, cases, asked, coverage, n_jobs, widest=widest
        )


def _count(found: Grouped, cases: CaseBase) -> list[tuple[str, int]]:
    """How many cases each group has that queries are of, and where that is."""
    groups = found.rows[cases.cases.weights[: cases.n_rows] > 0]
    named = len(found.labels) > 1
    return [
        (
            f" with groups={found.labels[group]!r}" if named else "",
            int((groups == group).sum()),
        )
        for group in np.unique(found.queries).tolist()
    ]
