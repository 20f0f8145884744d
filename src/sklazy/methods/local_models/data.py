"""Cases made ready for local regression: placed, in units, with a plan of models."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.learner import Effort
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import Scale, Sums, sum_columns
from sklazy.errors import BadInputError
from sklazy.flow import LocalCases, LocalPlan
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.local_models.alike import Lookalikes
from sklazy.methods.local_models.leave_one_out import (
    find_scale_holders,
    find_unit_holder,
)
from sklazy.methods.local_models.placed_parts import (
    LocalFrame,
    count_local,
    find_targets,
)
from sklazy.methods.local_models.plans import (
    NBest,
    Spans,
    check_ridge,
    count_terms,
    find_ranges,
    limit_ridge,
    make_plan,
)
from sklazy.methods.space import Space, make_frame, make_space
from sklazy.neighbors import TreeSearch

_MOST_QUERIES = 8192  # whose neighbors are in memory at one time
_MOST_GATHERED = 1024  # likewise, with all that parts know of them
_DEVICE_SLICES = 1 << 14, 1 << 15
_GATHERED_SLICES = 1 << 12, 1 << 13
_ORDINARY_WEIGHT = 2.0**30
# Ratios of weights of cases, before the lighter are lost in rounding (in lines), or
# their scores are beyond floats (in constants).
_MOST_UNEQUAL = {True: 1e12, False: 1e100}


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
        The factors of the targets in `cases`, so that they can be squared.
    search : TreeSearch
        Finds neighbors among the columns of the space.
    lookalikes : Lookalikes, or None
        Cases that queries cannot distinguish; None as R has it, and in parts.
    device : str, or None for the CPU
        Where neighbors and models are found.
    frame : LocalFrame, or None
        Where cases lie in parts: what places them. There are no cases here then.
    """

    base: CaseBase
    space: Space
    cases: LocalCases
    rows: Ints
    plan: LocalPlan
    settings: LocalSettings
    target_units: Floats
    search: TreeSearch
    lookalikes: Lookalikes | None = None
    device: str | None = None
    frame: LocalFrame | None = None

    @property
    def effort(self) -> Effort:
        """A search over all cells, and p^2 + k p operations for each neighbor."""
        n_cells = len(self.space.columns.kinds) * self.base.n_rows
        if self.device is not None:
            slices = _DEVICE_SLICES if self.frame is None else _GATHERED_SLICES
            return Effort(1.0 + n_cells / 1e4, *slices)
        n_nearest = int(self.plan.ranges[:, 1].max())
        search = 0.2 * n_cells + 100.0 * n_nearest
        cost = search + _cost(self.plan, self.space.regressors.shape[1])
        most = _MOST_QUERIES if self.frame is None else _MOST_GATHERED
        return Effort(cost, 1, most, memory=16.0 * n_nearest)


def prepare_local(base: CaseBase, settings: LocalSettings) -> LocalData:
    """Make a case base ready to be asked.

    Rows are taken in canonical order, so that ties fall the same way whatever order
    they came in; with `as_in_r` in order of arrival.
    """
    if base.is_parted:
        return _prepare_parts(base, settings)
    cases = base.cases
    order = np.argsort(base.arrival) if settings.as_in_r else base.order
    rows = order[cases.weights[order] > 0]
    space, local, units, rescaled = place_rows(base, rows, settings)
    plan = plan_models(rescaled, space, len(rows), warn=True)
    check_weights(base, rows, plan)
    search, lookalikes = (
        TreeSearch(space.columns),
        find_alike(base, rows, local, rescaled),
    )
    return LocalData(
        base, space, local, rows, plan, rescaled, units, search, lookalikes
    )


def find_alike(
    base: CaseBase, rows: Ints, cases: LocalCases, settings: LocalSettings
) -> Lookalikes | None:
    """Make ready to find cases alike, unless each counts by itself, as in R."""
    return None if settings.as_in_r else Lookalikes(base, rows, cases)


def _prepare_parts(base: CaseBase, settings: LocalSettings) -> LocalData:
    """The same for cases that lie in parts, which stay there."""
    totals = base.ask(count_local, settings.scale)
    n_rows = sum(part.columns.n_rows for part in totals)
    _check_some(n_rows)
    check_ridge(settings.ridge)
    space = make_frame(
        base.cases,
        [part.columns for part in totals],
        metric=settings.metric,
        weights=settings.attribute_weights,
        scale=settings.scale,
        max_categories=settings.max_categories,
    )
    ends = np.array([part.weights for part in totals])
    weights = np.array([ends[:, 0].min(), ends[:, 1].max()])
    weights = weights if base.weighted else np.zeros(0)
    largest = [[low, high] for part in totals for low, high in [part.columns[2:4]]]
    _check_units(settings, space, np.nanmax(np.abs(largest), initial=0.0))
    unit, settings = _weight_unit(weights, settings)
    units = np.array(
        [find_unit(column) for column in np.array([f.largest for f in totals]).T]
    )
    plan = plan_models(settings, space, n_rows, warn=True)
    _check_ratio(weights, plan)
    key = _key(settings)
    frame = LocalFrame(
        key, space, units, unit if base.weighted else 0.0, settings.as_in_r
    )
    nothing = LocalCases(space.regressors, np.zeros((0, len(units))), np.zeros(0))
    no_rows = np.zeros(0, np.int64)
    search = TreeSearch(space.columns)  # of no rows: parts search theirs
    return LocalData(
        base, space, nothing, no_rows, plan, settings, units, search, frame=frame
    )


