"""The field of a race: losses as evaluations return them, of candidates still alive."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError

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


Evaluated = Sequence[Any] | NDArray[Any]
"""A loss, or an exception, for each candidate."""


def read_losses(evaluated: Evaluated, n_candidates: int) -> tuple[Losses, list[str]]:
    """Losses as numbers, NaN where an evaluation failed, and why those failed."""
    try:
        row = np.asarray(evaluated, dtype=np.float64)
    except (TypeError, ValueError):
        row = np.array([_as_number(one) for one in evaluated])
    if row.shape != (n_candidates,):
        raise BadInputError(
            f"evaluate returned losses of shape {row.shape} for {n_candidates} "
            "candidates; expected one number for each."
        )
    if np.isfinite(row).all():
        return row, []
    where = np.flatnonzero(~np.isfinite(row)).tolist()
    return row, [_reason(evaluated[i]) for i in where]


def _as_number(loss: object) -> float:
    failed = isinstance(loss, BaseException)
    return np.nan if failed else np.asarray(loss, dtype=np.float64).item()


def _reason(loss: object) -> str:
    if isinstance(loss, BaseException):
        return f"{type(loss).__name__}: {loss}"
    return f"the loss {loss}"
