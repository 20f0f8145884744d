"""Devices by name: None for the CPU, "cuda", "cuda:1" or "cuda:all" for GPUs.

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

_stand_ins: list[Device] = []  # for all threads, as devices are
_turn: ContextVar[int] = ContextVar("turn", default=0)


def check_device(device: object) -> None:
    """Refuse what names no device; whether it is there shows when it is used."""
    if device is not None:
        _numbers_of(device)


def open_device(device: str) -> Device:
    """The device of this name, or the first of several, ready for use.

    Raises
    ------
    MissingExtraError
        CuPy is not installed.
    DeviceError
        There is no driver, no such device, or it is too old.
    """
    return open_devices(device)[0]


def open_devices(device: str) -> list[Device]:
    """The devices of this name, ready for use; one of them but for "cuda:all"."""
    named = _numbers_of(device)
    if named == "all":
        return [_open(number) for number in range(_count())]
    if named:
        return [_open(int(named))]
    turn = _turn.get()
    return [_open(turn % _count() if turn else 0)]


@contextmanager
def use_device(*devices: Device) -> Iterator[Device]:
    """Let other objects stand in for all devices inside a ``with`` block."""
    before = list(_stand_ins)
    _stand_ins[:] = devices
    try:
        yield devices[0]
    finally:
        _stand_ins[:] = before


@contextmanager
def take_turn(number: int) -> Iterator[None]:
    """Let "cuda" mean another device than the first inside a ``with`` block.

    Of several workers on a machine each takes its turn; where there are more of them
    than devices, these are shared.
    """
    token = _turn.set(number)
    try:
        yield
    finally:
        _turn.reset(token)


def _open(number: int) -> Device:
    return _stand_ins[number % len(_stand_ins)] if _stand_ins else open_gpu(number)


def _count() -> int:
    """How many devices there are."""
    return len(_stand_ins) or open_gpu(0).n_devices


def _numbers_of(device: object) -> str:
    """The number of a GPU, "all", or "" where one is as good as another."""
    found = (
        re.fullmatch(r"cuda(?::(\d+|all))?", device)
        if isinstance(device, str)
        else None
    )
    if found is None:
        raise BadInputError(
            f"device={device!r} is not known; give None for the CPU, 'cuda' for the "
            "first NVIDIA GPU, its number as in 'cuda:1', or 'cuda:all' for all of "
            "them."
        )
    return found[1] or ""
