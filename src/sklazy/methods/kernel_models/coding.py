"""Cells as kernels measure them: normal scores of numbers, codes of categories.

A number stands at the normal score of its rank among the cases, so that neither units
nor outliers matter; between two categories lie ``MISMATCH`` standard deviations.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sklazy.flow import MISSING, Cases, Queries
from sklazy.kernels.kernel_models import MISMATCH

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.signedinteger[Any]]

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
    is_drawn : bool
        Whether numbers of other cases lie between these.
    """

    numbers: Floats
    sums: Floats | None = None
    is_drawn: bool = False

    @property
    def size(self) -> float:
        """The weight of all numbers."""
        return len(self.numbers) if self.sums is None else float(self.sums[-1])


def make_coding(
    cases: Cases, rows: Ints, weights: Floats | None = None, *, are_drawn: bool = False
) -> Coding:
    """Learn the ranks of numbers among some rows, which may have weights.

    Between numbers of rows that are drawn from all, ranks rise evenly.
    """
    ladders = tuple(
        Ladder(_NO_NUMBERS)
        if i < 0
        else make_ladder(cases.numbers[i, rows], weights)._replace(is_drawn=are_drawn)
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
    return code_cells(coding, cases.numeric, *take_cells(cases, rows))


def code_cells(coding: Coding, numeric: Ints, codes: Codes, numbers: Floats) -> Floats:
    """The same of codes (n_attributes, n_rows) and of numbers (n_numeric, n_rows)."""
    return _place(coding, numeric, codes, numbers, normal_scores)


def rank_cases(coding: Coding, cases: Cases, rows: Ints) -> Floats:
    """Rows as mid-ranks and codes, (n_attributes, n_rows); NaN where one is missing."""
    return _place(coding, cases.numeric, *take_cells(cases, rows), mid_ranks)


def take_cells(cases: Cases, rows: Ints) -> tuple[Codes, Floats]:
    """Codes (n_attributes, n_rows) and numbers (n_numeric, n_rows) of some rows."""
    numbers, shape = cases.numbers[:, rows], (len(cases.numeric), len(rows))
    if (cases.numeric < 0).any():
        return cases.codes[:, rows], numbers
    return np.broadcast_to(np.int32(MISSING), shape), numbers  # nobody reads them


def _place(
    coding: Coding,
    numeric: Ints,
    codes: Codes,
    numbers: Floats,
    scale: Callable[[Ladder, Floats], Floats],
) -> Floats:
    placed = np.empty(codes.shape)
    for j, i in enumerate(numeric.tolist()):
        if i < 0:
            placed[j] = _as_floats(codes[j])
        else:
            placed[j] = scale(coding.ladders[j], numbers[i])
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


def _as_floats(codes: Codes) -> Floats:
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
    >>> drawn = Ladder(np.array([1.0, 2.0, 2.0]), is_drawn=True)
    >>> mid_ranks(drawn, np.array([1.0, 1.5, 2.0]))
    array([0.5 , 1.25, 2.  ])
    """
    return np.where(np.isnan(numbers), np.nan, _count_below(ladder, numbers))


def _count_below(ladder: Ladder, numbers: Floats) -> Floats:
    below = ladder.numbers.searchsorted(numbers, "left")
    upto = ladder.numbers.searchsorted(numbers, "right")
    ranks = 0.5 * (_add_up(ladder, below) + _add_up(ladder, upto))
    if ladder.is_drawn:
        lies_between = (below == upto) & (below > 0) & (below < len(ladder.numbers))
        if lies_between.any():
            places = below[lies_between]
            ranks[lies_between] = _rank_between(ladder, numbers[lies_between], places)
    return ranks


def _add_up(ladder: Ladder, places: Ints) -> Floats:
    """The weight of the numbers before some places."""
    return np.asarray(places if ladder.sums is None else ladder.sums[places])


def _rank_between(ladder: Ladder, numbers: Floats, places: Ints) -> Floats:
    """Ranks that rise evenly from the number before each place to the one there."""
    every = ladder.numbers
    low, high = every[places - 1], every[places]
    # Halves, so that no difference overflows; those of the smallest numbers may be 0.
    width = 0.5 * high - 0.5 * low
    share = (0.5 * numbers - 0.5 * low) / np.where(width > 0, width, 1.0)
    first = _add_up(ladder, every.searchsorted(low, "left"))
    middle, last = (
        _add_up(ladder, p) for p in (places, every.searchsorted(high, "right"))
    )
    return 0.5 * ((first + middle) + share * (last - first))


def normal_scores(ladder: Ladder, numbers: Floats) -> Floats:
    """Numbers as normal scores of their mid-ranks; NaN stays.

    Examples
    --------
    >>> ladder = make_ladder(np.array([1.0, 2.0, 5.0]))
    >>> normal_scores(ladder, np.array([1.0, 2.0, 3.0])).round(2)
    array([-0.67,  0.  ,  0.32])
    """
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
