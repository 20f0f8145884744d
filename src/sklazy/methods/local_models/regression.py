"""Neighbors to local models of degree 0, 1 and 2, the best chosen and combined."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import (
    LocalCases,
    LocalModels,
    LocalPlan,
    Pools,
    Runner,
    run_here,
    without_pools,
)
from sklazy.kernels.least_squares import fit_local_models
from sklazy.methods.local_models.plans import count_terms


def fit_models(
    cases: LocalCases,
    plan: LocalPlan,
    queries: NDArray[np.float64],
    neighbors: NDArray[np.int64],
    *,
    pools: Pools | None = None,
    curves: bool = False,
    details: bool = False,
    run: Runner = run_here,
) -> LocalModels:
    """Fit, score, choose and combine the local models of each query.

    Parameters
    ----------
    cases : LocalCases
    plan : LocalPlan
    queries : float64 array of shape (n_queries, n_regressors)
    neighbors : int64 array of shape (n_queries, n_nearest)
        Nearest first, filled up with -1; as many as the plan's largest range.
    pools : Pools, optional
        Rows of equal inputs; by default every row is like no other.
    curves : bool
        Whether to keep the score of every number of neighbors.
    details : bool
        Whether to keep the leverages and residuals of the last model grown.
    run : Runner
        Runs chunks of queries.

    References
    ----------
    M. Birattari, G. Bontempi, H. Bersini (1999). Lazy learning meets the recursive
    least squares algorithm. Advances in Neural Information Processing Systems 11.
    """
    n_targets = cases.targets.shape[1]
    pools = without_pools(neighbors.shape[1], n_targets) if pools is None else pools
    n_terms = count_terms(queries.shape[1], int(np.flatnonzero(plan.ranges[:, 0])[-1]))
    fitted = _empty_models(
        neighbors.shape,
        n_targets,
        n_terms,
        int(plan.best.sum()),
        (curves, details),
    )

    def work(first: int, last: int) -> None:
        fit_local_models(cases, plan, queries, neighbors, pools, first, last, fitted)

    run(work, len(queries))
    return fitted


def _empty_models(
    shape: tuple[int, ...],
    n_targets: int,
    n_terms: int,
    n_best: int,
    kept: tuple[bool, bool],
) -> LocalModels:
    """Arrays to be filled; with no queries where something is not kept."""
    n_queries, n_nearest = shape
    n_curves, n_details = (n_queries * keep for keep in kept)
    return LocalModels(
        np.empty((n_queries, n_targets, n_terms)),
        np.empty((n_queries, n_targets)),
        np.empty((n_queries, n_targets, n_best, 2), np.int64),
        np.empty((n_queries, n_targets, n_best)),
        np.empty((n_curves, n_targets, 3, n_nearest)),
        np.empty((n_details, n_targets, n_nearest)),
        np.empty((n_details, n_targets, n_nearest)),
    )
