"""The one process that changes a model while several workers answer.

Workers hand it the changes of their clients. A change is on disk, and every worker has
it, before its client gets an answer; a worker that does not follow is ended, and the
one that takes its place starts from the files.
"""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterable
from multiprocessing.connection import Connection, wait
from typing import Any

from sklazy.web.problems import Problem, to_problem
from sklazy.web.serve.messages import Plain, accept, receive, send
from sklazy.web.serve.stand_ins import UnusedCases
from sklazy.web.serve.store import Store

_PATIENCE = 30.0  # seconds for a worker to follow a change
_LOADING = 120.0  # seconds for a worker to load the model
_TICK = 0.2  # seconds after which the writer looks whether it is to stop
_GONE = (EOFError, OSError, ValueError)


class Writer:
    """Makes changes to a store, one after the other, and passes them on.

    Parameters
    ----------
    store : Store
    listening : socket
        Where workers connect.
    min_group : int
        How many added cases take part in answers by groups together.
    parent : int
        The process with which this one ends.
    """

    def __init__(
        self, store: Store, listening: socket.socket, min_group: int, parent: int
    ) -> None:
        self._store, self._listening, self._parent = store, listening, parent
        self._waiting = UnusedCases(min_group)
        self._followers: dict[Connection, int] = {}  # process of each worker
        self._expected: set[int] = set()  # workers that do not follow yet
        self._held: list[tuple[Connection, Plain]] = []  # changes until they do
        self._is_stopped = False

    def run(self, workers: Iterable[int] = ()) -> None:
        """Serve workers until the process is to end, or its parent has.

        No change is made before the workers there are follow: those that followed the
        writer before this one would go on answering by the state before.
        """
        self._expected, patience = set(workers), time.monotonic() + _PATIENCE
        signal.signal(signal.SIGTERM, self._stop)
        with contextlib.closing(self._store):
            while not self._is_stopped and os.getppid() == self._parent:
                ready = wait([self._listening, *self._followers], _TICK)
                for one in ready:
                    if one is self._listening:
                        self._welcome(accept(self._listening))
                    elif isinstance(one, Connection):  # it speaks unasked: it has gone
                        self._drop(one)
                if self._held and self._all_follow(patience):
                    self._answer_held()
            for connection, _ in self._held:  # the next writer makes these changes
                with contextlib.suppress(*_GONE), contextlib.closing(connection):
                    send(connection, {"postponed": True})

    def _stop(self, *_: object) -> None:
        self._is_stopped = True

    def _welcome(self, connection: Connection) -> None:
        """Answer a process that has connected: a worker that follows, or a change."""
        with contextlib.suppress(*_GONE):
            message = receive(connection)
            if "follow" in message:
                self._followers[connection] = message["follow"]
                self._pass_on(self._describe_state(), [connection], _LOADING)
                return
            self._held.append((connection, message))
            return
        connection.close()

    def _all_follow(self, patience: float) -> bool:
        """Whether all workers follow; those that do not in time are ended."""
        self._expected -= set(self._followers.values())
        for pid in list(self._expected):
            try:
                os.kill(pid, 0 if time.monotonic() < patience else signal.SIGKILL)
            except ProcessLookupError:
                self._expected.discard(pid)
        return not self._expected

    def _answer_held(self) -> None:
        held, self._held = self._held, []
        for connection, message in held:
            with contextlib.suppress(*_GONE), contextlib.closing(connection):
                send(connection, self._answer(message))

    # --- changes ----------------------------------------------------------------------

    def _answer(self, message: Plain) -> Plain:
        """Make a change; the result, or the status and text of a problem."""
        changes = {"add": self._add, "forget": self._forget, "erase": self._erase}
        try:
            return {"result": changes[message["call"]](message)}
        except Exception as error:
            problem: Problem = to_problem(error)
            return {"problem": [problem.status, problem.detail]}

    def _add(self, message: Plain) -> Any:  # noqa: ANN401 - ids
        store = self._store
        names = store.model.cases_.schema.user_names
        rows = [dict(zip(names, cells, strict=True)) for cells in message["rows"]]
        ids = store.add(rows, message["targets"], message["ids"], message["times"])
        self._waiting.add(ids)
        change = {"change": "add", "rows": message["rows"], "ids": ids}
        change["targets"] = message["targets"]
        if message["times"] is not None:
            change["times"] = message["times"]
        self._pass_on({"add": change}, list(self._followers), _PATIENCE)
        return ids

    def _forget(self, message: Plain) -> None:
        self._store.forget(message["ids"])
        self._waiting.drop(message["ids"])
        # From the new file: the one before, which workers have mapped, has the rows.
        self._pass_on(self._describe_state(), list(self._followers), _LOADING)

    def _erase(self, message: Plain) -> Plain:
        """Erase rows; all processes, which have seen them, are replaced after that."""
        certificate = dict(self._store.erase(message["ids"]).content)
        self._waiting.drop(message["ids"])
        self._pass_on(self._describe_state(), list(self._followers), _LOADING)
        return certificate

    def _describe_state(self) -> Plain:
        store = self._store
        return {
            "snapshot": str(store.snapshot),
            "changes": store.changes,
            "waiting": self._waiting.ids,
            "n_changes": store.n_changes,
            "takes_changes": store.can_change,
        }

    # --- workers ----------------------------------------------------------------------

    def _pass_on(
        self, message: Plain, followers: list[Connection], seconds: float
    ) -> None:
        """Send a message to workers; end those that do not confirm it in time."""
        for one in followers:
            with contextlib.suppress(*_GONE):
                send(one, message)
        for one in followers:
            if not _confirms(one, seconds):
                self._end(one)

    def _end(self, connection: Connection) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._followers[connection], signal.SIGKILL)
        self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        self._followers.pop(connection, None)
        connection.close()


def _confirms(connection: Connection, seconds: float) -> bool:
    try:
        return connection.poll(seconds) and bool(receive(connection))
    except _GONE:
        return False
