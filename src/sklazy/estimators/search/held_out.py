"""What sets of attributes lose on single rows, by any lazy learner."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from sklazy.compat import take
from sklazy.estimators.search.row_evaluator import ROW_LOSSES, LeftOut, RowLoss
from sklazy.estimators.search.set_losses import as_columns, columns_of
from sklazy.estimators.search.split_scores import Model
from sklazy.racing.masks import members
from sklazy.tables import Table

Ints = NDArray[np.int64]


class Outsider:
    """A fitted learner that is asked for one row it does not know."""

    def __init__(self, model: Model, one: Any) -> None:  # noqa: ANN401 - a frame's row
        self.model, self.one = model, one

    def value(self, row: int) -> Any:  # noqa: ANN401 - as `LeftOut` has it
        """What is predicted for the row."""
        return self.model.predict(self.one)[0]

    def chance(self, row: int, label: object) -> float:
        """The probability of a label; none if no case that is known has it."""
        chances = self.model.predict_proba(self.one)[0]
        return float(chances[self.model.classes_ == label].sum())


@dataclass(frozen=True, eq=False)
class RowJob:
    """All that is the same for every set: the learner, the data and the loss."""

    estimator: Model
    X: Any
    y: NDArray[Any]
    loss: RowLoss

    def learn(self, mask: int, training: Ints) -> tuple[Model, Any]:
        """The learner fitted with a set on some rows, and the set's columns."""
        columns = columns_of(self.X, list(members(mask)))
        known = clone(self.estimator).fit(take(columns, training), self.y[training])
        return known, columns

    def lose(self, mask: int, row: int, training: Ints) -> float | Exception:
        """Return the loss of a set on a row, or why there is none."""
        try:
            model, columns = self.learn(mask, training)
            outsider = Outsider(model, take(columns, [row]))
            return self.loss(outsider, row, self.y[row])
        except Exception as failure:
            return failure


class LeftOutSetLosses:
    """Sets of attributes judged by a lazy learner, a row at a time.

    Where all other rows may be learned from, a learner that knows all rows leaves
    out the one, so that a set is fitted once; from a sub-sample it learns afresh.

    Parameters
    ----------
    estimator : estimator with `loo_predict`, for log loss with `loo_predict_proba`
    X, y : the data
    scoring : str
        A key of `ROW_LOSSES`.
    parallel : Parallel
        Runs the fits on sub-samples.
    """

    def __init__(
        self,
        estimator: Model,
        X: object,
        y: NDArray[Any],
        scoring: str,
        parallel: Parallel,
    ) -> None:
        data = X.to_pandas() if isinstance(X, Table) else as_columns(X)
        self.job = RowJob(estimator, data, y, ROW_LOSSES[scoring])
        self.parallel = parallel
        self._models: dict[int, LeftOut] = {}

    def __call__(
        self, masks: list[int], test: Ints, training: Ints
    ) -> list[float | Exception]:
        """Return the loss of each set; an exception where it fails."""
        row = int(test[0])
        if len(training) == len(self.job.y) - 1:
            # The models of sets that are out are of no more use.
            self._models = {m: self._models[m] for m in masks if m in self._models}
            return [self._leave_out(mask, row) for mask in masks]
        ask = delayed(self.job.lose)
        return list(self.parallel(ask(mask, row, training) for mask in masks))

    def _leave_out(self, mask: int, row: int) -> float | Exception:
        try:
            if mask not in self._models:
                model, _ = self.job.learn(mask, np.arange(len(self.job.y)))
                self._models[mask] = LeftOut(model, None)
            return self.job.loss(self._models[mask], row, self.job.y[row])
        except Exception as failure:
            return failure
