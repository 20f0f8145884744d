"""Local partial least squares: neighbors of a spectrum become its calibration."""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, last_copies
from sklazy.answer.learner import Effort
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import Scale
from sklazy.errors import BadInputError
from sklazy.flow import Columns, LocalCases, Neighbors, Pools, Queries
from sklazy.forking import cached_property
from sklazy.kernels.columns import to_distances
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.local_models.alike import (
    Groups,
    Lookalikes,
    find_shares,
    pool_neighbors,
)
from sklazy.methods.local_models.leave_one_out import (
    find_last_holders,
    find_scale_holders,
    find_unit_holder,
)
from sklazy.methods.pls.model import (
    Components,
    Explained,
    PLSPlan,
    PLSRows,
    explain_one,
    fit_paths,
    plan_components,
    weigh,
)
from sklazy.methods.space import Space, make_space, place
from sklazy.neighbors.spectra import (
    SPECTRAL_METRICS,
    SpectralView,
    find_nearest_known,
    find_nearest_spectra,
    make_view,
    seen_columns,
)

_FAR = 1e50  # further away all queries are the same: a fourth power must be a float
_MOST_CATEGORIES = 50  # a nominal attribute with more acts through the distance alone
_MOST_QUERIES = 1024
_ORDINARY_WEIGHT = 2.0**30
_MOST_UNEQUAL = 1e12  # ratio of weights, before the lighter are lost in rounding


class PLSSettings(NamedTuple):
    """How local models are made; see `LazyPLSRegressor` for the meaning."""

    n_components: Components
    n_neighbors: int
    combine: str
    metric: str
    localization: float
    scale: bool
    n_scores: int


class PLSData(NamedTuple):
    """Cases made ready.

    Attributes
    ----------
    base : CaseBase
    space : Space
    cases : PLSRows
    rows : int64 array of shape (n_rows,)
        Where each case lies in the case base; rows of weight 0 are left out.
    view : SpectralView, or None where distances are those of the space
    columns : Columns
        Distances are measured on these.
    settings : PLSSettings
    target_unit : float
        The factor of the targets in `cases`.
    lookalikes : Lookalikes
    """

    base: CaseBase
    space: Space
    cases: PLSRows
    rows: Ints
    view: SpectralView | None
    columns: Columns
    settings: PLSSettings
    target_unit: float
    lookalikes: Lookalikes

    def plan(self, n_rows: int) -> PLSPlan:
        """Plan the components to try for a number of visible rows."""
        n_columns = self.space.regressors.shape[1]
        settings = self.settings
        return plan_components(
            settings.n_components, settings.n_neighbors, n_rows, n_columns
        )

    @property
    def effort(self) -> Effort:
        """A search over all cells, components of k rows, and leave-one-out."""
        k, least, most = self.plan(len(self.rows))
        cost = 0.2 * self.columns.values.size + 0.5 * most * k * self.n_columns
        if most > least:
            cost += 0.2 * k * k * self.n_columns + 0.3 * most * k**3
        return Effort(1000.0 + cost, 1, _MOST_QUERIES, memory=16.0 * k)

    @property
    def n_columns(self) -> int:
        """The number of regressors."""
        return self.space.regressors.shape[1]


