"""The audit of the cases, as a page shows it."""

from typing import Any

from sklazy.estimators.audit.audit import Audit, audit
from sklazy.report.audit import say
from sklazy.tables import Column
from sklazy.web.explore.columns import sample
from sklazy.web.explore.jobs import Job
from sklazy.web.explore.state import State

Plain = dict[str, Any]

MOST_AUDITED = 5000
"""Rows; of more, so many are looked at, since it takes time by their square."""

_MOST_LISTED = 300  # findings of a kind


class Findings:
    """What an audit of a state found, once it is there."""

    def __init__(self) -> None:
        self.found: Audit | None = None
        self.version = -1

    def find(self, state: State, job: Job) -> None:
        """Look at the rows, or at as many as do not take long."""
        rows = sample(state, MOST_AUDITED)
        job.note = f"looking at {len(rows)} of {state.n_rows} cases"
        places, base = state.places[rows], state.base
        table = base.coder.table(base.rows.live().take(places))
        found = audit(
            table,
            target_column(state)[rows],
            ids=state.ids[rows].tolist(),
            task="classification" if state.classifies else "regression",
            n_jobs=1,
        )
        job.note += f": {len(found.findings)} findings"  # made now, not when shown
        if not job.stopped:
            self.found, self.version = found, state.version
            job.note = ""

    def describe(self, state: State) -> Plain:
        """The findings in words."""
        if self.found is None:
            return {"found": False}
        plain = self.found.to_dict()
        listed: dict[str, int] = {}
        findings = []
        for i, one in enumerate(plain.pop("findings")):
            listed[one["kind"]] = listed.get(one["kind"], 0) + 1
            if listed[one["kind"]] <= _MOST_LISTED:
                findings.append({**one, "number": i, "sentence": say(one)})
        return {
            **plain,
            "found": True,
            "is_past": self.version != state.version,
            "n_cases": state.n_rows,
            "counts": listed,
            "findings": findings,
        }


def target_column(state: State) -> Column:
    """The target of all rows as a column."""
    if state.classifies:
        labels = tuple(state.base.class_labels)
        return Column(state.target, "nominal", state.truths, labels)
    return Column(state.target, "numeric", state.truths)
