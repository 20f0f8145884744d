"""Starts, watches and replaces the processes of a server with several workers.

The supervisor has loaded the code but never sees a row: each process that it forks
begins clean. So after an erasure all others are replaced, and what they have seen is
gone with them.
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from sklazy.errors import SklazyError

READY, ERASING, ERASED, REPLACED = b"r", b"b", b"e", b"d"
"""Messages: a worker answers; it has rows erased, from now on; they are; other
processes are there now."""

_LEAVE = 12.0  # seconds for a process to end before it is killed
_FINISH = 90.0  # the same where it may first have to finish a change
_START = 180.0  # seconds for a worker to be ready
_MOST_FAILURES = 5  # processes in a row that end before they are ready
_TICK = 0.5
_HELD = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(eq=False)
class Child:
    """A process, and the socket that it speaks to the supervisor by."""

    pid: int
    control: socket.socket
    is_worker: bool
    is_ready: bool = False
    is_leaving: bool = False
    is_erasing: bool = False
    kill_at: float = field(default=float("inf"))


class Supervisor:
    """Keeps a writer, if there is one, and a number of workers running.

    Parameters
    ----------
    n_workers : int
    work : callable
        Runs a worker, with the socket by which it reports; returns when it is to end.
    write : callable, optional
        Runs the writer, with such a socket and the ids of the workers there are.
    """

    def __init__(
        self,
        n_workers: int,
        work: Callable[[socket.socket], None],
        write: Callable[[socket.socket, list[int]], None] | None = None,
    ) -> None:
        self._n_workers, self._work, self._write = n_workers, work, write
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()
        self._erasing: list[Child] = []
        self._is_stale = False  # processes have seen rows that may be erased
        self._is_stopped = self._has_failed = False
        self._n_failures, self._most_failures = 0, 1

    def run(self, on_start: Callable[[], None]) -> None:
        """Run until SIGTERM or Ctrl-C; raise if processes cannot be started."""
        before = [signal.signal(one, self._note_signal) for one in _HELD]
        try:
            self._start_all()
            self._most_failures = _MOST_FAILURES
            if not self._is_stopped:
                on_start()
            while not self._is_stopped:
                self._look_around(_TICK)
                if self._is_stale and not self._is_stopped:
                    self._replace()
        finally:
            self._stop_all()
            for one, handler in zip(_HELD, before, strict=True):
                signal.signal(one, handler)
        if self._has_failed:
            raise SklazyError("a process of the server could not start; see above.")

    def _note_signal(self, number: int, frame: object) -> None:
        if number != signal.SIGHUP:
            self._is_stopped = True
            return
        for child in self._workers():
            _signal(child, signal.SIGHUP)

    def _workers(self) -> list[Child]:
        return [c for c in self._children if c.is_worker and not c.is_leaving]

    # --- starting ---------------------------------------------------------------------

    def _start_all(self) -> None:
        if self._write is not None:
            self._start(is_worker=False)
            self._wait_until_ready()
        if self._is_stopped:
            return
        for _ in range(self._n_workers):
            self._start(is_worker=True)
        self._wait_until_ready()

    def _start(self, *, is_worker: bool) -> None:
        here, there = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            here.close()
            self._begin_child(there, is_worker=is_worker)
        there.close()
        child = Child(pid, here, is_worker)
        self._children.append(child)
        self._selector.register(here, selectors.EVENT_READ, child)

    def _begin_child(self, control: socket.socket, *, is_worker: bool) -> NoReturn:
        """Run a task in a new process, which ends with it."""
        status = 1
        try:
            for child in self._children:
                child.control.close()
            self._selector.close()
            for one in _HELD:  # uvicorn raises them again once it has handled them
                signal.signal(one, lambda *_: None)
            self._run_task(control, is_worker=is_worker)
            status = 0
        except SklazyError as error:
            sys.stderr.write(f"Error: {error}\n")
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _run_task(self, control: socket.socket, *, is_worker: bool) -> None:
        if is_worker:
            self._work(control)
            return
        assert self._write is not None
        self._write(control, [c.pid for c in self._children if c.is_worker])

    def _wait_until_ready(self) -> None:
        """Wait for all processes that are to stay."""
        end = time.monotonic() + _START
        while not self._is_stopped and time.monotonic() < end:
            if all(c.is_ready for c in self._children if not c.is_leaving):
                return
            self._look_around(_TICK)
        self._has_failed |= not self._is_stopped  # too slow
        self._is_stopped = True

    # --- watching ---------------------------------------------------------------------

    def _look_around(self, seconds: float) -> None:
        """Take messages, and see who has ended or is to be killed."""
        for key, _ in self._selector.select(seconds):
            child: Child = key.data
            message = _read(child.control)
            child.is_ready |= READY in message
            if READY in message:
                self._n_failures = 0
            child.is_erasing |= ERASING in message
            if ERASED in message:
                self._erasing.append(child)
                self._is_stale = True
            if not message:
                self._selector.unregister(child.control)
        self._reap()

    def _reap(self) -> None:
        now = time.monotonic()
        for child in list(self._children):
            if os.waitpid(child.pid, os.WNOHANG)[0] == 0:
                if now > child.kill_at:
                    _signal(child, signal.SIGKILL)
                continue
            self._forget(child)
            # It may have ended between the erasure and its message.
            self._is_stale |= child.is_erasing and not child.is_leaving
            if not child.is_leaving and not self._is_stopped:
                self._start_again(child)

    def _forget(self, child: Child) -> None:
        self._children.remove(child)
        if child.control in {key.fileobj for key in self._selector.get_map().values()}:
            self._selector.unregister(child.control)
        child.control.close()

    def _start_again(self, child: Child) -> None:
        """Start a process in the place of one that has ended by itself."""
        if not child.is_ready:
            self._n_failures += 1
        if self._n_failures >= self._most_failures:
            self._is_stopped = self._has_failed = True
            return
        time.sleep(0.05)
        self._start(is_worker=child.is_worker)

    # --- replacing --------------------------------------------------------------------

    def _replace(self) -> None:
        """Replace all processes: those there are have seen rows that are erased."""
        erasing, self._erasing, self._is_stale = self._erasing, [], False
        old = [child for child in self._children if not child.is_leaving]
        for child in old:  # all of them first: none that ends now is started again
            child.is_leaving = True
        for child in old:
            if not child.is_worker:
                self._finish(child)
        self._start_all()
        for child in old:
            if child.is_worker and child not in erasing:
                self._dismiss(child, _FINISH)
        for child in erasing:  # it ends by itself, when it has answered
            child.kill_at = time.monotonic() + _FINISH
            _send(child.control, REPLACED)

    def _finish(self, child: Child) -> None:
        """Let the writer finish its change and end."""
        self._dismiss(child, _FINISH)
        while child in self._children:
            time.sleep(0.01)
            self._reap()

    def _dismiss(self, child: Child, seconds: float = _LEAVE) -> None:
        child.is_leaving, child.kill_at = True, time.monotonic() + seconds
        if child in self._children:  # else it has ended; its number may be another's
            _signal(child, signal.SIGTERM)

    def _stop_all(self) -> None:
        """Let requests under way end, then the changes."""
        self._is_stopped = True
        for is_worker in (True, False):
            some = [c for c in self._children if c.is_worker == is_worker]
            for child in some:
                self._dismiss(child)
            while any(child in self._children for child in some):
                time.sleep(0.02)
                self._reap()


def _signal(child: Child, number: int) -> None:
    os.kill(child.pid, number)  # not reaped yet, so it is still ours


def _read(control: socket.socket) -> bytes:
    try:
        return control.recv(100)
    except OSError:
        return b""


def _send(control: socket.socket, message: bytes) -> None:
    with contextlib.suppress(OSError):  # it has ended meanwhile
        control.sendall(message)
