"""Lazy learners that predict their own rows, each from the others, for races."""

import inspect
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.estimators.search.routing import Model

FIRST = 8
"""Rows that are predicted at once, when the first is asked for."""

_LONGEST = 1.0  # seconds of predictions that may turn out not to be needed


class LeaveOneOutModel:
    """A fitted lazy learner that predicts its own rows, each from the others.

    A learner that offers ``approximate=True`` is asked for that: what it keeps of a row
    knows no target, and is the same for all candidates. Rows are asked for one after
    the other, but most of what one costs is the call: with it come those that are next
    in `order`, twice as many each time. What a candidate is asked for in vain when it
    is eliminated is at most about as much as it was asked for before.

    Parameters
    ----------
    model : estimator with `loo_predict`
    groups : array-like of shape (n_rows,), optional
        Rows of one group do not see each other.
    order : int64 array, optional
        The rows in the order in which they will be asked for; none are known without.

    Attributes
    ----------
    seconds : float
        What a row takes, by the quickest call.
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
            self._known.clear()  # they were asked for in their order
            self._find(method, row)
        return self._known[method, row]

    def _find(self, method: str, row: int) -> None:
        """Predict a row and those to come, all if the learner can do no less."""
        predict = getattr(self.model, method)
        given = {} if self.groups is None else {"groups": self.groups}
        accepted = inspect.signature(predict).parameters
        if "approximate" in accepted:
            given["approximate"] = True
        started = time.perf_counter()
        if "rows" in accepted:
            rows = self._rows_ahead(row)
            found = predict(rows=rows, **given)
        else:
            found = predict(**given)
            rows = list(range(len(found)))
        seconds = (time.perf_counter() - started) / len(rows)
        self.seconds = min(self.seconds, seconds)  # one of the calls may compile
        fitting = int(_LONGEST / max(seconds, 1e-9))
        self._size = max(1, min(2 * self._size, fitting))
        self._known |= {(method, r): p for r, p in zip(rows, found, strict=True)}

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
