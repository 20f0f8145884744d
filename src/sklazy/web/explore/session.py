"""The state of an open explorer: the cases, the changes, and background jobs."""

import copy
import threading
from typing import Any

from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators.advice.advice import Advice, advise
from sklazy.estimators.audit.audit import Audit, audit
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.case_values import CaseValues
from sklazy.report.advice import advice_blocks
from sklazy.report.audit import describe_finding
from sklazy.report.plain import to_plain
from sklazy.tables import Column, Table
from sklazy.web.explore.changes import Changes
from sklazy.web.explore.columns import sample
from sklazy.web.explore.formats import describe_reading
from sklazy.web.explore.jobs import Background, Job
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.own_file import OwnFile
from sklazy.web.explore.receipts import Others
from sklazy.web.explore.state import State
from sklazy.web.explore.values import compute_values, describe_values

Plain = dict[str, Any]

MOST_AUDITED = 5000
"""Most rows audited; of more, a sample, since time grows with their square."""

_MOST_LISTED = 300  # findings of a kind
_ADVICE_SECONDS = 20.0


class Findings:
    """The audit of a state and the values of its cases, once they have run."""

    def __init__(self) -> None:
        self.audit: Audit | None = None
        self.version = -1
        self.values: CaseValues | None = None
        self._valued: State | None = None

    def run_audit(self, state: State, job: Job) -> None:
        """Audit the rows, or a sample of them."""
        rows = sample(state, MOST_AUDITED)
        job.note = f"checking {len(rows)} of {state.n_rows} cases"
        places, base = state.places[rows], state.base
        result = audit(
            base.coder.table(base.rows.live().take(places)),
            target_column(state)[rows],
            ids=state.ids[rows].tolist(),
            task=state.task,
            n_jobs=1,
        )
        job.note += f": {len(result.findings)} findings"  # made now, not when shown
        if not job.stopped:
            self.audit, self.version = result, state.version
            job.note = ""

    def run_values(self, state: State, job: Job) -> None:
        """Value the cases."""
        values = compute_values(state, job)
        if values is not None:
            self.values, self._valued = values, state

    def describe_values(self, state: State) -> Plain:
        """The cases of the lowest and the highest values."""
        if self.values is None or self._valued is None:
            return {"found": False}
        is_past = self._valued.version != state.version
        described = describe_values(self._valued, self.values)
        return {**described, "found": True, "is_past": is_past}

    def describe(self, state: State) -> Plain:
        """The findings in words."""
        if self.audit is None:
            return {"found": False}
        plain = self.audit.to_dict()
        counts: dict[str, int] = {}
        findings = []
        for i, one in enumerate(plain.pop("findings")):
            counts[one["kind"]] = counts.get(one["kind"], 0) + 1
            if counts[one["kind"]] <= _MOST_LISTED:
                findings.append({**one, "number": i, "sentence": describe_finding(one)})
        return {
            **plain,
            "found": True,
            "is_past": self.version != state.version,
            "n_cases": state.n_rows,
            "counts": counts,
            "findings": findings,
        }


def target_column(state: State) -> Column:
    """The target of all rows as a column."""
    if state.classifies:
        labels = tuple(state.base.class_labels)
        return Column(state.target, "nominal", state.truths, labels)
    return Column(state.target, "numeric", state.truths)


class Session:
    """A fitted model in an open explorer.

    Parameters
    ----------
    model : fitted lazy estimator
        It is never changed: changes are made to copies.
    source : str
        The name of the cases.
    file_columns : Table, optional
        All columns of the user's file, in the order of the cases.
    own_file : OwnFile, optional
        The user's file as it is written.
    copied : bool, default=True
        Whether a copy of the model is kept, since others may change it.
    read_only : bool, default=False
        Whether changes are refused.
    """

    def __init__(
        self,
        model: LazyEstimator,
        source: str,
        file_columns: Table | None = None,
        *,
        own_file: OwnFile | None = None,
        copied: bool = True,
        read_only: bool = False,
    ) -> None:
        _check_model(model)
        self.source, self.file_columns = source, file_columns
        self.own_file = own_file
        self.read_only = read_only
        original = State(copy.deepcopy(model) if copied else model)
        original.base.counted  # noqa: B018 - before the first page needs it
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
        """The current cases; read `left_out` once for these and their answers."""
        return self.left_out.state

    @property
    def target_unit(self) -> str:
        """The unit of the target in the user's file, if it is known."""
        table, name = self.file_columns, self.state.target
        if table is None or name not in table:
            return ""
        return describe_reading(table[name].reading)["unit"]

    # --- background jobs --------------------------------------------------------------

    def start(self, name: str) -> Job:
        """Start a job, or continue one that was paused."""
        before = self._jobs.get(name)
        if before is not None and before.state in ("waiting", "running"):
            return before
        left_out = self.left_out
        state = left_out.state
        works = {
            "left-out": (self._quick, left_out.fill),
            "audit": (self._slow, lambda job: self.findings.run_audit(state, job)),
            "values": (self._slow, lambda job: self.findings.run_values(state, job)),
            "advice": (self._slow, lambda job: self._advise(state, job)),
        }
        if name not in works:
            raise BadInputError(f"unknown job {name!r}; expected one of {[*works]}.")
        where, work = works[name]
        self._jobs[name] = where.add(Job(name, work))
        return self._jobs[name]

    def describe_jobs(self) -> list[Plain]:
        """Describe the jobs, running and finished."""
        return [job.describe() for job in self._jobs.values()]

    def _advise(self, state: State, job: Job) -> None:
        job.note = f"comparing methods for at most {_ADVICE_SECONDS:g} seconds"
        table, target = state.base.to_table().take(state.places), target_column(state)
        advice = advise(table, target, task=state.task, max_seconds=_ADVICE_SECONDS)
        if not job.stopped:
            self.advice, job.note = advice, ""

    def describe_advice(self) -> Plain:
        """The advice as blocks, once it has run."""
        if self.advice is None:
            return {"found": False}
        blocks = to_plain(advice_blocks(self.advice.to_dict()))
        return {"found": True, "blocks": blocks}

    # --- changes ----------------------------------------------------------------------

    def change(self, kind: str, case: object, after: object, reason: str) -> None:
        """Make a change."""
        self._check_writable()
        with self._lock:
            if self.changes.add(kind, case, after, reason).kind != "keep":
                self._apply_changes()

    def undo(self, number: int) -> None:
        """Undo a change."""
        self._check_writable()
        with self._lock:
            self.changes.undo(number)
            self._apply_changes()

    def _check_writable(self) -> None:
        if self.read_only:
            raise BadInputError("this explorer is read-only; nothing can be changed.")

    def _apply_changes(self) -> None:
        """Replace the state by one with all changes."""
        state = State(self.changes.apply(), self.state.version + 1)
        left_out = LeftOut(state)
        if "left-out" in self._jobs:
            self._jobs.pop("left-out").stop()
        self.left_out = left_out
        self.start("left-out")

    def close(self) -> None:
        """End the threads."""
        for job in self._jobs.values():
            job.stop()
        self._quick.close()
        self._slow.close()


def _check_model(model: object) -> None:
    if not isinstance(model, LazyEstimator):
        raise BadTypeError(
            f"{type(model).__name__} cannot be explored; expected a lazy estimator of "
            "this library."
        )
    if not hasattr(model, "cases_"):
        raise BadInputError(f"this {type(model).__name__} is not fitted; fit it first.")
