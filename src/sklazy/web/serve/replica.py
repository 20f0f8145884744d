"""The model of a worker: a mapped file that follows the changes of the writer."""

import logging
import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.erasure.certificate import Certificate
from sklazy.estimators.loading import load
from sklazy.web.problems import Problem, busy
from sklazy.web.rows import Rows
from sklazy.web.serve.messages import Plain, connect, receive, send
from sklazy.web.serve.store import Ids, Store, apply_change, without_names

_log = logging.getLogger("sklazy.web")

_PAUSE = 0.05  # seconds before a worker connects again
_GONE = (EOFError, OSError)


class Replica(Store):
    """A store whose changes are made by the writer."""

    def __init__(self, model: LazyEstimator, address: str, state: Plain) -> None:
        super().__init__(model)
        self._address = address
        self.waiting, self.n_changes = state["waiting"], state["n_changes"]
        self._takes_changes: bool = state["takes_changes"]

    @classmethod
    def read(cls, address: str, state: Plain) -> "Replica":
        """The replica of a state that the writer has described."""
        model: LazyEstimator = load(state["snapshot"], mmap_mode="c")
        without_names(model)
        for change in state["changes"]:
            apply_change(model, change)
        return cls(model, address, state)

    def follow_added(self, change: Plain) -> None:
        """Add the rows of a change that the writer has made."""
        ids = apply_change(self.model, change)
        self.n_changes += 1
        self.on_added(ids)

    @property
    def can_change(self) -> bool:
        """Whether the writer took changes when this state began."""
        return self._takes_changes

    def add(
        self,
        rows: Rows,
        targets: list[Any],
        ids: Ids | None = None,
        times: list[Any] | None = None,
    ) -> Ids:
        """Have the writer add rows; all workers have them when this returns."""
        cells = [list(row.values()) for row in rows]
        call = {"rows": cells, "targets": targets, "ids": ids, "times": times}
        new_ids: Ids = self._call("add", call)
        return new_ids

    def forget(self, ids: Ids) -> None:
        """Have the writer forget rows; no worker has them when this returns."""
        self._call("forget", {"ids": ids})

    def erase(self, ids: Ids) -> Certificate:
        """Have the writer erase rows; this process has seen them, too."""
        return Certificate(self._call("erase", {"ids": ids}))

    def _call(self, name: str, arguments: Plain) -> Any:  # noqa: ANN401 - by the call
        answer: Plain = {"postponed": True}
        try:
            while "postponed" in answer:  # by a writer that ended before it began
                with connect(self._address) as connection:
                    send(connection, {"call": name, **arguments})
                    answer = receive(connection)
        except _GONE as error:
            raise busy(
                "The process that makes changes was restarted; see whether the change "
                "was made before you try again."
            ) from error
        if "problem" in answer:
            raise Problem(*answer["problem"])
        return answer["result"]


class Following:
    """Follows a writer in a thread, and begins anew whenever it is replaced.

    Parameters
    ----------
    address : str
        Of the writer's socket.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._use: Callable[[Replica], None] | None = None
        self._ready, self._begun = threading.Event(), threading.Event()
        self.current: Replica | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def wait_for_first(self, seconds: float) -> Replica:
        """The replica of the first state."""
        if not self._ready.wait(seconds) or self.current is None:
            raise BadInputError(
                "the process that makes changes does not answer; try again, and "
                "restart the server if it goes on."
            )
        return self.current

    def begin(self, use: Callable[[Replica], None]) -> None:
        """Hand every further state to a function; the thread has waited for it."""
        self._use = use
        self._begun.set()

    def _run(self) -> None:
        while True:
            try:
                with connect(self._address) as connection:
                    send(connection, {"follow": os.getpid()})
                    while True:
                        self._take(receive(connection), connection)
            except _GONE:
                time.sleep(_PAUSE)
            except BaseException:
                _log.exception("this worker cannot follow the changes and ends")
                os._exit(1)

    def _take(self, message: Plain, connection: Connection) -> None:
        if "add" in message:
            assert self.current is not None
            self.current.follow_added(message["add"])
        else:
            self._take_state(Replica.read(self._address, message))
        send(connection, {"confirmed": True})

    def _take_state(self, replica: Replica) -> None:
        if self.current is None:
            self.current = replica
            self._ready.set()
            self._begun.wait()
            return
        assert self._use is not None
        self._use(replica)
        self.current = replica
