"""Local regression: queries are placed, find neighbors, and these become models."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import (
    Chunk,
    LocalCases,
    LocalModels,
    LocalPlan,
    Neighbors,
    Queries,
    Runner,
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
from sklazy.local.local_models.plans import NBest, Spans
from sklazy.local.local_models.space import Scale
from sklazy.neighbors import find_nearest

_SLAB = 8192  # queries whose neighbors are in memory at one time

Groups = tuple[NDArray[np.int64], NDArray[np.int64]]


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


class LocalMemory(NamedTuple):
    """Cases made ready for local regression.

    Attributes
    ----------
    space : Space
    cases : LocalCases
    slots : int64 array of shape (n_rows,)
        Where each row lies in the case base; rows of weight 0 are left out.
    plan : LocalPlan
    settings : LocalSettings
    """

    space: Space
    cases: LocalCases
    slots: NDArray[np.int64]
    plan: LocalPlan
    settings: LocalSettings


class LocalAnswer(NamedTuple):
    """What a batch of queries is answered, and from what.

    Attributes
    ----------
    regressors : float64 array of shape (n_queries, n_regressors)
        The queries as the models see them.
    neighbors : Neighbors
    models : LocalModels
    """

    regressors: NDArray[np.float64]
    neighbors: Neighbors
    models: LocalModels


class LocalValues(NamedTuple):
    """Predictions and their errors.

    Attributes
    ----------
    values, errors : float64 arrays of shape (n_queries, n_targets)
        The predictions, and the mean squared leave-one-out errors of their models.
    """

    values: NDArray[np.float64]
    errors: NDArray[np.float64]


def remember(base: CaseBase, settings: LocalSettings) -> LocalMemory:
    """Make a case base ready to be asked.

    Rows are taken in canonical order, so that ties fall the same way whatever order
    they came in; with `as_in_r` in order of arrival.
    """
    cases = base.cases
    order = np.argsort(base.arrival) if settings.as_in_r else base.order
    slots = order[cases.weights[order] > 0]
    if not len(slots):
        raise BadInputError(
            "all sample weights are zero; give at least one row a weight above 0."
        )
    space = make_space(
        cases,
        slots,
        metric=settings.metric,
        weights=settings.attribute_weights,
        scale=settings.scale,
        max_categories=settings.max_categories,
    )
    weights = cases.weights[slots] if base.weighted else np.zeros(0)
    local = LocalCases(space.regressors, _targets(base, slots), weights)
    plan = make_plan_for(settings, space, len(slots))
    return LocalMemory(space, local, slots, plan, settings)


def make_plan_for(settings: LocalSettings, space: Space, n_rows: int) -> LocalPlan:
    """Which models are tried where so many rows can be seen."""
    n_regressors = space.regressors.shape[1]
    ranges = find_ranges(settings.degrees, settings.n_neighbors, n_regressors, n_rows)
    return make_plan(ranges, settings.n_best, settings.ridge, as_in_r=settings.as_in_r)


def _targets(base: CaseBase, slots: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers, or an indicator of each class; shape (n_rows, n_targets)."""
    cases = base.cases
    if not base.class_labels:
        return np.ascontiguousarray(cases.targets[:, slots].T)
    return np.eye(len(base.class_labels))[cases.classes[slots]]


def ask(
    memory: LocalMemory,
    queries: Queries,
    *,
    plan: LocalPlan | None = None,
    groups: Groups | None = None,
    curves: bool = False,
    n_jobs: int | None = None,
) -> LocalAnswer:
    """Answer a batch of queries.

    Parameters
    ----------
    memory : LocalMemory
    queries : Queries
    plan : LocalPlan, optional
        Another than the memory's own.
    groups : pair of int64 arrays, of the rows and of the queries, optional
        A query does not see rows of its own group.
    curves : bool
        Whether to keep the score of every number of neighbors.
    n_jobs : int, optional
    """
    placed = place(memory.space, queries)
    plan = memory.plan if plan is None else plan
    return _ask_placed(memory, placed, plan, groups, curves, n_jobs)


