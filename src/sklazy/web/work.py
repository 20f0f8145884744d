"""Run long requests in a bounded number of threads with a time limit."""

import asyncio
import ctypes
import functools
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from sklazy.web.bodies import RequestLimits
from sklazy.web.problems import busy

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_QUICK = 0.003  # seconds: handing over to a thread and back takes a tenth of it
_REMEMBERED = 100  # kinds of work


class OutOfTime(BaseException):
    """Raised inside work that is stopped, where an interrupt would be, too."""


class Work:
    """Runs functions in threads within limits.

    A function that is out of time is stopped as Ctrl-C would stop it: between two calls
    of compiled code, within a second. Its thread is free then.

    Parameters
    ----------
    limits : RequestLimits
    stops : bool
        Whether functions may be stopped. Others keep their thread, and their place
        among the limits, until they end: changes, which are made in full or not at all.
    """

    def __init__(self, limits: RequestLimits, *, stops: bool = True) -> None:
        self._limits, self.n_open, self._lock = limits, 0, threading.Lock()
        self._threads, self._stops = _Threads(limits.at_once), stops
        self._seconds: dict[Hashable, float] = {}

    async def run(
        self,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run a function; raise a problem if there is too much to do or time is up."""
        limits = self._limits
        if self.n_open >= limits.at_once + limits.waiting:
            raise busy("The server is busy; try again in a second.")
        call = functools.partial(function, *arguments, **options)
        self._count(1)
        future = self._threads.submit(call)
        future.add_done_callback(lambda _: self._count(-1))
        try:
            async with asyncio.timeout(limits.seconds):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError:
            if not future.cancel() and self._stops:  # it has begun
                self._threads.interrupt(future)
            raise busy(
                f"The answer takes longer than {limits.seconds:g} seconds; send fewer "
                "rows at once.",
                max(1, round(limits.seconds)),
            ) from None

    async def run_alike(
        self,
        kind: Hashable,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """The same, but without a thread if work of this kind was quick before.

        Not while a thread is working: it may hold a lock.
        """
        call = functools.partial(self._timed, kind, function, *arguments, **options)
        if self.n_open or self._seconds.get(kind, _QUICK) >= _QUICK:
            return await self.run(call)
        return call()

    def _timed(
        self,
        kind: Hashable,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Call a function and record its CPU time, which excludes waiting."""
        start = time.thread_time()
        result = function(*arguments, **options)
        if len(self._seconds) >= _REMEMBERED:
            self._seconds.clear()
        self._seconds[kind] = time.thread_time() - start
        return result

    def _count(self, change: int) -> None:
        with self._lock:  # threads report themselves when they are done
            self.n_open += change

    def stop(self) -> None:
        """Let the threads end once they have nothing to do."""
        self._threads.stop()


class _Threads:
    """Threads that are not joined when the process ends, unlike those of a pool."""

    def __init__(self, number: int) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._calls, self._number = SimpleQueue(), number
        self._running: dict[int, Future[Any]] = {}  # by thread
        self._lock = threading.Lock()
        for _ in range(number):
            threading.Thread(target=self._work, daemon=True).start()

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        self._calls.put((future, call))
        return future

    def interrupt(self, future: Future[Any]) -> None:
        """Raise `OutOfTime` in the thread that works on a future, if one does."""
        with self._lock:
            for thread, current in self._running.items():
                if current is future:
                    _raise_in(thread, OutOfTime)

    def _work(self) -> None:
        while (queued := self._calls.get()) is not None:
            future, call = queued
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = self._run(future, call)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
                del result
            del queued, future, call  # a result may be large

    def _run(self, future: Future[Result], call: Callable[[], Result]) -> Result:
        """Call a function; nothing interrupts the thread once this has returned."""
        thread = threading.get_ident()
        with self._lock:
            self._running[thread] = future
        try:
            return call()
        finally:
            with self._lock:
                del self._running[thread]
                _raise_in(thread, None)

    def stop(self) -> None:
        for _ in range(self._number):
            self._calls.put(None)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread at its next step; None takes it back."""
    held = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), held)
