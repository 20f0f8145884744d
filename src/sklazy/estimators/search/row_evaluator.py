"""Where lazy learners race over single rows: nothing is trained, each row left out."""

import inspect
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning

from sklazy.errors import BadInputError
from sklazy.estimators.search.fold_evaluator import FitFailedError
from sklazy.estimators.search.results import Table, row_results
from sklazy.estimators.search.split_scores import Model, SplitJob, describe, fit_model
from sklazy.racing import RaceResult

Floats = NDArray[np.float64]

_SMALLEST = np.finfo(np.float64).eps  # what a probability of 0 counts in log loss


class RowArena:
    """Candidates, rows, and what each candidate says of a row that it may not see.

    Lazy estimators offer ``loo_predict(rows=...)``, for log loss also
    ``loo_predict_proba(rows=...)``: predictions of cases, each left out by itself.
    One that can only predict all rows at once is asked once, for all.

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
        self._models: dict[int, LeftOut] = {}

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
            loss = self.loss(self._model(candidate), row, self.y[row])
        except Exception as failure:
            if self.job.error_score == "raise":
                raise
            self.failures[candidate] = describe(failure)
            return FitFailedError(self.failures[candidate])
        self.ask_times[candidate] += time.perf_counter() - started
        return loss

    def _model(self, candidate: int) -> "LeftOut":
        """The candidate, knowing all rows; made when it is first asked."""
        if candidate not in self._models:
            params = clone(self.candidates[candidate], safe=False)
            model = clone(self.job.estimator).set_params(**params)
            started = time.perf_counter()
            fit_model(model, self.job.X, self.job.y, self.job.fit_params)
            self.fit_times[candidate] = time.perf_counter() - started
            self._models[candidate] = LeftOut(model, self.groups)
        return self._models[candidate]


class Asked(Protocol):
    """A learner that is asked for single rows that it may not see."""

    def value(self, row: int) -> Any:  # noqa: ANN401 - a number, several, or a label
        """What is predicted for a row."""

    def chance(self, row: int, label: object) -> float:
        """The probability of a label for a row."""


class LeftOut:
    """A fitted lazy learner that is asked for its own rows."""

    def __init__(self, model: Model, groups: object) -> None:
        self.model, self.groups = model, groups
        self._all: dict[str, NDArray[Any]] = {}

    def value(self, row: int) -> Any:  # noqa: ANN401 - a number, several, or a label
        """What is predicted for a row left out."""
        return self._ask("loo_predict", row)

    def chance(self, row: int, label: object) -> float:
        """The probability of a label for a row left out."""
        chances = self._ask("loo_predict_proba", row)
        return float(chances[np.flatnonzero(self.model.classes_ == label)[0]])

    def _ask(self, method: str, row: int) -> Any:  # noqa: ANN401
        ask = getattr(self.model, method)
        groups = {} if self.groups is None else {"groups": self.groups}
        if "rows" in inspect.signature(ask).parameters:
            return ask(rows=[row], **groups)[0]
        if method not in self._all:
            self._all[method] = ask(**groups)
        return self._all[method][row]


def check_leaves_out(estimator: Model) -> None:
    """Refuse an estimator that cannot predict its own rows left out."""
    if not hasattr(estimator, "loo_predict"):
        raise BadInputError(
            f"blocks='rows' needs a lazy learner, which can leave out a row; "
            f"{type(estimator).__name__} has no loo_predict. Use blocks='folds'."
        )


def _absolute(model: Asked, row: int, target: Any) -> float:  # noqa: ANN401
    return float(np.mean(np.abs(model.value(row) - target)))


def _squared(model: Asked, row: int, target: Any) -> float:  # noqa: ANN401
    return float(np.mean((model.value(row) - target) ** 2))


def _hit(model: Asked, row: int, target: object) -> float:
    return -float(model.value(row) == target)  # so that the score is the accuracy


def _log(model: Asked, row: int, target: object) -> float:
    return -float(np.log(max(model.chance(row, target), _SMALLEST)))


RowLoss = Callable[[Asked, int, Any], float]

ROW_LOSSES: dict[str, RowLoss] = {
    "neg_mean_absolute_error": _absolute,
    "neg_mean_squared_error": _squared,
    "accuracy": _hit,
    "neg_log_loss": _log,
}
"""The losses of a single row, by the name of the score they make up."""


def _row_loss(scoring: object, estimator: Model) -> RowLoss:
    if scoring is None:
        return _hit if is_classifier(estimator) else _squared
    if not isinstance(scoring, str) or scoring not in ROW_LOSSES:
        raise BadInputError(
            f"scoring={scoring!r} is no mean over single rows; with blocks='rows' give "
            f"one of {sorted(ROW_LOSSES)}, or None."
        )
    return ROW_LOSSES[scoring]
