"""Interface of a device: hold arrays, compile a source, run kernels."""

from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import DTypeLike, NDArray

DeviceArray = Any
"""An array on a device, C-contiguous; it can be sliced and reshaped like numpy's."""

THREADS = 256
"""Threads per block, where nothing speaks for another number."""

_FOLDER = Path(__file__).parent
_AT_ONCE = (
    1 << 20
)  # bytes of rows that are gathered first; longer ones go by themselves


class Kernels(Protocol):
    """A compiled source."""

    def run(
        self,
        name: str,
        blocks: tuple[int, int],
        threads: int,
        *arguments: object,
        shared: int = 0,
    ) -> None:
        """Run one kernel; what it writes is there for the next one, or for `fetch`.

        Parameters
        ----------
        name : str
        blocks : pair of int
            Blocks of threads along x and y; all kernels share work out in strides, so
            that any number will do.
        threads : int
            Threads per block, whole warps.
        *arguments
            Arrays on the device, and numbers: an int as 32 bits, others as numpy
            scalars of the kernel's types.
        shared : int
            Bytes of shared memory per block.
        """


class Device(Protocol):
    """Where kernels run."""

    name: str
    lanes: int
    """Threads per warp."""
    processors: int
    shared_bytes: int
    """The most shared memory that a block can have."""

    def put(self, array: NDArray[Any]) -> DeviceArray:
        """Copy an array to the device."""

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """An array with no content yet."""

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """An array of zeros."""

    def fetch(self, array: DeviceArray) -> NDArray[Any]:
        """Copy an array from the device, once all kernels before have run."""

    def compile(self, source: str, **macros: int) -> Kernels:
        """Compile a source of this folder, or find it compiled."""

    def wait(self) -> None:
        """Wait until all that this thread asked for is done."""

    def free_bytes(self) -> int:
        """The bytes that further arrays can take."""

    def in_use(self) -> AbstractContextManager[None]:
        """A ``with`` block for operators of arrays on this device."""

    def beside(self) -> "Lane":
        """A lane of its own; what it reads from outside must be there, see `wait`."""


class Lane(Protocol):
    """Work in a ``with`` block, which may run beside that of other lanes."""

    def __enter__(self) -> object: ...

    def __exit__(self, *failure: object) -> object: ...

    def leave(self) -> None:
        """Give the lane back, once its work has been waited for."""


def spread(n_items: int, per_block: int) -> tuple[int, int]:
    """Blocks for `n_items` items."""
    return max(1, min(-(-n_items // per_block), 1 << 16)), 1


def pad_rows(device: Device, rows: NDArray[Any], whole: int = 1) -> DeviceArray:
    """Put the rows of a matrix on a device, each filled up with zeros to wholes.

    The rows may be parts of longer ones, which are not copied on the host.
    """
    n_cells = rows.shape[1]
    padded = device.zeros((len(rows), -(-n_cells // whole) * whole), rows.dtype)
    step = max(1, _AT_ONCE // max(1, n_cells * rows.itemsize))
    for first in range(0, len(rows), step):
        some = slice(first, first + step)
        padded[some, :n_cells] = device.put(rows[some])
    return padded


@cache
def read_source(name: str) -> str:
    """A source of this folder, with what all of them share in front of it."""
    return "\n".join((_FOLDER / part).read_text("utf-8") for part in ("warp.h", name))
