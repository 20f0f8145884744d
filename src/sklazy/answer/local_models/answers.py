"""Answers of local models, and what they rest on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.local_models.data import LocalData
from sklazy.answer.local_models.in_parts import gather_local
from sklazy.answer.local_models.nearest_on_device import find_nearest_there
from sklazy.answer.local_models.on_device import fit_models_there
from sklazy.casebase import CaseBase
from sklazy.casebase.parted_head import PartedHead
from sklazy.combine import argmax_with_ties, to_shares
from sklazy.flow import LocalModels, LocalPlan, Neighbors, Queries
from sklazy.local import fit_models, make_plan, place

_FAR = 1e50  # further away all queries are the same: a fourth power must be a float

Groups = tuple[Ints, Ints]


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
    models : LocalModels
    hidden : int64 array of shape (n_queries, n_classes), or None
        The cases of each class that a query does not see, where there are any.
    """

    data: LocalData
    queries: Queries
    regressors: Floats
    neighbors: Neighbors
    models: LocalModels
    hidden: Ints | None = None

    @property
    def base(self) -> CaseBase:  # type: ignore[override]
        """The cases that answered."""
        return self.data.base

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
    n_nearest = int(plan.ranges[:, 1].max())
    if data.frame is not None:
        assert isinstance(data.base, PartedHead)
        found = gather_local(data.base, data.frame, columns, n_nearest, data.device)
        data = data._replace(cases=found.cases, rows=found.rows)
        neighbors = found.neighbors
    elif data.device is None:
        neighbors = data.search.find(columns, n_nearest, groups=groups)
    else:
        neighbors = find_nearest_there(
            data.base,
            data.space.columns,
            id(data.space),
            data.device,
            columns,
            n_nearest,
            groups,
        )
    if data.device is None or curves:  # receipts are the same wherever they are made
        models = fit_models(data.cases, plan, regressors, neighbors.rows, curves=curves)
    else:
        models = fit_models_there(data, plan, regressors, neighbors.rows)
    return LocalAnswer(data, queries, regressors, neighbors, models)


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
    fitted = fit_models(
        data.cases,
        plan,
        answer.regressors[query : query + 1],
        answer.neighbors.rows[query : query + 1],
        details=True,
    )
    return fitted, k
