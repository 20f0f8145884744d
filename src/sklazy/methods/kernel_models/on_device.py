"""Kernel models asked on a device, which keeps a copy of the cases: all of them."""

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.device import open_device
from sklazy.answer.pieces import Cargo, hold_all
from sklazy.methods.kernel_models.cuda import (
    DeviceKernelCases,
    put_kernel_cases,
    score_by_nearest_on,
    sum_similarities_on,
)
from sklazy.methods.kernel_models.data import KernelData
from sklazy.methods.kernel_models.landmarks import Landmarks


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
