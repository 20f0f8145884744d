"""Members of an ensemble besides the tree: each answers from the bags of a query.

Every answer has the shape (n_queries, n_bags, n_outputs): a probability for each class,
or a single number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Neighbors
from sklazy.kernels.member_means import bagged_neighbor_means, bagged_rule_means
from sklazy.kernels.members import (
    BinTable,
    LinearRoom,
    bagged_counts,
    bagged_linear,
    bagged_neighbors,
    build_bin_table,
)

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.int32]
Seeds = NDArray[np.uint64]

__all__ = [
    "BinTable",
    "LinearRows",
    "answer_by_bayes",
    "answer_by_linear",
    "answer_by_neighbors",
    "answer_by_rule",
    "build_bin_table",
    "make_linear",
    "mean_by_neighbors",
    "mean_by_rule",
    "place_linear",
]


_FAR = 1e100  # further away than this all queries are the same to a linear model
_SMALL_UNIT = 2.0**-700
_LARGE_UNIT = 2.0**700


class LinearRows(NamedTuple):
    """Training rows made ready for linear models.

    Attributes
    ----------
    rows : float64 array of shape (n_rows, n_regressors)
        Centered and scaled, 0 where missing.
    targets : float64 array of shape (n_rows, n_targets)
    units, centers, factors : float64 arrays of shape (n_regressors,)
        A regressor x is placed at (x * unit - center) * factor. Units are 1, but
        other powers of 2 for numbers whose squares no float holds.
    """

    rows: Floats
    targets: Floats
    units: Floats
    centers: Floats
    factors: Floats


def answer_by_bayes(
    bins: BinTable,
    n_classes: int,
    codes: NDArray[np.int32],
    bags: Bags,
    *,
    alpha: float = 1.0,
) -> Floats:
    """Class probabilities by naive Bayes on each bag, (n_queries, n_bags, n_classes).

    Parameters
    ----------
    bins : BinTable
    n_classes : int
    codes : int32 array of shape (n_queries, n_attributes)
        Categories and bins; values that are missing or unseen are skipped.
    bags : Bags
    alpha : float
        Added to every count.
    """
    return _count(bins, n_classes, codes, bags, alpha, False)


def answer_by_rule(
    bins: BinTable,
    n_classes: int,
    codes: NDArray[np.int32],
    bags: Bags,
) -> Floats:
    """Class probabilities by the one attribute whose values err least on each bag.

    Parameters as in `answer_by_bayes`.

    References
    ----------
    Holte, R. C.: Very simple classification rules perform well on most commonly used
    datasets. Machine Learning 11 (1993).
    """
    return _count(bins, n_classes, codes, bags, 0.0, True)


def _count(
    bins: BinTable,
    n_classes: int,
    codes: NDArray[np.int32],
    bags: Bags,
    alpha: float,
    by_rule: bool,
) -> Floats:
    n_rows, n_slots = bins.classes.size, int(bins.slots[-1])
    answers, drawn = np.zeros((*bags.seeds.shape[1:], n_classes)), _drawn(bags)
    room = np.zeros(n_rows, np.int32), np.zeros((n_slots, n_classes), np.int32)
    bagged_counts(bins, codes, *drawn, alpha, by_rule, *room, answers)
    return answers


def mean_by_rule(
    bins: BinTable,
    targets: Floats,
    codes: NDArray[np.int32],
    bags: Bags,
) -> Floats:
    """The mean of the query's value of the one attribute that explains most.

    That is the attribute whose values leave the least weighted sum of squares; missing
    cells are a value of their own. Reductions within a millionth of the bag's sum of
    squares are equal, and the lower attribute wins. A value without rows leaves the
    mean of the bag.

    Parameters
    ----------
    bins : BinTable
    targets : float64 array of shape (n_rows,)
    codes : int32 array of shape (n_queries, n_attributes)
        Categories and bins.
    bags : Bags
    """
    n_slots, center = int(bins.slots[-1]), float(np.mean(targets))
    centered = np.asarray(targets, np.float64) - center

    answers = np.zeros((*bags.seeds.shape[1:], 1))
    bag, sums = np.zeros(centered.size, np.int32), np.zeros((2, n_slots))
    bagged_rule_means(bins, centered, codes, *_drawn(bags), bag, *sums, answers)
    return answers + center


def _drawn(bags: Bags) -> tuple[RowNumbers, Seeds]:
    """Bags as the kernels take them."""
    return bags.neighbors, np.ascontiguousarray(bags.seeds)


def answer_by_neighbors(
    classes: NDArray[np.int32],
    n_classes: int,
    near: Neighbors,
    bags: Bags,
    *,
    n_neighbors: int = 5,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Class shares of the nearest rows in each bag, and whether `near` went far enough.

    A row of weight w counts like w rows; rows vote from near to far until their
    weights reach `n_neighbors`, with all that tie with the last.

    Parameters
    ----------
    classes : int32 array of shape (n_rows,)
    n_classes : int
    near : Neighbors
        Those who may vote, some times more than `n_neighbors`.
    bags : Bags
    n_neighbors : int

    Returns
    -------
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    complete : bool array of shape (n_queries,)
        Where False, `near` ended before the last voter: ask with more.
    """
    return _near(bagged_neighbors, classes, n_classes, near, bags, n_neighbors)


