"""How this library compiles: cached, without the GIL, announced when it takes long.

Only what Python calls is kept in a folder; helpers become parts of it (`linking`).

With `NUMBA_DISABLE_JIT=1` (debuggers, coverage) nothing is compiled: the kernels run
as the Python functions that they are.
"""

import contextlib
import functools
import gc
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import Any

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic

from sklazy.forking import cached_property, wait_for
from sklazy.kernels.caching import KernelCache, warn_of_lost_code

# Linking relies on how numba keeps code within: other versions compile as numba does.
if (0, 61) <= numba.version_info.short <= (0, 68):
    from sklazy.kernels.linking import OPTIMIZED_PART, PART, WHOLE
else:
    from numba.core.compiler import Compiler

    OPTIMIZED_PART = PART = WHOLE = Compiler

wait_for(global_compiler_lock)

# Never `True`: it would compile the tests for NaN away.
FAST = {"reassoc", "contract", "nsz", "arcp"}

_ANNOUNCE_AFTER = 1.0  # seconds

# Seconds of processor time, a kernel: most take 0.5 to 2.5, and 0.002 to 0.012.
_COMPILING, _LOADING = 1.5, 0.01

_USUAL_WAIT = "some seconds, more on a busy machine"

# As in numpy, a number over zero is infinite or NaN, and no error.
_PLAIN = {"nogil": True, "error_model": "numpy"}

# Helpers are called by compiled code alone: they need no way in from Python.
_INNER = {
    **_PLAIN,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PART,
}
_LOOP = {**_INNER, "pipeline_class": OPTIMIZED_PART}
_FAST = {**_LOOP, "fastmath": FAST}
_ENTRY = {**_PLAIN, "no_cfunc_wrapper": True, "pipeline_class": WHOLE}


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


def loop_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and optimize it by itself, for a hot loop over arrays.

    Within a large caller LLVM may leave such a loop with one number at a time.
    """
    return numba.njit(**_LOOP)(function)


def fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `kernel`, and let sums be reordered (NaN stays alive)."""
    return numba.njit(**_FAST)(function)


def lean_fast_kernel(function: Callable[..., Any]) -> Any:
    """Compile like `lean_kernel`, and let sums be reordered (NaN stays alive)."""
    return numba.njit(_nrt=False, **_FAST)(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; a slow first use is announced.

    Its `is_due(seconds)` is whether to call it, or to take a path of numpy instead
    of waiting for it: `seconds` is about how long numpy takes for the job. Jobs add
    up, so that a process which asks one row at a time comes to the kernel, too. Code
    that was kept is loaded in a hundredth of the time that it takes to compile.
    """
    return _wrap_entry(function, _compile_entry(function))


def lean_entry(function: Callable[..., Any]) -> Any:
    """Compile like `entry`, for code that allocates nothing; see `lean_kernel`."""
    return _wrap_entry(function, _compile_entry(function, _nrt=False))


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


def _compile_entry(function: Callable[..., Any], **options: Any) -> Any:
    """Compile, at the first call, or take from the cache; or leave it as Python."""
    compiled = numba.njit(**_ENTRY, **options)(function)
    if compiled is not function:
        compiled._cache = KernelCache(function)
    return compiled


def _wrap_entry(function: Callable[..., Any], compiled: Any) -> Any:
    @functools.wraps(function)
    def call(*arguments: object) -> Any:
        if compiled.overloads:
            return compiled(*arguments)
        return _call_first(compiled, arguments)

    if compiled is function:
        return _as_python(function)
    call.is_due = _Waiting(compiled).is_due  # type: ignore[attr-defined]
    _entries.append(compiled)
    return call


_entries: list[Any] = []  # all that Python can call, compiled or not


class _Waiting:
    """Small jobs that were done without a kernel, as long as it is not compiled."""

    none = False  # whether every job is worth the compiler

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.spent = compiled, 0.0

    def is_due(self, seconds: float) -> bool:
        """Whether the kernel is ready, or the jobs together are worth the wait."""
        if self.compiled.overloads or _Waiting.none:
            return True
        self.spent += seconds
        return self.spent > _LOADING and self.spent > self.wait

    @cached_property
    def wait(self) -> float:
        """Seconds until the kernel is ready, by whether its code was kept."""
        is_kept = self.compiled._cache.has_code(self.compiled.targetctx)
        return _LOADING if is_kept else _COMPILING


@contextlib.contextmanager
def every_job_due() -> Iterator[None]:
    """Let even the smallest jobs wait for the compiler, to have it done."""
    _Waiting.none = True
    try:
        yield
    finally:
        _Waiting.none = False


def count_compiled() -> int:
    """How many kernels, for arguments of one type each, this process has compiled."""
    return sum(sum(each.stats.cache_misses.values()) for each in _entries)


def find_folder() -> str | None:
    """The folder that compiled code is kept in, or None where none can be written."""
    paths = {each._cache.cache_path for each in _entries} - {None}
    return os.path.commonpath(paths) if paths else None


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
    threading.Thread(target=_compile_and_call, args=work, daemon=True).start()
    if not wait([answer], _ANNOUNCE_AFTER).done and not _Waiting.none:
        _announce()
    result = answer.result()
    warn_of_lost_code()
    return result


def _compile_and_call(
    compiled: Any, arguments: tuple[object, ...], answer: Future[Any]
) -> None:
    """Load or compile, call, and give what comes of it to the one who waits.

    A plain call would have numba look for extensions in all packages first.
    """
    try:
        with _without_collector():
            compiled.compile(tuple(map(compiled.typeof_pyval, arguments)))
        answer.set_result(compiled(*arguments))
    except BaseException as failure:  # raised again where it is waited for
        answer.set_exception(failure)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Leave garbage for later: a compiler makes little, of very many objects."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@functools.cache  # one notice in a process, however many kernels
def _announce() -> None:
    folder = find_folder()
    kept = f"kept in {folder} for the next time" if folder else "it cannot be kept"
    # Without handlers logging writes warnings to standard error as they are.
    logging.getLogger("sklazy").warning(
        f"sklazy: compiling for first use, which takes {_USUAL_WAIT}; {kept} ..."
    )
