"""Parts of the cases that others hold: asked all at once, made anew where one is lost.

Nothing here knows an engine. An engine starts a `Holder` of each part somewhere and
calls its methods; another engine is one more adapter (`backends/dask_engine.py`).
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from threading import RLock
from typing import Any, ClassVar, Protocol, TypeVar

from sklazy.backends.journal import ADOPTIONS, START, Journal, Version, narrowed
from sklazy.casebase.holding import leave_all
from sklazy.casebase.parts import Labels, Part, enter
from sklazy.casebase.rows import CodedRows, Ids, Places
from sklazy.casebase.states import shallow
from sklazy.errors import LostPartError

Found = TypeVar("Found")
Call = tuple[Any, ...]

_LOOK_AFTER = 1.0  # seconds without an answer, before somebody looks after the part
_ASK_AGAIN = 0.05  # seconds after a part was lost that is said to be there


class Pending(Protocol):
    """An answer that is under way."""

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer; `TimeoutError` after that, `PartGone` if it will never come."""


class PartGone(Exception):  # noqa: N818 - it is caught here and never seen
    """Whoever held a part is no more."""


class OtherState(Exception):  # noqa: N818 - it is caught here and never seen
    """A part is in another state than is meant, `held`."""

    def __init__(self, held: Version) -> None:
        super().__init__(held)
        self.held = held


_FAULTS = TimeoutError, PartGone, OtherState


class Engine(Protocol):
    """What runs holders of parts somewhere."""

    def start(self, number: int) -> None:
        """Make the holder of a part from its source, in place of any before.

        `LostPartError` if that takes too long.
        """

    def call(self, number: int, method: str, *given: object) -> Pending:
        """Call a method of a holder."""

    def is_alive(self, number: int) -> bool:
        """Whether a holder can still answer."""


class Holder:
    """Holds one part, and those of its states before that somebody reads."""

    def __init__(self, part: Part) -> None:
        self.part, self.version = part, START
        self.answer: Any = None
        self.kept: dict[Version, Part] = {}

    def ask(self, version: Version, function: Callable[..., Any], given: Any) -> Any:  # noqa: ANN401
        """What a state of the part answers."""
        part = self.part if version == self.version else self.kept.get(version)
        if part is None:
            raise OtherState(self.version)
        return function(part, *given)

    def change(
        self,
        before: Version,
        after: Version,
        function: Callable[..., Any],
        given: Any,  # noqa: ANN401
        read: Collection[Version] | None = None,
    ) -> Any:  # noqa: ANN401
        """Lead the part from a state to another, once, however often this is asked.

        Of states before, those that are read stay; all do, if that is not said.
        """
        if self.version != after:
            self._check(before)
            self._drop_unread(self.kept if read is None else read)
            self.answer = function(self.part, *given)
            self.version = after
        return self.answer

    def keep(self, version: Version, read: Collection[Version]) -> None:
        """Keep the state as it is beside the next ones, and others that are read."""
        self._check(version)
        self._drop_unread(read)
        self.kept[version] = self.part._make_state()
        self.part._own_arrays()

    def drop(self, version: Version) -> None:
        """Keep a state no longer."""
        state = self.kept.pop(version, None)
        if state is not None:
            state._end()

    def _drop_unread(self, read: Collection[Version]) -> None:
        for version in self.kept.keys() - read:
            self.drop(version)

    def _check(self, version: Version) -> None:
        if self.version != version:
            raise OtherState(self.version)


class _Upkeep:
    """Has one at a time bring a holder up to date."""

    def __init__(self) -> None:
        self._lock, self.n_done = RLock(), 0

    @contextmanager
    def alone(self, end: float) -> Iterator[None]:
        """Wait until nobody else does, but not for ever."""
        try:
            if not self._lock.acquire(timeout=max(end - time.monotonic(), 0.0)):
                raise TimeoutError
            yield
        finally:
            with suppress(RuntimeError):  # it was not to be had
                self._lock.release()


