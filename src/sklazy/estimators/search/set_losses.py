"""What sets of attributes lose: by local models, or by fitting any estimator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from sklazy.answer.local_models.learner import LocalMemory
from sklazy.answer.subsets import SubsetMemory
from sklazy.compat import take
from sklazy.errors import BadInputError
from sklazy.estimators.search.split_scores import Model
from sklazy.racing.masks import members
from sklazy.tables import Table
from sklazy.tables.arrays import as_matrix
from sklazy.tables.frames import as_frame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
RowLoss = Callable[[Floats, Floats], Floats]
"""Losses of predictions, shape (n_sets, n_targets), of one target row."""

_SMALLEST = np.finfo(np.float64).eps  # what a probability of 0 counts in log loss


def columns_of(X: object, attributes: Sequence[int]) -> Any:  # noqa: ANN401
    """Some columns of a frame, a table or an array, as the same kind of thing."""
    if isinstance(X, Table):
        return X.select([X.names[j] for j in attributes])
    return take(X, attributes, axis=1)


def as_columns(X: object) -> Any:  # noqa: ANN401
    """A table or frame as it is; anything else as an array of two dimensions."""
    known = isinstance(X, Table) or as_frame(X) is not None
    return X if known else as_matrix(X)


class LocalSetLosses:
    """Sets of attributes judged by the local models of a lazy learner.

    Parameters
    ----------
    memory : LocalMemory
        Rows are numbered as they lie there.
    scoring : str
        A key of `ROW_LOSSES`.
    n_jobs : int, optional
        Threads.
    """

    def __init__(
        self, memory: LocalMemory, scoring: str, n_jobs: int | None = None
    ) -> None:
        self.subsets = SubsetMemory(memory, n_jobs)
        self.targets = memory.cases.targets
        self.loss = ROW_LOSSES[scoring]

    def __call__(self, masks: list[int], test: Ints, training: Ints) -> Floats:
        """Return the mean loss of each set over the test rows."""
        sets = [members(mask) for mask in masks]
        total = np.zeros(len(masks))
        for row in test.tolist():
            said = self.subsets.predict(sets, row, training)
            total += self.loss(said, self.targets[row])
        return total / len(test)


@dataclass(frozen=True, eq=False)
class FitJob:
    """All that is the same for every set: what is fitted, on what, and scored how."""

    estimator: Model
    X: Any
    y: Any
    scorer: Callable[..., float]

    def loss(self, mask: int, test: Ints, training: Ints) -> float | Exception:
        """Return the negative score of a set, or why there is none."""
        columns = columns_of(self.X, list(members(mask)))
        try:
            model = clone(self.estimator)
            model.fit(take(columns, training), take(self.y, training))
            return -self.scorer(model, take(columns, test), take(self.y, test))
        except Exception as failure:
            return failure


class FittedSetLosses:
    """Sets of attributes judged by an estimator that is fitted on them.

    Parameters
    ----------
    estimator : estimator
    X, y : the data
    scoring : str, callable or None
        As for `cross_val_score`.
    parallel : Parallel
        Runs the fits.
    """

    def __init__(
        self,
        estimator: Model,
        X: object,
        y: object,
        scoring: object,
        parallel: Parallel,
    ) -> None:
        data = X.to_pandas() if isinstance(X, Table) else as_columns(X)
        self.job = FitJob(estimator, data, y, check_scoring(estimator, scoring))
        self.parallel = parallel

    def __call__(
        self, masks: list[int], test: Ints, training: Ints
    ) -> list[float | Exception]:
        """Return the loss of each set; an exception where a fit fails."""
        ask = delayed(self.job.loss)
        return list(self.parallel(ask(mask, test, training) for mask in masks))


def _absolute(said: Floats, target: Floats) -> Floats:
    return np.abs(said - target).mean(axis=1)


def _squared(said: Floats, target: Floats) -> Floats:
    return ((said - target) ** 2).mean(axis=1)


def _zero_one(said: Floats, target: Floats) -> Floats:
    """Target is the indicator of the class; ties go to the first class."""
    return (said.argmax(axis=1) != target.argmax()).astype(np.float64)


def _log(said: Floats, target: Floats) -> Floats:
    """Indicators regressed upon, clipped and normalized to probabilities."""
    clipped = np.clip(said, 0.0, 1.0)
    totals = np.maximum(clipped.sum(axis=1), _SMALLEST)
    mine = clipped[:, target.argmax()] / totals
    return -np.log(np.maximum(mine, _SMALLEST))


ROW_LOSSES: dict[str, RowLoss] = {
    "neg_mean_absolute_error": _absolute,
    "neg_mean_squared_error": _squared,
    "accuracy": _zero_one,
    "neg_log_loss": _log,
}


def row_scoring(scoring: object, classes: bool) -> str:
    """Return the name of the loss of single rows, checked against the task."""
    if scoring is None:
        return "accuracy" if classes else "neg_mean_absolute_error"
    fitting = ("accuracy", "neg_log_loss")
    if not classes:
        fitting = ("neg_mean_absolute_error", "neg_mean_squared_error")
    if not isinstance(scoring, str) or scoring not in fitting:
        raise BadInputError(
            f"scoring={scoring!r} is no mean over single rows of this target; give one "
            f"of {fitting}, None, or race over folds with blocks='folds'."
        )
    return scoring
