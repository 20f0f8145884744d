"""Local models of neighbors fitted on a device."""

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.device import open_device
from sklazy.answer.pieces import Cargo, fits, hold
from sklazy.flow import LocalCases, LocalModels, LocalPlan, Pools
from sklazy.kernels.cuda.device import Device
from sklazy.methods.local_models.cuda import (
    DeviceLocalCases,
    count_local_bytes,
    fit_models_on,
    put_local_cases,
)
from sklazy.methods.local_models.data import LocalData
from sklazy.neighbors.cuda.nearest import count_placed_bytes


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
