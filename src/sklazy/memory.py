"""How much memory the arrays of one step may take."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
