"""Relevance of a value, and of its attribute, to a number: how it spreads.

The figure of a value is the variance of the target among its rows over that among all
rows, **lower is better**: 1 explains nothing, 0 all. The attribute's figure is the mean
over its values, weighted by their rows, and the lazy figure of a value the lower of the
two: the rule of lazy attribute selection, with variance in place of entropy.

Targets count as whole numbers, so that sums are exact in any order and without any one
row: by their ranks (``rank_variance``), whatever their distribution, or as they are,
to a millionth of their range (``variance``).

A value seen once has no variance and would seem to explain all. One row of every value
is therefore taken for one spread like all rows that know the attribute, as
`sklazy.measures.contingency.discount_rare_values` does for classes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.measures.contingency import Floats, Ints, ratios, round_figures

_LEVELS = 20  # bits of a target: squares of 8 million rows add up to 63 bits


def check_spread(name: str) -> None:
    """Refuse a measure that is none of numbers."""
    if not isinstance(name, str) or name not in SPREADS:
        names = tuple(SPREADS)
        raise BadInputError(f"measure={name!r} is not known; give one of {names}.")


def score_targets(targets: Floats, measure: str) -> Ints:
    """Scores of targets, as whole numbers below a million about 0.

    Parameters
    ----------
    targets : float64 array of shape (n_rows,)
    measure : {"rank_variance", "variance"}

    Examples
    --------
    >>> score_targets(np.array([3.0, 8.0, 3.0, 1e9]), "rank_variance")
    array([-2,  1, -2,  3])
    >>> score_targets(np.array([0.0, 1.0, 2.0]), "variance")
    array([-262144,       0,  262144])
    """
    return SPREADS[measure](targets)


def _rank_targets(targets: Floats) -> Ints:
    """How many are less, less how many are greater."""
    ordered = np.sort(targets)
    n_less = np.searchsorted(ordered, targets, "left")
    n_others = len(targets) - np.searchsorted(ordered, targets, "right")
    ranks = (n_less - n_others).astype(np.int64)
    return ranks >> max(0, len(targets).bit_length() - _LEVELS)


def _scale_to_steps(targets: Floats) -> Ints:
    """Steps of a power of two, at most a million over the range; their mean near 0."""
    with np.errstate(over="ignore"):
        above = targets - targets.min()
    if not np.isfinite(above).all():  # no float holds the range
        above = targets / 2.0 - targets.min() / 2.0
    exponent = math.frexp(float(above.max()))[1]
    steps = np.rint(np.ldexp(above, _LEVELS - exponent)).astype(np.int64)
    return np.asarray(steps - (2 * steps.sum() + len(steps)) // (2 * len(steps)))


SPREADS = {"rank_variance": _rank_targets, "variance": _scale_to_steps}
"""The measures of relevance for numeric targets: each turns targets into scores."""


class SpreadTable(NamedTuple):
    """Rows, and what their targets count, summed up by value.

    Attributes
    ----------
    offsets : int64 array of shape (n_attributes + 1,)
        The values of attribute j are ``offsets[j] .. offsets[j + 1] - 1``.
    sizes, sums, squares : int64 arrays of shape (n_values,)
    whole : (int, int, int)
        The same of all rows.
    """

    offsets: Ints
    sizes: Ints
    sums: Ints
    squares: Ints
    whole: tuple[int, int, int]

    def without(self, cells: Ints, score: int) -> "SpreadTable":
        """The table without a row that has the values `cells`."""
        n_rows, total, square = self.whole
        sizes, sums, squares = self.sizes.copy(), self.sums.copy(), self.squares.copy()
        sizes[cells] -= 1
        sums[cells] -= score
        squares[cells] -= score * score
        left = n_rows - 1, total - score, square - score * score
        return SpreadTable(self.offsets, sizes, sums, squares, left)


def sum_spreads(codes: NDArray[np.int32], offsets: Ints, scores: Ints) -> SpreadTable:
    """Add up what targets count, by the values of each attribute.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
        Below zero: missing.
    offsets : int64 array of shape (n_attributes + 1,)
    scores : int64 array of shape (n_rows,)
    """
    sizes, sums, squares = np.zeros((3, int(offsets[-1])), np.int64)
    squared = scores * scores
    for j, column in enumerate(codes):
        known = column >= 0
        cells = offsets[j] + column[known]
        np.add.at(sizes, cells, 1)
        np.add.at(sums, cells, scores[known])
        np.add.at(squares, cells, squared[known])
    whole = len(scores), int(scores.sum()), int(squared.sum())
    return SpreadTable(offsets, sizes, sums, squares, whole)


class Spreads(NamedTuple):
    """Figures, lower is better.

    Attributes
    ----------
    values : float64 array of shape (n_values,)
        Infinite where no row has the value.
    attributes : float64 array of shape (n_attributes,)
        Infinite where no row knows the attribute.
    lazy : float64 array of shape (n_values,)
        The lower of a value's own and its attribute's.
    """

    values: Floats
    attributes: Floats
    lazy: Floats


def score_spreads(table: SpreadTable, *, discounts: bool) -> Spreads:
    """Score all values and attributes.

    Parameters
    ----------
    table : SpreadTable
    discounts : bool
        Whether one row of every value is spread like all that know the attribute.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, 1, 2]], np.int32)
    >>> table = sum_spreads(codes, np.array([0, 3]), np.array([-4, -2, 0, 2, 4]))
    >>> score_spreads(table, discounts=False).values
    array([0.125, 0.125, 0.   ])
    >>> score_spreads(table, discounts=True).values
    array([0.84375, 0.59375, 1.     ])
    """
    offsets, sizes = table.offsets, table.sizes
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    n_known = _sum_values(sizes, offsets)
    means, squares = (
        ratios(table.sums, sizes),
        ratios(table.squares, sizes),
    )
    if discounts:
        all_means = ratios(_sum_values(table.sums, offsets), n_known)[owner]
        all_squares = ratios(_sum_values(table.squares, offsets), n_known)[owner]
        means = ratios((sizes - 1) * means + all_means, sizes)
        squares = ratios((sizes - 1) * squares + all_squares, sizes)
    variances = squares - means * means
    whole = _variance(*table.whole)
    if whole == 0.0:  # there is nothing to explain
        variances, whole = np.ones(len(sizes)), 1.0
    totals = np.bincount(owner, sizes * variances, len(offsets) - 1)
    values = np.where(sizes > 0, round_figures(variances / whole), np.inf)
    attributes = np.where(
        n_known > 0, round_figures(ratios(totals, n_known) / whole), np.inf
    )
    return Spreads(values, attributes, np.minimum(values, attributes[owner]))


def _sum_values(terms: Ints, offsets: Ints) -> Ints:
    """Sums over each attribute's values."""
    running = np.concatenate([[0], np.cumsum(terms)])
    return np.diff(running[offsets])


def _variance(n_rows: int, total: int, square: int) -> float:
    return (n_rows * square - total * total) / (n_rows * n_rows)
