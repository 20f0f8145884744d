"""Background jobs, one after the other, with their progress."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from sklazy.errors import SklazyError

_log = logging.getLogger("sklazy")


class Job:
    """A computation in the background.

    Attributes
    ----------
    name : str
    state : {"waiting", "running", "paused", "done", "failed"}
    done, total : int
        Steps, for a progress bar; a total of 0 is unknown.
    note : str
        The current step, or why the job failed.
    """

    def __init__(self, name: str, work: "Callable[[Job], None]") -> None:
        self.name, self.work = name, work
        self.state, self.note = "waiting", ""
        self.done = self.total = 0
        self.seconds = 0.0
        self._stop = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether the job was asked to stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the job to end at its next step."""
        self._stop.set()

    def describe(self) -> dict[str, Any]:
        """Describe the job for a page."""
        return {
            "name": self.name,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "note": self.note,
            "seconds": round(self.seconds, 2),
        }


class Background:
    """One thread that runs jobs in their order."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, job: Job) -> Job:
        """Run a job after those before it."""
        job.state = "waiting"
        self._waiting.put(job)
        return job

    def close(self) -> None:
        """End after the current job."""
        self._waiting.put(None)

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            if not job.stopped:
                _run_job(job)


def _run_job(job: Job) -> None:
    job.state, began = "running", time.monotonic()
    try:
        job.work(job)
    except SklazyError as error:
        job.state, job.note = "failed", str(error)
    except Exception:
        _log.exception("the job %r failed", job.name)
        job.state, job.note = "failed", "The job failed; see the log."
    job.seconds += time.monotonic() - began
    if job.state == "running":
        job.state = "done"
