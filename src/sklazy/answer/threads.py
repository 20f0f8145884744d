"""Slices of work, one after the other or in threads."""

import contextvars
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import joblib

from sklazy.errors import BadInputError
from sklazy.kernels.pacing import Pace

Result = TypeVar("Result")

WORTH_WORKERS = 1e6
"""Nanoseconds; less work is done before threads have started."""

_MOST_JOBS = 100_000
_CHUNKS_PER_WORKER = 2
_ALIGNMENT = 64  # queries that share a block in the kernels


def run_chunks(
    function: Callable[[int, int], None],
    n_queries: int,
    n_jobs: int | None = None,
    work: float = 0.0,
) -> None:
    """Call ``function(first, last)`` so that every query is covered once.

    The function writes its results into arrays, each query's into its own place, so
    that results do not depend on how the queries were cut.

    Parameters
    ----------
    function : callable
        Releases the GIL while it works, or gains nothing from threads.
    n_queries : int
    n_jobs : int or None
        Threads; see `count_workers`.
    work : float
        Estimate of the whole job in nanoseconds; small jobs start no threads.
    """
    n_workers = min(count_workers(n_jobs), -(-n_queries // _ALIGNMENT))
    if n_workers <= 1 or work < WORTH_WORKERS:
        n_workers = 1
    chunks = _Chunks(n_queries, n_workers, work)

    def run(first: int, last: int) -> None:
        begin = time.perf_counter()
        function(first, last)
        chunks.pace.learn(last - first, time.perf_counter() - begin)

    _run_threads(run, chunks, n_workers)


class _Chunks:
    """Chunks whose size follows their time: small enough to allow an interrupt."""

    def __init__(self, n_queries: int, n_workers: int, work: float) -> None:
        self._first, self._n_queries = 0, n_queries
        self._most = share_out(n_queries, n_workers)
        self.pace = Pace(n_queries, max(work, 1.0) / max(n_queries, 1))

    def __iter__(self) -> "_Chunks":
        return self

    def __next__(self) -> tuple[int, int]:
        first = self._first
        if first == self._n_queries:
            raise StopIteration
        size = self.pace.size
        if size > _ALIGNMENT:
            size -= size % _ALIGNMENT
        self._first = min(self._n_queries, first + min(size, self._most))
        return first, self._first


def count_workers(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None takes the value of a `joblib.parallel_config` around the call; otherwise every
    core this process may use, or ``OMP_NUM_THREADS`` where it is set: as scikit-learn's
    own compiled searches do, which makes nested parallelism (a grid search with
    processes) behave. Negative numbers count from all cores down, -1 being all.
    """
    if n_jobs is None:
        n_jobs = _ask_joblib()
    if n_jobs is None:
        return _default_workers(os.environ.get("OMP_NUM_THREADS", ""))
    check_jobs(n_jobs)
    return n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)


def check_jobs(n_jobs: int | None) -> None:
    """Refuse an impossible number of jobs."""
    if n_jobs is not None and (n_jobs == 0 or abs(n_jobs) > _MOST_JOBS):
        raise BadInputError(
            f"n_jobs={n_jobs} {'is too large' if n_jobs else 'gives no threads'}; give "
            "a number of threads, -1 for all cores, or None."
        )


def _ask_joblib() -> int | None:
    """The number of jobs that joblib's configuration sets; None if it sets none.

    They are threads whatever its backend is: workers share the cases. A task of
    joblib's own threads is one of several already, and gets one.
    """
    backend, n_jobs = joblib.parallel.get_active_backend()
    if isinstance(backend, joblib.parallel.SequentialBackend):
        return 1
    if n_jobs is None and backend.nesting_level and "OMP_NUM_THREADS" not in os.environ:
        return 1
    return n_jobs


@functools.lru_cache(maxsize=8)
def _default_workers(limit: str) -> int:
    cores = int(joblib.cpu_count())
    return min(cores, max(1, int(limit))) if limit.isdigit() else cores


def share_out(n_queries: int, n_workers: int) -> int:
    """The queries of a chunk, whole blocks, so that all workers are busy."""
    if n_workers == 1:
        return n_queries
    size = -(-n_queries // (n_workers * _CHUNKS_PER_WORKER))
    return -(-size // _ALIGNMENT) * _ALIGNMENT


class Backend:
    """Slices in this thread and, with several workers, in others of this process."""

    def count_workers(self, n_jobs: int | None) -> int:
        """How many threads `n_jobs` stands for."""
        return count_workers(n_jobs)

    def run(
        self,
        work: Callable[[int, int], Result],
        slices: Sequence[tuple[int, int]],
        n_jobs: int | None,
        done: Callable[[int], None],
    ) -> list[Result]:
        """Call ``work(first, last)`` for every slice; the results in their order."""
        results: dict[int, Result] = {}

        def take(number: int, _: int) -> None:
            first, last = slices[number]
            results[number] = work(first, last)
            done(last - first)

        numbers = ((i, i + 1) for i in range(len(slices)))
        _run_threads(take, numbers, min(count_workers(n_jobs), len(slices)))
        return [results[i] for i in range(len(slices))]


def _run_threads(
    function: Callable[[int, int], None],
    chunks: Iterator[tuple[int, int]],
    n_workers: int,
) -> None:
    """Share the chunks among this thread and ``n_workers - 1`` new ones."""
    lock = threading.Lock()
    failures: list[BaseException] = []

    def take() -> tuple[int, int] | None:
        with lock:
            return None if failures else next(chunks, None)

    def work() -> None:
        try:
            while chunk := take():
                function(*chunk)
        except BaseException as failure:  # raised again in the caller's thread
            failures.append(failure)

    # Threads know the caller's context variables, such as the backend in use.
    contexts = [contextvars.copy_context() for _ in range(n_workers - 1)]
    helpers = [threading.Thread(target=own.run, args=(work,)) for own in contexts]
    for helper in helpers:
        helper.start()
    work()
    _wait_for(helpers, failures)
    if failures:
        raise failures[0]


def _wait_for(helpers: list[threading.Thread], failures: list[BaseException]) -> None:
    """Wait until all have ended; after an interrupt they begin nothing new."""
    try:
        for helper in helpers:
            helper.join()
    except BaseException as failure:
        failures.append(failure)
