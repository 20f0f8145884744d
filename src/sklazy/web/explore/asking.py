"""Answer the requests of a page with plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklazy.errors import BadInputError, UnknownIdError
from sklazy.web.explore.cases import (
    MOST_ON_A_PAGE,
    describe_case,
    list_cases,
    parse_case_filter,
)
from sklazy.web.explore.curves import MOST_CURVES, draw_curves
from sklazy.web.explore.maps import describe_map, draw_plane
from sklazy.web.explore.overview import describe_left_out, describe_overview
from sklazy.web.explore.queries import (
    Values,
    describe_fields,
    edit_row,
    empty_row,
    parse_row,
)
from sklazy.web.explore.receipts import (
    answer_quickly,
    describe_receipt,
    find_other_answers,
)
from sklazy.web.explore.session import Session
from sklazy.web.explore.state import State, plain_id

Plain = dict[str, Any]
Body = Mapping[str, Any]

_MOST_WITHOUT = 50


class Asking:
    """Answers to the requests of a page, each from one state of the cases."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # --- reports ----------------------------------------------------------------------

    def overview(self) -> Plain:
        """The columns, the classes and other facts of the first page."""
        state = self.session.state
        facts = state.base.derive(
            "overview", lambda: describe_overview(state, self.session.source)
        )
        return {
            **facts,
            "n_changes": len(self.session.changes),
            "target_unit": self.session.target_unit,
            "read_only": self.session.read_only,
            "own_file": self.session.own_file is not None,
        }

    def left_out(self) -> Plain:
        """The quality of the leave-one-out predictions so far."""
        left_out = self.session.left_out
        return {**describe_left_out(left_out.state, left_out), **self.jobs()}

    def jobs(self) -> Plain:
        """Background jobs and the version of the state."""
        return {
            "jobs": self.session.describe_jobs(),
            "version": self.session.state.version,
        }

    def fields(self) -> Plain:
        """Values that each cell may be set to."""
        state = self.session.state
        return {
            "fields": describe_fields(state),
            "classes": list(state.base.class_labels),
            "version": state.version,
        }

    def audit(self) -> Plain:
        """Findings of the audit."""
        return {**self.session.findings.describe(self.session.state), **self.jobs()}

    def values(self) -> Plain:
        """How much cases add to the predictions for the others."""
        described = self.session.findings.describe_values(self.session.state)
        return {**described, **self.jobs()}

    def advice(self) -> Plain:
        """Which method suits the cases."""
        return {**self.session.describe_advice(), **self.jobs()}

    def changes(self) -> Plain:
        """All changes, in their order."""
        return {
            "changes": self.session.changes.describe(),
            "version": self.session.state.version,
        }

    # --- queries ----------------------------------------------------------------------

    def cases(self, body: Body) -> Plain:
        """One page of cases."""
        wanted = dict(body)
        page = _check_count(wanted.pop("page", 0), "page", 0, 10**9)
        per_page = wanted.pop("per_page", 50)
        per_page = _check_count(per_page, "per_page", 1, MOST_ON_A_PAGE)
        left_out, case_filter = self.session.left_out, parse_case_filter(wanted)
        return list_cases(left_out.state, left_out, case_filter, page, per_page)

    def case(self, body: Body) -> Plain:
        """A case, its cells, and its leave-one-out prediction."""
        left_out = self.session.left_out
        state = left_out.state
        row = state.number_of(body.get("case"))
        left_out.ask_for([row])
        (values,) = state.values(np.array([row]), state.names)
        case = describe_case(state, left_out, left_out.scaled_doubts(), row)
        return {**case, "values": values, "version": state.version}

    def find(self, body: Body) -> Plain:
        """The case of an id, if there is one."""
        state = self.session.state
        try:
            row = state.number_of(body.get("text"))
        except UnknownIdError:
            return {"case": None}
        return {"case": plain_id(state.ids[row])}

    def parse(self, body: Body) -> Plain:
        """The cells of a pasted row."""
        return {"values": parse_row(self.session.state, str(body.get("text", "")))}

    def answer(self, body: Body) -> Plain:
        """The prediction of a row, without a receipt."""
        state = self.session.state
        ids, values = read_query(state, body)
        quick = answer_quickly(self.session.others.without(state, ids), values)
        return {**quick, "margin": self._find_margin(ids)}

    def _find_margin(self, ids: Sequence[int | str]) -> float | None:
        left_out = self.session.left_out
        return left_out.find_margin([left_out.state.number_of(one) for one in ids])

    def curves(self, body: Body) -> Plain:
        """The prediction of a row along some of its features."""
        state, names = self.session.state, _check_list(body.get("names"))
        for name in names:
            if name not in state.features:
                raise BadInputError(f"there is no column {str(name)[:80]!r}.")
        ids, values = read_query(state, body)
        model = self.session.others.without(state, ids)
        return draw_curves(state, model, values, names[:MOST_CURVES])

    def receipt(self, body: Body) -> Plain:
        """The prediction of a row with its receipt."""
        state, delta = self.session.state, _check_delta(body)
        ids, values = read_query(state, body)
        model = self.session.others.without(state, ids)
        receipt = describe_receipt(model, values, delta, read_id(state, body))
        margin = self._find_margin(ids)
        return {
            **receipt,
            "values": values,
            "margin": margin,
            "version": state.version,
        }

    def others(self, body: Body) -> Plain:
        """Changes of a row that would change its prediction."""
        state, delta = self.session.state, _check_delta(body)
        ids, values = read_query(state, body)
        model = self.session.others.without(state, ids)
        return find_other_answers(model, values, delta)

    def map(self, body: Body) -> Plain:
        """A map of cases in two dimensions."""
        left_out, weights = self.session.left_out, body.get("weights")
        state = left_out.state
        also = [state.number_of(one) for one in _check_list(body.get("also"))[:200]]
        plane = draw_plane(state, also, _check_weights(state, weights))
        drawn = describe_map(state, left_out, plane)
        return {**drawn, "classes": list(state.base.class_labels)}

    # --- changes ----------------------------------------------------------------------

    def start(self, body: Body) -> Plain:
        """Start or continue a background job."""
        return self.session.start(str(body.get("job"))).describe()

    def change(self, body: Body) -> Plain:
        """Keep, relabel or forget a case."""
        reason = str(body.get("reason") or "")
        kind, case, after = str(body.get("kind")), body.get("case"), body.get("to")
        self.session.change(kind, case, after, reason)
        return self.changes()

    def undo(self, body: Body) -> Plain:
        """Undo a change."""
        self.session.undo(_check_count(body.get("number"), "number", 1, 10**9))
        return self.changes()


