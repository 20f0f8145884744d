"""Local regression: queries are placed, find neighbors, and these become models."""

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.answer.learner import Effort
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import Scale
from sklazy.casebase.magnitudes import find_unit
from sklazy.combine import argmax_with_ties, to_shares
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import (
    LocalCases,
    LocalModels,
    LocalPlan,
    Neighbors,
    Queries,
)
from sklazy.local import (
    Space,
    count_terms,
    find_ranges,
    fit_models,
    make_plan,
    make_space,
    place,
)
from sklazy.local.local_models.plans import NBest, Spans, check_ridge, limit_ridge
from sklazy.neighbors import find_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_QUERIES = 8192  # whose neighbors are in memory at one time
_FAR = 1e50  # further away all queries are the same: a fourth power must be a float
_ORDINARY_WEIGHT = 2.0**30
# Ratios of weights of cases, before the lighter are lost in rounding (in lines), or
# their scores are beyond floats (in constants).
_MOST_UNEQUAL = {True: 1e12, False: 1e100}

Groups = tuple[Ints, Ints]


class LocalSettings(NamedTuple):
    """How local models are made; see `LazyLearningRegressor` for the meaning."""

    degrees: object
    n_neighbors: Spans
    n_best: NBest
    metric: str
    ridge: float
    scale: Scale
    attribute_weights: object
    max_categories: int
    as_in_r: bool


class LocalData(NamedTuple):
    """Cases made ready for local regression.

    Attributes
    ----------
    base : CaseBase
    space : Space
    cases : LocalCases
    rows : int64 array of shape (n_rows,)
        Where each case lies in the case base; rows of weight 0 are left out.
    plan : LocalPlan
    settings : LocalSettings
        The ridge is that of the weights in `cases`.
    target_units : float64 array of shape (n_targets,)
        What the targets in `cases` were multiplied by, so that they can be squared.
    """

    base: CaseBase
    space: Space
    cases: LocalCases
    rows: Ints
    plan: LocalPlan
    settings: LocalSettings
    target_units: Floats

    @property
    def effort(self) -> Effort:
        """A search over all cells, and p^2 + k p operations for each neighbor."""
        n_nearest = int(self.plan.ranges[:, 1].max())
        search = 0.2 * self.space.columns.values.size + 100.0 * n_nearest
        cost = search + _cost(self.plan, self.space.regressors.shape[1])
        return Effort(cost, 1, _MOST_QUERIES)


@dataclass(frozen=True, eq=False)
class LocalAnswer:
    """A batch of queries, answered, and from what.

    Attributes
    ----------
    data : LocalData
    queries : Queries
    regressors : float64 array of shape (n_queries, n_regressors)
        The queries as the models see them.
    neighbors : Neighbors
    models : LocalModels
    """

    data: LocalData
    queries: Queries
    regressors: Floats
    neighbors: Neighbors
    models: LocalModels

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.data.base

    @property
    def values(self) -> Floats:
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
        counts = self.base.cases.class_counts
        return counts / counts.sum()


