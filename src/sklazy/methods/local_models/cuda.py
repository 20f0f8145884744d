"""Local models on devices, which keep copies of the cases: neighbors, then models.

The models are those of `methods.local_models.regression`.
"""

from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.device import open_device, open_devices
from sklazy.answer.pieces import Cargo, ask_rows, fits, hold
from sklazy.casebase import CaseBase
from sklazy.flow import Columns, LocalCases, LocalModels, LocalPlan, Neighbors, Pools
from sklazy.kernels.cuda.device import Device, DeviceArray
from sklazy.methods.local_models.data import LocalData
from sklazy.methods.local_models.plans import count_terms
from sklazy.neighbors.cuda.cutting import cut_columns
from sklazy.neighbors.cuda.nearest import (
    PlacedColumns,
    count_placed_bytes,
    find_nearest_on,
    merge_nearest,
    put_placed,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WARPS_PER_PROCESSOR = 32
_MOST_WARPS_PER_BLOCK = 4
_MOST_BYTES = 1 << 30  # of workspace
_NOWHERE = np.zeros(1, np.int64)


class DeviceLocalCases(NamedTuple):
    """`LocalCases` on a device."""

    device: Device
    regressors: DeviceArray
    targets: DeviceArray
    weights: DeviceArray
    weighted: bool


def count_local_bytes(cases: LocalCases) -> float:
    """Bytes of a row on a device."""
    n_cells = cases.regressors.shape[1] + cases.targets.shape[1]
    return 8.0 * (n_cells + bool(cases.weights.size))


def put_local_cases(device: Device, cases: LocalCases) -> DeviceLocalCases:
    """Copy cases to a device."""
    weighted = bool(cases.weights.size)
    weights = cases.weights if weighted else np.ones(1)
    placed = DeviceLocalCases(
        device,
        device.put(cases.regressors),
        device.put(cases.targets),
        device.put(weights),
        weighted,
    )
    device.wait()
    return placed


class _Sizes(NamedTuple):
    """How large the workspace of a warp is, in float64, and how many warps there are.

    `state` is what the recursion works on, `kept` what it keeps of every size.
    """

    state: int
    kept: int
    shared: bool
    per_block: int
    blocks: int


def fit_models_on(
    cases: DeviceLocalCases,
    plan: LocalPlan,
    queries: Floats,
    neighbors: Ints,
    pools: Pools | None = None,
) -> LocalModels:
    """`fit_models` on a device, without curves and details.

    Parameters
    ----------
    cases : DeviceLocalCases
    plan, queries, neighbors, pools
        As in `fit_models`.
    """
    device, n_targets = cases.device, cases.targets.shape[1]
    n_queries, n_most = neighbors.shape
    degree = int(np.flatnonzero(plan.ranges[:, 0])[-1])
    n_terms, n_best = count_terms(queries.shape[1], degree), int(plan.best.sum())
    sizes = _find_sizes(device, n_queries, n_most, n_terms, n_targets)
    n_warps = sizes.per_block * sizes.blocks
    fitted = (
        device.empty((n_queries, n_targets, n_terms), np.float64),
        device.empty((n_queries, n_targets), np.float64),
        device.empty((n_queries, n_targets, n_best, 2), np.int64),
        device.empty((n_queries, n_targets, n_best), np.float64),
    )
    device.compile("lines.cu", SHARED=int(sizes.shared)).run(
        "fit_models",
        (sizes.blocks, 1),
        sizes.per_block * device.lanes,
        cases.regressors,
        queries.shape[1],
        cases.targets,
        n_targets,
        cases.weights,
        int(cases.weighted),
        device.put(plan.ranges),
        device.put(plan.best),
        n_best,
        np.float64(plan.prior_variance),
        int(plan.as_in_r),
        device.put(queries),
        device.put(neighbors),
        *_put_pools(device, pools),
        n_most,
        n_terms,
        n_queries,
        device.empty(1 if sizes.shared else n_warps * sizes.state, np.float64),
        np.int64(sizes.state),
        device.empty(n_warps * sizes.kept, np.float64),
        np.int64(sizes.kept),
        *fitted,
        shared=8 * sizes.per_block * sizes.state if sizes.shared else 0,
    )
    coefficients, errors, models, scores = map(device.fetch, fitted)
    return LocalModels(
        coefficients,
        errors,
        models,
        scores,
        np.empty((0, n_targets, 3, n_most)),
        np.empty((0, n_targets, n_most)),
        np.empty((0, n_targets, n_most)),
    )


def _put_pools(device: Device, pools: Pools | None) -> list[DeviceArray | int]:
    """Copy pools to a device, and append 1 if there are any, else 0."""
    pooled = pools is not None and len(pools.sizes) > 0
    arrays = pools if pools is not None and pooled else [np.zeros(1)] * 4 + [_NOWHERE]
    return [*map(device.put, arrays), int(pooled)]


def _find_sizes(
    device: Device, n_queries: int, n_most: int, n_terms: int, n_targets: int
) -> _Sizes:
    """Memory of a warp, and the number of warps that there is room for."""
    state = n_terms * (n_most + n_terms + n_targets + 2)
    state += n_most * (1 + n_targets) + n_targets
    kept = n_most * (3 * n_targets * (n_terms + 1) + 2 * n_targets + 6)
    fitting = device.shared_bytes // (8 * state)
    per_block = min(_MOST_WARPS_PER_BLOCK, max(1, fitting))
    bytes_per_warp = 8 * (kept + (0 if fitting else state))
    most = min(_WARPS_PER_PROCESSOR * device.processors, _MOST_BYTES // bytes_per_warp)
    blocks = max(1, min(-(-n_queries // per_block), most // per_block))
    return _Sizes(state, kept, fitting > 0, per_block, blocks)


def fit_models_there(
    data: LocalData,
    plan: LocalPlan,
    regressors: Floats,
    rows: Ints,
    pools: Pools | None = None,
) -> LocalModels:
    """The models of these neighbors, as `fit_models` has them, to rounding."""
    assert data.device is not None
    device, cases = open_device(data.device), data.cases
    with device.in_use():
        there = None if data.frame is not None else _hold_cases(device, data)
        if there is None:  # the neighbors alone
            used, places = np.unique(rows, return_inverse=True)
            there = put_local_cases(device, _take(cases, used))
            rows = places.reshape(rows.shape)
        return fit_models_on(there, plan, regressors, rows, pools)


def _hold_cases(device: Device, data: LocalData) -> DeviceLocalCases | None:
    """All cases, where there is room beside the columns that are searched."""
    cases = data.cases
    cargo = Cargo(
        (put_local_cases, id(data.space)),  # the base keeps the space, too
        len(cases.targets),
        count_local_bytes(cases),
        lambda there, *rows: put_local_cases(there, cases),
    )
    searched = count_placed_bytes(data.space.columns)
    if not fits(device, cargo._replace(row_bytes=cargo.row_bytes + searched)):
        return None
    held: DeviceLocalCases | None = hold(data.base, device, cargo)
    return held


def _take(cases: LocalCases, rows: Ints) -> LocalCases:
    weights = cases.weights[rows] if len(cases.weights) else cases.weights
    return LocalCases(cases.regressors[rows], cases.targets[rows], weights)


Piece = tuple[int, Neighbors]
"""The number of the first row, and the nearest rows as numbered from there."""


def find_nearest_there(
    base: CaseBase,
    columns: Columns,
    key: Hashable,
    device: str,
    queries: Floats,
    n_nearest: int,
    groups: tuple[Ints, Ints] | None = None,
) -> Neighbors:
    """The nearest rows of queries, as `find_nearest` finds them.

    The base keeps the columns, too, under this key.
    """
    cargo = Cargo(
        (put_placed, key),
        columns.values.shape[1],
        count_placed_bytes(columns),
        lambda there, *rows: put_placed(there, cut_columns(columns, *rows)),
    )

    def ask(placed: PlacedColumns, first: int, last: int) -> Callable[[], Piece]:
        visible = None if groups is None else (groups[0][first:last], groups[1])
        n_found = min(n_nearest, last - first)
        nearest = find_nearest_on(placed, queries, n_found, groups=visible)
        return lambda: (first, nearest)

    answers = ask_rows(base, open_devices(device), cargo, ask)
    if len(answers) == 1:
        return answers[0][1]
    starts, pieces = zip(*answers, strict=True)
    return merge_nearest(pieces, starts, n_nearest)
