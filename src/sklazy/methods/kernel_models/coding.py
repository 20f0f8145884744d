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

    ladders: tuple[Floats, ...]
    nominal: NDArray[np.bool_]
    absents: Floats


def make_coding(cases: Cases, rows: Ints) -> Coding:
    """Learn the ranks of numbers among some rows."""
    ladders = tuple(
        _NO_NUMBERS if i < 0 else _sort_known(cases.numbers[i, rows])
        for i in cases.numeric.tolist()
    )
    nominal = cases.numeric < 0
    return Coding(ladders, nominal, np.array(list(map(_find_absent, ladders))))


def _sort_known(numbers: Floats) -> Floats:
    return np.sort(numbers[~np.isnan(numbers)])


def _find_absent(ladder: Floats) -> float:
    """Half of a mismatch, or half of the largest score.

    With less, similarities would not be those of a kernel: three numbers far from each
    other could all be near to a missing one.
    """
    if not len(ladder):
        return 0.5 * MISMATCH
    return 0.5 * float(-ndtri(0.5 / (len(ladder) + 1)))


def code_cases(coding: Coding, cases: Cases, rows: Ints) -> Floats:
    """Rows as places, (n_attributes, n_rows); NaN where a cell is missing."""
    return _place(coding, cases, rows, normal_scores)


def rank_cases(coding: Coding, cases: Cases, rows: Ints) -> Floats:
    """Rows as mid-ranks and codes, (n_attributes, n_rows); NaN where one is missing."""
    return _place(coding, cases, rows, mid_ranks)


def _place(
    coding: Coding, cases: Cases, rows: Ints, scale: Callable[[Floats, Floats], Floats]
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
    ranks, sizes = np.empty(queries.codes.shape), list(map(len, coding.ladders))
    for j in np.flatnonzero(~coding.nominal).tolist():
        ranks[:, j] = _count_below(coding.ladders[j], queries.values[:, j])
    scores = _to_scores(np.where(np.isnan(queries.values), np.nan, ranks), sizes)
    return np.where(coding.nominal, _as_floats(queries.codes), scores)


def _as_floats(codes: NDArray[np.int32]) -> Floats:
    return np.where(codes == MISSING, np.nan, codes)


def mid_ranks(ladder: Floats, numbers: Floats) -> Floats:
    """How many of the sorted numbers lie below, equal ones counted half; NaN stays.

    Examples
    --------
    >>> mid_ranks(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.0, 2.0, 5.0, np.nan]))
    array([0. , 2. , 3.5, nan])
    """
    return np.where(np.isnan(numbers), np.nan, _count_below(ladder, numbers))


def _count_below(ladder: Floats, numbers: Floats) -> Floats:
    below = ladder.searchsorted(numbers, "left")
    return np.asarray(0.5 * (below + ladder.searchsorted(numbers, "right")), np.float64)


def normal_scores(ladder: Floats, numbers: Floats) -> Floats:
    """Numbers as normal scores of their mid-ranks; NaN stays."""
    return _to_scores(mid_ranks(ladder, numbers), len(ladder))


def _to_scores(ranks: Floats, sizes: int | list[int]) -> Floats:
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


def bin_numbers(ladder: Floats, numbers: Floats) -> Ints:
    """Numbers by bins of equal count among the sorted ones, from 1; 0 if missing.

    Examples
    --------
    >>> bin_numbers(np.arange(10.0), np.array([0.0, 1.0, 2.0, 9.0, np.nan]))
    array([1, 1, 2, 5, 0])
    """
    shares = mid_ranks(ladder, numbers) / max(len(ladder), 1)
    bins = 1.0 + np.minimum(np.floor(N_BINS * shares), N_BINS - 1)
    return np.where(np.isnan(bins), 0.0, bins).astype(np.int64)
