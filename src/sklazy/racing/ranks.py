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
    order = losses.argsort(axis=1)
    # Blocks one after the other, so that plain indices reach every cell.
    flat = (order + n_alive * np.arange(n_blocks)[:, None]).ravel()
    ordered = losses.ravel()[flat].reshape(order.shape)
    tied = ordered[:, 1:] == ordered[:, :-1]
    ranks = np.empty(losses.size)
    if not tied.any():
        ranks[flat] = np.resize(np.arange(1.0, n_alive + 1), losses.size)
        return RankSums(_sum_blocks(ranks, n_alive), 0.0, n_blocks)
    starts = np.flatnonzero(np.insert(~tied, 0, True, axis=1))
    lengths = np.diff(starts, append=losses.size)
    ranks[flat] = np.repeat(starts % n_alive + (lengths + 1) / 2, lengths)
    ties = float(np.sum(lengths.astype(np.float64) ** 3 - lengths))
    return RankSums(_sum_blocks(ranks, n_alive), ties, n_blocks)


def _sum_blocks(ranks: NDArray[np.float64], n_alive: int) -> NDArray[np.float64]:
    return ranks if len(ranks) == n_alive else ranks.reshape(-1, n_alive).sum(axis=0)
