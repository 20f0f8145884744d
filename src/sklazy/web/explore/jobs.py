"""Long computations in the background, one after the other, with their progress."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from sklazy.errors import SklazyError

_log = logging.getLogger("sklazy")


class Job:
    """A computation that runs, or will, or did.

    Attributes
    ----------
    name : str
    state : {"waiting", "running", "paused", "done", "failed"}
    done, total : int
        Steps, for a bar; a total of 0 is not known.
    note : str
        What is being done, or why it failed.
    """

    def __init__(self, name: str, work: "Callable[[Job], None]") -> None:
        self.name, self.work = name, work
        self.state, self.note = "waiting", ""
        self.done = self.total = 0
        self.seconds = 0.0
        self._stop = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether nobody wants the result any more."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Let it end at its next step."""
        self._stop.set()

    def describe(self) -> dict[str, Any]:
        """What a page shows of it."""
        return {
            "name": self.name,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "note": self.note,
            "seconds": round(self.seconds, 2),
        }


class Background:
    """One thread that does jobs in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, job: Job) -> Job:
        """Do a job when those before it are done."""
        job.state = "waiting"
        self._waiting.put(job)
        return job

    def close(self) -> None:
        """End when the job under way ends."""
        self._waiting.put(None)

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            if not job.stopped:
                _do(job)


def _do(job: Job) -> None:
    job.state, began = "running", time.monotonic()
    try:
        job.work(job)
    except SklazyError as error:
        job.state, job.note = "failed", str(error)
    except Exception:
        _log.exception("the job %r failed", job.name)
        job.state, job.note = "failed", "It failed; the log has the reason."
    job.seconds += time.monotonic() - began
    if job.state == "running":
        job.state = "done"
