"""Weights, width, ridge and temperature: those of least left-out loss, together."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import KernelColumns
from sklazy.kernels.kernel_models import measure_distances
from sklazy.methods.kernel_models.solution import decompose, leave_rows_out

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
    """Loss of left-out answers, (n_rows, n_targets)."""

    n_rows: int

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
        median = find_median(distances)
        for width in widths:
            if len(targets) == 1:  # nothing to leave out: any will do
                return KernelSettings(share, own, width, median, RIDGES[0], 1.0, np.nan)
            parts = decompose(np.exp(distances * (-width / median)), targets)
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


def find_median(distances: Floats) -> float:
    """The median of distances above 0; 1 if there is none."""
    apart = distances[distances > 0.0]
    return float(np.median(apart)) if len(apart) else 1.0


class ClassJudge:
    """Log loss of softmax, with the temperature of least loss.

    The only row of a class is not judged: without it its class is unknown.
    """

    def __init__(self, classes: Ints) -> None:
        self.n_rows = len(classes)
        judged = np.flatnonzero(np.bincount(classes)[classes] > 1)
        self.rows = judged if len(judged) else np.arange(len(classes))
        self.classes = classes[self.rows]

    def measure(self, left_out: Floats) -> tuple[float, float]:
        """The least loss, and its temperature."""
        own = left_out[self.rows, self.classes]
        above = left_out[self.rows] - own[:, None]
        losses = _log_losses(above)
        best = int(np.argmin(losses))
        return float(losses[best]), float(TEMPERATURES[best])

    def slope(self, left_out: Floats, temperature: float) -> Floats:
        """The derivative of the loss, without its floor, by every score."""
        scores = left_out[self.rows]
        shares = np.exp(temperature * (scores - scores.max(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(scores)), self.classes] -= 1.0
        slopes = np.zeros(left_out.shape)
        slopes[self.rows] = temperature * shares / len(scores)
        return slopes

    def gain(self, before: float, after: float) -> float:
        """Of all rows together, in nats."""
        return len(self.rows) * (before - after)


def _log_losses(above: Floats) -> Floats:
    """Mean log loss with each temperature, from scores less that of the true class."""
    with np.errstate(over="ignore"):
        odds = np.exp(TEMPERATURES[:, None, None] * above)
        probabilities = 1.0 / odds.sum(axis=2)
    floored = (1.0 - _FLOOR) * probabilities + _FLOOR / above.shape[1]
    return np.asarray(-np.log(floored).mean(axis=1))


class NumberJudge:
    """Mean squared error; there is no temperature."""

    def __init__(self, targets: Floats) -> None:
        self.targets, self.n_rows = targets, len(targets)

    def measure(self, left_out: Floats) -> tuple[float, float]:
        """The mean squared error, and 1."""
        return float(((left_out - self.targets) ** 2).mean()), 1.0

    def slope(self, left_out: Floats, temperature: float) -> Floats:
        """The derivative of the loss by every answer."""
        slopes: Floats = 2.0 * (left_out - self.targets) / left_out.size
        return slopes

    def gain(self, before: float, after: float) -> float:
        """In nats, errors being normal."""
        if after >= before:
            return 0.0
        return (
            np.inf if after == 0 else 0.5 * self.targets.size * np.log(before / after)
        )
