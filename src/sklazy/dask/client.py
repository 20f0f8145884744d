"""A Dask client: what it computes, waited for with a limit; collections as pieces."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import (
    BadInputError,
    BadTypeError,
    LostPartError,
    MissingExtraError,
)

try:
    import distributed
    from dask.base import is_dask_collection
    from dask.delayed import delayed
except ImportError as error:
    raise MissingExtraError(
        "sklazy.dask needs the package distributed; install it with "
        "pip install 'sklazy[dask]'."
    ) from error

LOST = (distributed.CancelledError, distributed.scheduler.KilledWorker)
"""Errors of a future whose worker is gone, or has gone too often."""

TIMEOUT = 300.0
"""Seconds to wait for an answer."""


def find_client(client: Any) -> Any:  # noqa: ANN401 - distributed has no types
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
            f"client={client!r} is not a running Dask client; give a "
            "distributed.Client."
        )
    return client


def find_workers(client: Any, timeout: float) -> list[str]:  # noqa: ANN401
    """The addresses of all workers; where none is left, of those that come next."""
    while not (workers := sorted(_known_workers(client, timeout))):
        try:
            client.wait_for_workers(1, timeout)
        except TimeoutError as error:
            raise LostPartError(
                f"the cluster has had no workers for {timeout:g} seconds; add some, "
                "for instance cluster.scale(2)."
            ) from error
    return workers


def _known_workers(client: Any, timeout: float) -> Iterable[str]:  # noqa: ANN401
    try:
        workers: Iterable[str] = client.nthreads(callback_timeout=timeout)
    except OSError as error:
        raise LostPartError(
            f"the scheduler has not answered within {timeout:g} seconds; check "
            "whether it is running, and fit again with a client of a running "
            "scheduler."
        ) from error
    return workers


def wait_for_result(future: Any, timeout: float, what: str) -> Any:  # noqa: ANN401
    """Return a future's result, or raise an error with the reason and a way out."""
    try:
        return future.result(timeout)
    except TimeoutError as error:
        raise LostPartError(_describe_delay(what, timeout)) from error
    except LOST as error:
        raise LostPartError(
            f"{what} was lost repeatedly with its workers ({error}); check their "
            "memory, or use smaller partitions."
        ) from error


def _describe_delay(what: str, timeout: float) -> str:
    return (
        f"{what} was not ready within {timeout:g} seconds; look at the workers, or "
        "give a longer timeout."
    )


def wait_for_all(futures: Sequence[Any], timeout: float, what: str) -> None:
    """Wait until all is computed, or until it is clear that it will not be."""
    try:
        distributed.wait(futures, timeout)
    except TimeoutError as error:
        raise LostPartError(_describe_delay(what, timeout)) from error


def compute(client: Any, timeout: float, *values: Any) -> list[Any]:  # noqa: ANN401
    """Collections of Dask as they are at this machine; anything else as it is.

    They are made in one go, so that what they have in common is made once.
    """
    made = iter(client.compute([value for value in values if is_dask(value)]))
    return [
        wait_for_result(next(made), timeout, "a collection of Dask")
        if is_dask(value)
        else value
        for value in values
    ]


# --- collections ----------------------------------------------------------------------


def is_dask(value: object) -> bool:
    """Whether something is a collection of Dask."""
    return bool(is_dask_collection(value))


def divided_alike(*collections: Any) -> list[Any]:  # noqa: ANN401
    """Frames, series and arrays of as many partitions each; None stays None."""
    divided = [
        None if collection is None else _by_rows(collection)
        for collection in collections
    ]
    counts = {
        collection.npartitions for collection in divided if collection is not None
    }
    if len(counts) > 1:
        raise BadInputError(
            f"X, y and the other collections have {sorted(counts)} partitions; give "
            "collections with the same partitions."
        )
    return divided


def _by_rows(collection: Any) -> Any:  # noqa: ANN401
    """A collection whose partitions hold whole rows."""
    if not is_dask(collection):
        raise BadTypeError(
            f"{type(collection).__name__} is not a Dask collection. What goes with the "
            "rows must be one, divided like X: a column of X by its name, "
            "frame['name'], or dask.dataframe.from_pandas(series, npartitions=4)."
        )
    is_wide = _is_array(collection) and collection.ndim > 1
    return collection.rechunk({1: -1}) if is_wide else collection


def _is_array(collection: object) -> bool:
    """Whether something is an array of Dask; columns of frames may have any name."""
    return hasattr(type(collection), "rechunk")


def apply_to_partitions(function: Callable[..., Any], *collections: Any) -> list[Any]:  # noqa: ANN401
    """Apply a function to each partition of collections, as delayed objects.

    Shared content of the collections, such as the columns of one frame, is made once
    for all of them. None stays None.
    """
    if not any(map(_is_array, collections)):
        made = collections[0].map_partitions(
            function,
            *collections[1:],
            meta=collections[0]._meta,
            enforce_metadata=False,
            align_dataframes=False,
            token=f"fit-{uuid.uuid4().hex}",
        )
        return list(made.to_delayed())
    # Arrays that are optimized one by one have nothing in common any more.
    columns = [
        collection
        if collection is None
        else np.ravel(collection.to_delayed(optimize_graph=False))
        for collection in collections
    ]
    call = delayed(function)
    return [
        call(*(None if collection is None else collection[p] for collection in columns))
        for p in range(collections[0].npartitions)
    ]


def computed_pieces(client: Any, timeout: float, X: Any) -> Iterator[Any]:  # noqa: ANN401
    """The partitions of queries, one after the other."""
    (X,) = divided_alike(X)
    for piece in np.ravel(X.to_delayed()):
        yield from compute(client, timeout, piece)


def as_dask_array(whole: NDArray[Any], sizes: Sequence[int]) -> Any:  # noqa: ANN401
    """An array of this machine as one of Dask, its rows in chunks of these sizes."""
    import dask.array  # noqa: PLC0415 - slow to import

    chunks = (tuple(sizes), *[(n,) for n in whole.shape[1:]])
    return dask.array.from_array(whole, chunks)
