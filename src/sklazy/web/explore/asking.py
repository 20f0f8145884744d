"""From what a page sends to what it is told, as plain data."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklazy.errors import BadInputError, UnknownIdError
from sklazy.web.explore import maps, overview
from sklazy.web.explore.cases import (
    MOST_ON_A_PAGE,
    describe_case,
    list_cases,
    plain_id,
    read_wish,
)
from sklazy.web.explore.queries import (
    Values,
    describe_fields,
    edited,
    empty_row,
    parse_row,
)
from sklazy.web.explore.receipts import answer_quickly, describe_receipt
from sklazy.web.explore.session import Session
from sklazy.web.explore.state import State

Plain = dict[str, Any]
Given = Mapping[str, Any]

_MOST_WITHOUT = 50


class Asking:
    """Answers to what a page asks, each by one state of the cases."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # --- what there is ----------------------------------------------------------------

    def overview(self) -> Plain:
        """All that the first page shows at once."""
        state = self.session.state
        found = state.base.derive(
            "overview", lambda: overview.describe(state, self.session.source)
        )
        return {**found, "n_changes": len(self.session.changes)}

    def left_out(self) -> Plain:
        """How well the cases answer for each other, so far."""
        left_out = self.session.left_out
        told = overview.describe_left_out(left_out.state, left_out)
        return {**told, **self.jobs()}

    def jobs(self) -> Plain:
        """What runs in the background."""
        return {
            "jobs": self.session.describe_jobs(),
            "version": self.session.state.version,
        }

    def fields(self) -> Plain:
        """What each cell may be set to."""
        state = self.session.state
        return {
            "fields": describe_fields(state),
            "classes": list(state.base.class_labels),
            "version": state.version,
        }

    def audit(self) -> Plain:
        """What the audit found."""
        return {**self.session.findings.describe(self.session.state), **self.jobs()}

    def advice(self) -> Plain:
        """Which method suits the cases."""
        return {**self.session.describe_advice(), **self.jobs()}

    def changes(self) -> Plain:
        """All changes, in their order."""
        return {
            "changes": self.session.changes.describe(),
            "version": self.session.state.version,
        }

    # --- questions --------------------------------------------------------------------

    def cases(self, given: Given) -> Plain:
        """One page of cases."""
        own = dict(given)
        page = _count(own.pop("page", 0), "page", 0, 10**9)
        per_page = _count(own.pop("per_page", 50), "per_page", 1, MOST_ON_A_PAGE)
        left_out = self.session.left_out
        state = left_out.state
        return list_cases(state, left_out, read_wish(own), page, per_page)

    def case(self, given: Given) -> Plain:
        """A case, its cells, and what the others say of it."""
        left_out = self.session.left_out
        state = left_out.state
        row = state.number_of(given.get("case"))
        left_out.ask_for([row])
        (values,) = state.values(np.array([row]), state.names)
        told = describe_case(state, left_out, left_out.scaled_doubts(), row)
        return {**told, "values": values, "version": state.version}

    def find(self, given: Given) -> Plain:
        """The case of an id, if there is one."""
        state = self.session.state
        try:
            row = state.number_of(given.get("text"))
        except UnknownIdError:
            return {"case": None}
        return {"case": plain_id(state.ids[row])}

    def parse(self, given: Given) -> Plain:
        """A row that was pasted."""
        return {"values": parse_row(self.session.state, str(given.get("text", "")))}

    def answer(self, given: Given) -> Plain:
        """The answer for a row, at once."""
        state = self.session.state
        ids, values = read_row(state, given)
        return answer_quickly(self.session.others.without(state, ids), values)

    def receipt(self, given: Given) -> Plain:
        """The answer for a row with all that it rests on."""
        state, delta = self.session.state, given.get("delta")
        if delta is not None and not isinstance(delta, int | float):
            raise BadInputError("delta must be a number.")
        ids, values = read_row(state, given)
        model = self.session.others.without(state, ids)
        told = describe_receipt(model, values, delta)
        return {**told, "values": values, "version": state.version}

    def map(self, given: Given) -> Plain:
        """Cases on a plane."""
        left_out, weights = self.session.left_out, given.get("weights")
        state = left_out.state
        also = [state.number_of(one) for one in _list(given.get("also"))[:200]]
        plane = maps.draw_plane(state, also, _weights(state, weights))
        told = maps.describe_map(state, left_out, plane)
        return {**told, "classes": list(state.base.class_labels)}

    # --- changes ----------------------------------------------------------------------

    def start(self, given: Given) -> Plain:
        """Begin, or go on with, what takes long."""
        return self.session.start(str(given.get("job"))).describe()

    def change(self, given: Given) -> Plain:
        """Accept, relabel or forget a case."""
        reason = str(given.get("reason") or "")
        kind, case, after = str(given.get("kind")), given.get("case"), given.get("to")
        self.session.change(kind, case, after, reason)
        return self.changes()

    def undo(self, given: Given) -> Plain:
        """Take a change back."""
        self.session.undo(_count(given.get("number"), "number", 1, 10**9))
        return self.changes()


def read_row(state: State, given: Given) -> tuple[list[int | str], Values]:
    """Which cases stay out, and the row that is asked about."""
    out = _list(given.get("without"))[:_MOST_WITHOUT]
    rows = [state.number_of(one) for one in out]
    if given.get("case") is not None:
        row = state.number_of(given["case"])
        (values,) = state.values(np.array([row]), state.names)
        rows = [row, *rows]
    else:
        values = empty_row(state)
    edits = given.get("edits") or {}
    if not isinstance(edits, dict):
        raise BadInputError("edits must be an object, from columns to cells.")
    ids: list[int | str] = state.ids[sorted(set(rows))].tolist()
    return ids, edited(values, edits)


def _list(given: object) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadInputError("a list is expected.")
    return given


def _weights(state: State, given: object) -> dict[str, float] | None:
    if not isinstance(given, dict) or not given:
        return None
    known = {n: w for n, w in given.items() if n in state.names}
    if not all(isinstance(w, int | float) and 0 <= w <= 1e6 for w in known.values()):
        raise BadInputError("weights must be numbers from 0 on.")
    return {name: float(w) for name, w in known.items()}


def _count(given: object, name: str, least: int, most: int) -> int:
    if type(given) is not int or not least <= given <= most:
        raise BadInputError(f"{name} must be a whole number of {least} to {most}.")
    return given
