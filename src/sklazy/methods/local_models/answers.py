"""Answers of local models, and what they rest on."""

from dataclasses import dataclass

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.casebase.parted_head import PartedHead
from sklazy.flow import LocalModels, LocalPlan, Neighbors, Pools, Queries
from sklazy.forking import cached_property
from sklazy.measures import argmax_with_ties, to_shares
from sklazy.methods.local_models.alike import Groups, pool_neighbors
from sklazy.methods.local_models.cuda import find_nearest_there, fit_models_there
from sklazy.methods.local_models.data import LocalData
from sklazy.methods.local_models.in_parts import gather_local
from sklazy.methods.local_models.plans import make_plan
from sklazy.methods.local_models.regression import fit_models
from sklazy.methods.space import place

_FAR = 1e50  # further away all queries are the same: a fourth power must be a float


class IndicatedClasses:
    """Classes by the values of their indicators."""

    base: CaseBase
    values: Floats
    hidden: Ints | None

    @cached_property
    def probabilities(self) -> Floats:
        """Values of classes, clipped and normalized; their shares where all are 0."""
        return to_shares(self.values, self._priors)

    @property
    def decisions(self) -> Ints:
        """The class of highest probability; ties by more cases, then lower code."""
        return argmax_with_ties(self.probabilities, self._priors)

    @property
    def _priors(self) -> Floats:
        """Shares of the classes among the cases seen, whatever weights these have."""
        counts = self.base.cases.class_counts
        if self.hidden is not None:
            counts = counts - self.hidden
        return counts / counts.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class LocalAnswer(IndicatedClasses):
    """A batch of queries, answered, and from what.

    Attributes
    ----------
    data : LocalData
    queries : Queries
    regressors : float64 array of shape (n_queries, n_regressors)
        The queries as the models see them.
    neighbors : Neighbors
    pools : Pools, or None where no case is like another
    models : LocalModels
    hidden : int64 array of shape (n_queries, n_classes), or None
        The cases of each class that a query does not see, where there are any.
    """

    data: LocalData
    queries: Queries
    regressors: Floats
    neighbors: Neighbors
    pools: Pools | None
    models: LocalModels
    hidden: Ints | None = None

    @property
    def base(self) -> CaseBase:  # type: ignore[override]
        """The cases that answered."""
        return self.data.base

    def pooled(self, query: int, n_nearest: int) -> Pools | None:
        """Return the pools of a query's nearest cases; None where none is like another.

        The query is the only one of them.
        """
        if self.pools is None or not len(self.pools.sizes):
            return None
        pools = self.pools.take(slice(query, query + 1), slice(n_nearest))
        return pools if (pools.sizes > 1).any() else None

    @property
    def values(self) -> Floats:  # type: ignore[override]
        """Predictions, (n_queries, n_targets); of classes, their indicators."""
        with np.errstate(over="ignore"):  # what is not finite is refused
            values: Floats = self.models.coefficients[:, :, 0] / self.data.target_units
        return values

    @property
    def deviations(self) -> Floats:
        """Roots of mean squared leave-one-out errors, (n_queries, n_targets)."""
        with np.errstate(over="ignore"):
            roots: Floats = np.sqrt(self.models.errors) / self.data.target_units
        return roots


@dataclass(frozen=True, eq=False)
class LeftOutAnswer(IndicatedClasses):
    """Cases as queries, each answered in the space of the others.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
    values, deviations, hidden
        As in `LocalAnswer`.
    """

    base: CaseBase
    queries: Queries
    values: Floats
    deviations: Floats
    hidden: Ints | None


def answer_locally(
    data: LocalData,
    queries: Queries,
    plan: LocalPlan,
    groups: Groups | None = None,
    curves: bool = False,
) -> LocalAnswer:
    """Answer a batch of queries.

    Parameters
    ----------
    data : LocalData
    queries : Queries
    plan : LocalPlan
    groups : pair of int64 arrays, of the rows and of the queries, optional
        A query does not see rows of its own group.
    curves : bool
        Whether to keep the score of every number of neighbors.
    """
    columns, regressors = place(data.space, queries, _FAR)
    n_nearest, pools = int(plan.ranges[:, 1].max()), None
    if data.frame is not None:
        assert isinstance(data.base, PartedHead)
        gathered = gather_local(
            data.base, data.frame, queries, columns, n_nearest, data.device
        )
        data = data._replace(cases=gathered.cases, rows=gathered.rows)
        neighbors, pools = gathered.neighbors, gathered.pools
    else:
        near = _find_nearest(data, columns, n_nearest, groups)
        neighbors = near.first(n_nearest)
        if data.lookalikes is not None:
            pools = pool_neighbors(data.lookalikes, queries, near, n_nearest, groups)
    nearest = plan, regressors, neighbors.rows
    if data.device is None or curves:  # receipts are the same wherever they are made
        models = fit_models(data.cases, *nearest, pools=pools, curves=curves)
    else:
        models = fit_models_there(data, *nearest, pools)
    return LocalAnswer(data, queries, regressors, neighbors, pools, models)


def _find_nearest(
    data: LocalData, columns: Floats, n_nearest: int, groups: Groups | None
) -> Neighbors:
    """Find neighbors, and one case more if there is one."""
    n_found = min(n_nearest + 1, len(data.rows))
    if data.device is None:
        return data.search.find(columns, n_found, groups=groups)
    there = data.base, data.space.columns, id(data.space), data.device
    return find_nearest_there(*there, columns, n_found, groups)


def model_details(
    answer: LocalAnswer, query: int, target: int
) -> tuple[LocalModels, int]:
    """The best model of one query alone, with leverages and residuals, and its k.

    It is grown by the very steps that grew it among others, so it is the same model.
    """
    data = answer.data
    best = int(np.nanargmin(answer.models.scores[query, target]))
    degree, k = answer.models.models[query, target, best].tolist()
    scored = int(data.plan.ranges[degree, 2])
    plan = make_plan(
        {degree: (k, k, scored)},
        1,
        1.0 / data.plan.prior_variance,
        as_in_r=data.plan.as_in_r,
    )._replace(prior_variance=data.plan.prior_variance)
    here = slice(query, query + 1)
    fitted = fit_models(
        data.cases,
        plan,
        answer.regressors[here],
        answer.neighbors.rows[here],
        pools=None if answer.pools is None else answer.pools.take(here),
        details=True,
    )
    return fitted, k
