"""Processes that work on units, and end when their parent does, however it ends."""

import contextlib
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

from sklazy.experiments.harness.unit import Plain, Unit

Work = Callable[[Unit], Plain]
"""What gives a unit's result; it must be picklable for several processes."""

# Processes share the cores among them, so none of them starts threads: read when the
# libraries are loaded.
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
        What went wrong, in full; empty if nothing did.
    """

    unit: Unit
    result: Plain | None
    seconds: float
    trace: str = ""

    @property
    def reason(self) -> str:
        """What went wrong, in one line."""
        return self.trace.strip().rsplit("\n", 1)[-1]


class _Worker(NamedTuple):
    process: BaseProcess
    line: Connection


def work_through(work: Work, units: Sequence[Unit], jobs: int) -> Generator[Done]:
    """Work on units in their order and give each as it is done.

    Parameters
    ----------
    work : callable
    units : sequence of Unit
    jobs : int
        With 1 the work is done here, else in so many processes of one thread each.
        They are new ones (no fork of a process that has threads), and on an error or
        an interrupt they are ended at once. A parent that is killed closes the lines
        to its workers, which ends them after the unit in hand.
    """
    if jobs == 1 or len(units) < 2:
        yield from (_do(work, unit) for unit in units)
        return
    workers: list[_Worker] = []
    try:
        yield from _share(work, units, min(jobs, len(units)), workers)
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.process.join()
            worker.line.close()


def _do(work: Work, unit: Unit) -> Done:
    start = time.perf_counter()
    try:
        result, trace = work(unit), ""
    except Exception:
        result, trace = None, traceback.format_exc()
    return Done(unit, result, time.perf_counter() - start, trace)


def _share(
    work: Work, units: Sequence[Unit], n_workers: int, workers: list[_Worker]
) -> Iterator[Done]:
    """Give each worker a unit whenever it has none; `workers` lists those alive."""
    waiting = list(reversed(units))
    in_hand: dict[Connection, Unit] = {}

    def give(worker: _Worker) -> None:
        if waiting:
            in_hand[worker.line] = unit = waiting.pop()
            with contextlib.suppress(BrokenPipeError):  # found out by reading
                worker.line.send(unit)

    for _ in range(n_workers):
        workers.append(_start(work))
        give(workers[-1])
    while in_hand:
        for line in wait(list(in_hand)):
            worker = next(worker for worker in workers if worker.line is line)
            unit = in_hand.pop(worker.line)
            try:
                done = worker.line.recv()
            except (EOFError, ConnectionError):
                done = _died(worker, unit)
                workers.remove(worker)
                workers.append(_start(work))
                worker = workers[-1]
            yield done  # and only when it is recorded, the next
            give(worker)


def _start(work: Work) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    with _environment(_ONE_THREAD), _interrupts_ignored():
        process.start()
    theirs.close()  # so that the worker holds the only other end
    return _Worker(process, ours)


def _serve(line: Connection, work: Work) -> None:
    """Work on what comes along the line until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # if it was not a thread's to set
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            line.send(_do(work, line.recv()))


def _died(worker: _Worker, unit: Unit) -> Done:
    worker.process.join()
    worker.line.close()
    code = worker.process.exitcode
    return Done(
        unit,
        None,
        0.0,
        f"the process died (exit code {code}); with -9 the memory may be used up: "
        "take fewer --jobs",
    )


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Start processes that never hear of Ctrl-C, not even while they import.

    An interrupt at the terminal reaches all processes; the parent deals with it. A
    new process inherits that it is ignored, and Python leaves that so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only there signals can be set
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
