"""Kernel models on a device, which keeps a copy of the cases: all of them.

The kernels are those of `sklazy.kernels.kernel_models`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.device import open_device
from sklazy.answer.pieces import Cargo, hold_all
from sklazy.flow import KernelColumns
from sklazy.kernels.cuda.device import THREADS, Device, DeviceArray, Kernels, spread
from sklazy.methods.kernel_models.data import KernelData
from sklazy.methods.kernel_models.landmarks import Landmarks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AT_ONCE = 8  # queries that a thread measures, as in the source
_MOST_BYTES = 1 << 30  # of distances
_BLOCKS = 2  # per processor, where systems are solved


class DeviceKernelCases(NamedTuple):
    """Cases on a device, in canonical order.

    Attributes
    ----------
    device : Device
    n_rows : int
    columns : tuple
        As kernels take them: values, their stride, and what `KernelColumns` has.
    targets : float64 array of shape (n_rows, n_targets)
    """

    device: Device
    n_rows: int
    columns: tuple[object, ...]
    targets: DeviceArray


def put_kernel_cases(
    device: Device, columns: KernelColumns, targets: Floats
) -> DeviceKernelCases:
    """Copy cases to a device."""
    n_columns, n_rows = columns.values.shape
    placed = (
        device.put(columns.values),
        np.int64(n_rows),
        n_columns,
        device.put(columns.nominal.astype(np.int32)),
        device.put(columns.absents),
        device.put(columns.weights),
    )
    found = DeviceKernelCases(device, n_rows, placed, device.put(targets))
    device.wait()
    return found


class _Measured(NamedTuple):
    """Distances of all cases from some queries, on the device."""

    queries: slice
    kernels: Kernels
    distances: DeviceArray


def sum_similarities_on(
    cases: DeviceKernelCases, queries: Floats, rate: float, coefficients: Floats
) -> Floats:
    """`sum_similarities` on a device, (n_queries, n_targets)."""
    device, n_targets = cases.device, len(coefficients)
    sums, placed = np.empty((len(queries), n_targets)), device.put(coefficients)
    hidden = np.full(len(queries), -1)
    for part, kernels, distances in _measure(cases, queries, hidden):
        own = device.empty((len(distances), n_targets), np.float64)
        kernels.run(
            "sum_similarities",
            spread(len(distances), THREADS // device.lanes),
            THREADS,
            distances,
            np.int64(cases.n_rows),
            len(distances),
            np.float64(rate),
            placed,
            n_targets,
            own,
        )
        sums[part] = device.fetch(own)
    return sums


def score_by_nearest_on(
    cases: DeviceKernelCases,
    queries: Floats,
    hidden: Ints,
    centers: Floats,
    *,
    n_near: int,
    rate: float,
    ridge: float,
) -> Floats:
    """Answer by the system of each query's nearest cases, (n_queries, n_targets).

    Parameters
    ----------
    cases : DeviceKernelCases
    queries : float64 array of shape (n_queries, n_columns)
    hidden : int64 array of shape (n_queries,)
        The row that a query does not see, -1 if it sees all.
    centers : float64 array of shape (n_queries, n_targets)
        The origin of the targets.
    n_near : int
    rate, ridge : float
    """
    device, (n_queries, n_targets) = cases.device, centers.shape
    scores, system = np.empty((n_queries, n_targets)), _find_system(cases, n_near)
    for part, kernels, distances in _measure(cases, queries, hidden, system.shared):
        n_own = len(distances)
        blocks = min(n_own, _BLOCKS * device.processors)
        near = device.empty((n_own, n_near), np.int64)
        kernels.run(
            "take_nearest",
            spread(n_own, THREADS // device.lanes),
            THREADS,
            distances,
            np.int64(cases.n_rows),
            n_own,
            n_near,
            near,
        )
        own = device.empty((n_own, n_targets), np.float64)
        kernels.run(
            "score_by_nearest",
            (blocks, 1),
            THREADS,
            *cases.columns,
            distances,
            near,
            n_near,
            np.float64(rate),
            np.float64(ridge),
            cases.targets,
            n_targets,
            device.put(centers[part]),
            np.int64(cases.n_rows),
            n_own,
            device.empty(blocks * queries.shape[1] * n_near, np.float64),
            device.empty(1 if system.shared else blocks * system.size, np.float64),
            own,
            shared=8 * system.size if system.shared else 0,
        )
        scores[part] = device.fetch(own)
    return scores


class _System(NamedTuple):
    """The float64 that the system of a query takes, and whether they can be shared."""

    size: int
    shared: bool


def _find_system(cases: DeviceKernelCases, n_near: int) -> _System:
    size = n_near * (n_near + 1) // 2 + 2 * n_near
    return _System(size, 8 * size <= cases.device.shared_bytes)


def _measure(
    cases: DeviceKernelCases, queries: Floats, hidden: Ints, shared: bool = False
) -> Iterator[_Measured]:
    """Distances of all cases, as many queries at once as fit the memory."""
    device, n_rows = cases.device, cases.n_rows
    kernels = device.compile("similarities.cu", SHARED=int(shared))
    step = max(1, _MOST_BYTES // (8 * n_rows))
    for first in range(0, len(queries), step):
        part = slice(first, first + step)
        n_own = len(queries[part])
        distances = device.empty((n_own, n_rows), np.float64)
        kernels.run(
            "fill_distances",
            (spread(n_rows, THREADS)[0], min(-(-n_own // _AT_ONCE), 1 << 15)),
            THREADS,
            *cases.columns,
            device.put(queries[part]),
            device.put(hidden[part]),
            np.int64(n_rows),
            n_own,
            distances,
        )
        yield _Measured(part, kernels, distances)


def score_there(data: KernelData, placed: Floats, hidden: Ints) -> Floats:
    """Centers and what cases add, (n_queries, n_targets), to rounding."""
    cases, rate = _cases_of(data), data.settings.rate
    with cases.device.in_use():
        if data.solution is not None:
            coefficients = data.solution.coefficients
            return data.center + sum_similarities_on(cases, placed, rate, coefficients)
        return score_by_nearest_on(
            cases,
            placed,
            hidden,
            data.find_centers(hidden),
            n_near=data.count_near(hidden),
            rate=rate,
            ridge=data.settings.ridge,
        )


def _cases_of(data: KernelData) -> DeviceKernelCases:
    assert data.device is not None
    columns, targets = data.anchors, data.targets
    if isinstance(data.solution, Landmarks):
        targets = targets[data.solution.places]
    cargo = Cargo(
        (put_kernel_cases, data.limits),  # settings follow from both
        len(targets),
        8.0 * (len(columns.values) + targets.shape[1]),
        lambda device, *rows: put_kernel_cases(device, columns, targets),
    )
    cases: DeviceKernelCases = hold_all(data.base, open_device(data.device), cargo)
    return cases
