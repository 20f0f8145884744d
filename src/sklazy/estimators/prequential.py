"""Predict, then learn: how well an estimator does on rows in the order they happen."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier, is_regressor

from sklazy.casebase.moments import NO_TIMES, Times, as_times, window_starts
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.parameters import check_count
from sklazy.methods.selection.moving import Seen
from sklazy.report.plots import draw_curves, percent, plain
from sklazy.report.progress import Progress

Floats = NDArray[np.float64]

_POINTS = 400  # of a curve; more would lie on one another


@dataclass(frozen=True, eq=False)
class Prequential:
    """Predictions of an estimator for rows that it had not learned yet.

    Attributes
    ----------
    predicted : array of shape (n_predicted,)
        In the order of rows; the first rows were learned but not predicted.
    actual : array of shape (n_predicted,)
    moments : float64 array of shape (n_predicted,)
        The rows' times (days since 1970-01-01 for dates), or their numbers.
    losses : float64 array of shape (n_predicted,)
        0 or 1 for a class that was right or wrong, the absolute error of a number.
    seconds : float
        Time of predicting and learning, the first rows aside.
    for_classes : bool
    """

    predicted: NDArray[Any]
    actual: NDArray[Any]
    moments: Floats
    losses: Floats
    seconds: float
    for_classes: bool

    @property
    def score(self) -> float:
        """Share of correct classes, or mean absolute error."""
        mean = float(self.losses.mean())
        return 1.0 - mean if self.for_classes else mean

    @property
    def rows_per_second(self) -> float:
        """How many rows were predicted and learned in a second."""
        return len(self.losses) / self.seconds

    def rolling(self, width: int = 100) -> Floats:
        """The score of the last `width` rows at every row, of fewer at the start.

        Parameters
        ----------
        width : int

        Returns
        -------
        scores : float64 array of shape (n_predicted,)
        """
        check_count("width", width)
        sums = np.concatenate([[0.0], np.cumsum(self.losses)])
        ends = np.arange(1, len(sums))
        starts = np.maximum(ends - int(width), 0)
        means = (sums[ends] - sums[starts]) / (ends - starts)
        return 1.0 - means if self.for_classes else means

    def to_svg(self, width: int = 100) -> str:
        """A picture of the rolling score over time, as SVG.

        Parameters
        ----------
        width : int
            Number of rows behind each point.
        """
        shown = np.unique(np.linspace(0, len(self.losses) - 1, _POINTS).astype(int))
        scores = self.rolling(width)[shown].tolist()
        curve = list(zip(self.moments[shown].tolist(), scores, strict=True))
        name = "accuracy" if self.for_classes else "mean absolute error"
        canvas = draw_curves(
            {f"last {width} rows": curve},
            f"{name} over time",
            "time",
            name,
            y_written=percent if self.for_classes else plain,
        )
        return canvas.alone()

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        what = "right" if self.for_classes else "mean absolute error"
        score = f"{100 * self.score:.2f} %" if self.for_classes else f"{self.score:.4g}"
        return (
            f"Prequential({score} {what} over {len(self.losses)} rows, "
            f"{self.rows_per_second:.0f} rows a second)"
        )


def prequential(
    estimator: Any,  # noqa: ANN401 - any estimator
    X: Any,  # noqa: ANN401 - whatever the estimator takes
    y: ArrayLike,
    times: ArrayLike | None = None,
    *,
    n_first: int = 10,
    step: int = 1,
) -> Prequential:
    """Predict rows in the order they happen, each before it is learned.

    No prediction sees later rows. Rows of the same time are predicted before any of
    them is learned.

    Parameters
    ----------
    estimator : estimator with `partial_fit` and `predict`
        An estimator of this library or of scikit-learn; it is cloned. Its `window` and
        `half_life`, if any, use `times`.
    X : frame or array of shape (n_rows, n_attributes)
    y : array-like of shape (n_rows,)
    times : array-like of shape (n_rows,), optional
        Times of the rows, in ascending order. Default: one after the other.
    n_first : int, default=10
        Rows learned before the first prediction, with those of the same time as the
        last of them.
    step : int, default=1
        Rows predicted, and then learned, at a time. Larger steps are faster and learn
        the newest rows a little later.

    Returns
    -------
    result : Prequential

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyKNeighborsClassifier, prequential
    >>> X = np.random.default_rng(0).uniform(size=(400, 2))
    >>> y = (X[:, 0] > 0.5) ^ (np.arange(400) >= 200)  # the rule turns round
    >>> model = LazyKNeighborsClassifier(selection="none", window=50)
    >>> result = prequential(model, X, y, step=5)
    >>> bool(result.rolling(50)[-1] > 0.9)
    True
    """
    model, rows, truth = clone(estimator), _Rows(X), np.asarray(y)
    _check_estimator(model)
    moments = _check_times(times, len(rows))
    check_count("n_first", n_first)
    check_count("step", step)
    if truth.shape != (len(rows),):
        raise BadInputError(
            f"y has the shape {truth.shape}; give one value for each of the "
            f"{len(rows)} rows."
        )
    starts = _find_starts(moments.values[0], int(n_first), int(step))
    began = time.perf_counter()
    predicted = _predict_at_once(model, X, truth, moments, starts)
    if predicted is None:
        learn = _Learning(model, rows, truth, times)
        learn(0, starts[0])
        began = time.perf_counter()
        predicted = _predict_in_turn(model, rows, starts, learn)
    seconds, actual = time.perf_counter() - began, truth[starts[0] :]
    for_classes = is_classifier(model)
    losses = (predicted != actual) if for_classes else np.abs(predicted - actual)
    times_left = moments.values[0, starts[0] :]
    return Prequential(
        predicted, actual, times_left, losses.astype(np.float64), seconds, for_classes
    )


class _Rows:
    """Rows of a frame or an array by position."""

    def __init__(self, X: Any) -> None:  # noqa: ANN401 - whatever holds rows
        self._rows = X if hasattr(X, "shape") else np.asarray(X, object)
        self._by_place = getattr(self._rows, "iloc", self._rows)

    def __len__(self) -> int:
        return int(self._rows.shape[0])

    def __getitem__(self, part: slice) -> Any:  # noqa: ANN401
        return self._by_place[part]


class _Learning:
    """How an estimator is given further rows."""

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        rows: _Rows,
        truth: NDArray[Any],
        times: ArrayLike | None,
    ) -> None:
        self._model, self._rows, self._truth = model, rows, truth
        takes = inspect.signature(model.partial_fit).parameters
        self._options: dict[str, Any] = {}
        if "classes" in takes and not hasattr(model, "forget"):
            self._options["classes"] = np.unique(truth)  # others must know them all
        self._times = None if "times" not in takes or times is None else _Rows(times)

    def __call__(self, start: int, end: int) -> None:
        """Learn the rows ``start..end - 1``."""
        part = slice(start, end)
        options = dict(self._options)
        if self._times is not None:
            options["times"] = self._times[part]
        self._model.partial_fit(self._rows[part], self._truth[part], **options)


def _predict_in_turn(
    model: Any,  # noqa: ANN401 - any estimator
    rows: _Rows,
    starts: list[int],
    learn: _Learning,
) -> NDArray[Any]:
    """Predict and learn part after part."""
    predicted = []
    with Progress("predicting and learning", total=len(rows) - starts[0]) as progress:
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            predicted.append(model.predict(rows[start:end]))
            learn(start, end)
            progress.advance(end - start)
    return np.concatenate(predicted)


def _predict_at_once(
    model: Any,  # noqa: ANN401 - any estimator
    X: object,
    truth: NDArray[Any],
    moments: Times,
    starts: list[int],
) -> NDArray[Any] | None:
    """The same predictions found without learning, by estimators that can."""
    if not hasattr(model, "_predict_moving"):
        return None
    ends = np.repeat(starts, np.diff([*starts, len(truth)]))
    rows, times = np.arange(starts[0], len(truth)), moments.values[0]
    window = getattr(model, "window", None)
    first = np.zeros(len(ends), np.int64)
    if window is not None:
        first = window_starts(times, ends, window, moments.clock)
    return model._predict_moving(X, truth, Seen(first, ends, rows))


def _find_starts(moments: Floats, n_first: int, step: int) -> list[int]:
    """Where the rows start that are predicted together."""
    n_rows = len(moments)
    ends = np.flatnonzero(np.diff(moments)) + 1  # where a new moment begins
    starts = list(_space_starts(ends[ends >= n_first], step))
    if not starts:
        raise BadInputError(
            f"n_first={n_first} leaves none of the {n_rows} rows to predict; give more "
            "rows, or fewer first ones."
        )
    return starts


def _space_starts(ends: NDArray[np.int64], step: int) -> Iterator[int]:
    """Every beginning of a moment that is at least `step` rows behind the last one."""
    last = -step
    for end in ends.tolist():
        if end - last >= step:
            yield end
            last = end


def _check_times(times: ArrayLike | None, n_rows: int) -> Times:
    if times is None:
        return Times(np.arange(n_rows, dtype=np.float64)[None], NO_TIMES.clock)
    moments = as_times(times)
    if moments.values.shape[1] != n_rows:
        raise BadInputError(
            f"times has {moments.values.shape[1]} values for {n_rows} rows; give one "
            "time for each row."
        )
    back = np.flatnonzero(np.diff(moments.values[0]) < 0)
    if len(back):
        raise BadInputError(
            f"times go backwards from row {back[0]} to row {back[0] + 1}; put the rows "
            "in the order in which they happened."
        )
    return moments


def _check_estimator(model: Any) -> None:  # noqa: ANN401
    if not (is_classifier(model) or is_regressor(model)) or not hasattr(
        model, "partial_fit"
    ):
        raise BadTypeError(
            f"{type(model).__name__} cannot learn row by row; expected a classifier or "
            "regressor with `partial_fit`, such as LazyKNeighborsClassifier."
        )
