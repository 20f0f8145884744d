"""Cells as kernels measure them: normal scores of numbers, codes of categories.

A number stands at the normal score of its rank among the cases, so that neither units
nor outliers matter; between two categories lie ``MISMATCH`` standard deviations.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sklazy.flow import MISSING, Cases, Queries
from sklazy.kernels.kernel_models import MISMATCH

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_BINS = 5
"""Bins of equal count that numbers are put in to be counted."""

_NO_NUMBERS = np.zeros(0)


class Coding(NamedTuple):
    """How cells become places on a scale.

    Attributes
    ----------
    ladders : tuple of float64 arrays, one for each attribute
        The numbers of the cases in order; empty for nominal attributes.
    nominal : bool array of shape (n_attributes,)
    absents : float64 array of shape (n_attributes,)
        The difference of a missing cell from one that is there.
    """

    ladders: tuple["Ladder", ...]
    nominal: NDArray[np.bool_]
    absents: Floats


class Ladder(NamedTuple):
    """The numbers of a column, by which others are ranked.

    Attributes
    ----------
    numbers : float64 array of shape (n_known,)
        In order.
    sums : float64 array of shape (n_known + 1,), or None where all rows weigh 1
        The weight of the numbers before each place.
    """

    numbers: Floats
    sums: Floats | None = None

    @property
    def size(self) -> float:
        """The weight of all numbers."""
        return len(self.numbers) if self.sums is None else float(self.sums[-1])


def make_coding(cases: Cases, rows: Ints, weights: Floats | None = None) -> Coding:
    """Learn the ranks of numbers among some rows, which may have weights."""
    ladders = tuple(
        Ladder(_NO_NUMBERS) if i < 0 else make_ladder(cases.numbers[i, rows], weights)
        for i in cases.numeric.tolist()
    )
    nominal = cases.numeric < 0
    return Coding(ladders, nominal, np.array(list(map(_find_absent, ladders))))


def make_ladder(numbers: Floats, weights: Floats | None = None) -> Ladder:
    """Sort the known numbers of a column, of rows that weigh anything."""
    known = ~np.isnan(numbers)
    if weights is None:
        return Ladder(np.sort(numbers[known]))
    known &= weights > 0
    order = np.flatnonzero(known)[np.argsort(numbers[known], kind="stable")]
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    return Ladder(numbers[order], sums)


def _find_absent(ladder: Ladder) -> float:
    """Half of a mismatch, or half of the largest score.

    With less, similarities would not be those of a kernel: three numbers far from each
    other could all be near to a missing one.
    """
    if not ladder.size:
        return 0.5 * MISMATCH
    return 0.5 * float(-ndtri(0.5 / (ladder.size + 1)))


def code_cases(coding: Coding, cases: Cases, rows: Ints) -> Floats:
    """Rows as places, (n_attributes, n_rows); NaN where a cell is missing."""
    return _place(coding, cases, rows, normal_scores)


def rank_cases(coding: Coding, cases: Cases, rows: Ints) -> Floats:
    """Rows as mid-ranks and codes, (n_attributes, n_rows); NaN where one is missing."""
    return _place(coding, cases, rows, mid_ranks)


def _place(
    coding: Coding, cases: Cases, rows: Ints, scale: Callable[[Ladder, Floats], Floats]
) -> Floats:
    placed = np.empty((len(coding.ladders), len(rows)))
    for j, i in enumerate(cases.numeric.tolist()):
        if i < 0:
            placed[j] = _as_floats(cases.codes[j, rows])
        else:
            placed[j] = scale(coding.ladders[j], cases.numbers[i, rows])
    return placed


def code_queries(coding: Coding, queries: Queries) -> Floats:
    """Queries as places, (n_queries, n_attributes); unseen labels equal none."""
    # A query comes alone often: what all columns share is found at once.
    ranks, sizes = (
        np.empty(queries.codes.shape),
        [ladder.size for ladder in coding.ladders],
    )
    for j in np.flatnonzero(~coding.nominal).tolist():
        ranks[:, j] = _count_below(coding.ladders[j], queries.values[:, j])
    scores = _to_scores(np.where(np.isnan(queries.values), np.nan, ranks), sizes)
    return np.where(coding.nominal, _as_floats(queries.codes), scores)


def _as_floats(codes: NDArray[np.int32]) -> Floats:
    return np.where(codes == MISSING, np.nan, codes)


def mid_ranks(ladder: Ladder, numbers: Floats) -> Floats:
    """How many of the sorted numbers lie below, equal ones counted half; NaN stays.

    Examples
    --------
    >>> ladder = make_ladder(np.array([1.0, 2.0, 2.0, 5.0]))
    >>> mid_ranks(ladder, np.array([0.0, 2.0, 5.0, np.nan]))
    array([0. , 2. , 3.5, nan])
    >>> ladder = make_ladder(np.array([1.0, 2.0, 5.0]), np.array([1.0, 2.0, 1.0]))
    >>> mid_ranks(ladder, np.array([0.0, 2.0, 5.0, np.nan]))
    array([0. , 2. , 3.5, nan])
    """
    return np.where(np.isnan(numbers), np.nan, _count_below(ladder, numbers))


def _count_below(ladder: Ladder, numbers: Floats) -> Floats:
    below = ladder.numbers.searchsorted(numbers, "left")
    upto = ladder.numbers.searchsorted(numbers, "right")
    if ladder.sums is not None:
        return np.asarray(0.5 * (ladder.sums[below] + ladder.sums[upto]))
    return np.asarray(0.5 * (below + upto), np.float64)


def normal_scores(ladder: Ladder, numbers: Floats) -> Floats:
    """Numbers as normal scores of their mid-ranks; NaN stays."""
    return _to_scores(mid_ranks(ladder, numbers), ladder.size)


def _to_scores(ranks: Floats, sizes: float | list[float]) -> Floats:
    """Normal scores of ranks among `sizes` numbers."""
    scores: Floats = ndtri((ranks + 0.5) / (np.asarray(sizes) + 1))
    return scores


def bin_cases(coding: Coding, cases: Cases, rows: Ints) -> Ints:
    """Rows by category or by bin of equal count, (n_attributes, n_rows).

    Missing cells are a value of their own, the first.
    """
    bins = np.empty((len(coding.ladders), len(rows)), np.int64)
    for j, i in enumerate(cases.numeric.tolist()):
        if i < 0:
            bins[j] = cases.codes[j, rows] - MISSING
        else:
            bins[j] = bin_numbers(coding.ladders[j], cases.numbers[i, rows])
    return bins


def bin_numbers(ladder: Ladder, numbers: Floats) -> Ints:
    """Numbers by bins of equal count among the sorted ones, from 1; 0 if missing.

    Examples
    --------
    >>> ladder = make_ladder(np.arange(10.0))
    >>> bin_numbers(ladder, np.array([0.0, 1.0, 2.0, 9.0, np.nan]))
    array([1, 1, 2, 5, 0])
    """
    shares = mid_ranks(ladder, numbers) / (ladder.size or 1.0)
    bins = 1.0 + np.minimum(np.floor(N_BINS * shares), N_BINS - 1)
    return np.where(np.isnan(bins), 0.0, bins).astype(np.int64)
