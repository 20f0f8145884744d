"""Kernel models asked on a device, which keeps a copy of the cases."""

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.kernel_models.data import KernelData
from sklazy.backends.device import open_device
from sklazy.local.cuda.kernel_models import (
    DeviceKernelCases,
    put_kernel_cases,
    score_by_nearest_on,
    sum_similarities_on,
)


def score_there(data: KernelData, placed: Floats, hidden: Ints) -> Floats:
    """Centers and what cases add, (n_queries, n_targets), to rounding."""
    cases, rate = _cases_of(data), data.settings.rate
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
    device = open_device(data.device)
    return data.base.derive(
        (put_kernel_cases, device.name, data.limits),  # settings follow from both
        lambda: put_kernel_cases(device, data.columns, data.targets),
    )
