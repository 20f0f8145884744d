"""Where lazy learners race over single rows: nothing is trained, each row left out."""

import inspect
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning

from sklazy.errors import BadInputError
from sklazy.estimators.fold_arena import FitFailedError
from sklazy.estimators.search_results import Table, row_results
from sklazy.estimators.split_scores import Model, SplitJob, describe, fit_model
from sklazy.racing import RaceResult

Floats = NDArray[np.float64]

_SMALLEST = np.finfo(np.float64).eps  # what a probability of 0 counts in log loss


class RowArena:
    """Candidates, rows, and what each candidate says of a row that it may not see.

    Lazy estimators offer ``loo_predict(rows=...)``, for log loss also
    ``loo_predict_proba(rows=...)``: predictions of cases, each left out by itself.

    Parameters
    ----------
    job : SplitJob
        The estimator, the data and what goes to `fit`.
    candidates : sequence of dict of parameters
    rows : int64 array
        The rows to race over, in their order.
    scoring : str or None
        Names the loss, see `ROW_LOSSES`.
    groups : array-like of shape (n_rows,), optional
        Rows of one group do not see each other.
    """

    splits: NDArray[np.int64]

    def __init__(
        self,
        job: SplitJob,
        candidates: Sequence[dict[str, Any]],
        rows: NDArray[np.int64],
        scoring: object,
        groups: object = None,
    ) -> None:
        check_leaves_out(job.estimator)
        self.job, self.candidates, self.splits = job, candidates, rows
        self.loss = _row_loss(scoring, job.estimator)
        self.groups = groups
        self.y = np.asarray(job.y)
        self.fit_times = np.full(len(candidates), np.nan)
        self.ask_times = np.zeros(len(candidates))
        self.failures: dict[int, str] = {}
        self._models: dict[int, Model] = {}

    def evaluate(self, alive: list[int], place: int) -> list[float | FitFailedError]:
        """Return the losses of the candidates alive on one row."""
        row = int(self.splits[place])
        return [self._loss(candidate, row) for candidate in alive]

    def results(self, outcome: RaceResult) -> Table:
        """Lay out `cv_results_`, without a column for each row."""
        return row_results(self.candidates, outcome, self.fit_times, self.ask_times)

    def warn_of_failures(self) -> None:
        """Warn of candidates that could not be asked."""
        if self.failures:
            listed = "\n".join(sorted(set(self.failures.values())))
            warnings.warn(
                f"{len(self.failures)} of {len(self.candidates)} candidates failed and "
                f"are out of the race:\n{listed}",
                FitFailedWarning,
                stacklevel=3,
            )

    def _loss(self, candidate: int, row: int) -> float | FitFailedError:
        started = time.perf_counter()
        try:
            loss = self.loss(self._model(candidate), row, self.y[row], self.groups)
        except Exception as failure:
            if self.job.error_score == "raise":
                raise
            self.failures[candidate] = describe(failure)
            return FitFailedError(self.failures[candidate])
        self.ask_times[candidate] += time.perf_counter() - started
        return loss

    def _model(self, candidate: int) -> Model:
        """The candidate, knowing all rows; made when it is first asked."""
        if candidate not in self._models:
            params = clone(self.candidates[candidate], safe=False)
            model = clone(self.job.estimator).set_params(**params)
            started = time.perf_counter()
            fit_model(model, self.job.X, self.job.y, self.job.fit_params)
            self.fit_times[candidate] = time.perf_counter() - started
            self._models[candidate] = model
        return self._models[candidate]


def check_leaves_out(estimator: Model) -> None:
    """Refuse an estimator that cannot predict single rows left out."""
    method = getattr(estimator, "loo_predict", None)
    if method is None or "rows" not in inspect.signature(method).parameters:
        raise BadInputError(
            f"blocks='rows' needs an estimator with loo_predict(rows=...), which "
            f"{type(estimator).__name__} has not; use blocks='folds'."
        )


def _absolute(model: Model, row: int, target: Any, groups: object) -> float:  # noqa: ANN401
    said = model.loo_predict(groups=groups, rows=[row])[0]
    return float(np.mean(np.abs(said - target)))


def _squared(model: Model, row: int, target: Any, groups: object) -> float:  # noqa: ANN401
    said = model.loo_predict(groups=groups, rows=[row])[0]
    return float(np.mean((said - target) ** 2))


def _zero_one(model: Model, row: int, target: object, groups: object) -> float:
    return float(model.loo_predict(groups=groups, rows=[row])[0] != target)


def _log(model: Model, row: int, target: object, groups: object) -> float:
    chances = model.loo_predict_proba(groups=groups, rows=[row])[0]
    mine = chances[np.flatnonzero(model.classes_ == target)[0]]
    return -float(np.log(max(mine, _SMALLEST)))


RowLoss = Callable[[Model, int, Any, Any], float]

ROW_LOSSES: dict[str, RowLoss] = {
    "neg_mean_absolute_error": _absolute,
    "neg_mean_squared_error": _squared,
    "accuracy": _zero_one,
    "neg_log_loss": _log,
}
"""The losses of a single row, by the name of the score they make up."""


def _row_loss(scoring: object, estimator: Model) -> RowLoss:
    if scoring is None:
        return _zero_one if is_classifier(estimator) else _squared
    if not isinstance(scoring, str) or scoring not in ROW_LOSSES:
        raise BadInputError(
            f"scoring={scoring!r} is no mean over single rows; with blocks='rows' give "
            f"one of {sorted(ROW_LOSSES)}, or None."
        )
    return ROW_LOSSES[scoring]