def _key(settings: LocalSettings) -> str:
    """Key that distinguishes frames of one state of the cases."""
    weights = settings.attribute_weights
    plain = None if weights is None else np.asarray(weights).tolist()
    return repr(settings._replace(attribute_weights=plain))


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


def place_rows(
    base: CaseBase, rows: Ints, settings: LocalSettings, sums: Sums | None = None
) -> PlacedRows:
    """Some rows of a base, in a space and in units of their own."""
    _check_some(len(rows))
    check_ridge(settings.ridge)
    cases = base.cases
    space = make_space(
        cases,
        rows,
        metric=settings.metric,
        weights=settings.attribute_weights,
        scale=settings.scale,
        max_categories=settings.max_categories,
        sums=sums,
    )
    if settings.as_in_r:
        largest = np.nanmax(np.abs(cases.numbers[:, rows]), initial=0.0)
        _check_units(settings, space, largest)
    weights = cases.weights[rows] if base.weighted else np.zeros(0)
    unit, settings = _weight_unit(weights, settings)
    targets = find_targets(base, rows)
    units = np.array([find_unit(column) for column in targets.T])
    local = LocalCases(space.regressors, targets * units, weights * unit)
    return PlacedRows(space, local, units, settings)


def sums_without(ready: LocalData, row: int, scale: Scale) -> Sums | None:
    """Sums of columns without one row; None where the scale needs none."""
    base = ready.base
    key = sums_without, scale
    whole = base.derive(key, lambda: sum_columns(base.cases, ready.rows, scale).sums)
    of_row = sum_columns(base.cases, np.array([row]), scale).sums
    if whole is None or of_row is None:
        return None
    return whole[0] - of_row[0], whole[1] - of_row[1]


def _check_some(n_rows: int) -> None:
    """Refuse cases none of which counts."""
    if not n_rows:
        raise BadInputError(
            "all sample weights are zero; give at least one row a weight above 0."
        )


def _check_units(settings: LocalSettings, space: Space, largest: float) -> None:
    """Refuse numbers that R could not compute with."""
    if settings.as_in_r and (space.placement.units != 1.0).any():
        raise BadInputError(
            f"the numbers of X reach {largest:g}, "
            "whose squares R's lazy cannot compute with; scale the columns, or use "
            "LazyLearningRegressor() without compat."
        )


def _weight_unit(
    weights: Floats, settings: LocalSettings
) -> tuple[float, LocalSettings]:
    """Factor of the weights, and the settings with the ridge scaled alike.

    The ridge is the weight of what is not known.
    """
    unit = find_unit(weights, _ORDINARY_WEIGHT)
    if unit != 1.0:
        settings = settings._replace(ridge=limit_ridge(settings.ridge * unit))
    return unit, settings


def check_weights(base: CaseBase, rows: Ints, plan: LocalPlan) -> None:
    """Refuse weights so unequal that models come out wrong."""
    _check_ratio(base.cases.weights[rows] if base.weighted else np.zeros(0), plan)


def _check_ratio(weights: Floats, plan: LocalPlan) -> None:
    most = _MOST_UNEQUAL[bool(plan.ranges[1:, 0].any())]
    if len(weights) and weights.min() < weights.max() / most:
        raise BadInputError(
            f"sample_weight goes from {weights.min():g} to {weights.max():g}; expected "
            f"ratios of at most {most:g}. Give the lightest rows the weight 0."
        )


def plan_models(
    settings: LocalSettings, space: Space, n_rows: int, *, warn: bool = False
) -> LocalPlan:
    """Plan the models to try for a number of visible rows."""
    n_regressors = space.regressors.shape[1]
    ranges = find_ranges(
        settings.degrees, settings.n_neighbors, n_regressors, n_rows, warn=warn
    )
    return make_plan(ranges, settings.n_best, settings.ridge, as_in_r=settings.as_in_r)


def find_holders(ready: LocalData, scale: Scale) -> NDArray[np.bool_]:
    """The rows without which cells, targets or weights would be placed anew."""
    base, rows = ready.base, ready.rows
    holders = find_scale_holders(base.cases, rows, scale)
    for target in find_targets(base, rows).T:
        holders[rows] |= find_unit_holder(target)
    if base.weighted:
        holders[rows] |= find_unit_holder(base.cases.weights[rows], _ORDINARY_WEIGHT)
    return holders


def _cost(plan: LocalPlan, n_regressors: int) -> float:
    """Nanoseconds per query, roughly: p^2 + k p operations for each neighbor."""
    total = 0.0
    for degree, most in enumerate(plan.ranges[:, 1].tolist()):
        n_terms = count_terms(n_regressors, degree)
        total += 0.2 * most * (n_terms**2 + most * n_terms)
    return total
