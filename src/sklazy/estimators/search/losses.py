"""Losses of single rows, and lazy learners that predict rows left out."""

import inspect
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.estimators.search.routing import Model
from sklazy.measures import argmax_with_ties

Floats = NDArray[np.float64]

_SMALLEST = np.finfo(np.float64).eps  # stands for a probability of 0 in log loss


class RowPredictor(Protocol):
    """A learner that predicts single rows it was not fitted on."""

    def predict(self, row: int) -> Any:  # noqa: ANN401 - a number, several, or a label
        """The prediction of a row."""

    def probability(self, row: int, label: object) -> float:
        """The probability of a label for a row."""


def absolute_error(predicted: Any, target: Any) -> Floats:  # noqa: ANN401
    """Absolute errors, their mean over several targets."""
    return np.abs(np.atleast_1d(predicted - target)).mean(axis=-1)


def squared_error(predicted: Any, target: Any) -> Floats:  # noqa: ANN401
    """Squared errors, their mean over several targets."""
    return (np.atleast_1d(predicted - target) ** 2).mean(axis=-1)


def zero_one(predicted: Any, label: object) -> Floats:  # noqa: ANN401
    """1 where the label is another, else 0."""
    return np.asarray(predicted != label, dtype=np.float64)


def negative_log(probability: Any) -> Floats:  # noqa: ANN401 - one or several
    """The negative logarithm of the probability of the true label."""
    return -np.log(np.maximum(probability, _SMALLEST))


class RowLoss(NamedTuple):
    """A loss of single rows.

    Attributes
    ----------
    function : callable
        From predictions and true targets to losses; for "probabilities" from the
        probability of the true label.
    best_score : float
        The score without any loss: a score is this minus the loss.
    """

    function: Callable[..., Floats]
    compares: Literal["numbers", "labels", "probabilities"]
    best_score: float = 0.0

    def negative_score(self, model: RowPredictor, row: int, target: object) -> float:
        """The loss of a model on a row, less the best score."""
        if self.compares == "probabilities":
            loss = self.function(model.probability(row, target))
        else:
            loss = self.function(model.predict(row), target)
        return float(loss.item()) - self.best_score

    def of_outputs(self, outputs: Floats, target: Floats) -> Floats:
        """Compute the losses of several models on one row.

        `outputs`, of shape (n_models, n_targets), are predicted numbers, or regressions
        on class indicators, whose ties go to the first class.
        """
        if self.compares == "numbers":
            return self.function(outputs, target)
        label = target.argmax()
        if self.compares == "labels":
            return self.function(
                argmax_with_ties(outputs, np.zeros(target.size)), label
            )
        clipped = np.clip(outputs, 0.0, 1.0)
        totals = np.maximum(clipped.sum(axis=1), _SMALLEST)
        return self.function(clipped[:, label] / totals)


ROW_LOSSES = {
    "neg_mean_absolute_error": RowLoss(absolute_error, "numbers"),
    "neg_mean_squared_error": RowLoss(squared_error, "numbers"),
    "accuracy": RowLoss(zero_one, "labels", best_score=1.0),
    "neg_log_loss": RowLoss(negative_log, "probabilities"),
}
"""The losses of single rows, by the name of the score that is their mean."""

CLASS_SCORES = ("accuracy", "neg_log_loss")
NUMBER_SCORES = ("neg_mean_absolute_error", "neg_mean_squared_error")


def find_row_loss(scoring: object, default: str, choices: tuple[str, ...]) -> RowLoss:
    """The loss of a scoring by name, `default` for None."""
    if scoring is None:
        return ROW_LOSSES[default]
    if not isinstance(scoring, str) or scoring not in choices:
        raise BadInputError(
            f"scoring={scoring!r}; expected a mean over single rows: one of {choices}, "
            "or None. Race over folds with blocks='folds' for any other score."
        )
    return ROW_LOSSES[scoring]


FIRST = 8
"""Rows predicted together by the first call."""

_LONGEST = 1.0  # seconds of predictions that may turn out not to be needed


class LeaveOneOutModel:
    """A fitted lazy learner that predicts its own rows, each from the others.

    A learner that offers ``approximate=True`` is called with it: what it keeps of a row
    does not depend on targets, and is the same for all candidates. Most of the cost of
    a row is the call, so each call predicts the next rows in `order` as well, twice as
    many each time. So at most about half of the predictions are in vain when a
    candidate is eliminated. Rows of one group (`groups`) do not see each other.

    Attributes
    ----------
    seconds : float
        Time per row, by the quickest call.
    """

    def __init__(
        self,
        model: Model,
        groups: object = None,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        self.model, self.groups = model, groups
        self.order = np.zeros(0, np.int64) if order is None else order
        self.seconds = float("inf")
        self._size = FIRST
        self._known: dict[tuple[str, int], Any] = {}

    def predict(self, row: int) -> Any:  # noqa: ANN401 - a number, several, or a label
        """The prediction of a row left out."""
        return self._call("loo_predict", row)

    def probability(self, row: int, label: object) -> float:
        """The probability of a label for a row left out."""
        probabilities = self._call("loo_predict_proba", row)
        return float(probabilities[np.flatnonzero(self.model.classes_ == label)[0]])

    def _call(self, method: str, row: int) -> Any:  # noqa: ANN401
        if (method, row) not in self._known:
            self._known.clear()  # rows come in their order
            self._find(method, row)
        return self._known[method, row]

    def _find(self, method: str, row: int) -> None:
        """Predict a row and those to come, all if the learner can do no less."""
        predict = getattr(self.model, method)
        options = {} if self.groups is None else {"groups": self.groups}
        accepted = inspect.signature(predict).parameters
        if "approximate" in accepted:
            options["approximate"] = True
        started = time.perf_counter()
        if "rows" in accepted:
            rows = self._rows_ahead(row)
            predictions = predict(rows=rows, **options)
        else:
            predictions = predict(**options)
            rows = list(range(len(predictions)))
        seconds = (time.perf_counter() - started) / len(rows)
        self.seconds = min(self.seconds, seconds)  # one of the calls may compile
        fitting = int(_LONGEST / max(seconds, 1e-9))
        self._size = max(1, min(2 * self._size, fitting))
        self._known |= {(method, r): p for r, p in zip(rows, predictions, strict=True)}

    def _rows_ahead(self, row: int) -> list[int]:
        """A row and those that are next in the order."""
        place = np.flatnonzero(self.order == row)
        if not len(place):
            return [row]
        return self.order[place[0] : place[0] + self._size].tolist()


def check_leaves_out(estimator: Model) -> None:
    """Refuse an estimator that cannot predict its own rows left out."""
    if not hasattr(estimator, "loo_predict"):
        raise BadInputError(
            f"blocks='rows' needs a lazy learner, which can leave out a row; "
            f"{type(estimator).__name__} has no loo_predict. Use blocks='folds'."
        )
