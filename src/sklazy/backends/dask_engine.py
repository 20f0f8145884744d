"""Parts of the cases on the workers of a Dask cluster, each held by an actor."""

import os
from asyncio import AbstractEventLoop, run_coroutine_threadsafe, wait_for
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.backends.device import take_turn
from sklazy.backends.shards import Holder, PartGone
from sklazy.casebase import CaseBase
from sklazy.errors import (
    BadInputError,
    BadTypeError,
    LostPartError,
    MissingExtraError,
)

try:
    import distributed
    from dask.base import is_dask_collection
    from dask.sizeof import sizeof
    from distributed.actor import ProxyRPC
    from distributed.protocol.serialize import to_serialize
except ImportError as error:
    raise MissingExtraError(
        "sklazy.dask needs the package distributed; install it with "
        "pip install 'sklazy[dask]'."
    ) from error

_LOST = (distributed.CancelledError, distributed.scheduler.KilledWorker)
_REACH = 2.0  # seconds in which a worker answers that can be reached from here


class DaskPending:
    """An answer of an actor."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer."""
        return self._future.result(timeout)


class DaskEngine:
    """Actors that hold parts, started from sources that Dask can compute again.

    Parameters
    ----------
    client : distributed.Client
    make : callable
        From a source, as computed, and the number of the part to the part.
    sources : sequence of delayed objects
        What each part is made of; never kept, so nothing is held twice.
    timeout : float
        Seconds until the making of a part is given up.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401
        make: Callable[[Any, int], Any],
        sources: Sequence[Any],
        timeout: float,
    ) -> None:
        self.client, self.make, self.sources = client, make, list(sources)
        self.timeout = timeout
        self.actors: dict[int, Any] = {}
        self.reached: dict[str, bool] = {}

    def start(self, number: int) -> None:
        """Make the holder of a part, on any worker that is there."""
        workers = sorted(self.client.nthreads())
        if not workers:
            raise LostPartError(
                "the cluster has no workers; add some, for instance cluster.scale(2)."
            )
        source = self.client.compute(self.sources[number], allow_other_workers=True)
        future = self.client.submit(
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
        self.actors[number] = wait_for_part(future, self.timeout, number)

    def call(self, number: int, method: str, *given: object) -> DaskPending:
        """Call a method of a holder."""
        if self.client.status != "running":
            raise LostPartError(
                "the Dask client of these cases is closed; fit again, with another."
            )
        called = self._execute(self.actors[number], method, given)
        return DaskPending(run_coroutine_threadsafe(called, self._loop))

    async def _execute(self, actor: Any, method: str, given: tuple[Any, ...]) -> Any:  # noqa: ANN401
        """What a method of an actor answers, asked at the worker itself if possible.

        An actor would send all by way of the scheduler, which takes several times as
        long.
        """
        address, client = actor._address, self.client
        if address not in self.reached:
            self.reached[address] = await _can_reach(client, address)
        here = self.reached[address]
        worker = client.rpc(address) if here else ProxyRPC(client.scheduler, address)
        sent = [to_serialize(own) for own in given]
        try:
            found = await worker.actor_execute(
                function=method, actor=actor.key, args=sent, kwargs={}
            )
        except OSError as error:
            raise PartGone from error
        if found["status"] != "OK":
            raise found["exception"]
        return found["result"]

    @property
    def _loop(self) -> AbstractEventLoop:
        loop: AbstractEventLoop = self.client.loop.asyncio_loop
        return loop

    def is_alive(self, number: int) -> bool:
        """Whether the worker of a holder is still there."""
        return self.actors[number]._address in self.client.nthreads()

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


class HolderOf(Holder):
    """A holder that makes its part where it is, and asks it on its worker's device."""

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

    def ask(self, version: int, function: Callable[..., Any], given: Any) -> Any:  # noqa: ANN401
        """What a state of the part answers."""
        with take_turn(self.turn):
            return super().ask(version, function, given)


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


def wait_for_part(future: Any, timeout: float, number: int) -> Any:  # noqa: ANN401
    """What is computed of a part, or an error that says why it is not."""
    try:
        return future.result(timeout)
    except TimeoutError as error:
        raise LostPartError(
            f"part {number} was not ready within {timeout:g} seconds; look at the "
            "workers, or give a longer timeout."
        ) from error
    except _LOST as error:
        raise LostPartError(
            f"part {number} was lost again and again with the workers that made it "
            f"({error}); look at their memory, or give smaller partitions."
        ) from error


def find_client(client: Any) -> Any:  # noqa: ANN401
    """The client that is given, or the current one."""
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError as error:
            raise BadInputError(
                "client=None, but there is no Dask client; make one, for instance by "
                "distributed.Client()."
            ) from error
    if not isinstance(client, distributed.Client) or client.status != "running":
        raise BadInputError(
            f"client={client!r} is no running Dask client; give a distributed.Client."
        )
    return client


def weigh(base: CaseBase) -> int:
    """The bytes of a case base: else Dask takes it for 56, and limits are blind."""
    arrays = [*vars(base.rows).values(), *vars(base.tallies).values()]
    return sum(getattr(array, "nbytes", 0) for array in arrays)


sizeof.register(CaseBase, weigh)


# --- collections of Dask --------------------------------------------------------------


def check_partitions(columns: list[list[Any] | None]) -> None:
    """Refuse collections that are not divided alike."""
    counts = {len(own) for own in columns if own is not None}
    if len(counts) > 1 or counts == {0}:
        raise BadInputError(
            f"X, y and what else is given have {sorted(counts)} partitions; give "
            "collections that are divided alike."
        )


def is_dask(given: object) -> bool:
    """Whether something is a collection of Dask."""
    return bool(is_dask_collection(given))


def partitions_of(given: Any) -> list[Any]:  # noqa: ANN401
    """The partitions of a Dask frame, series or array, as delayed objects."""
    if not is_dask(given):
        raise BadTypeError(
            f"{type(given).__name__} is no Dask collection; make one, for instance by "
            "dask.dataframe.from_pandas(frame, npartitions=4)."
        )
    if hasattr(given, "rechunk") and given.ndim > 1:
        given = given.rechunk({1: -1})
    return list(np.ravel(given.to_delayed()))


def computed_pieces(X: Any) -> Iterable[Any]:  # noqa: ANN401
    """The partitions of queries, one after the other."""
    for piece in partitions_of(X):
        computed = piece.compute()
        if len(computed):
            yield computed


def as_dask_array(whole: NDArray[Any], chunks: Any) -> Any:  # noqa: ANN401
    """An array of this machine as one of Dask."""
    import dask.array  # noqa: PLC0415 - slow to import

    return dask.array.from_array(whole, chunks)
