"""Parts of the cases on the workers of a Dask cluster, each held by an actor."""

import os
import time
from asyncio import AbstractEventLoop, run_coroutine_threadsafe, wait_for
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

import distributed
from dask.sizeof import sizeof
from distributed.actor import ProxyRPC
from distributed.protocol import pickle
from distributed.protocol.serialize import to_serialize

from sklazy.answer.device import take_turn
from sklazy.casebase import CaseBase
from sklazy.dask.client import find_workers, wait_for_all, wait_for_result
from sklazy.dask.journal import Version
from sklazy.dask.shards import Holder, PartGone
from sklazy.errors import BadInputError, LostPartError

_REACH = 2.0  # seconds in which a worker answers that can be reached from here
_REPLY = 10.0  # seconds in which a worker replies beside its work
_TRIES = 3  # of making a part whose worker is lost meanwhile
_MOST_PACKED = 2**20  # bytes
_ACTOR_LOST = "Worker holding Actor was lost"  # the scheduler's message


class DaskPending:
    """An answer of an actor."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer."""
        try:
            return unpack(self._future.result(timeout))
        except CancelledError as error:  # the client was closed meanwhile
            raise PartGone from error


class DaskEngine:
    """Actors that hold parts, started from sources that can be computed again.

    `make` turns a source, as computed, and the number of a part into the part; each
    part has a list of delayed objects for its source. The making of a part is given up
    after `timeout` seconds.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401
        make: Callable[[Any, int], Any],
        sources: Sequence[Sequence[Any]],
        timeout: float,
    ) -> None:
        self.client, self.make, self.sources = client, make, list(sources)
        self.timeout = timeout
        self.actors: dict[int, Any] = {}
        self.futures: dict[int, Any] = {}  # while these are kept, so are the actors
        self.gone: set[str] = set()  # actors that their workers do not know
        self.reached: dict[str, bool] = {}

    def start_all(self, computed: Sequence[Any]) -> None:
        """Make the holders of all parts at once, from futures of their sources."""
        begun = [self._submit(number, source) for number, source in enumerate(computed)]
        for number, future in enumerate(begun):
            self._keep(number, future)

    def start(self, number: int) -> None:
        """Make the holder of a part, on any worker that is there.

        The one before is let go first: while the scheduler knows its sources, it
        counts every worker that was lost with them, and refuses them after a few.
        """
        self.actors.pop(number, None)
        if number in self.futures:
            self.futures.pop(number).cancel()
        self._keep(number, self._submit_anew(number))

    def _submit_anew(self, number: int) -> Any:  # noqa: ANN401
        source = self.client.compute(self.sources[number])
        # The scheduler must know it before it learns of the actor.
        wait_for_all(source, self.timeout, f"part {number}")
        return self._submit(number, source)

    def _submit(self, number: int, source: object) -> Any:  # noqa: ANN401
        workers = find_workers(self.client, self.timeout)
        return self.client.submit(
            HolderOf,
            self.make,
            source,
            number,
            find_turns(self.client),
            actor=True,
            pure=False,
            workers=[workers[number % len(workers)]],
            allow_other_workers=True,
        )

    def _keep(self, number: int, future: Any) -> None:  # noqa: ANN401
        """Wait for an actor; make another where its worker is lost meanwhile."""
        for _ in range(_TRIES):
            try:
                self.actors[number] = wait_for_result(
                    future, self.timeout, f"part {number}"
                )
                self.futures[number] = future
                return
            except BaseException as error:
                future.cancel()  # else its sources stay known, failed as they have
                if str(error) != _ACTOR_LOST:
                    raise
            future = self._submit_anew(number)
        raise LostPartError(
            f"part {number} was lost {_TRIES} times with the worker that held it; "
            "check the workers' memory, or use smaller partitions."
        )

    def call(self, number: int, method: str, *arguments: object) -> DaskPending:
        """Call a method of a holder."""
        self._check_client()
        called = self._execute(number, pack((method, arguments)))
        return DaskPending(run_coroutine_threadsafe(called, self._loop))

    async def _execute(self, number: int, packed: object) -> Any:  # noqa: ANN401
        """Call an actor, directly at its worker if possible.

        An actor would send all by way of the scheduler, which takes several times as
        long.
        """
        actor, client = self.actors.get(number), self.client
        if actor is None:
            raise PartGone
        address = actor._address
        if address not in self.reached:
            self.reached[address] = await _can_reach(client, address)
        here = self.reached[address]
        worker = client.rpc(address) if here else ProxyRPC(client.scheduler, address)
        sent = packed if isinstance(packed, bytes) else to_serialize(packed)
        try:
            response = await worker.actor_execute(
                function="run", actor=actor.key, args=[sent], kwargs={}
            )
        except OSError as error:
            raise PartGone from error
        except KeyError as error:  # the worker was started anew and knows no actor
            self.gone.add(actor.key)
            raise PartGone from error
        if response["status"] != "OK":
            raise response["exception"]
        return response["result"]

    @property
    def _loop(self) -> AbstractEventLoop:
        loop: AbstractEventLoop = self.client.loop.asyncio_loop
        return loop

    def is_alive(self, number: int) -> bool:
        """Whether the worker of a holder is still there, and still the same."""
        self._check_client()
        actor = self.actors.get(number)
        if actor is None or actor.key in self.gone:
            return False
        try:
            known = self.client.nthreads(callback_timeout=_REACH)
        except OSError:  # unknown
            return True
        return actor._address in known

    def time_at_work(self, number: int) -> tuple[float, float] | None:
        """Seconds since a holder began its call, by the clock and of its processor.

        None if it does nothing, or if its worker does not reply.
        """
        actor = self.actors.get(number)
        if actor is None:
            return None
        asked = self.client._run(_time_at_work, actor.key, workers=[actor._address])
        try:
            known = run_coroutine_threadsafe(asked, self._loop).result(_REPLY)
        except (OSError, TimeoutError, CancelledError, KeyError):
            return None
        times: tuple[float, float] | None = known.get(actor._address)
        return times

    def _check_client(self) -> None:
        if self.client.status != "running":
            raise LostPartError(
                "the Dask client of these cases is closed; fit again with another "
                "client."
            )

    def __getstate__(self) -> None:
        raise BadInputError(
            "a model on a cluster cannot be pickled; gather() it first, or save() it."
        )


async def _can_reach(client: Any, address: str) -> bool:  # noqa: ANN401
    """Whether a worker answers here, or only to the scheduler."""
    try:
        await wait_for(client.rpc(address).identity(), _REACH)
    except (OSError, TimeoutError):
        return False
    return True


def _time_at_work(key: str, dask_worker: Any) -> tuple[float, float] | None:  # noqa: ANN401
    begun = dask_worker.state.actors[key].begun
    if begun is None:
        return None
    return time.monotonic() - begun[0], time.process_time() - begun[1]


class HolderOf(Holder):
    """A holder that makes its part where it is, and asks it on its worker's device."""

    # When the call that is under way began, by the clock and the worker's processor.
    begun: tuple[float, float] | None = None

    def __init__(
        self,
        make: Callable[[Any, int], Any],
        source: object,
        number: int,
        turns: dict[str, int],
    ) -> None:
        super().__init__(make(source, number))
        # An actor's methods run in one thread of the worker, whatever it has.
        self.part.n_threads = distributed.get_worker().state.nthreads
        self.turn = own_turn(turns)

    def run(self, packed: object) -> object:
        """Call one of the methods; all is packed."""
        method, arguments = unpack(packed)
        self.begun = time.monotonic(), time.process_time()
        try:
            return pack(getattr(self, method)(*arguments))
        finally:
            self.begun = None

    def ask(
        self, version: Version, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:  # noqa: ANN401
        """Call a function on a state of the part."""
        with take_turn(self.turn):
            return super().ask(version, function, arguments)


def pack(value: object) -> object:
    """Pickle an object to one piece of bytes; a large one stays as it is.

    Dask cuts what it is given into pieces of their own, which saves copies of large
    arrays, but takes longer than most answers.
    """
    arrays: list[Any] = []
    pickle.dumps(value, buffer_callback=arrays.append)
    if sum(array.raw().nbytes for array in arrays) > _MOST_PACKED:
        return value
    return pickle.dumps(value)


def unpack(packed: Any) -> Any:  # noqa: ANN401
    """Undo `pack`."""
    return pickle.loads(packed) if isinstance(packed, bytes) else packed


def find_turns(client: Any) -> dict[str, int]:  # noqa: ANN401
    """The place of every worker among those of its machine, by address."""
    known = client.scheduler_info(n_workers=-1)["workers"]
    seen, turns = Counter[str](), {}
    for address in sorted(known):
        machine = known[address]["host"]
        turns[address], seen[machine] = seen[machine], seen[machine] + 1
    return turns


def own_turn(turns: dict[str, int]) -> int:
    """Which device "cuda" means on this worker, a number for `take_turn`.

    Where CUDA_VISIBLE_DEVICES is set, as dask-cuda does for each worker, the first.
    """
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        return 0
    return turns.get(distributed.get_worker().address, 0)


def measure_bytes(base: CaseBase) -> int:
    """The bytes of a case base: else Dask takes it for 56, and limits are blind."""
    arrays = [*vars(base.rows).values(), *vars(base.tallies).values()]
    return sum(getattr(array, "nbytes", 0) for array in arrays)


def measure_holder_bytes(holder: Holder) -> int:
    """The bytes of a part and of the states that are kept of it."""
    return measure_bytes(holder.part) + sum(map(measure_bytes, holder.kept.values()))


sizeof.register(CaseBase, measure_bytes)
sizeof.register(Holder, measure_holder_bytes)
