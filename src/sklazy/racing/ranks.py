"""Ranks within blocks, their sums, Friedman's statistic, and cached quantiles."""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sklazy.racing.field import Losses


class RankSums(NamedTuple):
    """Sums of ranks: enough for a test in O(n_alive).

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
        variance = (self.n_blocks * k * (k * k - 1) - self.ties) / 12
        if variance <= 0:
            return 0.0
        deviations = self.sums - self.n_blocks * (k + 1) / 2
        return (k - 1) * float(deviations @ deviations) / variance

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
    if len(losses) == 1:
        return _rank_block(losses[0])
    n_blocks, n_alive = losses.shape
    # Blocks one after the other, so that plain indices reach every cell.
    order = losses.argsort(axis=1)
    order += np.arange(0, losses.size, n_alive)[:, None]
    ordered = losses.ravel()[order]
    fresh = np.ones(order.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=fresh[:, 1:])
    starts = np.flatnonzero(fresh)
    lengths = np.empty(len(starts), dtype=np.int64)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = losses.size - starts[-1]
    middles = starts % n_alive + (lengths + 1) * 0.5
    ranks = np.empty(losses.size)
    ranks[order.ravel()] = np.repeat(middles, lengths)
    # Counted as floats: a block of millions of ties would overflow.
    sizes = lengths[lengths > 1].astype(np.float64)
    ties = float(sizes @ (sizes * sizes - 1))
    return RankSums(ranks.reshape(order.shape).sum(axis=0), ties, n_blocks)


def _rank_block(losses: Losses) -> RankSums:
    """Rank one block; mostly without ties, where there is less to do."""
    n = len(losses)
    order = losses.argsort()
    ordered = losses[order]
    fresh = np.empty(n, dtype=bool)
    fresh[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    starts = fresh.nonzero()[0]
    ranks = np.empty(n)
    if len(starts) == n:
        ranks[order] = np.arange(1.0, n + 1)
        return RankSums(ranks, 0.0, 1)
    bounds = np.empty(len(starts) + 1)
    bounds[:-1], bounds[-1] = starts, n
    lengths = bounds[1:] - bounds[:-1]
    middles = (bounds[1:] + bounds[:-1] + 1) * 0.5
    ranks[order] = middles.repeat(lengths.astype(np.int64))
    return RankSums(ranks, float(lengths @ (lengths * lengths)) - n, 1)


_cached = functools.lru_cache(maxsize=4096)


@_cached
def chi_square_above(freedom: int, alpha: float) -> float:
    """Return what a chi-square variable exceeds with probability `alpha`."""
    return float(special.chdtri(freedom, alpha))


@_cached
def student_above(freedom: int, alpha: float) -> float:
    """Return what a Student variable exceeds with probability `alpha`."""
    return -float(special.stdtrit(freedom, alpha))


@_cached
def normal_above(alpha: float) -> float:
    """Return what a standard normal variable exceeds with probability `alpha`."""
    return -float(special.ndtri(alpha))