def mean_by_neighbors(
    targets: Floats,
    near: Neighbors,
    bags: Bags,
    *,
    n_neighbors: int = 5,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Mean target of the nearest rows in each bag, and whether `near` went far enough.

    Parameters
    ----------
    targets : float64 array of shape (n_rows,)
    near, bags, n_neighbors
        As in `answer_by_neighbors`.

    Returns
    -------
    answers : float64 array of shape (n_queries, n_bags, 1)
    complete : bool array of shape (n_queries,)
    """
    numbers = np.ascontiguousarray(targets, np.float64)
    return _near(bagged_neighbor_means, numbers, 1, near, bags, n_neighbors)


def _near(
    kernel: Callable[..., None],
    outcomes: NDArray[np.int32] | Floats,
    n_outputs: int,
    near: Neighbors,
    bags: Bags,
    n_neighbors: int,
) -> tuple[Floats, NDArray[np.bool_]]:
    complete = np.zeros(len(near.rows), np.bool_)
    answers = np.zeros((*bags.seeds.shape[1:], n_outputs))
    room = np.zeros(outcomes.size, np.int32)
    kernel(outcomes, *near, n_neighbors, *_drawn(bags), room, answers, complete)
    return answers, complete


def make_linear(regressors: Floats, targets: Floats) -> LinearRows:
    """Make rows ready for linear models.

    Parameters
    ----------
    regressors : float64 array of shape (n_rows, n_regressors)
        NaN where missing: such a cell stands at the mean.
    targets : float64 array of shape (n_rows, n_targets)
        Numbers, or an indicator of each class.
    """
    known = ~np.isnan(regressors)
    n_known = np.maximum(known.sum(axis=0), 1)
    numbers = np.where(known, regressors, 0.0)
    largest = np.abs(numbers).max(axis=0, initial=0.0)
    units = np.where(largest > _FAR, _SMALL_UNIT, 1.0)
    units[(largest > 0.0) & (largest < 1.0 / _FAR)] = _LARGE_UNIT
    centers = (numbers * units).sum(axis=0) / n_known
    centered = np.where(known, numbers * units - centers, 0.0)
    sizes = np.sqrt((centered**2).sum(axis=0) / n_known)  # standard deviations
    factors = np.divide(1.0, sizes, where=sizes > 0, out=np.zeros_like(sizes))
    return LinearRows(
        np.ascontiguousarray(centered * factors),
        np.ascontiguousarray(targets, np.float64),
        units,
        centers,
        factors,
    )


def place_linear(cases: LinearRows, regressors: Floats) -> Floats:
    """Queries as the linear models see them."""
    # A number beyond all floats in a column that does not vary stands at the mean.
    with np.errstate(over="ignore", invalid="ignore"):
        placed = (regressors * cases.units - cases.centers) * cases.factors
    return np.clip(np.nan_to_num(placed), -_FAR, _FAR)


def answer_by_linear(
    cases: LinearRows,
    queries: Floats,
    bags: Bags,
    *,
    ridge: float = 1.0,
) -> Floats:
    """Predictions of a ridge regression on each bag, (n_queries, n_bags, n_targets).

    Parameters
    ----------
    cases : LinearRows
    queries : float64 array of shape (n_queries, n_regressors)
        As `place_linear` gives them.
    bags : Bags
    ridge : float
        Greater than zero; the intercept is free.
    """
    n_rows, n_regressors = cases.rows.shape
    answers = np.zeros((*bags.seeds.shape[1:], cases.targets.shape[1]))
    room = LinearRoom(
        np.zeros(n_rows, np.int32),
        np.zeros(n_rows + 3, np.int32),
        np.zeros(n_rows + 3),
        np.zeros(n_regressors),
        np.zeros(n_regressors),
        np.zeros((n_regressors, n_regressors)),
    )
    rows, targets = cases.rows, cases.targets
    bagged_linear(rows, targets, queries, ridge, *_drawn(bags), room, answers)
    return answers
