"""The tests that decide which candidates are eliminated.

A test sees losses, never candidates. A new one is a class here, an entry in `TESTS` of
`rules.py`, its name in `Test` of `estimators/parameters.py`, a slow twin in
`tests/oracle/racing.py`, and a measurement of how often it drops the truly best.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sklazy.racing.field import Field, Losses, Mask
from sklazy.racing.ranks import (
    RankSums,
    chi_square_above,
    normal_above,
    rank_sums,
    student_above,
)

_ROUNDING = 10 * float(np.finfo(np.float64).eps)


class Criterion(Protocol):
    """A test over the candidates of a field (two or more alive)."""

    def losers(self, field: Field) -> Mask:
        """Mark the candidates alive that are significantly worse."""

    def standing(self, field: Field) -> Losses:
        """Figures that order the candidates alive, lower is better."""

    def reset(self) -> None:
        """Drop what was kept: the field has become smaller."""


class Friedman:
    """Friedman's test, then Conover's comparison with the best (R `race`, `irace`).

    Rank sums are kept from block to block. Two alive: Wilcoxon's signed ranks.
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self._kept: RankSums | None = None

    def reset(self) -> None:
        """Drop the rank sums: ranks differ in a smaller field."""
        self._kept = None

    def standing(self, field: Field) -> Losses:
        """Rank sums over all blocks entered."""
        return self._up_to_date(field).sums

    def losers(self, field: Field) -> Mask:
        """Candidates whose rank sum exceeds the best by Conover's margin."""
        if field.n_alive == 2:
            return _wilcoxon_losers(field.losses, self.alpha)
        ranks = self._up_to_date(field)
        if not _rejected(ranks, self.alpha):
            return np.zeros(field.n_alive, dtype=bool)
        return ranks.sums - ranks.sums.min() > _conover_margin(ranks, self.alpha)

    def _up_to_date(self, field: Field) -> RankSums:
        if self._kept is None:
            self._kept = rank_sums(field.losses)
        elif self._kept.n_blocks < field.n_blocks:
            fresh = field.losses[self._kept.n_blocks :]
            self._kept = self._kept.plus(rank_sums(fresh))
        return self._kept


class FriedmanOneByOne(Friedman):
    """Friedman's test as in RACSAM: drop the largest mean loss, test again."""

    def standing(self, field: Field) -> Losses:
        """Mean losses."""
        return field.sums

    def losers(self, field: Field) -> Mask:
        """Candidates eliminated, worst mean first, until the test does not reject."""
        ranks = self._up_to_date(field)
        out = np.zeros(field.n_alive, dtype=bool)
        if not _rejected(ranks, self.alpha):
            return out
        worst_first = np.argsort(field.sums, kind="stable")[::-1]
        losses = field.losses[:, worst_first]
        ranks = ranks._replace(sums=ranks.sums[worst_first])
        n_out = 0
        while n_out < field.n_alive - 1 and _rejected(ranks, self.alpha):
            ranks = _without_first(ranks, losses[:, n_out:])
            n_out += 1
        out[worst_first[:n_out]] = True
        return out


class PairedDifferences:
    """Mean and standard error of all candidates' differences from one of them.

    The sums are updated block by block (Welford) as long as the reference candidate
    stays the same and no candidate is eliminated.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Drop the sums."""
        self._from = -1
        self._n_blocks = 0

    def statistics(self, field: Field, quantile: Callable[[float], float]) -> Losses:
        """Mean difference from the best over its standard error; 0 for the best.

        Few blocks and coarse losses can give the same difference in every block, and
        no estimate of its variance. A sign test is used there: n wins out of n have
        the probability 2^-n, and `quantile` turns this into a statistic.
        """
        best, n = int(np.argmin(field.sums)), field.n_blocks
        differences, error = self.compare(field, best)
        means = np.abs(field.sums) / n
        noise = _ROUNDING * np.maximum(means, means[best])
        flat = error <= noise
        sure = np.where(differences > noise, quantile(0.5**n), 0.0)
        return np.where(flat, sure, differences / np.where(flat, 1.0, error))

    def compare(self, field: Field, place: int) -> tuple[Losses, Losses]:
        """Means and standard errors of the differences from the candidate there."""
        n = field.n_blocks
        if place == self._from and self._n_blocks == n - 1:
            self._update(field.losses[-1])
        elif place != self._from or self._n_blocks != n:
            self._start(field.losses, place)
        return self._means, np.sqrt(self._squares / (n - 1) / n)

    def _start(self, losses: Losses, place: int) -> None:
        differences = losses - losses[:, [place]]
        self._from, self._n_blocks = place, len(losses)
        self._means: Losses = differences.mean(axis=0)
        self._squares: Losses = np.sum((differences - self._means) ** 2, axis=0)

    def _update(self, row: Losses) -> None:
        differences = row - row[self._from]
        self._n_blocks += 1
        before = differences - self._means
        self._means = self._means + before / self._n_blocks
        self._squares = self._squares + before * (differences - self._means)


