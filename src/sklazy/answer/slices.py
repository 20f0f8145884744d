"""The seam between an answer and the place where it is computed.

A backend is a class `Backend` in a file of this folder, or any object with its two
methods. It is handed a function of (first, last) that can be pickled, and may call it
in another thread, in another process or on another machine. It should send the
function once to each worker, not once for each slice.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from sklazy.answer.threads import Backend as ThreadsBackend
from sklazy.errors import BadInputError

Result = TypeVar("Result")
Slice = tuple[int, int]


class SliceBackend(Protocol):
    """Protocol of backends that run slices of queries."""

    def count_workers(self, n_jobs: int | None) -> int:
        """How many slices run at a time."""

    def run(
        self,
        work: Callable[[int, int], Result],
        slices: Sequence[Slice],
        n_jobs: int | None,
        done: Callable[[int], None],
    ) -> list[Result]:
        """Call ``work(first, last)`` for every slice; the results in their order.

        `done` is called with the number of queries of each slice that is finished.
        A failure of any slice is raised here.
        """


_THREADS = ThreadsBackend()
_current: ContextVar[SliceBackend | None] = ContextVar("backend", default=None)


def current_backend() -> SliceBackend:
    """The backend in use; threads unless `use_backend` chose another."""
    return _current.get() or _THREADS


@contextmanager
def use_backend(backend: SliceBackend | str) -> Iterator[SliceBackend]:
    """Run slices by another backend inside a ``with`` block.

    Parameters
    ----------
    backend : SliceBackend, or the name of a file in this folder, such as "threads"

    Examples
    --------
    >>> with use_backend("threads") as backend:
    ...     backend.run(lambda first, last: last - first, [(0, 2), (2, 5)], 1, print)
    2
    3
    [2, 3]
    """
    chosen = _find(backend) if isinstance(backend, str) else backend
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)


def _find(name: str) -> SliceBackend:
    try:
        return importlib.import_module(f"sklazy.answer.{name}").Backend()
    except (ModuleNotFoundError, AttributeError, TypeError) as error:
        raise BadInputError(
            f"backend={name!r} could not be loaded ({error}); give the name of a file "
            "in sklazy/answer, such as 'threads', or an object with count_workers "
            "and run."
        ) from error
