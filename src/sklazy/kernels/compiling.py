"""How this library compiles: cached, without the GIL, announced when it takes long."""

import functools
import sys
import threading
from collections.abc import Callable
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


def fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and let sums be reordered (NaN stays alive)."""
    return numba.njit(fastmath=FAST, **_INNER)(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; a slow first use is announced.

    Its `is_ready()` tells whether a call would start at once, so that a small job
    can take a path of numpy instead of waiting for the compiler.
    """
    compiled = numba.njit(**_PLAIN)(function)

    @functools.wraps(function)
    def call(*arguments: object) -> Any:
        if compiled.overloads:
            return compiled(*arguments)
        notice = threading.Timer(_ANNOUNCE_AFTER, _announce)
        notice.daemon = True
        notice.start()
        try:
            return compiled(*arguments)
        finally:
            notice.cancel()

    call.is_ready = lambda: bool(compiled.overloads)  # type: ignore[attr-defined]
    return call


def _announce() -> None:
    sys.stderr.write("sklazy: compiling for first use, kept for the next time ...\n")