@dataclass
class Shards:
    """Parts held by an engine, as a case base of parts asks them (`Parts`).

    Attributes
    ----------
    engine : Engine
    n_parts : int
    timeout : float
        Seconds until a question is given up; a part that is lost is made anew.
    versions : list of Version, or None for the newest
        The state that is asked.
    journal : Journal
        The changes of each part, to make it anew from its source.
    """

    engine: Engine
    n_parts: int
    timeout: float
    versions: list[Version] | None = None
    journal: Journal = field(init=False)
    upkeep: list[_Upkeep] = field(init=False)

    are_here: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.journal = Journal(self.n_parts)
        self.upkeep = [_Upkeep() for _ in range(self.n_parts)]

    def __len__(self) -> int:
        return self.n_parts

    def ask(self, function: Callable[..., Found], *given: object) -> list[Found]:
        """What each part answers; all are asked at once."""
        if function in ADOPTIONS:
            return self._adopt(function, given)
        return self._ask_all(function, [given] * self.n_parts)

    def ask_each(
        self, function: Callable[..., Found], given: Sequence[Any]
    ) -> list[Found]:
        """What each part answers to what is given to it."""
        return self._ask_all(function, [(own,) for own in given])

    def ask_in_turn(
        self, function: Callable[..., list[Found]], *given: object
    ) -> list[Found]:
        """What all parts find; asked at once, so that nobody knows of another."""
        return list(chain.from_iterable(self.ask(function, [], *given)))

    def states(self) -> "Shards":
        """The parts as they are now."""
        state = shallow(self)
        state.versions = self.journal.versions()
        return state

    def enter(self, number: int, labels: Labels, batch: CodedRows) -> None:
        """Have a part take in rows; other labels than theirs are no matter of it."""
        self._change(enter, {number: narrowed(labels, batch)})

    def leave(self, places: Sequence[Places], ids: Sequence[Ids]) -> None:
        """Have parts erase rows, all or none."""
        pairs = enumerate(zip(places, ids, strict=True))
        self._change(leave_all, {n: (names,) for n, (own, names) in pairs if len(own)})

    def own_arrays(self) -> None:
        """Have the parts keep their states for those who read them."""
        self._open()
        versions, read = self.journal.versions(), self.journal.read()
        self._gather({n: ("keep", versions[n], read[n]) for n in range(self.n_parts)})
        # Not before they keep it: the last reader may leave meanwhile, and what is told
        # to drop a state must not be told to keep it afterwards.
        self.journal.begin_reading(versions)

    def release(self) -> None:
        """Have the parts drop this state, if they have kept it: nobody reads it now."""
        dropped = self.journal.end_reading(self.versions or [])
        end = time.monotonic() + _LOOK_AFTER
        # Whoever does not hear of it drops it with the next change.
        with suppress(LostPartError):
            calls = [self.engine.call(n, "drop", own) for n, own in dropped.items()]
            for pending in calls:
                with suppress(*_FAULTS):
                    pending.result(max(end - time.monotonic(), 0.0))

    def keep_hashes(self, states: object) -> None:
        """Hashes are kept where the parts are."""

    def _ask_all(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        self._open()
        versions = self.versions or self.journal.versions()
        found = self._gather(
            {n: ("ask", versions[n], function, own) for n, own in enumerate(given)}
        )
        return [found[number] for number in range(self.n_parts)]

    def _adopt(self, function: Callable[..., Any], given: tuple[Any, ...]) -> list[Any]:
        """Have all parts take what they have in common.

        It is written down first: it may be taken twice, and a part that does not hear
        of it is told when it is asked next.
        """
        self._open()
        before, read = self.journal.versions(), self.journal.read()
        steps = {n: self.journal.new_step(function, given) for n in range(self.n_parts)}
        self.journal.take(steps)
        found = self._gather(
            {n: ("change", before[n], *step, read[n]) for n, step in steps.items()}
        )
        return [found[number] for number in range(self.n_parts)]

    def _change(
        self, function: Callable[..., Any], given: Mapping[int, tuple[Any, ...]]
    ) -> None:
        """Change some parts.

        It is written down once all have done it: where one has, but the change came to
        nothing, the part is in a state that nobody knows, and is made anew when it is
        asked next.
        """
        self._open()
        before, read = self.journal.versions(), self.journal.read()
        steps = {n: self.journal.new_step(function, own) for n, own in given.items()}
        self._gather(
            {n: ("change", before[n], *step, read[n]) for n, step in steps.items()}
        )
        self.journal.take(steps)

    def _open(self) -> None:
        """Note, at the first call, what rows the sources have given."""
        if not self.journal.is_open:
            first = [own[0] for own in self.journal.steps]
            calls = {n: ("change", START, *step) for n, step in enumerate(first)}
            self.journal.learn(self._gather(calls))

    # --- calls ------------------------------------------------------------------------

    def _gather(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        """The answers to calls by the number of the part, all under way at once."""
        under_way = {n: _Asked(self, n, call) for n, call in calls.items()}
        return {n: asked.wait() for n, asked in under_way.items()}

    def result(self, number: int, pending: Pending, end: float) -> Any:  # noqa: ANN401
        """An answer; `TimeoutError` at the end, `PartGone` as soon as none can come."""
        while True:
            try:
                return pending.result(_LOOK_AFTER)
            except TimeoutError:
                if time.monotonic() > end:
                    raise
                if not self.engine.is_alive(number):
                    raise PartGone from None

    def bring_back(self, number: int, held: Version | None, end: float) -> None:
        """Bring a holder to the newest state, by the steps that it lacks.

        One that is lost, or in a state that no step leads to, is made anew.
        """
        steps = None if held is None else self.journal.missing(number, held)
        if steps is None:
            self._start(number)
            held, steps = START, self.journal.steps[number]
        for step in steps:
            pending = self.engine.call(number, "change", held, *step)
            self.result(number, pending, end)
            held = step.version

    def _start(self, number: int) -> None:
        try:
            self.engine.start(number)
        except (LostPartError, PartGone):
            raise
        except Exception as error:
            raise LostPartError(
                f"part {number} is lost, and its source cannot be read again "
                f"({error!r}); look at the workers and at the files, and ask again."
            ) from error


class _Asked:
    """A call to one holder, until it is answered."""

    def __init__(self, shards: Shards, number: int, call: Call) -> None:
        self.shards, self.number, self.call = shards, number, call
        self.upkeep = shards.upkeep[number]
        self.gone_since: float | None = None
        self._begin()

    def _begin(self) -> None:
        self.n_done = self.upkeep.n_done
        self.pending = self.shards.engine.call(self.number, *self.call)

    def wait(self) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer, from a part made anew if the one that was asked is lost."""
        end = time.monotonic() + self.shards.timeout
        while True:
            try:
                return self.shards.result(self.number, self.pending, end)
            except _FAULTS as error:
                if time.monotonic() > end:
                    raise LostPartError(
                        f"part {self.number} has not answered for "
                        f"{self.shards.timeout:g} seconds; look at the workers, or "
                        "give a longer timeout."
                    ) from error
                self._look_after(error, end)
                self._begin()

    def _look_after(self, error: Exception, end: float) -> None:
        held = error.held if isinstance(error, OtherState) else None
        if held is not None:
            self._check_newest(held)
        elif self._may_be_there():
            time.sleep(_ASK_AGAIN)
            return
        try:
            with self.upkeep.alone(end):
                if self.upkeep.n_done == self.n_done:  # else somebody else has done it
                    self.shards.bring_back(self.number, held, end)
                    self.upkeep.n_done += 1
            self.gone_since = None
        except _FAULTS:  # lost again meanwhile
            time.sleep(_ASK_AGAIN)

    def _may_be_there(self) -> bool:
        """Whether a part that did not answer may do so yet: somebody says it is there.

        Who says so for long is wrong: another worker has taken the place of the one.
        """
        if not self.shards.engine.is_alive(self.number):
            return False
        now = time.monotonic()
        self.gone_since = self.gone_since or now
        return now - self.gone_since < _LOOK_AFTER

    def _check_newest(self, held: Version) -> None:
        """Refuse to bring back a state that is past, or to undo what others did."""
        journal, versions = self.shards.journal, self.shards.versions
        if held.front not in (START.front, journal.front):
            raise LostPartError(
                f"the cases have changed: part {self.number} was changed by another "
                "model. Only one model may change the rows of its parts; fit again."
            )
        if versions and versions[self.number] != journal.versions()[self.number]:
            raise LostPartError(
                f"the cases have changed while they were asked, and part {self.number} "
                "was lost with the state that was meant; ask again."
            )
