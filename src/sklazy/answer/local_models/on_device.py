"""Neighbors and local models found on a device, which keeps a copy of the cases."""

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.local_models.data import LocalData
from sklazy.backends.device import open_device
from sklazy.flow import LocalModels, LocalPlan, Neighbors
from sklazy.kernels.cuda.device import Device
from sklazy.local.cuda.regression import fit_models_on, put_local_cases
from sklazy.neighbors.cuda.nearest import find_nearest_on, put_placed


def find_nearest_there(
    data: LocalData, columns: Floats, n_nearest: int, groups: tuple[Ints, Ints] | None
) -> Neighbors:
    """The nearest cases of queries, as `find_nearest` finds them."""
    device = _device_of(data)
    placed = data.base.derive(
        (put_placed, device.name, id(data.space)),  # the base keeps the space, too
        lambda: put_placed(device, data.space.columns),
    )
    return find_nearest_on(placed, columns, n_nearest, groups=groups)


def fit_models_there(
    data: LocalData, plan: LocalPlan, regressors: Floats, rows: Ints
) -> LocalModels:
    """The models of these neighbors, as `fit_models` has them, to rounding."""
    device = _device_of(data)
    cases = data.base.derive(
        (put_local_cases, device.name, id(data.space)),
        lambda: put_local_cases(device, data.cases),
    )
    return fit_models_on(cases, plan, regressors, rows)


def _device_of(data: LocalData) -> Device:
    assert data.device is not None
    return open_device(data.device)
