"""Report of a race: its steps and its result, as plain data."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class RaceStep(NamedTuple):
    """One block of a race.

    Attributes
    ----------
    n_blocks : int
        Blocks run so far, this one included.
    n_alive : int
        Candidates left after this block.
    best : int
        The candidate with the lowest mean loss so far.
    best_loss : float
        Its mean loss.
    dropped : tuple of int
        Candidates the test found worse in this block.
    failed : tuple of int
        Candidates whose evaluation failed in this block.
    """

    n_blocks: int
    n_alive: int
    best: int
    best_loss: float
    dropped: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class RaceResult:
    """How a race went.

    Attributes
    ----------
    winners : tuple of int
        The candidates alive at the end, the lowest mean loss first.
    losses : float64 array of shape (n_blocks, n_candidates)
        NaN where a candidate was not run.
    eliminated_at : int64 array of shape (n_candidates,)
        The number of blocks after which a candidate was out; 0 for the winners.
    reasons : dict of int to str
        Why the evaluation of a candidate failed, for those that did.
    history : tuple of RaceStep
    stopped : str
        Why the race ended: "winners" (no more than `n_winners` are left), "equal"
        (all that are left lie within `min_effect`), "blocks", "evaluations",
        "seconds" or "interrupted".

    Examples
    --------
    >>> from sklazy import race
    >>> race(lambda alive, block: [c + block % 3 for c in alive], [0, 1, 5], range(9))
    RaceResult(1 of 3 left after 5 blocks: best 0, mean loss 0.8; stopped: 'winners')
    """

    winners: tuple[int, ...]
    losses: NDArray[np.float64]
    eliminated_at: NDArray[np.int64]
    reasons: dict[int, str]
    history: tuple[RaceStep, ...]
    stopped: str

    def __repr__(self) -> str:
        n_blocks, n_candidates = self.losses.shape
        loss = self.mean_losses[self.best]
        return (
            f"RaceResult({len(self.winners)} of {n_candidates} left after {n_blocks} "
            f"blocks: best {self.best}, mean loss {loss:.4g}; stopped: "
            f"{self.stopped!r})"
        )

    @property
    def best(self) -> int:
        """The winner with the lowest mean loss."""
        return self.winners[0]

    @property
    def n_run(self) -> NDArray[np.int64]:
        """Number of blocks each candidate was run on."""
        return np.isfinite(self.losses).sum(axis=0)

    @property
    def n_evaluations(self) -> int:
        """Number of losses that were computed."""
        return int(self.n_run.sum())

    @property
    def mean_losses(self) -> NDArray[np.float64]:
        """Mean loss of each candidate over the blocks it was run on."""
        runs = self.n_run
        sums = np.nansum(self.losses, axis=0)
        return np.where(runs > 0, sums / np.maximum(runs, 1), np.nan)
