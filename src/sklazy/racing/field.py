"""The field of a race: the losses of the candidates that are still alive."""

import numpy as np
from numpy.typing import NDArray

Losses = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FIRST_ROWS = 16


class Field:
    """Losses block by block of the candidates alive, and their running sums.

    Attributes
    ----------
    alive : int64 array of shape (n_alive,)
        The candidates in the race, by their number, ascending.
    n_alive : int
        The number of candidates alive.
    n_blocks : int
        Blocks entered so far.
    sums : float64 array of shape (n_alive,)
        The sum of each candidate's losses.
    """

    def __init__(self, n_candidates: int) -> None:
        self.alive, self.n_alive = np.arange(n_candidates), n_candidates
        self.n_blocks = 0
        self.sums = np.zeros(n_candidates)
        self._rows = np.empty((_FIRST_ROWS, n_candidates))

    @property
    def losses(self) -> Losses:
        """Losses of the candidates alive, of shape (n_blocks, n_alive)."""
        return self._rows[: self.n_blocks]

    @property
    def means(self) -> Losses:
        """Mean loss of each candidate alive."""
        return self.sums / max(self.n_blocks, 1)

    def enter(self, row: Losses) -> None:
        """Add the losses of one more block."""
        if self.n_blocks == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self.n_blocks] = row
        self.sums = self.sums + row
        self.n_blocks += 1

    def keep(self, kept: Mask) -> None:
        """Remove the other candidates and their losses."""
        self.alive = self.alive[kept]
        self.n_alive = len(self.alive)
        self.sums = self.sums[kept]
        self._rows = self._rows[:, kept]
