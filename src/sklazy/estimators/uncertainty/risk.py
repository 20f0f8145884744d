"""The risk-coverage curve: how accurate answers are if the least sure are withheld."""

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.combine.abstention import lower_bounds
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_share

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """How accurate answers are if the least sure are withheld, by leave-one-out.

    Attributes
    ----------
    thresholds : float64 array of shape (n_points,)
        The probability that an answer must have, falling; at the last, all are given.
    n_answered, n_right : int64 arrays of shape (n_points,)
        The rows answered then, and rightly so.
    """

    thresholds: Floats
    n_answered: Ints
    n_right: Ints

    @property
    def coverage(self) -> Floats:
        """The share of rows that are answered, by point."""
        shares: Floats = self.n_answered / self.n_answered[-1]
        return shares

    @property
    def accuracy(self) -> Floats:
        """The share of right answers among those given, by point."""
        shares: Floats = self.n_right / self.n_answered
        return shares

    @property
    def area(self) -> float:
        """The mean share of wrong answers over all shares answered; 0 is best."""
        widths = np.diff(self.coverage, prepend=0.0)
        return float(((1.0 - self.accuracy) * widths).sum())

    def threshold_for(self, accuracy: float, confidence: float | None = None) -> float:
        """The threshold that withholds the fewest answers for a wanted accuracy.

        Parameters
        ----------
        accuracy : float in (0, 1)
        confidence : float in (0, 1), optional
            How sure the accuracy must be, not just observed: its lower bound by Clopper
            and Pearson counts then, at each threshold by itself.
        """
        check_share("accuracy", accuracy)
        reached = self.accuracy
        if confidence is not None:
            check_share("confidence", confidence)
            reached = lower_bounds(self.n_right, self.n_answered, confidence)
        good = np.flatnonzero(reached >= accuracy)
        if not len(good):
            raise BadInputError(
                f"accuracy={accuracy!r} is not reached, however few answers are given: "
                f"{reached.max():.3f} is the best of "
                f"{self.n_answered[-1]} rows left out. Ask for less."
            )
        return float(self.thresholds[good[-1]])

    def share_answered(self, threshold: float) -> float:
        """The share of rows that are at least so sure."""
        return float(self.coverage[np.flatnonzero(self.thresholds >= threshold)[-1]])

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain data."""
        names = ("thresholds", "coverage", "accuracy")
        return {name: getattr(self, name).tolist() for name in names}

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401 - a matplotlib Axes
        """Draw accuracy against the share of rows answered.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        """
        ax = importlib.import_module("matplotlib.pyplot").gca() if ax is None else ax
        ax.step(self.coverage, self.accuracy, where="post")
        ax.set(xlabel="share of rows answered", ylabel="accuracy of answers")
        return ax

    def __repr__(self) -> str:
        return (
            f"RiskCoverage({self.n_answered[-1]} rows, accuracy "
            f"{self.accuracy[-1]:.3f} of all, area {self.area:.3f})"
        )
