"""The losses of single rows that a race can be run on."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.combine import argmax_with_ties
from sklazy.errors import BadInputError

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


def log_loss(probability: Any) -> Floats:  # noqa: ANN401 - one or several
    """The negative logarithm of the probability of the true label."""
    return -np.log(np.maximum(probability, _SMALLEST))


class RowLoss(NamedTuple):
    """A loss of single rows.

    Attributes
    ----------
    function : callable
        From predictions and the true target to losses; for "probabilities" from the
        probability of the true label.
    compares : {"numbers", "labels", "probabilities"}
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
        """The losses of several models on one row.

        Parameters
        ----------
        outputs : float64 array of shape (n_models, n_targets)
            Predicted numbers, or regressions on class indicators; ties of these go to
            the first class.
        target : float64 array of shape (n_targets,)
            The true numbers, or the indicators of the true class.
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
    "neg_log_loss": RowLoss(log_loss, "probabilities"),
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
