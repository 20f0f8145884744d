"""Local regression: queries are placed, find neighbors, and these become models."""

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch
from sklazy.answer.learner import Effort
from sklazy.answer.local_models.leave_one_out import (
    find_last_holders,
    find_scale_holders,
    find_unit_holder,
)
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
    approximate : bool
        Whether scales, categories and codes stay those of all rows when rows are left
        out, as they must for groups.
    """

    settings: LocalSettings
    target: Target
    groups: Ints | None = field(default=None, repr=False)
    curves: bool = False
    approximate: bool = False

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

    def answer(self, ready: LocalData, batch: Batch) -> LocalAnswer | LeftOutAnswer:
        """Find neighbors, fit models on them, combine the best."""
        if batch.excluded is None:
            return self._answer(ready, batch.queries)
        if self.approximate:
            return self._exclude(ready, batch.queries, batch.excluded)
        return self._leave_out(ready, batch, batch.excluded)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All but the only rows of a category or a class."""
        if self.approximate:
            return np.ones(base.n_rows, bool)
        return ~find_last_holders(base)

    def _answer(self, ready: LocalData, queries: Queries) -> LocalAnswer:
        return answer_locally(ready, queries, ready.plan, curves=self.curves)

    def _exclude(
        self, ready: LocalData, queries: Queries, excluded: Ints
    ) -> LocalAnswer:
        """Answer cases that stay where they are, in the space of all."""
        groups, plan = self._hide(ready, excluded)
        found = answer_locally(ready, queries, plan, groups, self.curves)
        return replace(found, hidden=self._count_hidden(ready.base, excluded))

    def _leave_out(
        self, ready: LocalData, batch: Batch, excluded: Ints
    ) -> LeftOutAnswer:
        """Answer cases, each in the space of the others.

        Most rows of a column shape its standard deviation, so each of these has a
        space made for it, which is several times the work of searching it. Where
        ranges scale, or nothing does, there are few such rows.
        """
        base, shape = batch.base, (len(batch), ready.cases.targets.shape[1])
        holders = base.derive(
            (find_holders, self), lambda: find_holders(ready, self.settings.scale)
        )[excluded]
        values, deviations = np.empty(shape), np.empty(shape)
        stay = np.flatnonzero(~holders)
        if len(stay):
            found = self._exclude(ready, _take(batch.queries, stay), excluded[stay])
            values[stay], deviations[stay] = found.values, found.deviations
        for i in np.flatnonzero(holders).tolist():
            others = self._without(ready, int(excluded[i]))
            found = self._answer(others, _take(batch.queries, [i]))
            values[i], deviations[i] = found.values[0], found.deviations[0]
        hidden = self._count_hidden(base, excluded)
        return LeftOutAnswer(base, batch.queries, values, deviations, hidden)

    def _without(self, ready: LocalData, row: int) -> LocalData:
        """The cases without one of them, made ready."""
        rows = ready.rows[ready.rows != row]
        space, cases, units, own = place_rows(ready.base, rows, self.settings)
        key = (plan_without, self, own.ridge, space.regressors.shape[1], len(rows))
        plan = ready.base.derive(key, lambda: plan_without(own, space, len(rows)))
        check_weights(ready.base, rows, plan)
        return LocalData(ready.base, space, cases, rows, plan, own, units)

    def _hide(self, ready: LocalData, excluded: Ints) -> tuple[Groups, LocalPlan]:
        """What each query does not see, and which models are tried then."""
        groups = self.groups
        if groups is None:
            groups = np.arange(ready.base.n_rows)
        own = groups[ready.rows]
        n_rows = len(own) - int(np.bincount(own).max())
        plan = plan_without(ready.settings, ready.space, n_rows)
        return (own, groups[excluded]), plan

    def _count_hidden(self, base: CaseBase, excluded: Ints) -> Ints | None:
        """The cases of each class that queries do not see, (n_queries, n_classes)."""
        if not base.class_labels:
            return None
        cases = base.cases
        one_hot = np.eye(cases.class_counts.size, dtype=np.int64)
        if self.groups is None:
            return one_hot[cases.classes[excluded]]
        counts = np.zeros((self.groups.max() + 1, len(one_hot)), np.int64)
        np.add.at(counts, (self.groups, cases.classes[: base.n_rows]), 1)
        return counts[self.groups[excluded]]


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
    space, local, units, own = place_rows(base, rows, settings)
    plan = make_plan_for(own, space, len(rows))
    check_weights(base, rows, plan)
    return LocalData(base, space, local, rows, plan, own, units)


class PlacedRows(NamedTuple):
    """Some rows of a base, in a space and in units of their own.

    Attributes
    ----------
    space : Space
    cases : LocalCases
    target_units : float64 array of shape (n_targets,)
    settings : LocalSettings
        As in `LocalData`.
    """

    space: Space
    cases: LocalCases
    target_units: Floats
    settings: LocalSettings


def find_holders(ready: LocalData, scale: Scale) -> NDArray[np.bool_]:
    """The rows without which cells, targets or weights would be placed anew."""
    base, rows = ready.base, ready.rows
    found = find_scale_holders(base.cases, rows, scale)
    for own in _targets(base, rows).T:
        found[rows] |= find_unit_holder(own)
    if base.weighted:
        found[rows] |= find_unit_holder(base.cases.weights[rows], _ORDINARY_WEIGHT)
    return found


def place_rows(base: CaseBase, rows: Ints, settings: LocalSettings) -> PlacedRows:
    """Some rows of a base, in a space and in units of their own."""
    if not len(rows):
        raise BadInputError(
            "all sample weights are zero; give at least one row a weight above 0."
        )
    check_ridge(settings.ridge)
    cases = base.cases
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
    return PlacedRows(space, local, units, settings)


def check_weights(base: CaseBase, rows: Ints, plan: LocalPlan) -> None:
    """Refuse weights so unequal that models come out wrong."""
    weights = base.cases.weights[rows] if base.weighted else np.zeros(0)
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


def plan_without(settings: LocalSettings, space: Space, n_rows: int) -> LocalPlan:
    """The plan where some rows cannot be seen; what was warned of is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return make_plan_for(settings, space, n_rows)


def _take(queries: Queries, places: Ints | list[int]) -> Queries:
    return Queries(queries.codes[places], queries.values[places])


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
