"""All that an open explorer knows: the cases, what was found, what was changed."""

import copy
import threading
from typing import Any

from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.advice.advice import Advice, advise
from sklazy.estimators.base import LazyEstimator
from sklazy.report.advice import advice_blocks
from sklazy.report.plain import to_plain
from sklazy.tables import Table
from sklazy.web.explore.changes import Changes
from sklazy.web.explore.findings import Findings, target_column
from sklazy.web.explore.jobs import Background, Job
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.receipts import Others
from sklazy.web.explore.state import State

Plain = dict[str, Any]

_ADVICE_SECONDS = 20.0


class Session:
    """One table and one learner, looked at by one person.

    Parameters
    ----------
    model : fitted lazy estimator
        It is never changed: changes are made to copies.
    source : str
        What the cases are called.
    given : Table, optional
        The columns of the user's file, those that are not learned from among them, in
        the order of the cases.
    copied : bool, default=True
        Whether a copy of the model is kept, since others may change it.
    """

    def __init__(
        self,
        model: LazyEstimator,
        source: str,
        given: Table | None = None,
        *,
        copied: bool = True,
    ) -> None:
        _check_model(model)
        self.source, self.given = source, given
        original = State(copy.deepcopy(model) if copied else model)
        original.base.counted  # noqa: B018 - the first page shall not wait for cuts
        self.changes = Changes(original)
        self.others = Others()
        self.findings = Findings()
        self.advice: Advice | None = None
        self._lock = threading.Lock()
        self._quick, self._slow = Background(), Background()
        self._jobs: dict[str, Job] = {}
        self.left_out = LeftOut(original)
        self.start("left-out")

    @property
    def state(self) -> State:
        """The cases as they are now; with their answers, it is that of `left_out`."""
        return self.left_out.state

    # --- what runs in the background --------------------------------------------------

    def start(self, name: str) -> Job:
        """Begin a computation, or go on with one that paused."""
        before = self._jobs.get(name)
        if before is not None and before.state in ("waiting", "running"):
            return before
        left_out = self.left_out
        state = left_out.state
        works = {
            "left-out": (self._quick, left_out.fill),
            "audit": (self._slow, lambda job: self.findings.find(state, job)),
            "advice": (self._slow, lambda job: self._advise(state, job)),
        }
        if name not in works:
            raise BadInputError(f"there is no job {name!r}; known are {list(works)}.")
        where, work = works[name]
        self._jobs[name] = where.add(Job(name, work))
        return self._jobs[name]

    def describe_jobs(self) -> list[Plain]:
        """What runs, or did."""
        return [job.describe() for job in self._jobs.values()]

    def _advise(self, state: State, job: Job) -> None:
        job.note = f"measuring methods, for {_ADVICE_SECONDS:g} seconds at most"
        table, target = state.base.to_table(), target_column(state)
        ordered = table.take(state.places)
        task: Any = "classification" if state.classifies else "regression"
        found = advise(ordered, target, task=task, max_seconds=_ADVICE_SECONDS)
        if not job.stopped:
            self.advice, job.note = found, ""

    def describe_advice(self) -> Plain:
        """The advice as blocks, once it is there."""
        if self.advice is None:
            return {"found": False}
        blocks = to_plain(advice_blocks(self.advice.to_dict()))
        return {"found": True, "blocks": blocks}

    # --- changes ----------------------------------------------------------------------

    def change(self, kind: str, case: object, after: object, reason: str) -> None:
        """Note a change, and see the cases with it."""
        with self._lock:
            if self.changes.add(kind, case, after, reason).kind != "accept":
                self._become()

    def undo(self, number: int) -> None:
        """Take a change back."""
        with self._lock:
            self.changes.undo(number)
            self._become()

    def _become(self) -> None:
        """Look at the cases as the changes make them."""
        state = State(self.changes.apply(), self.state.version + 1)
        left_out = LeftOut(state)
        if "left-out" in self._jobs:
            self._jobs.pop("left-out").stop()
        self.left_out = left_out
        self.start("left-out")

    def close(self) -> None:
        """Let the threads end."""
        for job in self._jobs.values():
            job.stop()
        self._quick.close()
        self._slow.close()


def _check_model(model: object) -> None:
    if not isinstance(model, LazyEstimator):
        raise BadTypeError(
            f"{type(model).__name__} cannot be explored; give a lazy estimator of "
            "this library."
        )
    if not hasattr(model, "cases_"):
        raise BadInputError(f"this {type(model).__name__} is not fitted; fit it first.")