class Brace:
    """BRACE: a normal interval on the mean of the paired differences."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self._pairs = PairedDifferences()

    def reset(self) -> None:
        """Drop the sums of differences."""
        self._pairs.reset()

    def standing(self, field: Field) -> Losses:
        """Mean losses."""
        return field.sums

    def losers(self, field: Field) -> Mask:
        """Candidates whose interval of the difference to the best is above zero."""
        statistics = self._pairs.statistics(field, normal_above)
        return statistics > normal_above(self.alpha / 2)


class StudentT(Brace):
    """Paired t-tests against the best; `adjust` is "none", "holm" or "bonferroni"."""

    def __init__(self, alpha: float, adjust: str) -> None:
        super().__init__(alpha)
        self.adjust = adjust

    def losers(self, field: Field) -> Mask:
        """Candidates with a significantly larger mean loss than the best."""
        freedom, n_tests = field.n_blocks - 1, field.n_alive - 1
        statistics = self._pairs.statistics(field, partial(student_above, freedom))
        tests = n_tests if self.adjust == "bonferroni" else 1
        out = statistics > student_above(freedom, self.alpha / 2 / tests)
        if self.adjust == "holm" and out.any():
            out[out] = self._holm(statistics[out], freedom, n_tests)
        return out

    def _holm(self, statistics: Losses, freedom: int, n_tests: int) -> Mask:
        """Step down from the largest statistic until one test is not rejected."""
        order = np.argsort(-statistics, kind="stable")
        p_values = 2 * special.stdtr(freedom, -statistics[order])
        rejected = p_values * (n_tests - np.arange(len(order))) < self.alpha
        out = np.zeros(len(order), dtype=bool)
        out[order] = np.logical_and.accumulate(rejected)
        return out


class Hoeffding:
    """Hoeffding race: intervals that hold for any losses of a bounded range.

    A range of None is estimated from the losses seen so far, as by Maron and Moore.
    """

    def __init__(self, alpha: float, loss_range: float | None) -> None:
        self.alpha = alpha
        self.loss_range = loss_range
        self._n_candidates = 0
        self._n_seen = 0
        self._lowest, self._highest = np.inf, -np.inf

    def reset(self) -> None:
        """Nothing is kept that depends on who is alive."""

    def standing(self, field: Field) -> Losses:
        """Mean losses."""
        return field.sums

    def losers(self, field: Field) -> Mask:
        """Candidates whose lower bound is above the best one's upper bound."""
        self._n_candidates = max(self._n_candidates, field.n_alive)
        confidence = np.log(2 * self._n_candidates / self.alpha)
        width = self._range(field.losses) * np.sqrt(confidence / 2 / field.n_blocks)
        means = field.means
        return means - width > means.min() + width

    def _range(self, losses: Losses) -> float:
        if self.loss_range is not None:
            return self.loss_range
        fresh = losses[self._n_seen :]
        self._n_seen = len(losses)
        self._lowest = min(self._lowest, float(fresh.min(initial=np.inf)))
        self._highest = max(self._highest, float(fresh.max(initial=-np.inf)))
        return self._highest - self._lowest


