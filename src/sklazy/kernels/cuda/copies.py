"""DeviceCopies of cases on a device: kept while there is room for what is asked now.

A copy is only ever a copy: one that has to give way is made again when it is asked for.
"""

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sklazy.errors import DeviceError
from sklazy.kernels.cuda.device import Device

_PIECES = 2  # on a device at one time: one is put there, one is searched
_WORKSPACE = 3 << 30  # bytes left to searches, on a small device a quarter of it


class Copy:
    """Handle of a device copy, which lives as long as it, unless evicted."""

    __slots__ = ("__weakref__", "content", "n_bytes")

    def __init__(self) -> None:
        self.content: Any = None
        self.n_bytes = 0


class DeviceCopies:
    """The copies on one device, least recently used first."""

    def __init__(self, device: Device) -> None:
        self._device: weakref.ref[Device] = weakref.ref(device)
        self._lock = threading.RLock()
        self._kept: list[weakref.ref[Copy]] = []

    def room(self) -> int:
        """The bytes that a copy can have if all others give way."""
        with self._lock:
            return self._room(self._free() + self._n_kept)

    def keep(self, copy: Copy, n_bytes: int, put: Callable[[], Any]) -> Any:
        """The content of a copy, made if need be; None where there is no room."""
        with self._lock:
            if copy.content is None:
                if not self._make_room(n_bytes):
                    return None
                with self._opened().in_use():
                    copy.content, copy.n_bytes = put(), n_bytes
            self._use(copy)
            return copy.content

    @contextmanager
    def passing(self, n_rows: int, row_bytes: float, unit: int) -> Iterator[int]:
        """The rows of a piece, two of which fit the device; in the block it is ours.

        Raises
        ------
        DeviceError
            Not even pieces of `unit` rows fit.
        """
        with self._lock:
            self._give_way(len(self._kept))
            room = self._room(self._free())
            at_once = int(room / (row_bytes * _PIECES)) // unit * unit
            if not at_once:
                what, n_bytes = f"{_PIECES} x {unit} rows", unit * row_bytes * _PIECES
                raise DeviceError(
                    describe_lack_of_room(self._opened(), what, n_bytes, room)
                )
            n_pieces = -(-n_rows // at_once)
            yield -(-n_rows // (n_pieces * unit)) * unit

    def _opened(self) -> Device:
        device = self._device()
        assert device is not None
        return device

    def _free(self) -> int:
        return self._opened().free_bytes()

    @staticmethod
    def _room(free: int) -> int:
        """The bytes that copies can take of those that are free."""
        return free - min(free // 4, _WORKSPACE)

    @property
    def _n_kept(self) -> int:
        """The bytes that copies have now."""
        return sum(copy.n_bytes for kept in self._kept if (copy := kept()) is not None)

    def _make_room(self, n_bytes: int) -> bool:
        """Let copies give way, unless that would be in vain."""
        if n_bytes <= self.room():
            while n_bytes > self._room(self._free()) and self._kept:
                self._give_way(1)
        return n_bytes <= self._room(self._free())

    def _give_way(self, n_copies: int) -> None:
        """Evict the least recently used copies; those who use one keep its content."""
        dropped, self._kept = self._kept[:n_copies], self._kept[n_copies:]
        for kept in dropped:
            copy = kept()
            if copy is not None:
                copy.content, copy.n_bytes = None, 0

    def _use(self, copy: Copy) -> None:
        """Remember that this copy was used last."""
        if not self._kept or self._kept[-1]() is not copy:
            others = [kept for kept in self._kept if kept() not in (None, copy)]
            self._kept = [*others, weakref.ref(copy)]


_of_devices: "weakref.WeakKeyDictionary[Device, DeviceCopies]" = (
    weakref.WeakKeyDictionary()
)
_lock = threading.Lock()


def copies_on(device: Device) -> DeviceCopies:
    """The copies on a device."""
    with _lock:
        if device not in _of_devices:
            _of_devices[device] = DeviceCopies(device)
        return _of_devices[device]


def describe_lack_of_room(device: Device, what: str, n_bytes: float, room: int) -> str:
    """Message for cases that do not fit on a device, with ways out."""
    return (
        f"device={device.name!r} has room for {max(0, room):,} bytes of cases, and "
        f"{what} take {int(n_bytes):,}; end what else uses it, take a larger device, "
        "or leave device=None to compute on the CPU: the answers are the same."
    )
