"""Members of a regression ensemble besides the tree; see `sklazy.local.members`.

Each answers with a number a bag, shape (n_queries, n_bags).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Bags, Neighbors, Runner, run_here
from sklazy.kernels.member_means import bagged_neighbor_means, bagged_rule_means
from sklazy.local.members import BinTable, LinearCases, answer_by_linear

Floats = NDArray[np.float64]

__all__ = ["mean_by_linear", "mean_by_neighbors", "mean_by_rule"]


def mean_by_linear(
    cases: LinearCases,
    queries: Floats,
    bags: Bags,
    *,
    ridge: float = 1.0,
    run: Runner = run_here,
) -> Floats:
    """Predictions of a ridge regression on each bag, for cases of a single target.

    Parameters as in `answer_by_linear`.
    """
    return answer_by_linear(cases, queries, bags, ridge=ridge, run=run)[:, :, 0]


def mean_by_rule(
    bins: BinTable,
    targets: Floats,
    codes: NDArray[np.int32],
    bags: Bags,
    *,
    run: Runner = run_here,
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
    run : Runner
    """
    n_slots, center = int(bins.slots[-1]), float(np.mean(targets))
    centered = np.asarray(targets, np.float64) - center

    def work(first: int, last: int, answers: Floats) -> None:
        part = bags.part(first, last)
        bagged_rule_means(
            bins,
            centered,
            codes[first:last],
            part.neighbors,
            np.ascontiguousarray(part.seeds),
            np.zeros(centered.size, np.int32),
            np.zeros(n_slots),
            np.zeros(n_slots),
            answers,
        )

    return _in_chunks(work, bags, run) + center


def mean_by_neighbors(
    targets: Floats,
    near: Neighbors,
    bags: Bags,
    *,
    n_neighbors: int = 5,
    run: Runner = run_here,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Mean target of the nearest rows in each bag, and whether `near` went far enough.

    Parameters
    ----------
    targets : float64 array of shape (n_rows,)
    near, bags, n_neighbors, run
        As in `answer_by_neighbors`.

    Returns
    -------
    answers : float64 array of shape (n_queries, n_bags)
    complete : bool array of shape (n_queries,)
        Where False, `near` ended before the last neighbor: ask with more.
    """
    complete = np.zeros(len(near.rows), np.bool_)
    numbers = np.ascontiguousarray(targets, np.float64)

    def work(first: int, last: int, answers: Floats) -> None:
        part = bags.part(first, last)
        bagged_neighbor_means(
            numbers,
            near.rows[first:last],
            near.distances[first:last],
            n_neighbors,
            part.neighbors,
            np.ascontiguousarray(part.seeds),
            np.zeros(numbers.size, np.int32),
            answers,
            complete[first:last],
        )

    return _in_chunks(work, bags, run), complete


def _in_chunks(
    work: Callable[[int, int, Floats], None], bags: Bags, run: Runner
) -> Floats:
    answers = np.zeros(bags.seeds.shape[1:])
    run(lambda first, last: work(first, last, answers[first:last]), len(answers))
    return answers