def ask_values(
    memory: LocalMemory,
    queries: Queries,
    *,
    plan: LocalPlan | None = None,
    groups: Groups | None = None,
    n_jobs: int | None = None,
) -> LocalValues:
    """Answer any number of queries, keeping the values and errors alone.

    Parameters are those of `ask`. The neighbors and models of millions of queries
    would fill the memory; these are kept for some thousand at a time.
    """
    n_queries, n_targets = len(queries.codes), memory.cases.targets.shape[1]
    kept = LocalValues(*np.empty((2, n_queries, n_targets)))
    for first in range(0, n_queries, _SLAB):
        here = slice(first, first + _SLAB)
        slab = Queries(queries.codes[here], queries.values[here])
        hidden = None if groups is None else (groups[0], groups[1][here])
        models = ask(memory, slab, plan=plan, groups=hidden, n_jobs=n_jobs).models
        kept.values[here] = models.coefficients[:, :, 0]
        kept.errors[here] = models.errors
    return kept


def ask_rows(
    memory: LocalMemory, rows: NDArray[np.int64], n_jobs: int | None = None
) -> LocalAnswer:
    """Answer for cases of the memory, each left out itself."""
    values = np.ascontiguousarray(memory.space.columns.values[:, rows].T)
    placed = values, memory.space.regressors[rows]
    everyone = np.arange(len(memory.slots))
    plan = plan_without(memory, 1)
    return _ask_placed(memory, placed, plan, (everyone, rows), False, n_jobs)


def plan_without(memory: LocalMemory, n_hidden: int) -> LocalPlan:
    """The plan where so many rows cannot be seen; what was warned of is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        n_rows = len(memory.slots) - n_hidden
        return make_plan_for(memory.settings, memory.space, n_rows)


def _ask_placed(
    memory: LocalMemory,
    placed: tuple[NDArray[np.float64], NDArray[np.float64]],
    plan: LocalPlan,
    groups: Groups | None,
    curves: bool,
    n_jobs: int | None,
) -> LocalAnswer:
    columns, regressors = placed
    n_nearest = int(plan.ranges[:, 1].max())
    search = 0.2 * memory.space.columns.values.size + 100.0 * n_nearest
    neighbors = find_nearest(
        memory.space.columns,
        columns,
        n_nearest,
        groups=groups,
        run=_runner(n_jobs, search),
    )
    models = fit_models(
        memory.cases,
        plan,
        regressors,
        neighbors.rows,
        curves=curves,
        run=_runner(n_jobs, _cost(plan, regressors.shape[1])),
    )
    return LocalAnswer(regressors, neighbors, models)


def _runner(n_jobs: int | None, nanoseconds: float) -> Runner:
    """Run chunks in threads where all queries together are worth it."""

    def run(chunk: Chunk, n_queries: int) -> None:
        run_chunks(chunk, n_queries, n_jobs, nanoseconds * n_queries)

    return run


def _cost(plan: LocalPlan, n_regressors: int) -> float:
    """Nanoseconds a query, roughly: p^2 + k p operations for each neighbor."""
    total = 0.0
    for degree, most in enumerate(plan.ranges[:, 1].tolist()):
        n_terms = count_terms(n_regressors, degree)
        total += 0.2 * most * (n_terms**2 + most * n_terms)
    return total


def model_details(
    memory: LocalMemory, answer: LocalAnswer, query: int, target: int
) -> tuple[LocalModels, int]:
    """The best model of one query alone, with leverages and residuals, and its k.

    It is grown by the very steps that grew it among others, so it is the same model.
    """
    best = int(np.nanargmin(answer.models.scores[query, target]))
    degree, k = answer.models.models[query, target, best].tolist()
    scored = int(memory.plan.ranges[degree, 2])
    plan = make_plan(
        {degree: (k, k, scored)},
        1,
        1.0 / memory.plan.spread,
        as_in_r=memory.plan.as_in_r,
    )._replace(spread=memory.plan.spread)
    fitted = fit_models(
        memory.cases,
        plan,
        answer.regressors[query : query + 1],
        answer.neighbors.rows[query : query + 1],
        details=True,
    )
    return fitted, k
