"""What lazy bagging and lazy stacking of numbers share."""

from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from sklazy.answer import each_without
from sklazy.answer.ensembles.bagged import tell_in_slabs
from sklazy.answer.ensembles.number_data import NumberCrowd, gather_numbers
from sklazy.answer.ensembles.number_learner import COMBINATIONS, answer_by_numbers
from sklazy.casebase.incoming import GivenIds, Target
from sklazy.errors import BadInputError
from sklazy.estimators.base import Regressing
from sklazy.estimators.ensembles.base import LazyEnsemble
from sklazy.local.regression_paths import RegressionRules
from sklazy.receipts.number_ensembles import NumberReceipt, build_number_receipts
from sklazy.receipts.plain import PlainReceipt, ReceiptList
from sklazy.tables import Table, as_target


class EnsembleRegressor(RegressorMixin, LazyEnsemble, Regressing):
    """A regressor that makes an ensemble for each query; see the subclasses."""

    combinations: ClassVar[tuple[str, ...]] = COMBINATIONS
    receipt_kind: ClassVar[type[PlainReceipt]] = NumberReceipt

    def partial_fit(  # type: ignore[override]
        self, X: object, y: object, ids: GivenIds = None
    ) -> Self:
        """Add rows: the state is the same as after a fit to all rows together.

        Parameters
        ----------
        X, y, ids
            As for `fit`.
        """
        return self._add(X, y, None, ids, None)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the number of each query.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        values : float64 array of shape (n_queries,)
        """
        return self._tell(X, "predictions")

    def member_values(self, X: ArrayLike) -> NDArray[np.float64]:
        """Tell what each member predicts.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        values : float64 array of shape (n_queries, n_estimators)
        """
        return self._tell(X, "values")

    def loo_predict(self, rows: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the number of training rows, each from all other rows.

        Equal to forgetting the row and asking for it; the row itself counts nowhere,
        not in bags, ranges or relevances either.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.

        Notes
        -----
        Every row is forgotten in a copy of the cases, asked for, and added again. So
        each costs a query and all that is derived from the cases before the first
        one; for an estimate from many rows `sklearn.model_selection.cross_val_score`
        is cheaper.
        """
        places, recipe = self._places(rows), self._recipe()
        values = np.empty(len(places))
        for i, (cases, query) in enumerate(each_without(self.cases_, places)):
            found = answer_by_numbers(gather_numbers(cases), query, recipe)
            values[i] = found.predictions[0]
        return values

    def _tell(self, X: object, what: str) -> NDArray[Any]:
        check_is_fitted(self)
        queries, recipe = self._queries(X), self._recipe()
        tell = attrgetter(what)
        return tell_in_slabs(self._crowd(), queries, recipe, answer_by_numbers, tell)

    def _receipts(self, table: Table) -> ReceiptList[NumberReceipt]:
        queries = self.cases_.encode(table)
        found = answer_by_numbers(self._crowd(), queries, self._recipe())
        return build_number_receipts(
            found, table, type(self).__name__, self._told_settings()
        )

    def _crowd(self) -> NumberCrowd:
        return gather_numbers(self.cases_)

    def _rules(self) -> RegressionRules:
        """How trees split."""
        return RegressionRules(float(self.min_weight), self._inspected())

    def _target(self, y: object) -> Target:
        flat = None if y is None else column_or_1d(y, warn=True)
        target = as_target(flat, "numeric")
        _check_size(target)
        return target


_LARGEST = 1e140  # sums of the squares of so many rows as memory holds are finite


def _check_size(target: Target) -> None:
    largest = np.abs(np.asarray(target)).max(initial=0.0)
    if largest > _LARGEST:
        raise BadInputError(
            f"y holds numbers as large as {largest:g}, the squares of which no float "
            f"holds; expected at most {_LARGEST:g}. Divide y by a constant."
        )
