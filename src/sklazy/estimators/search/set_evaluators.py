"""How sets of attributes are evaluated in a race: losses on test rows.

Each evaluator is a function of sets (bit masks), test rows and training rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from sklazy.compat import take
from sklazy.estimators.search.losses import LeaveOneOutModel, RowLoss
from sklazy.estimators.search.routing import Model
from sklazy.methods.local_models.data import LocalData
from sklazy.methods.local_models.subsets import SubsetPredictor
from sklazy.racing.masks import members
from sklazy.tables import Table
from sklazy.tables.arrays import as_matrix
from sklazy.tables.frames import as_frame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns = Any
"""A frame, a table or an array of two dimensions."""


def take_columns(X: Columns, attributes: Sequence[int]) -> Columns:
    """Some columns of a frame, a table or an array, as the same kind of object."""
    if isinstance(X, Table):
        return X.select([X.names[j] for j in attributes])
    return take(X, attributes, axis=1)


def as_columns(X: object) -> Columns:
    """A table or frame unchanged; anything else as an array of two dimensions."""
    known = isinstance(X, Table) or as_frame(X) is not None
    return X if known else as_matrix(X)


class LocalSetEvaluator:
    """Evaluates sets by the local models of a lazy learner; rows as in its data."""

    def __init__(
        self, data: LocalData, loss: RowLoss, n_jobs: int | None = None
    ) -> None:
        self.subsets = SubsetPredictor(data, n_jobs)
        self.targets = data.cases.targets
        self.loss = loss

    def __call__(self, masks: list[int], test: Ints, training: Ints) -> Floats:
        """Return the mean loss of each set over the test rows."""
        sets = [members(mask) for mask in masks]
        total = np.zeros(len(masks))
        for row in test.tolist():
            outputs = self.subsets.predict(sets, row, training)
            total += self.loss.of_outputs(outputs, self.targets[row])
        return total / len(test)


@dataclass(frozen=True, eq=False)
class SetJob:
    """Fits an estimator with one set of attributes, and measures its loss."""

    estimator: Model
    X: Columns
    y: NDArray[Any]
    loss: Callable[[Model, Columns, NDArray[Any]], float]

    def run(self, mask: int, test: Ints, training: Ints) -> float | Exception:
        """Return the loss of a set on the test rows, or why there is none."""
        try:
            model, columns = self.fit(mask, training)
            return self.loss(model, take(columns, test), self.y[test])
        except Exception as failure:
            return failure

    def fit(self, mask: int, training: Ints) -> tuple[Model, Columns]:
        """The estimator fitted with a set on some rows, and the set's columns."""
        columns = take_columns(self.X, list(members(mask)))
        model = clone(self.estimator).fit(take(columns, training), self.y[training])
        return model, columns


class FoldSetEvaluator:
    """Evaluates sets by fitting any estimator with them; `parallel` runs the fits."""

    def __init__(
        self,
        estimator: Model,
        X: object,
        y: NDArray[Any],
        loss: Callable[[Model, Columns, NDArray[Any]], float],
        parallel: Parallel,
    ) -> None:
        # Scikit-learn's estimators do not know tables.
        data = X.to_pandas() if isinstance(X, Table) else as_columns(X)
        self.job = SetJob(estimator, data, y, loss)
        self.parallel = parallel

    def __call__(
        self, masks: list[int], test: Ints, training: Ints
    ) -> list[float | Exception]:
        """Return the loss of each set; an exception where a fit fails."""
        run = delayed(self.job.run)
        return list(self.parallel(run(mask, test, training) for mask in masks))


class RowSetEvaluator(FoldSetEvaluator):
    """Evaluates sets by any lazy learner, one row at a time.

    If all other rows are training rows, a learner fitted on all rows leaves out the
    one, so that a set is fitted once; for a sub-sample it is fitted anew.
    """

    def __init__(
        self,
        estimator: Model,
        X: object,
        y: NDArray[Any],
        loss: RowLoss,
        parallel: Parallel,
    ) -> None:
        super().__init__(estimator, X, y, partial(_held_out_loss, loss), parallel)
        self.loss = loss
        self._models: dict[int, LeaveOneOutModel] = {}

    def __call__(
        self, masks: list[int], test: Ints, training: Ints
    ) -> list[float | Exception]:
        """Return the loss of each set; an exception where it fails."""
        if len(training) < len(self.job.y) - 1:
            return super().__call__(masks, test, training)
        # The models of eliminated sets are not needed any more.
        self._models = {m: self._models[m] for m in masks if m in self._models}
        return [self._leave_out(mask, int(test[0])) for mask in masks]

    def _leave_out(self, mask: int, row: int) -> float | Exception:
        y = self.job.y
        try:
            if mask not in self._models:
                model, _ = self.job.fit(mask, np.arange(len(y)))
                self._models[mask] = LeaveOneOutModel(model)
            return self.loss.negative_score(self._models[mask], row, y[row])
        except Exception as failure:
            return failure


class HeldOutRow:
    """A fitted learner that predicts one row it was not fitted on."""

    def __init__(self, model: Model, X: Columns) -> None:
        self.model, self.X = model, X

    def predict(self, row: int) -> Any:  # noqa: ANN401 - a number, several, or a label
        """The prediction of the row."""
        return self.model.predict(self.X)[row]

    def probability(self, row: int, label: object) -> float:
        """The probability of a label; 0 if no training row has it."""
        probabilities = self.model.predict_proba(self.X)[row]
        return float(probabilities[self.model.classes_ == label].sum())


def _held_out_loss(loss: RowLoss, model: Model, X: Columns, y: NDArray[Any]) -> float:
    return loss.negative_score(HeldOutRow(model, X), 0, y[0])


def negative_score(
    scorer: Callable[..., float], model: Model, X: Columns, y: NDArray[Any]
) -> float:
    """The loss that a score amounts to."""
    return -scorer(model, X, y)
