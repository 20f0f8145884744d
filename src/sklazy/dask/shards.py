"""Parts of the cases that others hold: asked all at once, made anew where one is lost.

Nothing here knows an engine. An engine starts a `Holder` of each part somewhere and
calls its methods; another engine is one more adapter (`dask/engine.py`).
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from threading import RLock
from typing import Any, ClassVar, Protocol, TypeVar

from sklazy.casebase.holding import leave_all
from sklazy.casebase.parts import Labels, Part, enter_rows
from sklazy.casebase.rows import CodedRows, Ids, Places
from sklazy.casebase.states import shallow
from sklazy.dask.journal import ADOPTIONS, START, PartsJournal, Version, narrow_labels
from sklazy.errors import LostPartError

Result = TypeVar("Result")
Call = tuple[Any, ...]

_LOOK_AFTER = 1.0  # seconds without an answer, before the part is checked
_LOOK_AT_WORK = 10.0  # seconds until a part that is at work is looked at again
# A worker that waits takes this little of a processor.
_LEAST_WORK, _LEAST_SHARE = 0.5, 0.03
_ASK_AGAIN = 0.05  # seconds after a part was lost that is reported as alive


class Pending(Protocol):
    """An answer that is under way."""

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer; `TimeoutError` after that, `PartGone` if it will never come."""


class PartGone(Exception):  # noqa: N818 - it is caught here and never seen
    """The holder of a part is gone."""


class OtherState(Exception):  # noqa: N818 - it is caught here and never seen
    """A part is in another state than is meant, `held`."""

    def __init__(self, held: Version) -> None:
        super().__init__(held)
        self.held = held


_FAULTS = TimeoutError, PartGone, OtherState


class Engine(Protocol):
    """Runs holders of parts somewhere."""

    def start(self, number: int) -> None:
        """Make the holder of a part from its source, in place of any before.

        `LostPartError` if that takes too long.
        """

    def call(self, number: int, method: str, *arguments: object) -> Pending:
        """Call a method of a holder."""

    def is_alive(self, number: int) -> bool:
        """Whether a holder can still answer."""

    def time_at_work(self, number: int) -> tuple[float, float] | None:
        """Seconds that a call has taken, by the clock and of the holder's processor.

        None if the holder is not at work, or does not reply.
        """


