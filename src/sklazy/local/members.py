"""Members of an ensemble besides the tree: each answers from the bags of a query."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Neighbors, Runner, run_here
from sklazy.kernels.members import (
    BinTable,
    LinearRoom,
    bagged_counts,
    bagged_linear,
    bagged_neighbors,
    build_bin_table,
)

Floats = NDArray[np.float64]

__all__ = [
    "BinTable",
    "LinearCases",
    "answer_by_bayes",
    "answer_by_linear",
    "answer_by_neighbors",
    "answer_by_rule",
    "build_bin_table",
    "make_linear",
    "place_linear",
    "to_shares",
]


_FAR = 1e100  # further away than this all queries are the same to a linear model
_SMALL_UNIT = 2.0**-700


class LinearCases(NamedTuple):
    """Training rows made ready for linear models.

    Attributes
    ----------
    rows : float64 array of shape (n_rows, n_regressors)
        Centered and scaled, 0 where missing.
    targets : float64 array of shape (n_rows, n_targets)
    units, centers, factors : float64 arrays of shape (n_regressors,)
        A regressor x is placed at (x * unit - center) * factor. Units are 1, but
        small powers of 2 for numbers whose squares no float holds.
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
    run: Runner = run_here,
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
    run : Runner
    """
    return _count(bins, n_classes, codes, bags, alpha, False, run)


def answer_by_rule(
    bins: BinTable,
    n_classes: int,
    codes: NDArray[np.int32],
    bags: Bags,
    *,
    run: Runner = run_here,
) -> Floats:
    """Class probabilities by the one attribute whose values err least on each bag.

    Parameters as in `answer_by_bayes`.

    References
    ----------
    Holte, R. C.: Very simple classification rules perform well on most commonly used
    datasets. Machine Learning 11 (1993).
    """
    return _count(bins, n_classes, codes, bags, 0.0, True, run)


def _count(
    bins: BinTable,
    n_classes: int,
    codes: NDArray[np.int32],
    bags: Bags,
    alpha: float,
    by_rule: bool,
    run: Runner,
) -> Floats:
    n_rows, n_slots = bins.classes.size, int(bins.slots[-1])

    def work(first: int, last: int, answers: Floats) -> None:
        part = bags.part(first, last)
        seeds = np.ascontiguousarray(part.seeds)
        room = np.zeros(n_rows, np.int32), np.zeros((n_slots, n_classes), np.int32)
        asked = codes[first:last]
        bagged_counts(
            bins, asked, part.neighbors, seeds, alpha, by_rule, *room, answers
        )

    return _in_chunks(work, bags, n_classes, run)


def _in_chunks(
    work: Callable[[int, int, Floats], None], bags: Bags, n_values: int, run: Runner
) -> Floats:
    answers = np.zeros((*bags.seeds.shape[1:], n_values))

    def chunk(first: int, last: int) -> None:
        work(first, last, answers[first:last])

    run(chunk, len(answers))
    return answers


def answer_by_neighbors(
    classes: NDArray[np.int32],
    n_classes: int,
    near: Neighbors,
    bags: Bags,
    *,
    n_neighbors: int = 5,
    run: Runner = run_here,
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
    run : Runner

    Returns
    -------
    answers : float64 array of shape (n_queries, n_bags, n_classes)
    complete : bool array of shape (n_queries,)
        Where False, `near` ended before the last voter: ask with more.
    """
    complete = np.zeros(len(near.rows), np.bool_)

    def work(first: int, last: int, answers: Floats) -> None:
        part = bags.part(first, last)
        bagged_neighbors(
            classes,
            near.rows[first:last],
            near.distances[first:last],
            n_neighbors,
            part.neighbors,
            np.ascontiguousarray(part.seeds),
            np.zeros(classes.size, np.int32),
            answers,
            complete[first:last],
        )

    return _in_chunks(work, bags, n_classes, run), complete


def make_linear(regressors: Floats, targets: Floats) -> LinearCases:
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
    units = np.where(np.abs(numbers).max(axis=0, initial=0.0) > _FAR, _SMALL_UNIT, 1.0)
    centers = (numbers * units).sum(axis=0) / n_known
    centered = np.where(known, numbers * units - centers, 0.0)
    spread = np.sqrt((centered**2).sum(axis=0) / n_known)
    factors = np.divide(1.0, spread, where=spread > 0, out=np.zeros_like(spread))
    return LinearCases(
        np.ascontiguousarray(centered * factors),
        np.ascontiguousarray(targets, np.float64),
        units,
        centers,
        factors,
    )


def place_linear(cases: LinearCases, regressors: Floats) -> Floats:
    """Queries as the linear models see them."""
    with np.errstate(over="ignore"):
        placed = (regressors * cases.units - cases.centers) * cases.factors
    return np.clip(np.nan_to_num(placed), -_FAR, _FAR)


def answer_by_linear(
    cases: LinearCases,
    queries: Floats,
    bags: Bags,
    *,
    ridge: float = 1.0,
    run: Runner = run_here,
) -> Floats:
    """Predictions of a ridge regression on each bag, (n_queries, n_bags, n_targets).

    Parameters
    ----------
    cases : LinearCases
    queries : float64 array of shape (n_queries, n_regressors)
        As `place_linear` gives them.
    bags : Bags
    ridge : float
        Greater than zero; the intercept is free.
    run : Runner
    """
    n_rows, n_regressors = cases.rows.shape

    def work(first: int, last: int, answers: Floats) -> None:
        part = bags.part(first, last)
        room = LinearRoom(
            np.zeros(n_rows, np.int32),
            np.zeros(n_rows + 3, np.int32),
            np.zeros(n_rows + 3),
            np.zeros(n_regressors),
            np.zeros(n_regressors),
            np.zeros((n_regressors, n_regressors)),
        )
        bagged_linear(
            cases.rows,
            cases.targets,
            queries[first:last],
            ridge,
            part.neighbors,
            np.ascontiguousarray(part.seeds),
            room,
            answers,
        )

    return _in_chunks(work, bags, cases.targets.shape[1], run)


def to_shares(scores: Floats) -> Floats:
    """Scores of indicators as probabilities: clipped to 0..1, made to sum to 1.

    Examples
    --------
    >>> to_shares(np.array([[1.2, -0.2], [0.0, -1.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    clipped = np.clip(scores, 0.0, 1.0)
    totals = clipped.sum(axis=-1, keepdims=True)
    even = np.full_like(clipped, 1.0 / clipped.shape[-1])
    return np.divide(clipped, totals, where=totals > 0, out=even)
