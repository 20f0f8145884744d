"""Work that takes a while: in threads, so many at a time, so long at most."""

import asyncio
import functools
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from sklazy.web.limits import Limits
from sklazy.web.problems import busy

Asked = ParamSpec("Asked")
Found = TypeVar("Found")

_QUICK = 0.003  # seconds: handing over to a thread and back takes a tenth of it
_REMEMBERED = 100  # kinds of work


class Work:
    """Runs functions in threads within limits.

    A function that is out of time keeps its thread until it ends, and its place with
    it: what was given up cannot pile up.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self.n_open, self._lock = limits, 0, threading.Lock()
        self._threads = _Threads(limits.at_once)
        self._seconds: dict[Hashable, float] = {}

    async def run(
        self,
        function: Callable[Asked, Found],
        *arguments: Asked.args,
        **options: Asked.kwargs,
    ) -> Found:
        """What a function returns, or a problem: too much to do, or out of time."""
        limits = self._limits
        if self.n_open >= limits.at_once + limits.waiting:
            raise busy("The server has too much to do; try again in a second.")
        call = functools.partial(function, *arguments, **options)
        self._count(1)
        future = self._threads.submit(call)
        future.add_done_callback(lambda _: self._count(-1))
        try:
            async with asyncio.timeout(limits.seconds):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError:
            future.cancel()  # if it has not begun
            raise busy(
                f"The answer takes longer than {limits.seconds:g} seconds; ask for "
                "less at once.",
                max(1, round(limits.seconds)),
            ) from None

    async def run_alike(
        self,
        kind: Hashable,
        function: Callable[Asked, Found],
        *arguments: Asked.args,
        **options: Asked.kwargs,
    ) -> Found:
        """The same, but at once where work of this kind took next to no time before.

        Threads are not worth their handing over then; others' work would have to wait
        for a lock that a thread holds, so there must be none.
        """
        call = functools.partial(self._timed, kind, function, *arguments, **options)
        if self.n_open or self._seconds.get(kind, _QUICK) >= _QUICK:
            return await self.run(call)
        return call()

    def _timed(
        self,
        kind: Hashable,
        function: Callable[Asked, Found],
        *arguments: Asked.args,
        **options: Asked.kwargs,
    ) -> Found:
        """What a function returns; how long it worked, not waited, is remembered."""
        start = time.thread_time()
        found = function(*arguments, **options)
        if len(self._seconds) >= _REMEMBERED:
            self._seconds.clear()
        self._seconds[kind] = time.thread_time() - start
        return found

    def _count(self, change: int) -> None:
        with self._lock:  # threads say themselves that they are done
            self.n_open += change

    def stop(self) -> None:
        """Let the threads end once they have nothing to do."""
        self._threads.stop()


class _Threads:
    """Threads that nobody waits for when the process ends, unlike a pool's.

    What they are at then may take long, and is of use to nobody.
    """

    def __init__(self, number: int) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._calls, self._number = SimpleQueue(), number
        for _ in range(number):
            threading.Thread(target=self._work, daemon=True).start()

    def submit(self, call: Callable[[], Found]) -> Future[Found]:
        future: Future[Found] = Future()
        self._calls.put((future, call))
        return future

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            future, call = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
            del asked, future, call  # an answer may be large

    def stop(self) -> None:
        for _ in range(self._number):
            self._calls.put(None)
