"""Long work of commands: announced, stopped on request, with the results so far."""

import _thread
import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.errors import BadInputError
from sklazy.report.progress import Progress

Answer = TypeVar("Answer")

_PART = 1.0  # seconds of work that an interrupt loses at most, about
_FIRST, _GROWTH = 16, 4  # rows asked for at first, and how fast that may grow
_ENOUGH = 0.3  # seconds of work from which the time of a row is estimated

FASTER = {
    "blend": "-m kernel, -m lazy-nb",
    "kernel": "-m lazy-learning, -m lazy-nb",
    "lazy-bagging": "-s n_estimators=10, -s splits=random, -m lazy-nb",
    "lazy-stacking": "-s n_estimators=10, -m lazy-learning, -m lazy-nb",
    "lazy-bayes-rules": "-m lazy-nb",
    "lazy-rules": "-m lazy-nb",
    "lazy-learning": "-s n_neighbors=[10,20]",
    "lazy-pls": "-s n_components=8",
}
"""Options and methods that take less time than a method, by its name."""


class TimeUpError(BaseException):
    """The seconds of --max-seconds are over; not an `Exception` for others to catch."""


STOPS = (KeyboardInterrupt, TimeUpError)
"""Exceptions that end a command before its work is done."""


class RunLimits(NamedTuple):
    """The most rows and seconds of a command; None for no limit."""

    max_rows: int | None
    max_seconds: float | None


def announced(console: Console, method: str) -> contextlib.AbstractContextManager[None]:
    """Announce how long work takes, once that can be estimated, if it takes long."""
    others = FASTER.get(method)
    limits = "for a part only: --max-rows, --max-seconds"
    return announced_with(console, f"faster: {others}; {limits}" if others else limits)


@contextlib.contextmanager
def announced_with(console: Console, advice: str, purpose: str = "") -> Iterator[None]:
    """Announce how long work takes, with advice; for what, where that is not plain."""
    logger = logging.getLogger("sklazy")
    before, level = list(logger.handlers), logger.level
    others = [handler for handler in before if not isinstance(handler, _Notes)]
    logger.handlers[:] = [*others, _Notes(console, advice, purpose)]
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.handlers[:] = before
        logger.setLevel(level)


class _Notes(logging.Handler):
    """Messages of the library as notes, with options that are faster."""

    def __init__(self, console: Console, advice: str, purpose: str) -> None:
        super().__init__(logging.INFO)
        self.console = console
        self.advice, self.purpose = advice, purpose

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message; those about waits come with advice."""
        text = record.getMessage()
        is_plain = record.levelno >= logging.WARNING or hasattr(record, "is_progress")
        advice = f" ({self.advice})" if self.advice else ""
        self.console.note(text if is_plain else f"{self.purpose}{text}{advice}")


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUpError` in the main thread when the time is up."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _end_on_time(time.monotonic() + seconds))
    timer = threading.Timer(seconds, _interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def _interrupt() -> None:
    """Interrupt the main thread as Ctrl-C does, even while it waits for others."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # pragma: no cover - Windows
        _thread.interrupt_main()


def _end_on_time(end: float) -> Callable[[int, FrameType | None], NoReturn]:
    """A handler that distinguishes the limit from Ctrl-C by the clock."""

    def handle(_: int, __: FrameType | None) -> NoReturn:
        raise TimeUpError if time.monotonic() >= end else KeyboardInterrupt

    return handle


def ask_in_parts(
    ask: Callable[[int, int], Answer], n_rows: int, label: str, answers: list[Answer]
) -> BaseException | None:
    """Ask for about a second's worth of rows at a time; return what ended it early.

    Parameters
    ----------
    ask : callable
        From the first row and the one after the last to their answer.
    n_rows : int
    label : str
        What is being done.
    answers : list
        Answers are appended part by part: they are there after an interrupt, too.
    """
    first, size, is_known = 0, _FIRST, False
    try:
        with Progress(label, total=n_rows) as progress:
            while first < n_rows:
                last = min(n_rows, first + size)
                begin = time.monotonic()
                answers.append(ask(first, last))
                seconds = max(time.monotonic() - begin, 1e-9)
                progress.advance(last - first)
                if not is_known and (seconds > _ENOUGH and first > 0):
                    is_known = True
                    progress.expect(seconds / (last - first) * (n_rows - last))
                fitting = int((last - first) * _PART / seconds)
                size = max(1, min(fitting, _GROWTH * (last - first)))
                first = last
    except STOPS as stop:
        if not answers:
            raise
        return stop
    return None


def partial_name(out: str | None) -> str | None:
    """The name of a file for part of the results; None for standard output.

    A device or a pipe has no such file beside it.

    Examples
    --------
    >>> partial_name("answers/prices.csv")
    'answers/prices.partial.csv'
    """
    if out is None or (os.path.exists(out) and not os.path.isfile(out)):
        return None
    stem, ending = os.path.splitext(out)
    return f"{stem}.partial{ending}"


def report_stop(
    console: Console, stop: BaseException, done: str, seconds: float | None
) -> None:
    """Report what was done before a stop; after Ctrl-C exit with its code."""
    if isinstance(stop, KeyboardInterrupt):
        console.end_interrupted(done)
    console.note(f"Stopped after {seconds:g} seconds (--max-seconds). {done}")


def refuse_too_short(seconds: float | None) -> NoReturn:
    """Raise an error: no row was done in time."""
    raise BadInputError(
        f"--max-seconds {seconds:g} was too short to finish anything; give more time, "
        "or choose a faster method with -m, such as lazy-nb."
    )


def draw_sample(n_rows: int, max_rows: int | None, seed: int) -> NDArray[np.int64]:
    """Rows drawn at random, in their order; all if `max_rows` is None."""
    if max_rows is None:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:max_rows])