class Parsimony:
    """Another test, with a preference for small candidates.

    A candidate larger than the incumbent is also eliminated when its mean paired
    difference from the incumbent is positive by one standard error, long before
    that is significant.

    Parameters
    ----------
    inner : Criterion
    incumbent : int
        The number of a candidate.
    larger : bool array of shape (n_candidates,)
        The candidates that are larger than the incumbent.
    """

    PATIENCE = 60  # blocks before a larger candidate has to be better
    MARGIN = 1.0  # standard errors

    def __init__(self, inner: Criterion, incumbent: int, larger: Mask) -> None:
        self.inner, self.incumbent, self.larger = inner, incumbent, larger
        self._pairs = PairedDifferences()

    def reset(self) -> None:
        """Drop the sums of differences."""
        self.inner.reset()
        self._pairs.reset()

    def standing(self, field: Field) -> Losses:
        """As in the inner test."""
        return self.inner.standing(field)

    def losers(self, field: Field) -> Mask:
        """Losers of the inner test, and larger candidates that are not better."""
        out = self.inner.losers(field)
        larger = self.larger[field.alive]
        if field.n_blocks < self.PATIENCE or not larger.any():
            return out
        place = int(np.searchsorted(field.alive, self.incumbent))
        if place == field.n_alive or field.alive[place] != self.incumbent:
            return out
        means, errors = self._pairs.compare(field, place)
        return out | (larger & (means > self.MARGIN * errors))


def _rejected(ranks: RankSums, alpha: float) -> bool:
    """Friedman's test: not all candidates have the same distribution of losses."""
    return ranks.statistic() > chi_square_above(len(ranks.sums) - 1, alpha)


def _conover_margin(ranks: RankSums, alpha: float) -> float:
    """How far a rank sum may exceed the best without significance (Conover)."""
    freedom = (ranks.n_blocks - 1) * (len(ranks.sums) - 1)
    spread = ranks.n_blocks * ranks.squares - float(ranks.sums @ ranks.sums)
    width = np.sqrt(2 * max(spread, 0.0) / freedom)
    return student_above(freedom, alpha / 2) * float(width)


def _without_first(ranks: RankSums, losses: Losses) -> RankSums:
    """Rank sums without the first candidate: those above it move up, ties by half."""
    first, others = losses[:, :1], losses[:, 1:]
    tied = others == first
    moved = np.sum(others > first, axis=0) + np.sum(tied, axis=0) / 2
    # In a group of t + 1 that loses one, t^3 - t falls by 3 t (t + 1).
    n_tied = tied.sum(axis=1).astype(np.float64)
    ties = ranks.ties - 3 * float(n_tied @ (n_tied + 1))
    return RankSums(ranks.sums[1:] - moved, ties, ranks.n_blocks)


def _wilcoxon_losers(losses: Losses, alpha: float) -> Mask:
    """Wilcoxon's signed-rank test of two candidates.

    Normal approximation with continuity correction, zeros dropped, variance
    corrected for ties: `scipy.stats.wilcoxon(method="asymptotic", correction=True)`.
    """
    differences: NDArray[np.float64] = losses[:, 0] - losses[:, 1]
    differences = differences[differences != 0]
    n = len(differences)
    if n == 0:
        return np.zeros(2, dtype=bool)
    above, ties = _ranks_above(differences)
    off = above - n * (n + 1) / 4
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    apart = max(abs(off) - 0.5, 0.0) / np.sqrt(variance)
    if apart <= normal_above(alpha / 2):
        return np.zeros(2, dtype=bool)
    return np.array([off > 0, off < 0])


def _ranks_above(differences: Losses) -> tuple[float, float]:
    """Sum of the positive differences' ranks by size, and the ties (t^3 - t)."""
    sizes = np.abs(differences)
    order = sizes.argsort()
    ordered = sizes[order]
    if (ordered[1:] == ordered[:-1]).any():
        ranked = rank_sums(sizes[None, :])
        return float(ranked.sums[differences > 0].sum()), ranked.ties
    positive = np.flatnonzero(differences[order] > 0)
    return float(positive.sum() + len(positive)), 0.0
