"""How this library compiles: cached, without the GIL, announced when it takes long."""

import functools
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numba

# Never `True`: it would compile the tests for NaN away.
FAST = {"reassoc", "contract", "nsz", "arcp"}

_ANNOUNCE_AFTER = 1.0  # seconds

# As in numpy, a number over zero is infinite or NaN, and no error.
_PLAIN = {"cache": True, "nogil": True, "error_model": "numpy"}

# Helpers are called by compiled code alone: they need no way in from Python.
_INNER = {
    **_PLAIN,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for use by other kernels."""
    return numba.njit(**_INNER)(function)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, for code that allocates nothing.

    Arrays are then not counted while they are in use. Counting is atomic, and where
    small functions take tuples of arrays it takes longer than their work.
    """
    return numba.njit(_nrt=False, **_INNER)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile like `lean_kernel`, as a part of each function that calls it.

    For a few lines that run so often that the call itself counts.
    """
    return numba.njit(_nrt=False, forceinline=True, **_INNER)(function)


def fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and let sums be reordered (NaN stays alive)."""
    return numba.njit(fastmath=FAST, **_INNER)(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; a slow first use is announced.

    Its `is_ready()` tells whether a call would start at once, so that a small job
    can take a path of numpy instead of waiting for the compiler.
    """
    return _announced(function, numba.njit(**_PLAIN)(function))


def lean_entry(function: Callable[..., Any]) -> Any:
    """Compile like `entry`, for code that allocates nothing; see `lean_kernel`."""
    return _announced(function, numba.njit(_nrt=False, **_PLAIN)(function))


def _announced(function: Callable[..., Any], compiled: Any) -> Any:
    @functools.wraps(function)
    def call(*arguments: object) -> Any:
        if compiled.overloads:
            return compiled(*arguments)
        return _call_first(compiled, arguments)

    call.is_ready = lambda: bool(compiled.overloads)  # type: ignore[attr-defined]
    return call


def _call_first(compiled: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call, and so compile, in a fresh thread; announce it when it takes long.

    CPython keeps frames in chunks and frees the last one when it empties. A compiler
    that happens to work across the edge of a chunk allocates one at every call, which
    takes it up to four times as long. A fresh thread starts at the beginning of one.
    """
    with ThreadPoolExecutor(max_workers=1) as fresh:
        answer = fresh.submit(compiled, *arguments)
        if not wait([answer], _ANNOUNCE_AFTER).done:
            _announce()
        return answer.result()


def _announce() -> None:
    sys.stderr.write("sklazy: compiling for first use, kept for the next time ...\n")
