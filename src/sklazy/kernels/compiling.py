"""How this library compiles: cached, without the GIL, announced when it takes long.

With `NUMBA_DISABLE_JIT=1` (debuggers, coverage) nothing is compiled: the kernels run
as the Python functions that they are.
"""

import functools
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic

from sklazy.kernels.caching import KernelCache, warn_of_lost_code

# Never `True`: it would compile the tests for NaN away.
FAST = {"reassoc", "contract", "nsz", "arcp"}

_ANNOUNCE_AFTER = 1.0  # seconds

# As in numpy, a number over zero is infinite or NaN, and no error.
_PLAIN = {"nogil": True, "error_model": "numpy"}

# Helpers are called by compiled code alone: they need no way in from Python.
_INNER = {
    **_PLAIN,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for use by other kernels."""
    return _compiled(function, **_INNER)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, for code that allocates nothing.

    Arrays are then not counted while they are in use. Counting is atomic, and where
    small functions take tuples of arrays it takes longer than their work.
    """
    return _compiled(function, _nrt=False, **_INNER)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile like `lean_kernel`, as a part of each function that calls it.

    For a few lines that run so often that the call itself counts.
    """
    return _compiled(function, _nrt=False, forceinline=True, **_INNER)


def fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and let sums be reordered (NaN stays alive)."""
    return _compiled(function, fastmath=FAST, **_INNER)


def lean_fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `lean_kernel`, and let sums be reordered (NaN stays alive)."""
    return _compiled(function, fastmath=FAST, _nrt=False, **_INNER)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; a slow first use is announced.

    Its `is_due(share)` tells whether to call it, or to take a path of numpy instead
    of waiting for the compiler. `share` is what a job is of the smallest one that is
    worth the wait; small jobs add up, so that a process which asks one row at a time
    comes to the kernel, too.
    """
    return _announced(function, _compiled(function, **_PLAIN))


def lean_entry(function: Callable[..., Any]) -> Any:
    """Compile like `entry`, for code that allocates nothing; see `lean_kernel`."""
    return _announced(function, _compiled(function, _nrt=False, **_PLAIN))


def instruction(python: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Make an instruction of the processor of its generator (`numba.intrinsic`).

    Parameters
    ----------
    python : callable
        The same in Python, which stands in for it where nothing is compiled.
    """
    return lambda generator: python if _runs_as_python() else intrinsic(generator)


def _runs_as_python() -> bool:
    return bool(numba.config.DISABLE_JIT)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile, at the first call, or take from the cache; or leave it as Python."""
    compiled = numba.njit(**options)(function)
    if compiled is not function:
        compiled._cache = KernelCache(function)
    return compiled


def _announced(function: Callable[..., Any], compiled: Any) -> Any:
    @functools.wraps(function)
    def call(*arguments: object) -> Any:
        if compiled.overloads:
            return compiled(*arguments)
        return _call_first(compiled, arguments)

    if compiled is function:
        return _as_python(function)
    call.is_due = _Waiting(compiled).is_due  # type: ignore[attr-defined]
    return call


class _Waiting:
    """Small jobs that were done without a kernel, as long as it is not compiled."""

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.done = compiled, 0.0

    def is_due(self, share: float) -> bool:
        """Whether the kernel is ready, or the jobs together are worth the wait."""
        if self.compiled.overloads:
            return True
        self.done += share
        return self.done > 1.0


def _as_python(function: Callable[..., Any]) -> Any:
    """The function itself, silent where numbers wrap around, as compiled code is."""

    @functools.wraps(function)
    def call(*arguments: object) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    call.is_due = lambda _: True  # type: ignore[attr-defined]
    return call


def _call_first(compiled: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call, and so compile, in a fresh thread; announce it when it takes long.

    CPython keeps frames in chunks and frees the last one when it empties. A compiler
    that happens to work across the edge of a chunk allocates one at every call, which
    takes it up to four times as long. A fresh thread starts at the beginning of one.

    An interrupt does not wait for it: what is compiled then is compiled for the next
    call.
    """
    answer: Future[Any] = Future()
    work = compiled, arguments, answer
    threading.Thread(target=_settle, args=work, daemon=True).start()
    if not wait([answer], _ANNOUNCE_AFTER).done:
        _announce()
    result = answer.result()
    warn_of_lost_code()
    return result


def _settle(
    compiled: Callable[..., Any], arguments: tuple[object, ...], answer: Future[Any]
) -> None:
    """Call, and give what comes of it to the one who waits."""
    try:
        answer.set_result(compiled(*arguments))
    except BaseException as failure:  # raised again where it is waited for
        answer.set_exception(failure)


@functools.cache  # one notice in a process, however many kernels
def _announce() -> None:
    # Without handlers logging writes warnings to standard error as they are.
    logging.getLogger("sklazy").warning(
        "sklazy: compiling for first use, kept for the next time ..."
    )
