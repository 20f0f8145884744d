"""Weights, width, ridge and temperature: those of least left-out loss, together."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import KernelColumns
from sklazy.kernels.kernel_models import measure_distances
from sklazy.methods.kernel_models.solution import decompose, leave_rows_out
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHARES = (0.0, 0.5, 1.0)
"""Of the attributes' information in their weights."""

WIDTHS_OF_CLASSES = (0.5, 1.5)
WIDTHS_OF_NUMBERS = (0.1, 0.4, 1.5)
"""Rates of decay of similarity, over the median distance of the cases."""

RIDGES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.003)
TEMPERATURES = np.geomspace(0.5, 60.0, 25)
"""Factors of the scores, before softmax turns them into probabilities."""

_FLOOR = (
    1e-3  # shared by all classes: one row that is certain and wrong does not decide
)
_TIE = 1e-9  # losses closer than this differ by rounding


Candidate = tuple[float, Floats]
"""A share of information, and the attributes' weights by it."""


class Judge(Protocol):
    """Loss of left-out answers, (n_rows, n_targets).

    `total` is the number of rows, or the sum of their weights, where they have any.
    """

    n_rows: int
    total: float
    weights: RowWeights | None

    def measure(self, left_out: Floats) -> tuple[float, float]:
        """The least loss, and its temperature."""

    def slope(self, left_out: Floats, temperature: float) -> Floats:
        """The derivative of the loss by every answer."""

    def gain(self, before: float, after: float) -> float:
        """Convert a change of the loss to log likelihood."""


class KernelSettings(NamedTuple):
    """Settings that were chosen.

    Attributes
    ----------
    share : float
        Of the attributes' information in their weights.
    weights : float64 array of shape (n_attributes,)
    width : float
    median : float
        The median distance of the cases; similarity is exp(-width * distance / median).
    ridge : float
    temperature : float
        1 where numbers are predicted.
    loss : float
        The left-out loss; NaN where there is nothing to leave out.
    n_moves : int
        How often the weights were moved since, along the gradient of the loss.
    """

    share: float
    weights: Floats
    width: float
    median: float
    ridge: float
    temperature: float
    loss: float
    n_moves: int = 0

    @property
    def rate(self) -> float:
        """Factor of a distance."""
        return self.width / self.median


def choose_settings(
    columns: KernelColumns,
    candidates: Sequence[Candidate],
    targets: Floats,
    widths: Sequence[float],
    judge: Judge,
) -> KernelSettings:
    """Choose the weights with the last of the widths, then the width with these.

    That takes fewer decompositions than to try all. Of equal settings the first is
    taken.

    Parameters
    ----------
    columns : KernelColumns
        The rows that are left out in turn; its weights do not matter.
    candidates : sequence of pairs of a share and weights
        Weights of shape (n_attributes,), by their share of information.
    targets : float64 array of shape (n_rows, n_targets)
    widths : sequence of float
    judge : Judge
    """
    first = _try_all(columns, candidates, targets, widths[-1:], judge)
    only = [(first.share, first.weights)]
    found = _try_all(columns, only, targets, widths[:-1], judge)
    return found if _is_better(found, first) else first


def _is_better(one: KernelSettings, other: KernelSettings) -> bool:
    """Whether a loss is less by more than rounding."""
    return one.loss < other.loss * (1.0 - _TIE)


def _try_all(
    columns: KernelColumns,
    candidates: Sequence[Candidate],
    targets: Floats,
    widths: Sequence[float],
    judge: Judge,
) -> KernelSettings:
    """The settings of least loss, among all ridges, too."""
    best: KernelSettings | None = None
    for share, own in candidates:
        distances = measure_all(columns._replace(weights=own))
        median = find_median(distances, judge.weights)
        for width in widths:
            if len(targets) == 1 and judge.total <= 1.0:  # nothing to leave out
                return KernelSettings(share, own, width, median, RIDGES[0], 1.0, np.nan)
            similarities = np.exp(distances * (-width / median))
            parts = decompose(similarities, targets, judge.weights)
            for ridge in RIDGES:
                loss, temperature = judge.measure(leave_rows_out(parts, ridge))
                found = KernelSettings(
                    share, own, width, median, ridge, temperature, loss
                )
                if best is None or _is_better(found, best):
                    best = found
        if (own == candidates[-1][1]).all():
            break  # no attribute informs: other shares are the same
    assert best is not None
    return best


def measure_all(columns: KernelColumns) -> Floats:
    """The distances of all rows from each other."""
    queries = np.ascontiguousarray(columns.values.T)
    distances = np.empty((len(queries), len(queries)))
    measure_distances(columns, queries, distances)
    return distances


