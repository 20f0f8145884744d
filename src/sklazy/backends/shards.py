"""Parts of the cases that others hold: asked all at once, made anew where one is lost.

Nothing here knows an engine. An engine starts a `Holder` of each part somewhere and
calls its methods; another engine is one more adapter (`backends/dask_engine.py`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from sklazy.casebase.holding import leave_all
from sklazy.casebase.parts import Labels, Part, adopt, adopt_labels, enter
from sklazy.casebase.rows import CodedRows, Ids, Places
from sklazy.errors import LostPartError

Found = TypeVar("Found")

_LOOK_AFTER = 1.0  # seconds without an answer, before somebody looks after the part
_ASK_AGAIN = 0.05  # seconds after a part was lost that is said to be there


class Pending(Protocol):
    """An answer that is under way."""

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer; `TimeoutError` after that, `PartGone` if it will never come."""


class PartGone(Exception):  # noqa: N818 - it is caught here and never seen
    """Whoever held a part is no more."""


class Engine(Protocol):
    """What runs holders of parts somewhere."""

    def start(self, number: int) -> None:
        """Make the holder of a part from its source, in place of any before."""

    def call(self, number: int, method: str, *given: object) -> Pending:
        """Call a method of a holder."""

    def is_alive(self, number: int) -> bool:
        """Whether a holder can still answer."""


class Holder:
    """Holds one part, and its state before the last change while somebody uses it."""

    def __init__(self, part: Part) -> None:
        self.part, self.version = part, 0
        self.kept: dict[int, Part] = {}

    def ask(self, version: int, function: Callable[..., Any], given: Any) -> Any:  # noqa: ANN401
        """What a state of the part answers."""
        part = self.part if version == self.version else self.kept.get(version)
        if part is None:
            raise LostPartError(
                f"the cases have changed: state {version} of part {self.part.number} "
                f"is asked for, but there is only state {self.version}. Ask again; "
                "only one model may change the rows of its parts."
            )
        return function(part, *given)

    def change(self, version: int, function: Callable[..., Any], given: Any) -> None:  # noqa: ANN401
        """Change the part, once, however often this is asked for."""
        if version == self.version:
            function(self.part, *given)
            self.version += 1

    def keep(self) -> None:
        """Keep the state as it is beside the next ones."""
        self.kept = {self.version: self.part._make_state()}
        self.part._own_arrays()


@dataclass
class Shards:
    """Parts held by an engine, as a case base of parts asks them (`Parts`).

    Attributes
    ----------
    engine : Engine
    n_parts : int
    timeout : float
        Seconds until a question is given up; a part that is lost is made anew.
    versions : list of int
        How often each part was changed.
    journal : list of lists
        The changes of each part, to make it anew from its source.
    """

    engine: Engine
    n_parts: int
    timeout: float
    versions: list[int] = field(default_factory=list)
    journal: list[list[tuple[Callable[..., Any], Any]]] = field(default_factory=list)
    common: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.versions = self.versions or [0] * self.n_parts
        self.journal = self.journal or [[] for _ in range(self.n_parts)]

    def __len__(self) -> int:
        return self.n_parts

    def ask(self, function: Callable[..., Found], *given: object) -> list[Found]:
        """What each part answers; all are asked at once."""
        if function in (adopt, adopt_labels):
            self.common[function] = given
        return self._ask_all(function, [given] * self.n_parts)

    def ask_each(
        self, function: Callable[..., Found], given: Sequence[Any]
    ) -> list[Found]:
        """What each part answers to what is given to it."""
        return self._ask_all(function, [(own,) for own in given])

    def ask_in_turn(
        self, function: Callable[..., Found], *given: object
    ) -> list[Found]:
        """What each part answers; all at once, so that nobody knows of another."""
        return self.ask(function, [], *given)

    def states(self) -> "Shards":
        """The parts as they are now."""
        return replace(self, versions=list(self.versions))

    def enter(self, number: int, labels: Labels, batch: CodedRows) -> None:
        """Have a part take in rows."""
        self._change(number, enter, (labels, batch))

    def leave(self, places: Sequence[Places], ids: Sequence[Ids]) -> None:
        """Have parts erase rows, all or none."""
        before = [list(own) for own in self.journal]
        try:
            for number, (own, names) in enumerate(zip(places, ids, strict=True)):
                if len(own):
                    self.journal[number] = [
                        _without(*c, names) for c in self.journal[number]
                    ]
                    self._change(number, leave_all, (names,))
        except BaseException:
            for number, changes in enumerate(before):
                if len(changes) != len(self.journal[number]):
                    self.journal[number] = changes
                    self.versions[number] = len(changes)
                    self._rebuild(number)
            raise

    def own_arrays(self) -> None:
        """Have the parts keep their states for those who use them."""
        calls = [self.engine.call(n, "keep") for n in range(self.n_parts)]
        for number, pending in enumerate(calls):
            self._wait(number, pending, ("keep",))

    def keep_hashes(self, states: object) -> None:
        """Hashes are kept where the parts are."""

    def _ask_all(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        calls = [
            ("ask", version, function, own)
            for version, own in zip(self.versions, given, strict=True)
        ]
        under_way = [self.engine.call(n, *call) for n, call in enumerate(calls)]
        return [
            self._wait(number, pending, call)
            for number, (pending, call) in enumerate(zip(under_way, calls, strict=True))
        ]

    def _change(self, number: int, function: Callable[..., Any], given: Any) -> None:  # noqa: ANN401
        call = "change", self.versions[number], function, given
        self._wait(number, self.engine.call(number, *call), call)
        self.journal[number].append((function, given))
        self.versions[number] += 1

    def _wait(self, number: int, pending: Pending, call: tuple[Any, ...]) -> Any:  # noqa: ANN401
        """An answer, from a part made anew if the one that was asked is lost."""
        end = time.monotonic() + self.timeout
        while True:
            try:
                return pending.result(_LOOK_AFTER)
            except (TimeoutError, PartGone) as error:
                if time.monotonic() > end:
                    raise LostPartError(
                        f"part {number} has not answered for {self.timeout:g} seconds; "
                        "look at the workers, or give a longer timeout."
                    ) from error
                if not self.engine.is_alive(number):
                    self._rebuild(number)
                elif isinstance(error, TimeoutError):
                    continue
                else:  # the engine has not noticed yet
                    time.sleep(_ASK_AGAIN)
                pending = self.engine.call(number, *call)

    def _rebuild(self, number: int) -> None:
        """Make a part anew from its source and all changes."""
        self.engine.start(number)
        steps = [
            ("change", version, *change)
            for version, change in enumerate(self.journal[number])
        ]
        version = len(steps)
        for function in (adopt_labels, adopt):
            if function in self.common:
                steps.append(("ask", version, function, self.common[function]))
        for step in steps:
            self.engine.call(number, *step).result(self.timeout)


def _without(
    function: Callable[..., Any],
    given: Any,  # noqa: ANN401 - of a change
    ids: Ids,
) -> tuple[Callable[..., Any], Any]:
    """A change that rows of these ids have no part in any more."""
    if function is not enter:
        return function, given
    labels, batch = given
    left = np.flatnonzero(~np.isin(batch.ids, ids))
    return function, (labels, batch.take(left))
