"""Processes that work on units, and end when their parent ends."""

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from sklazy_studies.harness.unit import Plain, Unit

Work = Callable[[Unit], Plain]
"""From a unit to its result; it must be picklable for several processes."""

# The processes share the cores, so none of them starts threads. Read when the libraries
# are loaded.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


class Done(NamedTuple):
    """A unit that has been worked on.

    Attributes
    ----------
    unit : Unit
    result : plain data, or None if it failed
    seconds : float
    trace : str
        The traceback of a failure, else empty.
    """

    unit: Unit
    result: Plain | None
    seconds: float
    trace: str = ""

    @property
    def reason(self) -> str:
        """The failure in one line."""
        return self.trace.strip().rsplit("\n", 1)[-1]


class _Worker(NamedTuple):
    process: BaseProcess
    pipe: Connection


def work_through(
    work: Work,
    units: Sequence[Unit],
    jobs: int,
    is_over: Callable[[], bool] = lambda: False,
) -> Generator[Done]:
    """Work on units in their order and yield each when it is done.

    Parameters
    ----------
    work : callable
    units : sequence of Unit
    jobs : int
        With 1 the work is done here, else in as many processes of one thread each.
        They are spawned (no fork of a process that has threads), and terminated on an
        error or an interrupt. If the parent is killed its pipes close, which ends the
        workers after their current unit.
    is_over : callable
        No unit is begun once it returns True; those begun are finished.
    """
    left = itertools.takewhile(lambda _: not is_over(), units)
    if jobs == 1 or len(units) < 2:
        yield from (_do(work, unit) for unit in left)
        return
    workers: list[_Worker] = []
    try:
        yield from _share(work, left, min(jobs, len(units)), workers)
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.process.join()
            worker.pipe.close()


def _do(work: Work, unit: Unit) -> Done:
    start = time.perf_counter()
    try:
        result, trace = work(unit), ""
    except Exception:
        result, trace = None, traceback.format_exc()
    return Done(unit, result, time.perf_counter() - start, trace)


def _share(
    work: Work, units: Iterator[Unit], n_workers: int, workers: list[_Worker]
) -> Iterator[Done]:
    """Send each worker a unit whenever it has none; `workers` lists those alive."""
    running: dict[Connection, Unit] = {}

    def send_next(worker: _Worker) -> None:
        for unit in itertools.islice(units, 1):
            running[worker.pipe] = unit
            with contextlib.suppress(BrokenPipeError):  # noticed when reading
                worker.pipe.send(unit)

    for _ in range(n_workers):
        workers.append(_start(work))
        send_next(workers[-1])
    while running:
        for pipe in wait(list(running)):
            worker = next(worker for worker in workers if worker.pipe is pipe)
            unit = running.pop(worker.pipe)
            try:
                done = worker.pipe.recv()
            except (EOFError, ConnectionError):
                done = _died(worker, unit)
                workers.remove(worker)
                workers.append(_start(work))
                worker = workers[-1]
            yield done  # the next only after this is recorded
            send_next(worker)


def _start(work: Work) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    with _environment(_ONE_THREAD), _interrupts_ignored():
        process.start()
    theirs.close()  # the worker holds the only other end
    return _Worker(process, ours)


def _serve(pipe: Connection, work: Work) -> None:
    """Work on the units sent through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # if started from a thread
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            pipe.send(_do(work, pipe.recv()))


def _died(worker: _Worker, unit: Unit) -> Done:
    worker.process.join()
    worker.pipe.close()
    code = worker.process.exitcode
    return Done(
        unit,
        None,
        0.0,
        f"the process died (exit code {code}); -9 may mean out of memory: use fewer "
        "--jobs",
    )


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, even while they import.

    An interrupt at the terminal reaches all processes; the parent handles it. A new
    process inherits that it is ignored, and Python does not change that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals can be set in the main thread only
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
