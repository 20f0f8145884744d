"""One state of a case base, to be asked while changes make the next.

Copy on write: a state shares its arrays with the base. A change that finds the state
in use copies the arrays first and leaves the old ones to those who ask, so neither
waits for the other; a change that finds it unused writes in place and drops it.
"""

import copy
import threading
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from sklazy.forking import make_lock

Result = TypeVar("Result")
Part = TypeVar("Part")
Base = TypeVar("Base", bound="Snapshotted")


class Follower(Protocol):
    """Derived from the rows, and able to follow a change of some of them."""

    def follow(self, rows: Any, step: int) -> bool:  # noqa: ANN401 - of the base's kind
        """Take note of rows that came (step 1) or went (-1); whether that was possible.

        Arrays are replaced, not written to: a question may be using them. Of a follower
        that questions take for themselves they may be written to.
        """


class Snapshotted:
    """Mixin that hands out snapshots of its state, objects of the same class."""

    # Held while the state is changed, brought up to date or handed out.
    _lock: threading.RLock
    _derived: dict[Hashable, Any]  # what was derived from the rows
    # What does not depend on them; a base and its states share it.
    _lasting: dict[Hashable, Any]
    _state: Self | None  # the state as it is now, None before the first question
    # One None for each ``with`` block that a state is used in: the append and pop of a
    # list cannot be interrupted halfway.
    _readers: list[None]
    _is_state: bool  # whether this is a state itself
    _is_past: bool  # whether the base has changed since
    # Derived results that follow the rows, those of the base alone.
    _followers: "dict[Hashable, Follower]"
    # Weak reference to the base that a state is of, where it has one.
    _base: "weakref.ref[Self] | None"

    _n_changes = 0  # of the rows, in this process

    def _start_sharing(self) -> None:
        """Begin without a state."""
        self._lock, self._derived, self._lasting = make_lock(), {}, {}
        self._state, self._readers = None, []
        self._is_state = self._is_past = False
        self._base, self._followers = None, {}

    def snapshot(self) -> "Snapshot[Self]":
        """The state between two changes, for a ``with`` block.

        In the block it stays as it is, whatever other threads do to the base. It must
        not be changed, and not be used behind the block.
        """
        return Snapshot(self)

    def derive(self, key: Hashable, find: Callable[[], Result]) -> Result:
        """Return a result derived from the rows; cached until they change."""
        derived = (
            self._derived
        )  # a change replaces it: nothing stale gets into the new one
        if key not in derived:
            derived[key] = find()
        return derived[key]

    def keep(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return an object that does not depend on the rows; made once."""
        if key not in self._lasting:
            self._lasting[key] = make()
        return self._lasting[key]

    def find_follower(self, key: Hashable) -> "Follower | None":
        """Return a copy of what followed the rows up to this state, or None."""
        base = self if self._base is None else self._base()
        if base is None:
            return None
        with base._lock:
            follower: Follower | None = base._followers.get(key)
            is_current = base._n_changes == self._n_changes
            return copy.copy(follower) if is_current and follower else None

    def take_follower(self, key: Hashable) -> "Follower | None":
        """Take what followed the rows up to this state, for this question alone.

        It may be written to. Unless it is given back with `let_follow`, or while it is
        away, there is none.
        """
        base = self if self._base is None else self._base()
        if base is None:
            return None
        with base._lock:
            is_current = base._n_changes == self._n_changes
            return base._followers.pop(key, None) if is_current else None

    def let_follow(self, key: Hashable, follower: "Follower") -> None:
        """Keep what was derived, and have it follow the rows that come and go.

        Where the rows have changed meanwhile it is not kept.
        """
        base = self if self._base is None else self._base()
        if base is None:
            return
        with base._lock:
            if base._n_changes == self._n_changes:
                base._followers[key] = follower

    def _pass_on(self, rows: Any, step: int) -> None:  # noqa: ANN401 - of the base's kind
        """Have followers take note of rows that came or went, or drop them."""
        self._n_changes += 1
        # None is left behind by an interrupt: some would have followed, some not.
        every, self._followers = self._followers.items(), {}
        self._followers = {key: one for key, one in every if one.follow(rows, step)}

    def _outdate(self) -> None:
        """Drop all results that were derived from the rows."""
        self._derived = {}

    def _drop_state(self) -> None:
        """Leave the arrays to those who use them, before they are written to."""
        if self._is_state:
            raise RuntimeError(
                "a snapshot cannot be changed; change the case base itself."
            )
        state = self._state
        if state is None:
            return
        # In this order: the last reader to leave finds it past, or we find no reader.
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
        """Release the contents of a state that is past and no longer used."""
        self._derived = {}  # it points back to the state: do not wait for collection

    def _make_state(self) -> Self:
        raise NotImplementedError

    def _own_arrays(self) -> None:
        raise NotImplementedError


SHARING = frozenset(Snapshotted.__annotations__)
"""The fields that a copy of a base does not take over."""


@dataclass(slots=True, eq=False)
class Snapshot(Generic[Base]):
    """A ``with`` block that uses one state of a base."""

    _base: Base
    _state: Base | None = None

    def __enter__(self) -> Base:
        base = self._base
        with base._lock:
            state = base if base._is_state else base._state
            if state is None:
                state = base._make_state()
                state._is_state, base._state = True, state
            state._readers.append(None)
        self._state = state
        return state

    def __exit__(self, *error: object) -> None:
        state, self._state = self._state, None
        assert state is not None
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
