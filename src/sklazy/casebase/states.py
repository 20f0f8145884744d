"""One state of a case base, to be asked while changes make the next.

Copy on write: a state shares its arrays with the base. A change that finds the state
in use copies the arrays first and leaves the old ones to those who ask, so neither
waits for the other; a change that finds it unused writes in place and drops it.
"""

import threading
import weakref
from collections.abc import Callable, Hashable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import numpy as np

Found = TypeVar("Found")
Part = TypeVar("Part")
Base = TypeVar("Base", bound="Shared")


class Shared:
    """What hands out its states; a state is an object of the same class.

    Attributes
    ----------
    _lock : held while the state is changed, brought up to date or handed out
    _found : dict, what was derived from the rows
    _lasting : dict, what does not depend on them; a base and its states share it
    _state : the state as it is now, None before somebody asks
    _readers : list of None, one for each ``with`` block that a state is used in; a
        list because its append and pop cannot be interrupted halfway
    _is_state : bool, whether this is a state itself
    _is_past : bool, whether the base has changed since
    _base : weak reference to the base that a state is of, where it has one
    """

    _lock: threading.RLock
    _found: dict[Hashable, Any]
    _lasting: dict[Hashable, Any]
    _state: Self | None
    _readers: list[None]
    _is_state: bool
    _is_past: bool
    _base: "weakref.ref[Self] | None"

    def _start_sharing(self) -> None:
        """Begin without a state that anybody knows."""
        self._lock, self._found, self._lasting = threading.RLock(), {}, {}
        self._state, self._readers = None, []
        self._is_state = self._is_past = False
        self._base = None

    def snapshot(self) -> "Snapshot[Self]":
        """The state between two changes, for a ``with`` block.

        In the block it stays as it is, whatever other threads do to the base. It must
        not be changed, and not be used behind the block.
        """
        return Snapshot(self)

    def derive(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """What else follows from the rows: found once, kept until they change."""
        found = self._found  # a change replaces it: nothing stale gets into the new one
        if key not in found:
            found[key] = find()
        return found[key]

    def keep(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What does not depend on the rows: made once, whatever comes or goes."""
        if key not in self._lasting:
            self._lasting[key] = make()
        return self._lasting[key]

    def _outdate(self) -> None:
        """Let nobody use what was found before."""
        self._found = {}

    def _take_state(self) -> Self:
        """The state as it is now, one more block using it."""
        with self._lock:
            state = self if self._is_state else self._state
            if state is None:
                state = self._make_state()
                state._is_state, self._state = True, state
            state._readers.append(None)
            return state

    def _drop_state(self) -> None:
        """Leave the arrays to those who use them, before they are written to."""
        if self._is_state:
            raise RuntimeError(
                "a snapshot cannot be changed; change the case base itself."
            )
        state = self._state
        if state is None:
            return
        # In this order: whoever leaves the state last finds it past, or we find nobody.
        state._is_past = True
        try:
            if state._readers:
                self._own_arrays()
        except BaseException:
            state._is_past = False  # nothing changes: it has to be left arrays yet
            raise
        self._state = None
        if not state._readers:
            state._end()

    def _end(self) -> None:
        """Let go of what a state has: it is past, and nobody uses it."""
        self._found = {}  # it points back to the state: do not wait for collection

    def _make_state(self) -> Self:
        raise NotImplementedError

    def _own_arrays(self) -> None:
        raise NotImplementedError


SHARING = frozenset(Shared.__annotations__)
"""What a copy of a base begins anew with."""


class Snapshot(Generic[Base]):
    """A ``with`` block that uses one state of a base."""

    __slots__ = ("_base", "_used")

    def __init__(self, base: Base) -> None:
        self._base = base

    def __enter__(self) -> Base:
        self._used = self._base._take_state()
        return self._used

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        state = self._used
        del self._used
        state._readers.pop()
        if state._is_past and not state._readers:
            state._end()


def shallow(part: Part) -> Part:
    """A second object with the same attributes."""
    twin = object.__new__(type(part))
    twin.__dict__ = vars(part).copy()
    return twin


def copy_arrays(part: object) -> None:
    """Replace an object's arrays by copies."""
    for name, value in vars(part).items():
        if isinstance(value, np.ndarray):
            setattr(part, name, value.copy())