def find_median(distances: Floats, weights: RowWeights | None = None) -> float:
    """The median of distances above 0; 1 if there is none.

    A pair of rows counts by the product of their weights.
    """
    apart = distances > 0.0
    if not apart.any():
        return 1.0
    if weights is None:
        return float(np.median(distances[apart]))
    pairs = np.outer(weights.values, weights.values)[apart]
    order = np.argsort(distances[apart], kind="stable")
    sorted_, sums = distances[apart][order], np.cumsum(pairs[order])
    half = 0.5 * sums[-1]
    tie = _TIE * half
    ends = sums.searchsorted([half - tie, half + tie])
    return float(sorted_[np.minimum(ends, len(sorted_) - 1)].mean())


class ClassJudge:
    """Log loss of softmax, with the temperature of least loss.

    The only row of a class is not judged: without it its class is unknown.
    """

    def __init__(self, classes: Ints, weights: RowWeights | None = None) -> None:
        self.n_rows, self.weights = len(classes), weights
        self.total = _sum_up(classes, weights)
        judged = np.flatnonzero(_have_others(classes, weights))
        self.rows = judged if len(judged) else np.arange(len(classes))
        self.classes = classes[self.rows]
        self._judged = np.ones(len(self.rows))
        if weights is not None:
            self._judged = weights.values[self.rows]
        self._parts = self._judged / self._judged.sum()

    def measure(self, left_out: Floats) -> tuple[float, float]:
        """The least loss, and its temperature."""
        own = left_out[self.rows, self.classes]
        above = left_out[self.rows] - own[:, None]
        losses = _log_losses(above, None if self.weights is None else self._parts)
        best = int(np.argmin(losses))
        return float(losses[best]), float(TEMPERATURES[best])

    def slope(self, left_out: Floats, temperature: float) -> Floats:
        """The derivative of the loss, without its floor, by every score."""
        scores = left_out[self.rows]
        shares = np.exp(temperature * (scores - scores.max(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(scores)), self.classes] -= 1.0
        slopes = np.zeros(left_out.shape)
        slopes[self.rows] = temperature * shares * self._parts[:, None]
        return slopes

    def gain(self, before: float, after: float) -> float:
        """Of all rows together, in nats."""
        return float(self._judged.sum()) * (before - after)


def _sum_up(rows: NDArray[np.generic], weights: RowWeights | None) -> float:
    return len(rows) if weights is None else float(weights.values.sum())


def _have_others(classes: Ints, weights: RowWeights | None) -> NDArray[np.bool_]:
    """Whether a row's class is known without what is left out of the row."""
    if weights is None:
        return np.asarray(np.bincount(classes)[classes] > 1)
    sums = np.bincount(classes, weights.values)[classes]
    return np.asarray(sums - weights.values * weights.shares > _TIE * sums)


def _log_losses(above: Floats, parts: Floats | None) -> Floats:
    """Mean log loss with each temperature, from scores less that of the true class.

    `parts` are the shares of rows in the mean, equal ones where there are none.
    """
    with np.errstate(over="ignore"):
        odds = np.exp(TEMPERATURES[:, None, None] * above)
        probabilities = 1.0 / odds.sum(axis=2)
    floored = (1.0 - _FLOOR) * probabilities + _FLOOR / above.shape[1]
    losses = -np.log(floored)
    return np.asarray(losses.mean(axis=1) if parts is None else losses @ parts)


class NumberJudge:
    """Mean squared error; there is no temperature."""

    def __init__(self, targets: Floats, weights: RowWeights | None = None) -> None:
        self.targets, self.n_rows, self.weights = targets, len(targets), weights
        self.total = _sum_up(targets, weights)

    def measure(self, left_out: Floats) -> tuple[float, float]:
        """The mean squared error, and 1."""
        squares = (left_out - self.targets) ** 2
        if self.weights is None:
            return float(squares.mean()), 1.0
        return float(self.weights.values @ squares.mean(axis=1) / self.total), 1.0

    def slope(self, left_out: Floats, temperature: float) -> Floats:
        """The derivative of the loss by every answer."""
        slopes: Floats = 2.0 * (left_out - self.targets) / left_out.size
        if self.weights is not None:
            slopes *= self.weights.values[:, None] * (self.n_rows / self.total)
        return slopes

    def gain(self, before: float, after: float) -> float:
        """In nats, errors being normal."""
        if after >= before:
            return 0.0
        return (
            np.inf
            if after == 0
            else 0.5 * self.total * self.targets.shape[1] * np.log(before / after)
        )