class Holder:
    """Holds one part, and those of its earlier states that are in use."""

    def __init__(self, part: Part) -> None:
        self.part, self.version = part, START
        self.answer: Any = None
        self.kept: dict[Version, Part] = {}

    def ask(
        self, version: Version, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:  # noqa: ANN401
        """Call a function on a state of the part."""
        part = self.part if version == self.version else self.kept.get(version)
        if part is None:
            raise OtherState(self.version)
        return function(part, *arguments)

    def change(
        self,
        before: Version,
        after: Version,
        function: Callable[..., Any],
        arguments: Any,  # noqa: ANN401
        read: Collection[Version] | None = None,
    ) -> Any:  # noqa: ANN401
        """Lead the part from a state to another, once, however often this is asked.

        Of earlier states, those in `read` stay; all do if it is None.
        """
        if self.version != after:
            self._check(before)
            self._drop_unread(self.kept if read is None else read)
            self.answer = function(self.part, *arguments)
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
        """Enter alone; wait for the others until `end` at most."""
        try:
            if not self._lock.acquire(timeout=max(end - time.monotonic(), 0.0)):
                raise TimeoutError
            yield
        finally:
            with suppress(RuntimeError):  # it was not to be had
                self._lock.release()


@dataclass
class Shards:
    """Parts held by an engine, as a case base of parts asks them (`Parts`)."""

    engine: Engine
    n_parts: int
    # Seconds until a question is given up; a part that is lost is made anew.
    timeout: float
    # The state that is asked, None for the newest.
    versions: list[Version] | None = None
    # The changes of each part, to make it anew from its source.
    journal: PartsJournal = field(init=False)
    upkeep: list[_Upkeep] = field(init=False)

    are_here: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.journal = PartsJournal(self.n_parts)
        self.upkeep = [_Upkeep() for _ in range(self.n_parts)]

    def __len__(self) -> int:
        return self.n_parts

    def ask(self, function: Callable[..., Result], *arguments: object) -> list[Result]:
        """Call a function on each part; all are asked at once."""
        if function in ADOPTIONS:  # what all parts have in common
            every = dict.fromkeys(range(self.n_parts), arguments)
            answers = self._change(function, every, written_first=True)
            return [answers[number] for number in range(self.n_parts)]
        return self._ask_all(function, [arguments] * self.n_parts)

    def ask_each(
        self, function: Callable[..., Result], arguments: Sequence[Any]
    ) -> list[Result]:
        """Call a function on each part, with an argument of its own."""
        return self._ask_all(function, [(argument,) for argument in arguments])

    def ask_in_turn(
        self, function: Callable[..., list[Result]], *arguments: object
    ) -> list[Result]:
        """Call a function on all parts at once, each without the others' results."""
        return list(chain.from_iterable(self.ask(function, [], *arguments)))

    def states(self) -> "Shards":
        """The parts as they are now."""
        state = shallow(self)
        state.versions = self.journal.versions()
        return state

    def enter(self, number: int, labels: Labels, batch: CodedRows) -> None:
        """Have a part take in rows, with no other labels than theirs."""
        self._change(enter_rows, {number: narrow_labels(labels, batch)})

    def leave(self, places: Sequence[Places], ids: Sequence[Ids]) -> None:
        """Have parts erase rows, all or none."""
        pairs = enumerate(zip(places, ids, strict=True))
        self._change(
            leave_all, {n: (names,) for n, (gone, names) in pairs if len(gone)}
        )

    def own_arrays(self) -> None:
        """Have the parts keep their states for those who read them."""
        self._open()
        versions, read = self.journal.versions(), self.journal.read()
        self._gather({n: ("keep", versions[n], read[n]) for n in range(self.n_parts)})
        # Not before they keep it: the last reader may leave meanwhile, and a part that
        # drops a state must not be asked to keep it afterwards.
        self.journal.begin_reading(versions)

    def release(self) -> None:
        """Have the parts drop this state, if they have kept it: it is out of use."""
        dropped = self.journal.end_reading(self.versions or [])
        end = time.monotonic() + _LOOK_AFTER
        # A part that misses the call drops it with the next change.
        with suppress(LostPartError):
            calls = [
                self.engine.call(n, "drop", version) for n, version in dropped.items()
            ]
            for pending in calls:
                with suppress(*_FAULTS):
                    pending.result(max(end - time.monotonic(), 0.0))

    def keep_hashes(self, states: object) -> None:
        """Hashes are kept where the parts are."""

    def _ask_all(
        self, function: Callable[..., Any], arguments: Sequence[Any]
    ) -> list[Any]:
        self._open()
        versions = self.versions or self.journal.versions()
        answers = self._gather(
            {
                n: ("ask", versions[n], function, argument)
                for n, argument in enumerate(arguments)
            }
        )
        return [answers[number] for number in range(self.n_parts)]

    def _change(
        self,
        function: Callable[..., Any],
        arguments: Mapping[int, tuple[Any, ...]],
        *,
        written_first: bool = False,
    ) -> dict[int, Any]:
        """Change some parts.

        A change is written down once all have made it: where one has, but the change
        came to nothing, the part is in an unknown state, and is made anew when it is
        asked next. One that parts may make twice is written down first: a part that
        misses it makes it when it is asked next.
        """
        self._open()
        before, read = self.journal.versions(), self.journal.read()
        steps = {n: self.journal.new_step(function, a) for n, a in arguments.items()}
        if written_first:
            self.journal.take(steps)
        answers = self._gather(
            {n: ("change", before[n], *step, read[n]) for n, step in steps.items()}
        )
        if not written_first:
            self.journal.take(steps)
        return answers

    def _open(self) -> None:
        """Note, at the first call, what rows the sources have given."""
        if not self.journal.is_open:
            first = [steps[0] for steps in self.journal.steps]
            calls = {n: ("change", START, *step) for n, step in enumerate(first)}
            self.journal.learn(self._gather(calls))

    # --- calls ------------------------------------------------------------------------

    def _gather(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        """The answers to calls by the number of the part, all under way at once."""
        under_way = {n: _PendingCall(self, n, call) for n, call in calls.items()}
        return {n: pending.wait() for n, pending in under_way.items()}

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
                f"({error!r}); check the workers and the files, and ask again."
            ) from error


class _PendingCall:
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
                    if isinstance(error, TimeoutError) and self._is_at_work():
                        end = time.monotonic() + _LOOK_AT_WORK
                        continue
                    raise LostPartError(
                        f"part {self.number} has not answered for "
                        f"{self.shards.timeout:g} seconds; check the workers, or "
                        "give a longer timeout."
                    ) from error
                self._look_after(error, end)
                self._begin()

    def _is_at_work(self) -> bool:
        """Whether a part is only slow, on a machine that has little time for it.

        The seconds of the timeout are then those of its processor.
        """
        times = self.shards.engine.time_at_work(self.number)
        if times is None:
            return False
        elapsed, worked = times
        least = max(_LEAST_WORK, _LEAST_SHARE * elapsed)
        return least < worked < self.shards.timeout

    def _look_after(self, error: Exception, end: float) -> None:
        held = error.held if isinstance(error, OtherState) else None
        if held is not None:
            self._check_newest(held)
        elif self._may_be_there():
            time.sleep(_ASK_AGAIN)
            return
        try:
            with self.upkeep.alone(end):
                if self.upkeep.n_done == self.n_done:  # else another thread has done it
                    self.shards.bring_back(self.number, held, end)
                    self.upkeep.n_done += 1
            self.gone_since = None
        except _FAULTS:  # lost again meanwhile
            time.sleep(_ASK_AGAIN)

    def _may_be_there(self) -> bool:
        """Whether a part that did not answer may do so yet: it is reported as alive.

        A report that lasts is wrong: another worker has taken the place of the one.
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
                f"the cases changed during the request, and part {self.number} was "
                "lost; repeat the request."
            )