@dataclass(frozen=True, eq=False)
class PLSAnswer:
    """A batch of queries, answered, and from what.

    Attributes
    ----------
    data : PLSData
    plan : PLSPlan
    queries : Queries
    regressors : float64 array of shape (n_queries, n_columns)
        The queries as the models see them.
    neighbors : Neighbors
    cut : CutPools
    weights : float64 array of shape (n_queries, k)
    paths : float64 array of shape (n_queries, 1 + n_components)
        Predictions with 0, 1, ... components.
    known_errors : float64 array of the same shape, or empty
        Mean squared errors of the neighbors left out, where these had to choose.
    """

    data: PLSData
    plan: PLSPlan
    queries: Queries
    regressors: Floats
    neighbors: Neighbors
    cut: "CutPools"
    weights: Floats
    paths: Floats
    known_errors: Floats

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.data.base

    @cached_property
    def errors(self) -> Floats:
        """Mean squared errors of neighbors left out, with 0, 1, ... components."""
        if len(self.known_errors) == len(self.paths):
            return self.known_errors
        return _fit(self.data, self.plan, self.regressors, self.near, True)[1]

    @property
    def near(self) -> "WeighedNeighbors":
        """The neighbors, what they count with, and their weights."""
        return WeighedNeighbors(self.neighbors.rows, self.cut, self.weights)

    @cached_property
    def shares(self) -> Floats:
        """Weights of models with 0, 1, ... components, (n_queries, 1 + most)."""
        shares, (_, least, most) = np.zeros(self.paths.shape), self.plan
        if least == most:
            shares[:, most] = 1.0
            return shares
        tried = self.errors[:, least:]
        smallest = tried.min(axis=1, keepdims=True)
        if self.data.settings.combine == "best":
            best = least + np.argmin(tried, axis=1)
            shares[np.arange(len(shares)), best] = 1.0
            return shares
        none = np.where(tried == smallest, 1.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            counts = np.where(smallest > 0.0, smallest / tried, none)
        shares[:, least:] = counts / counts.sum(axis=1, keepdims=True)
        return shares

    @property
    def values(self) -> Floats:
        """Predictions, (n_queries, 1)."""
        with np.errstate(over="ignore"):  # what is not finite is refused
            values: Floats = self._share(self.paths) / self.data.target_unit
        return values

    @property
    def deviations(self) -> Floats:
        """Roots of mean squared errors of neighbors left out, (n_queries, 1)."""
        with np.errstate(over="ignore"):
            roots: Floats = np.sqrt(self._share(self.errors)) / self.data.target_unit
        return roots

    def _share(self, figures: Floats) -> Floats:
        """Figures of the numbers of components, as these count, (n_queries, 1)."""
        counted = np.where(self.shares > 0.0, figures * self.shares, 0.0)
        total: Floats = counted.sum(axis=1, keepdims=True)
        return total


class CutPools(NamedTuple):
    """Targets that neighbors are represented by.

    Where some of the cases alike are neighbors, and others are not, each of these
    neighbors counts with the mean of all.

    Attributes
    ----------
    targets, spreads : float64 arrays of shape (n_queries, k)
        Targets, or means, and the mean squared deviations of cases from the latter.
    sizes : float64 array of shape (n_queries, k)
        Of how many cases a target is the mean.
    """

    targets: Floats
    spreads: Floats
    sizes: Floats


class WeighedNeighbors(NamedTuple):
    """The neighbors of queries, what they count with, and their weights."""

    rows: Ints
    cut: CutPools
    weights: Floats


@dataclass(frozen=True)
class PLSLearner:
    """Answers each query by partial least squares on its neighbors.

    Attributes
    ----------
    settings : PLSSettings
    target : Target
    approximate : bool
        Whether scales, principal components and categories stay those of all rows
        when rows are left out.
    """

    is_local: ClassVar[bool] = True

    settings: PLSSettings
    target: Target
    approximate: bool = field(default=False, compare=False)

    def prepare(self, base: CaseBase) -> PLSData:
        """Place the cases, in canonical order, and see them as the metric does."""
        cases = base.cases
        rows = _counting(base)
        if not len(rows):
            raise BadInputError(
                "all sample weights are zero; give at least one row a weight above 0."
            )
        settings = self.settings
        scale: Scale = "std" if settings.scale else "none"
        space = make_space(cases, rows, scale=scale, max_categories=_MOST_CATEGORIES)
        targets = cases.targets[0, rows]
        unit = find_unit(targets)
        weights = _weights(base, rows)
        view, columns = None, space.columns
        if SPECTRAL_METRICS[settings.metric].sees != "cells":
            view = make_view(space.regressors, settings.metric, settings.n_scores)
            columns = seen_columns(view, space.regressors)
        known = PLSRows(space.regressors, targets * unit, weights)
        local = LocalCases(space.regressors, known.targets[:, None], weights)
        # Principal scores look at cells that a query lacks, too.
        lookalikes = Lookalikes(
            base, rows, local, whole=settings.metric == "mahalanobis"
        )
        return PLSData(
            base, space, known, rows, view, columns, settings, unit, lookalikes
        )

    def answer(self, ready: PLSData, batch: Batch) -> PLSAnswer:
        """Find neighbors, weigh them, fit components, and choose how many."""
        groups = None
        if batch.excluded is not None:
            groups = ready.rows, last_copies(ready.base)[batch.excluded]
        plan = ready.plan(len(ready.rows) - (groups is not None))
        columns, regressors = place(ready.space, batch.queries, _FAR)
        more = _find_nearest(ready, columns, regressors, plan.k + 1, groups)
        nearest = more.first(plan.k)
        distances = to_distances(nearest.distances, ready.columns.metric)
        weights = weigh(
            distances, nearest.rows, ready.cases.weights, ready.settings.localization
        )
        pools = pool_neighbors(ready.lookalikes, batch.queries, more, plan.k, groups)
        cut, chooses = _cut_pools(ready, nearest.rows, pools), plan.most > plan.least
        near = WeighedNeighbors(nearest.rows, cut, weights)
        values, errors = _fit(ready, plan, regressors, near, chooses)
        queries = batch.queries
        return PLSAnswer(
            ready, plan, queries, regressors, nearest, cut, weights, values, errors
        )

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Rows that neither scales, fillings, axes nor categories hang on."""
        if self.approximate:
            return np.ones(base.n_rows, bool)
        settings, cases = self.settings, base.cases
        rows = _counting(base)
        lacks = _lacks_cells(base, rows)
        sees = SPECTRAL_METRICS[settings.metric].sees
        filled = lacks and sees != "cells"
        if settings.scale or sees == "scores" or filled:
            return np.zeros(base.n_rows, bool)
        held = find_last_holders(base)
        held[np.setdiff1d(np.arange(base.n_rows), rows)] = True
        if lacks:  # a missing cell counts as much as the range of its column
            held |= find_scale_holders(cases, rows, "none")
        largest = np.fmax.reduce(np.abs(cases.numbers[:, rows]), axis=0, initial=0.0)
        for values in (largest, cases.targets[0, rows]):
            held[rows] |= find_unit_holder(values)
        if base.weighted:
            held[rows] |= find_unit_holder(cases.weights[rows], _ORDINARY_WEIGHT)
        return ~held


def _counting(base: CaseBase) -> Ints:
    """The rows of a weight above 0, in canonical order."""
    rows: Ints = base.order[base.cases.weights[base.order] > 0]
    return rows


def _lacks_cells(base: CaseBase, rows: Ints) -> bool:
    cases = base.cases
    numbers, codes = cases.numbers[:, rows], cases.codes[cases.numeric < 0][:, rows]
    return bool(np.isnan(numbers).any() or (codes < 0).any())


def _weights(base: CaseBase, rows: Ints) -> Floats:
    """The weights of rows in units that can be squared; none where all are 1."""
    if not base.weighted:
        return np.zeros(0)
    weights: Floats = base.cases.weights[rows]
    if weights.min() < weights.max() / _MOST_UNEQUAL:
        raise BadInputError(
            f"sample_weight goes from {weights.min():g} to {weights.max():g}; expected "
            f"ratios of at most {_MOST_UNEQUAL:g}. Give the lightest rows the weight 0."
        )
    return weights * find_unit(weights, _ORDINARY_WEIGHT)


def _find_nearest(
    data: PLSData,
    columns: Floats,
    regressors: Floats,
    n_nearest: int,
    groups: Groups | None,
) -> Neighbors:
    """Find the nearest cases as the metric sees them; fewer where there are fewer."""
    n_found = min(n_nearest, len(data.rows))
    if data.view is None:
        return find_nearest_known(data.columns, columns, n_found, groups)
    known = data.view, data.columns, data.cases.regressors
    return find_nearest_spectra(*known, regressors, n_found, groups)


def _cut_pools(data: PLSData, rows: Ints, pools: Pools) -> CutPools:
    """Let neighbors stand for cases alike that are neighbors in part."""
    targets = data.cases.targets[rows]
    if not len(pools.sizes):
        return CutPools(targets, np.zeros(rows.shape), np.ones(rows.shape))
    is_cut = find_shares(pools) < 1.0
    return CutPools(
        np.where(is_cut, pools.means[:, :, 0], targets),
        np.where(is_cut, pools.spreads[:, :, 0], 0.0),
        np.where(is_cut, pools.sizes, 1.0),
    )


def _fit(
    data: PLSData,
    plan: PLSPlan,
    regressors: Floats,
    near: WeighedNeighbors,
    left_out: bool,
) -> tuple[Floats, Floats]:
    """Predictions, and errors; what means leave of targets no model explains."""
    values, errors = fit_paths(
        data.cases,
        regressors,
        near.rows,
        near.cut.targets,
        near.weights,
        plan.most,
        scaled=data.settings.scale,
        left_out=left_out,
    )
    if left_out:
        unexplained = (near.weights * near.cut.spreads).mean(axis=1, keepdims=True)
        errors = errors + unexplained
    return values, errors


def explain_answer(answer: PLSAnswer, query: int) -> Explained:
    """The model of one query of an answer."""
    return explain_one(
        answer.data.cases,
        answer.regressors[query],
        answer.neighbors.rows[query],
        answer.cut.targets[query],
        answer.weights[query],
        answer.shares[query],
        scaled=answer.data.settings.scale,
    )
