"""Values and locks that a forked process can use.

Only the thread that forks goes on in the new process. A lock that another thread held
at that moment is never released there, and waiting for it never ends. So a fork
waits until the locks made here are free, as the cases are then between two changes,
too; and values are kept without a lock, which `functools.cached_property` has in
Python 3.11.
"""

import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar, overload

Value = TypeVar("Value")

_PATIENCE = 60.0  # seconds that a fork waits for those who hold locks
_STEP = 0.001


class cached_property(Generic[Value]):  # noqa: N801 - as the one of functools
    """A property found at first use and kept in the object.

    Threads that ask at once may all find it; they get the same object.

    Examples
    --------
    >>> class Circle:
    ...     radius = 2.0
    ...
    ...     @cached_property
    ...     def area(self):
    ...         return 3.14 * self.radius**2
    >>> circle = Circle()
    >>> circle.area, vars(circle)
    (12.56, {'area': 12.56})
    """

    def __init__(self, find: Callable[[Any], Value]) -> None:
        self._find, self._name, self.__doc__ = find, "", find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object, owner: type) -> Self | Value:
        if instance is None:
            return self
        value: Value = vars(instance).setdefault(self._name, self._find(instance))
        return value


class Lock(Protocol):
    """A lock that its thread may take again."""

    def acquire(self) -> object:
        """Wait for it."""

    def release(self) -> None:
        """Let others have it."""


_locks: "weakref.WeakValueDictionary[int, threading.RLock]"
_locks = weakref.WeakValueDictionary()
_numbers = itertools.count()
_gate = threading.RLock()  # held while locks are made, and while a process forks
_inner: list[Lock] = []
_held: list[Lock] = []


def make_lock() -> "threading.RLock":
    """A lock that a fork waits for.

    Examples
    --------
    >>> with make_lock():
    ...     pass
    """
    lock = threading.RLock()
    with _gate:
        _locks[next(_numbers)] = lock
    return lock


def wait_for(lock: Lock) -> None:
    """Have forks wait for a lock of another library, too.

    A thread that holds it must not ask for one that `make_lock` made.
    """
    _inner.append(lock)


def _hold_all() -> None:
    """Wait until all locks are free, and take them; after long, those that are.

    A thread that waits for one lock may hold another: until all are free at once, none
    is kept.
    """
    end = time.monotonic() + _PATIENCE
    while not _try_all() and time.monotonic() < end:
        _release_all()
        time.sleep(_STEP)
    for lock in _inner:
        lock.acquire()
        _held.append(lock)


def _try_all() -> bool:
    """Take the locks that are free; whether all are."""
    _gate.acquire()
    _held.append(_gate)
    locks = [lock for known in _locks.valuerefs() if (lock := known()) is not None]
    free = [lock for lock in locks if lock.acquire(blocking=False)]
    _held.extend(free)
    return len(free) == len(locks)


def _release_all() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_all, after_in_parent=_release_all, after_in_child=_release_all
    )
