"""Ranks within blocks, and what Friedman's test makes of their sums."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.racing.field import Losses


class RankSums(NamedTuple):
    """What is kept of the ranks: enough for a test in O(alive).

    Attributes
    ----------
    sums : float64 array of shape (n_alive,)
        The rank sum of each candidate, tied losses sharing their mean rank.
    ties : float
        Sum of t^3 - t over all groups of t tied losses within a block.
    n_blocks : int
    """

    sums: NDArray[np.float64]
    ties: float
    n_blocks: int

    @property
    def squares(self) -> float:
        """The sum of all squared ranks (Conover's A)."""
        k = len(self.sums)
        return self.n_blocks * k * (k + 1) * (2 * k + 1) / 6 - self.ties / 12

    def statistic(self) -> float:
        """Friedman's statistic, corrected for ties; 0 if all losses are tied."""
        k = len(self.sums)
        spread = (self.n_blocks * k * (k * k - 1) - self.ties) / 12
        if spread <= 0:
            return 0.0
        off = self.sums - self.n_blocks * (k + 1) / 2
        return (k - 1) * float(off @ off) / spread

    def plus(self, other: "RankSums") -> "RankSums":
        """Join the sums of further blocks."""
        return RankSums(
            self.sums + other.sums,
            self.ties + other.ties,
            self.n_blocks + other.n_blocks,
        )


def rank_sums(losses: Losses) -> RankSums:
    """Rank each block's losses, smallest first, and sum over the blocks.

    Equal to `scipy.stats.rankdata(losses, axis=1).sum(axis=0)` with the ties
    counted beside it; rank sums are multiples of 1/2, so that no order of
    summing can change them.
    """
    n_blocks, n_alive = losses.shape
    order = np.argsort(losses, axis=1)
    ordered = np.take_along_axis(losses, order, axis=1)
    tied = ordered[:, 1:] == ordered[:, :-1]
    ranks: NDArray[np.float64] = np.arange(1.0, n_alive + 1)
    ties = 0.0
    if tied.any():
        starts = np.flatnonzero(np.insert(~tied, 0, True, axis=1))
        lengths = np.diff(starts, append=losses.size)
        middles = starts % n_alive + (lengths + 1) / 2
        ranks = np.repeat(middles, lengths).reshape(order.shape)
        ties = float(np.sum(lengths.astype(np.float64) ** 3 - lengths))
    weights = np.broadcast_to(ranks, order.shape).ravel()
    counted = np.bincount(order.ravel(), weights=weights, minlength=n_alive)
    sums = counted.astype(np.float64, copy=False)
    return RankSums(sums, ties, n_blocks)
