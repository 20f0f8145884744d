"""Parts of the cases on the workers of a Dask cluster, each held by an actor."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sklazy.backends.device import take_turn
from sklazy.backends.shards import Holder, PartGone
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, LostPartError, MissingExtraError

try:
    import distributed
    from dask.sizeof import sizeof
except ImportError as error:
    raise MissingExtraError(
        "sklazy.dask needs the package distributed; install it with "
        "pip install 'sklazy[dask]'."
    ) from error

_GONE = (OSError, distributed.CancelledError, distributed.scheduler.KilledWorker)


class DaskPending:
    """An answer of an actor."""

    def __init__(self, future: Any) -> None:  # noqa: ANN401 - distributed has no types
        self._future = future

    def result(self, timeout: float) -> Any:  # noqa: ANN401 - whatever was asked for
        """The answer."""
        try:
            return self._future.result(timeout)
        except TimeoutError:
            raise
        except _GONE as error:
            raise PartGone from error


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
        self.actors[number] = _wait_for(future, self.timeout, number)

    def call(self, number: int, method: str, *given: object) -> DaskPending:
        """Call a method of a holder."""
        return DaskPending(getattr(self.actors[number], method)(*given))

    def is_alive(self, number: int) -> bool:
        """Whether the worker of a holder is still there."""
        return self.actors[number]._address in self.client.nthreads()

    def __getstate__(self) -> None:
        raise BadInputError(
            "a model on a cluster cannot be pickled; gather() it first, or save() it."
        )


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


def _wait_for(future: Any, timeout: float, number: int) -> Any:  # noqa: ANN401
    try:
        return future.result(timeout)
    except TimeoutError as error:
        raise LostPartError(
            f"part {number} was not ready within {timeout:g} seconds; look at the "
            "workers, or give a longer timeout."
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