def read_id(state: State, body: Body) -> int | str | None:
    """The id of the row to predict; None for a new or edited one."""
    if body.get("case") is None or body.get("edits"):
        return None
    return plain_id(state.ids[state.number_of(body["case"])])


def read_query(state: State, body: Body) -> tuple[list[int | str], Values]:
    """The cases to leave out, and the row to predict."""
    out = _check_list(body.get("without"))[:_MOST_WITHOUT]
    rows = [state.number_of(one) for one in out]
    if body.get("case") is not None:
        row = state.number_of(body["case"])
        (values,) = state.values(np.array([row]), state.names)
        rows = [row, *rows]
    else:
        values = empty_row(state)
    edits = body.get("edits") or {}
    if not isinstance(edits, dict):
        raise BadInputError("edits must be an object from columns to cells.")
    ids: list[int | str] = state.ids[sorted(set(rows))].tolist()
    return ids, edit_row(state, values, edits)


def _check_delta(body: Body) -> float | None:
    delta = body.get("delta")
    if delta is not None and not isinstance(delta, int | float):
        raise BadInputError("delta must be a number.")
    return delta


def _check_list(value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadInputError(f"{str(value)[:80]!r}; expected a list.")
    return value


def _check_weights(state: State, value: object) -> dict[str, float] | None:
    if not isinstance(value, dict) or not value:
        return None
    known = {n: w for n, w in value.items() if n in state.names}
    if not all(isinstance(w, int | float) and 0 <= w <= 1e6 for w in known.values()):
        raise BadInputError("weights must be numbers from 0 to 1e6.")
    return {name: float(w) for name, w in known.items()}


def _check_count(value: object, name: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise BadInputError(f"{name} must be a whole number from {least} to {most}.")
    return value
