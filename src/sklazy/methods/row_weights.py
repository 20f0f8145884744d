"""Weights of rows: what each adds to sums, and how much of it is left out.

A weight that is a whole number stands for as many copies of the row. To choose settings
one of the copies is left out, as it would be if the row were repeated. Other weights
are left out as a whole.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-8
"""Of the largest weight: rows that weigh less have no part in the choice of settings.

Their left-out answers would be lost in rounding."""


LARGEST = 2.0**53
"""Up to here whole numbers, copies of a row, are counted exactly."""


class RowWeights(NamedTuple):
    """Weights of rows.

    Attributes
    ----------
    values : float64 array of shape (n_rows,)
    shares : float64 array of shape (n_rows,)
        The part of each weight that is left out to choose settings, above 0, up to 1.
    """

    values: Floats
    shares: Floats

    def take(self, rows: Ints | slice) -> "RowWeights":
        """The weights of some rows."""
        return RowWeights(self.values[rows], self.shares[rows])

    def counting(self) -> Ints:
        """The rows whose weight is not negligible."""
        return np.flatnonzero(self.values > NEGLIGIBLE * self.values.max(initial=0.0))


def find_row_weights(base: CaseBase) -> RowWeights | None:
    """The weights of all rows in canonical order; None where all are 1."""
    if not base.weighted:
        return None
    weights = base.weights[base.order]
    if (largest := float(weights.max(initial=0.0))) > LARGEST:
        raise BadInputError(
            f"sample_weight reaches {largest:g}; this method takes weights of up to "
            f"{LARGEST:g}. Divide all weights by {largest:g}."
        )
    return RowWeights(weights, left_out_shares(weights))


def left_out_shares(weights: Floats) -> Floats:
    """The part of each weight that is left out to choose settings.

    Examples
    --------
    >>> left_out_shares(np.array([1.0, 2.0, 4.0])).tolist()
    [1.0, 0.5, 0.25]
    >>> left_out_shares(np.array([1.0, 2.5, 4.0])).tolist()
    [1.0, 1.0, 1.0]
    """
    if (weights == np.round(weights)).all():
        return np.asarray(1.0 / np.maximum(weights, 1.0))
    return np.ones(len(weights))


def count_copies(weights: Floats, most: int) -> Ints:
    """How often each row is listed where only whole copies can count.

    Whole weights are counts, unless there would be more than `most` copies. Else as
    many copies as rows, or `most`, are shared out by weight, row by row, so that sums
    over rows in a row are right to within one copy.

    Parameters
    ----------
    weights : float64 array of shape (n_rows,)
        In canonical order, so that equal rows do not lie together.
    most : int

    Examples
    --------
    >>> count_copies(np.array([3.0, 1.0, 2.0]), most=100).tolist()
    [3, 1, 2]
    >>> count_copies(np.array([0.5, 0.5, 0.5, 1.5]), most=100).tolist()
    [1, 0, 1, 2]
    """
    total = float(weights.sum())
    if (weights == np.round(weights)).all() and total <= most:
        return weights.astype(np.int64)
    n_copies = min(int((weights > 0).sum()), most)
    ends = np.floor(np.cumsum(weights / total) * n_copies + 0.5)
    copies: Ints = np.diff(np.concatenate([[0.0], ends])).astype(np.int64)
    return copies


def spread_rows(copies: Ints) -> Ints:
    """List rows as often as they have copies, those of each spread over the list.

    Where the first of equally near rows are taken, no row crowds out the others.

    Examples
    --------
    >>> spread_rows(np.array([3, 1, 2])).tolist()
    [0, 0, 2, 1, 0, 2]
    """
    rows = np.repeat(np.arange(len(copies)), copies)
    numbers = np.arange(len(rows)) - np.repeat(np.cumsum(copies) - copies, copies)
    places = (numbers + (rows + 0.5) / len(copies)) / copies[rows]
    return rows[np.argsort(places, kind="stable")]