@dataclass(frozen=True, eq=False)
class LocalModelLearner:
    """Answers each query by small regressions on its neighbors.

    Attributes
    ----------
    settings : LocalSettings
    target : Target
        Numbers, or classes by an indicator of each.
    groups : int64 array of shape (n_rows,), or None
        A group of every row of the base: a case that is left out does not see its
        own group. By default each case is a group of its own.
    curves : bool
        Whether to keep the score of every number of neighbors.
    """

    settings: LocalSettings
    target: Target
    groups: Ints | None = field(default=None, repr=False)
    curves: bool = False

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalModelLearner) and self._key == other._key

    @cached_property
    def _key(self) -> Hashable:
        """What the cases are prepared by."""
        return _frozen(self.settings)

    def prepare(self, base: CaseBase) -> LocalData:
        """Place the cases, and plan which models are tried."""
        return prepare_local(base, self.settings)

    def answer(self, ready: LocalData, batch: Batch) -> LocalAnswer:
        """Find neighbors, fit models on them, combine the best."""
        plan, groups = ready.plan, None
        if batch.excluded is not None:
            groups, plan = self._hide(ready, batch.excluded)
        return answer_locally(ready, batch.queries, plan, groups, self.curves)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Every row; the scales stay those of all rows."""
        return np.ones(base.n_rows, bool)

    def _hide(self, ready: LocalData, excluded: Ints) -> tuple[Groups, LocalPlan]:
        """What each query does not see, and which models are tried then."""
        groups = self.groups
        if groups is None:
            groups = np.arange(ready.base.n_rows)
        own = groups[ready.rows]
        plan = plan_without(ready, int(np.bincount(own).max()))
        return (own, groups[excluded]), plan


def _frozen(value: Any) -> Hashable:  # noqa: ANN401 - a parameter of any kind
    """A parameter as something that can be a key."""
    if isinstance(value, np.ndarray):
        return "array", value.shape, tuple(value.ravel().tolist())
    if isinstance(value, dict):
        return "dict", tuple((key, _frozen(own)) for key, own in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(_frozen(item) for item in value)
    return type(value).__name__, value


def prepare_local(base: CaseBase, settings: LocalSettings) -> LocalData:
    """Make a case base ready to be asked.

    Rows are taken in canonical order, so that ties fall the same way whatever order
    they came in; with `as_in_r` in order of arrival.
    """
    cases = base.cases
    order = np.argsort(base.arrival) if settings.as_in_r else base.order
    rows = order[cases.weights[order] > 0]
    if not len(rows):
        raise BadInputError(
            "all sample weights are zero; give at least one row a weight above 0."
        )
    check_ridge(settings.ridge)
    space = make_space(
        cases,
        rows,
        metric=settings.metric,
        weights=settings.attribute_weights,
        scale=settings.scale,
        max_categories=settings.max_categories,
    )
    if settings.as_in_r and (space.placement.units != 1.0).any():
        raise BadInputError(
            f"the numbers of X reach {np.nanmax(np.abs(cases.numbers[:, rows])):g}, "
            "whose squares R's lazy cannot compute with; scale the columns, or use "
            "LazyLearningRegressor() without compat."
        )
    weights = cases.weights[rows] if base.weighted else np.zeros(0)
    unit = find_unit(weights, _ORDINARY_WEIGHT)
    if unit != 1.0:  # the ridge is the weight of what is not known: it goes along
        settings = settings._replace(ridge=limit_ridge(settings.ridge * unit))
    targets = _targets(base, rows)
    units = np.array([find_unit(own) for own in targets.T])
    local = LocalCases(space.regressors, targets * units, weights * unit)
    plan = make_plan_for(settings, space, len(rows))
    _check_weights(weights, plan)
    return LocalData(base, space, local, rows, plan, settings, units)


def _check_weights(weights: Floats, plan: LocalPlan) -> None:
    """Refuse weights so unequal that models come out wrong."""
    most = _MOST_UNEQUAL[bool(plan.ranges[1:, 0].any())]
    if len(weights) and weights.min() < weights.max() / most:
        raise BadInputError(
            f"sample_weight goes from {weights.min():g} to {weights.max():g}; expected "
            f"ratios of at most {most:g}. Give the lightest rows the weight 0."
        )


def make_plan_for(settings: LocalSettings, space: Space, n_rows: int) -> LocalPlan:
    """Which models are tried where so many rows can be seen."""
    n_regressors = space.regressors.shape[1]
    ranges = find_ranges(settings.degrees, settings.n_neighbors, n_regressors, n_rows)
    return make_plan(ranges, settings.n_best, settings.ridge, as_in_r=settings.as_in_r)


def plan_without(data: LocalData, n_hidden: int) -> LocalPlan:
    """The plan where so many rows cannot be seen; what was warned of is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        n_rows = len(data.rows) - n_hidden
        return make_plan_for(data.settings, data.space, n_rows)


def _targets(base: CaseBase, rows: Ints) -> Floats:
    """Numbers, or an indicator of each class; shape (n_rows, n_targets)."""
    cases = base.cases
    if not base.class_labels:
        return np.ascontiguousarray(cases.targets[:, rows].T)
    return np.eye(len(base.class_labels))[cases.classes[rows]]


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
    neighbors = find_nearest(data.space.columns, columns, n_nearest, groups=groups)
    models = fit_models(data.cases, plan, regressors, neighbors.rows, curves=curves)
    return LocalAnswer(data, queries, regressors, neighbors, models)


def _cost(plan: LocalPlan, n_regressors: int) -> float:
    """Nanoseconds per query, roughly: p^2 + k p operations for each neighbor."""
    total = 0.0
    for degree, most in enumerate(plan.ranges[:, 1].tolist()):
        n_terms = count_terms(n_regressors, degree)
        total += 0.2 * most * (n_terms**2 + most * n_terms)
    return total


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
