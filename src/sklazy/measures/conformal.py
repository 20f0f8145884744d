"""From the scores of cases left out to what covers as often as promised.

A score measures how strange an outcome is. An outcome is left out of an answer if it is
stranger than a share `coverage` of the cases found theirs, the query counted as one
more case.

A new way to cover is a function here, its use in `answer/uncertainty/sets.py` or
`intervals.py`, its name in `estimators/coverage.py`, and a slow twin in
`tests/oracle/conformal.py`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDING = 1e-9  # 0.9 * 10 is 9, whatever its last digit


def rows_needed(coverage: float) -> int:
    """The fewest scores by which anything can be left out.

    Examples
    --------
    >>> [rows_needed(coverage) for coverage in (0.5, 0.8, 0.9, 0.95, 0.99)]
    [1, 4, 9, 19, 99]
    """
    return max(1, math.ceil(coverage / (1.0 - coverage) - _ROUNDING))


def find_rank(n_scores: int, coverage: float) -> int:
    """Rank among `n_scores`, 1 for the lowest, of the score that covers as promised."""
    return max(1, math.ceil((n_scores + 1) * (coverage - _ROUNDING)))


class Ranks(NamedTuple):
    """Where the scores of possible outcomes lie among those of cases.

    Attributes
    ----------
    below : float64 array
        How many cases, or how much of their weight, have a lower score.
    totals : float64 array of the same shape
        How many there are.
    """

    below: Floats
    totals: Floats

    @property
    def credibility(self) -> Floats:
        """The share of cases that are at least as strange, the query among them."""
        shares: Floats = 1.0 - self.below / (self.totals + 1.0)
        return shares

    def cover(self, coverage: float) -> NDArray[np.bool_]:
        """Which outcomes belong to the answer; more of them for more coverage."""
        within: NDArray[np.bool_] = self.below < (coverage - _ROUNDING) * (
            self.totals + 1.0
        )
        return within


def rank_among(
    scores: Floats, kinds: Ints, outcomes: Floats, outcome_kinds: Ints
) -> Ranks:
    """Rank outcomes among the cases of their own kind.

    Parameters
    ----------
    scores : float64 array of shape (n_cases,)
    kinds : int64 array of shape (n_cases,)
    outcomes : float64 array of any shape
        Their scores.
    outcome_kinds : int64 array of the same shape

    Examples
    --------
    >>> scores, kinds = np.array([0.1, 0.2, 0.4, 0.9]), np.array([0, 0, 0, 1])
    >>> rank_among(scores, kinds, np.array([0.3]), np.array([0])).credibility
    array([0.5])
    """
    below, totals = np.zeros(outcomes.shape), np.zeros(outcomes.shape)
    for kind in np.unique(outcome_kinds).tolist():
        kind_scores, here = np.sort(scores[kinds == kind]), outcome_kinds == kind
        below[here], totals[here] = (
            np.searchsorted(kind_scores, outcomes[here]),
            len(kind_scores),
        )
    return Ranks(below, totals)


def rank_by_weight(scores: Floats, weights: Floats, outcomes: Floats) -> Ranks:
    """Rank the outcomes of one query among cases that count by their weight.

    Parameters
    ----------
    scores, weights : float64 arrays of shape (n_cases,)
    outcomes : float64 array of shape (n_outcomes,)
    """
    below = (weights * (scores < outcomes[:, None])).sum(axis=1)
    return Ranks(below, np.full(len(outcomes), weights.sum()))


def weigh_by_nearness(distances: Floats) -> Floats:
    """Weights that fall from 1 to 0 at the middle case, by rank and never by scale.

    Equally distant cases weigh the same, as the nearest of them would. The sum is at
    least a quarter of the number of cases.

    Examples
    --------
    >>> weigh_by_nearness(np.array([0.0, 1.0, 2.0, 2.0, 9.0, 9.0])).round(2)
    array([1.  , 0.93, 0.54, 0.54, 0.  , 0.  ])
    """
    nearer = np.searchsorted(np.sort(distances), distances)
    shares = np.minimum(nearer / (0.5 * len(distances) + 0.5), 1.0)
    weights: Floats = (1.0 - shares**3) ** 3
    return weights


def score_quantile(scores: Floats, coverage: float) -> Floats:
    """The score, along the first axis, that covers as promised.

    Infinite where there are too few.

    Examples
    --------
    >>> [float(score_quantile(np.arange(n), 0.9)) for n in (8.0, 9.0)]
    [inf, 8.0]
    """
    rank = find_rank(len(scores), coverage)
    if rank > len(scores):
        return np.full(scores.shape[1:], np.inf)
    quantile: Floats = np.partition(scores, rank - 1, axis=0)[rank - 1]
    return quantile


def jackknife_plus(lows: Floats, highs: Floats, coverage: float) -> Floats:
    """Intervals from those of the left-out models, ends along the last axis.

    Parameters
    ----------
    lows, highs : float64 arrays of shape (n_cases, ...)
        Prediction of each model, less and plus the residual of the case it left out.
    coverage : float

    References
    ----------
    R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani: Predictive inference with
    the jackknife+. Annals of Statistics 49, 2021.
    """
    ends = -score_quantile(-lows, coverage), score_quantile(highs, coverage)
    return np.stack(ends, axis=-1)


def jackknife_minmax(
    values: Floats, lengths: Floats, scores: Floats, coverage: float
) -> Floats:
    """Intervals around the lowest and the highest prediction of left-out models.

    Parameters
    ----------
    values, lengths : float64 arrays of shape (n_cases, n_queries, ...)
        Prediction of each model, and the length that a score of 1 stands for.
    scores : float64 array of shape (n_cases, ...)
    coverage : float
    """
    half = score_quantile(scores, coverage) * lengths
    ends = (values - half).min(axis=0), (values + half).max(axis=0)
    return np.stack(ends, axis=-1)
