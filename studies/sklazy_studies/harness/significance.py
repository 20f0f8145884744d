"""Significance of differences: paired t-tests, and ranks over many data sets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]

LEVEL = 0.05


def paired_t(first: ArrayLike, second: ArrayLike) -> Floats:
    """Two-tailed p-values of paired t-tests along the last axis.

    Where all differences are equal and there is no variance, p is 1 if they are 0,
    else 0. Of a single difference p is 1.

    Examples
    --------
    >>> paired_t([1.0, 2.0, 4.0], [1.0, 1.0, 2.0])
    array(0.22540333)
    >>> paired_t([[1, 1], [2, 2]], [[1, 1], [1, 1]])
    array([1., 0.])
    """
    # Rounded, so that equal differences have no variance by rounding.
    differences = np.round(np.asarray(first, float) - np.asarray(second, float), 12)
    n = differences.shape[-1]
    if n < 2:
        return np.ones(differences.shape[:-1])
    mean = differences.mean(axis=-1)
    constant = np.ptp(differences, axis=-1) == 0
    error = differences.std(axis=-1, ddof=1) / np.sqrt(n)
    p = 2 * stats.t.sf(np.abs(mean) / np.where(constant, 1.0, error), n - 1)
    return np.where(constant, (mean == 0).astype(float), p)


def corrected_t(first: ArrayLike, second: ArrayLike, test_share: float) -> Floats:
    """Two-tailed p-values over folds of repeated cross-validation, on the last axis.

    The variance is raised by the rows asked over the rows learned, since folds share
    the rows that they learn from.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52,
    2003.

    Examples
    --------
    >>> corrected_t([1.0, 2.0, 4.0], [1.0, 1.0, 2.0], 0.0)  # the plain test
    array(0.22540333)
    >>> round(float(corrected_t([1.0, 2.0, 4.0], [1.0, 1.0, 2.0], 0.25)), 3)
    0.321
    """
    n = np.asarray(first).shape[-1]
    plain = paired_t(first, second)
    if n < 2:
        return plain
    raised = np.sqrt(1.0 + n * test_share)
    t = stats.t.isf(plain / 2, n - 1) / raised
    return np.where((plain == 0) | (plain == 1), plain, 2 * stats.t.sf(t, n - 1))


class Tally(NamedTuple):
    """How often the first of two was better, and how often significantly."""

    better: int
    worse: int
    ties: int
    significantly_better: int
    significantly_worse: int

    @property
    def n(self) -> int:
        """The number of comparisons."""
        return self.better + self.worse + self.ties

    @property
    def share(self) -> float:
        """The share of comparisons in which the first was better."""
        return self.better / self.n if self.n else float("nan")


def tally(first: ArrayLike, second: ArrayLike, p: ArrayLike) -> Tally:
    """Count over all entries where `first` is higher than `second`.

    Examples
    --------
    >>> tally([5, 5, 3], [4, 5, 9], [0.01, 1.0, 0.3])
    Tally(better=1, worse=1, ties=1, significantly_better=1, significantly_worse=0)
    """
    left, right = np.asarray(first), np.asarray(second)
    sure = np.asarray(p) < LEVEL
    better, worse = left > right, left < right
    return Tally(
        int(better.sum()),
        int(worse.sum()),
        int((left == right).sum()),
        int((better & sure).sum()),
        int((worse & sure).sum()),
    )


def mean_ranks(scores: ArrayLike) -> Floats:
    """The mean rank of each method over the sets; 1 is best, ties share.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods)
        Higher is better.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.9, 0.9, 0.7]])
    array([1.25, 1.75, 3.  ])
    """
    return stats.rankdata(-np.asarray(scores, float), axis=1).mean(axis=0)


def critical_difference(n_methods: int, n_sets: int) -> float:
    """By how much mean ranks must differ to be significant (Nemenyi, 0.05).

    References
    ----------
    J. Demsar: Statistical comparisons of classifiers over multiple data sets. Journal
    of Machine Learning Research 7, 2006 (table 5: q = 2.850 for 6 methods).

    Examples
    --------
    >>> round(critical_difference(6, 1) / 7**0.5, 3)  # the root of 6 * 7 / 6
    2.85
    """
    q = stats.studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def indistinct_groups(ranks: ArrayLike, difference: float) -> list[tuple[int, ...]]:
    """Groups of methods whose mean ranks lie within the critical difference.

    Best first; groups inside of others are left out, and so are single methods.

    Examples
    --------
    >>> indistinct_groups([1.0, 3.0, 1.5, 2.8], 1.5)
    [(0, 2), (2, 3, 1)]
    """
    values = np.asarray(ranks, float)
    order = np.argsort(values, kind="stable")
    groups: list[tuple[int, ...]] = []
    for first in range(len(order)):
        near = values[order] - values[order[first]] <= difference
        group = tuple(int(i) for i in order[first:][near[first:]])
        if len(group) > 1 and not (groups and set(group) <= set(groups[-1])):
            groups.append(group)
    return groups
