"""How much memory the arrays of one step may take, and where arrays begin."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LIMIT: ContextVar[float] = ContextVar("memory", default=math.inf)


@contextmanager
def limit_memory(n_bytes: float) -> Iterator[None]:
    """Let steps inside a ``with`` block take so much and no more, one cell at least.

    Threads that are started in the block with its context variables know it, too.
    """
    token = _LIMIT.set(n_bytes)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def cells_within(most: int) -> int:
    """So many cells of 8 bytes, or as many as the limit allows.

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
    >>> found = aligned_zeros((2, 8), np.uint64)
    >>> found.shape, int(found.sum()), found.ctypes.data % 64
    ((2, 8), 0, 0)
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + 64, np.uint8)
    first = -raw.ctypes.data % 64
    return raw[first : first + n_bytes].view(dtype).reshape(shape)
