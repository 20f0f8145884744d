"""A server in several processes: workers that answer, and one that makes changes."""

import contextlib
import json
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from sklazy.errors import BadInputError
from sklazy.web.bodies import RequestLimits
from sklazy.web.running import serve_app
from sklazy.web.serve.app import ModelServer
from sklazy.web.serve.messages import listen_locally
from sklazy.web.serve.replica import Following
from sklazy.web.serve.store import Store
from sklazy.web.serve.supervisor import ERASED, ERASING, READY, REPLACED, Supervisor
from sklazy.web.serve.writer import Writer

_MODEL = "model.json"  # the estimator and how many cases there are
_FIRST = 120.0  # seconds for the first state of a worker
_REPLACING = 60.0  # seconds for all processes to be replaced
_TICK = 0.5  # seconds after which a worker looks whether it is alone


@dataclass(frozen=True)
class StoreSource:
    """How a store is opened, by each process for itself.

    Attributes
    ----------
    model : str
        A file, or the folder of a journal.
    journal : str, or None
    salvage : bool
    key : bytes, or None
        To sign certificates with.
    search : tuple of Path
        Further files and folders to search when rows are erased.
    min_group : int
        How many added cases take part in answers by groups together.
    """

    model: str
    journal: str | None = None
    salvage: bool = False
    key: bytes | None = None
    search: tuple[Path, ...] = ()
    min_group: int = 5

    @property
    def takes_changes(self) -> bool:
        """Whether there is a journal."""
        return self.journal is not None or Path(self.model).is_dir()

    def open(self) -> Store:
        """Open the store."""
        store = Store.open(self.model, self.journal, salvage=self.salvage)
        store.certify(self.key, self.search)
        return store

    def again(self) -> "StoreSource":
        """How the store is opened once it has begun: by its journal alone.

        The model that it began with has rows that may be erased since.
        """
        if self.journal is None:
            return replace(self, salvage=False)
        first = () if Path(self.model).is_dir() else (Path(self.model),)
        search = (*self.search, *first)
        return replace(self, model=self.journal, salvage=False, search=search)


def can_fork() -> bool:
    """Whether this system can run several workers."""
    return hasattr(os, "fork") and hasattr(socket, "AF_UNIX")


def serve_with_workers(
    opening: StoreSource,
    n_workers: int,
    make: Callable[..., ModelServer],
    listening: socket.socket,
    limits: RequestLimits,
    on_start: Callable[[str, int], None],
) -> None:
    """Serve a model by several processes until SIGTERM or Ctrl-C.

    Parameters
    ----------
    opening : StoreSource
    n_workers : int
    make : callable
        The server of a store; `shared` is a folder that all workers use.
    listening : socket
    limits : RequestLimits
        Of each worker.
    on_start : callable
        Called with the name of the estimator and the number of cases once all workers
        answer.
    """
    if not can_fork():  # pragma: no cover - Windows
        raise BadInputError(
            f"--workers {n_workers}: this system cannot fork; use 1 worker."
        )
    if not opening.takes_changes:
        Store.open(opening.model).close()  # workers map it without checking its rows
    with tempfile.TemporaryDirectory(prefix="sklazy-serve-") as shared:
        folder = Path(shared)
        office = _Office(opening, make, listening, limits, folder)

        def announce() -> None:
            office.opening = opening.again()
            on_start(*json.loads((folder / _MODEL).read_text("utf-8")))

        if not opening.takes_changes:
            Supervisor(n_workers, office.answer).run(announce)
            return
        with listen_locally(str(folder / "writer")) as inside:
            office.inside = inside
            Supervisor(n_workers, office.answer, office.write).run(announce)


class _Office:
    """The tasks of the processes."""

    inside: socket.socket

    def __init__(
        self,
        opening: StoreSource,
        make: Callable[..., ModelServer],
        listening: socket.socket,
        limits: RequestLimits,
        folder: Path,
    ) -> None:
        self.opening, self._make, self._listening = opening, make, listening
        self._limits, self._folder, self._pid = limits, folder, os.getpid()

    def write(self, control: socket.socket, workers: list[int]) -> None:
        """Make changes, once the workers follow."""
        self._listening.close()
        store = self.opening.open()
        control.sendall(READY)
        writer = Writer(store, self.inside, self.opening.min_group, self._pid)
        writer.run(workers)

    def answer(self, control: socket.socket) -> None:
        """Answer requests."""
        threading.Thread(target=_end_with, args=[self._pid], daemon=True).start()
        following = None
        if self.opening.takes_changes:
            self.inside.close()
            following = Following(str(self._folder / "writer"))
            store: Store = following.wait_for_first(_FIRST)
        else:
            store = Store.open(self.opening.model, mmap_mode="c")
        server = self._make(store, shared=self._folder)
        server.warm_up()  # here an error has its reason; in uvicorn it loses it
        server.before_erasure = lambda: control.sendall(ERASING)
        server.after_erasure = lambda: _await_replacement(control)
        if following is not None:
            following.begin(server.use)
        serve_app(
            server.app,
            self._listening,
            self._limits,
            on_start=lambda: self._report(control, store),
            may_end=lambda: not server.is_changing,
        )

    def _report(self, control: socket.socket, store: Store) -> None:
        """Report that this worker answers, and by which model."""
        described = [type(store.model).__name__, store.model.cases_.n_rows]
        fresh = self._folder / f"{_MODEL}.{os.getpid()}"
        fresh.write_text(json.dumps(described), "utf-8")
        fresh.replace(self._folder / _MODEL)
        with contextlib.suppress(OSError):  # nobody is there any more: it ends soon
            control.sendall(READY)


def _end_with(parent: int) -> NoReturn:
    """End this process once its parent has: nobody else would tell it to."""
    while True:
        time.sleep(_TICK)
        if os.getppid() != parent:  # again and again: it may be starting only
            os.kill(os.getpid(), signal.SIGTERM)


def _await_replacement(control: socket.socket) -> bool:
    """Have all processes replaced, this one last: it ends when it has answered."""
    is_replaced = False
    with contextlib.suppress(OSError):  # the first process has ended, or hangs
        control.settimeout(_REPLACING)
        control.sendall(ERASED)
        is_replaced = REPLACED in control.recv(100)
    os.kill(os.getpid(), signal.SIGTERM)
    return is_replaced
