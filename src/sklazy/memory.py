"""How much memory there is, how much one step may take, and where arrays begin."""

import contextlib
import functools
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LIMIT: ContextVar[float] = ContextVar("memory", default=math.inf)


@contextmanager
def limit_memory(n_bytes: float) -> Iterator[None]:
    """Limit the memory of steps inside a ``with`` block, to one cell at least.

    Threads that are started in the block with its context variables know it, too.
    """
    token = _LIMIT.set(n_bytes)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def cells_within(most: int) -> int:
    """The number of cells of 8 bytes, `most` or as many as the limit allows.

    Examples
    --------
    >>> cells_within(1000)
    1000
    >>> with limit_memory(800):
    ...     cells_within(1000)
    100
    """
    return int(min(most, _LIMIT.get() / 8))


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros that begin with a cache line.

    Kernels read 64 bytes at once; where these lie across two lines of the cache, both
    are fetched.

    Examples
    --------
    >>> zeros = aligned_zeros((2, 8), np.uint64)
    >>> zeros.shape, int(zeros.sum()), zeros.ctypes.data % 64
    ((2, 8), 0, 0)
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + 64, np.uint8)
    first = -raw.ctypes.data % 64
    return raw[first : first + n_bytes].view(dtype).reshape(shape)


_USUAL_BYTES = 2**34  # where a system does not report its memory
_CONTAINERS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


@functools.cache
def machine_bytes() -> int:
    """The memory of this machine, or of the container that this process runs in.

    Examples
    --------
    >>> machine_bytes() > 2**20
    True
    """
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # pragma: no cover - Windows
        n_bytes = _USUAL_BYTES
    return min([n_bytes, *_container_bytes()])


def _container_bytes() -> Iterator[int]:
    """The limits of control groups, on Linux."""
    for path in _CONTAINERS:
        with contextlib.suppress(OSError, ValueError):  # none, or the word "max"
            yield int(Path(path).read_text("ascii"))
