"""Schemata search: each attribute is decided by itself, the others being random."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.racing.masks import mask_of
from sklazy.racing.ranks import student_above

_EXPECTED = 10  # attributes of a random set, at most


class Schemata:
    """The state of each attribute: in, out, or not decided yet.

    At each block a random set is drawn that agrees with what is decided. It is
    compared with the sets that differ from it in one undecided attribute: the loss
    with the attribute less the loss without it. An attribute whose mean difference
    is significant is decided, and the differences of all others are dropped, since
    the random sets are drawn differently from then on.

    Parameters
    ----------
    n_attributes : int
    alpha : float
    first_test : int
        Differences an attribute needs before it can be decided.
    max_new : int
        The most attributes that are compared in one block, drawn at random.
    rng : numpy Generator

    References
    ----------
    Moore, Lee (1994). Efficient algorithms for minimizing cross validation error.
    ICML.
    """

    def __init__(
        self,
        n_attributes: int,
        alpha: float,
        first_test: int,
        max_new: int,
        rng: np.random.Generator,
    ) -> None:
        self.alpha, self.first_test, self.max_new = alpha, first_test, max_new
        self.rng = rng
        self.inside: list[int] = []
        self.undecided: NDArray[np.int64] = np.arange(n_attributes)
        self.blocks_since_decision = 0
        self._reset()

    def draw(self) -> list[int]:
        """Return a random set, and those that differ in one undecided attribute."""
        probability = min(0.5, _EXPECTED / max(len(self.undecided), 1))
        drawn = self.undecided[self.rng.random(len(self.undecided)) < probability]
        self._here = mask_of([*self.inside, *drawn.tolist()])
        self._compared = np.arange(len(self.undecided))
        if len(self._compared) > self.max_new:
            some = self.rng.choice(self._compared, self.max_new, replace=False)
            self._compared = np.sort(some)
        flips = self.undecided[self._compared].tolist()
        return [self._here, *(self._here ^ (1 << j) for j in flips)]

    def enter(self, losses: Sequence[float] | NDArray[np.float64]) -> bool:
        """Enter the losses of the sets drawn; return whether something was decided."""
        ours, flipped = losses[0], np.asarray(losses[1:], dtype=np.float64)
        compared = self._compared
        attributes = self.undecided[compared].tolist()
        inside = np.array([self._here >> j & 1 for j in attributes], dtype=bool)
        differences = np.where(inside, ours - flipped, flipped - ours)
        known = np.isfinite(differences)
        self._update(compared[known], differences[known])
        self.blocks_since_decision += 1
        return self._decide()

    def best_guess(self) -> int:
        """Return the attributes that are in, and the undecided that seem to help."""
        helping = self.undecided[self._statistics() < -1.0]
        return mask_of([*self.inside, *helping.tolist()])

    def _reset(self) -> None:
        n = len(self.undecided)
        self._counts, self._means, self._squares = np.zeros((3, n))

    def _update(
        self, places: NDArray[np.int64], differences: NDArray[np.float64]
    ) -> None:
        """Update means and sums of squares (Welford)."""
        self._counts[places] += 1
        before = differences - self._means[places]
        self._means[places] += before / self._counts[places]
        self._squares[places] += before * (differences - self._means[places])

    def _statistics(self) -> NDArray[np.float64]:
        """Mean difference over its standard error, 0 where too little is known."""
        n = np.maximum(self._counts, 2)
        errors = np.sqrt(self._squares / (n - 1) / n)
        known = (self._counts >= self.first_test) & (errors > 0)
        return np.where(known, self._means / np.where(known, errors, 1.0), 0.0)

    def _decide(self) -> bool:
        statistics = self._statistics()
        counts = self._counts.astype(int).tolist()
        limits = [student_above(max(n - 1, 1), self.alpha / 2) for n in counts]
        sure = np.abs(statistics) > limits
        if not sure.any():
            return False
        self.inside += self.undecided[sure & (statistics < 0)].tolist()
        self.undecided = self.undecided[~sure]
        self.blocks_since_decision = 0
        self._reset()
        return True
