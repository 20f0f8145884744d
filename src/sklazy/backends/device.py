"""Devices by name: None for the CPU, "cuda" or "cuda:1" for a GPU.

Like the number of threads, a device changes no answer. One that cannot be had is an
error; nothing falls back to the CPU unasked.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sklazy.errors import BadInputError
from sklazy.kernels.cuda.device import Device
from sklazy.kernels.cuda.with_cupy import open_gpu

_stand_in: ContextVar[Device | None] = ContextVar("device", default=None)


def check_device(device: object) -> None:
    """Refuse what names no device; whether it is there shows when it is used."""
    _number_of(device)


def open_device(device: str) -> Device:
    """The device of this name, ready for use.

    Raises
    ------
    MissingExtraError
        CuPy is not installed.
    DeviceError
        There is no driver, no such device, or it is too old.
    """
    number = _number_of(device)
    assert number is not None
    return _stand_in.get() or open_gpu(number)


@contextmanager
def use_device(device: Device) -> Iterator[Device]:
    """Let another object stand in for every device inside a ``with`` block."""
    token = _stand_in.set(device)
    try:
        yield device
    finally:
        _stand_in.reset(token)


def _number_of(device: object) -> int | None:
    """The number of a GPU; None for the CPU."""
    if device is None:
        return None
    found = (
        re.fullmatch(r"cuda(?::(\d+))?", device) if isinstance(device, str) else None
    )
    if found is None:
        raise BadInputError(
            f"device={device!r} is not known; give None for the CPU, 'cuda' for the "
            "first NVIDIA GPU, or its number as in 'cuda:1'."
        )
    return int(found[1] or 0)
