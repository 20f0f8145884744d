"""The files that can be downloaded, by name."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from sklazy.web.bodies import parse_object
from sklazy.web.explore import downloads
from sklazy.web.explore.asking import read_row
from sklazy.web.explore.cases import read_wish
from sklazy.web.explore.receipts import make_receipt
from sklazy.web.explore.session import Session
from sklazy.web.limits import Limits
from sklazy.web.problems import Problem

Given = Mapping[str, str]

_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "sklazy": "application/octet-stream",
}


def find(session: Session, name: str, given: Given) -> tuple[str | bytes, str]:
    """The content of a file and its media type."""
    stem, _, ending = name.partition(".")
    makers: dict[str, tuple[tuple[str, ...], Callable[[], str | bytes]]] = {
        "receipt": (("html", "json"), lambda: _receipt(session, given, ending)),
        "cases": (("csv", "json"), lambda: _cases(session, given, ending)),
        "audit": (("csv", "json", "html"), lambda: _audit(session, ending)),
        "advice": (("html", "json"), lambda: _advice(session, ending)),
        "changes": (("csv", "json"), lambda: downloads.changes_as(session, ending)),
        "data": (("csv",), lambda: downloads.changed_data(session)),
        "model": (("sklazy",), lambda: downloads.model_file(session)),
    }
    endings, make = makers.get(stem, ((), bytes))
    if ending not in endings:
        raise Problem(404, "There is no such file.")
    return make(), _KINDS[ending]


def _object(given: Given, name: str) -> dict[str, Any]:
    return parse_object(given.get(name, "{}").encode(), Limits())


def _receipt(session: Session, given: Given, ending: str) -> str:
    """The sealed receipt of a row; `verify` replays it without the cases left out."""
    asked, state = _object(given, "row"), session.state
    ids, values = read_row(state, asked)
    receipt = make_receipt(session.others.without(state, ids), values)
    if ending == "json":
        return receipt.to_json()
    case = asked.get("case")
    title = "Receipt of a new row" if case is None else f"Receipt of case {case}"
    return receipt.to_html(title)


def _cases(session: Session, given: Given, ending: str) -> str:
    return downloads.list_as(session, read_wish(_object(given, "wish")), ending)


def _audit(session: Session, ending: str) -> str:
    found = session.findings.found
    if found is None:
        raise Problem(409, "There is no audit yet; begin one first.")
    if ending == "csv":
        return downloads.to_csv(found.to_columns())
    return found.to_html() if ending == "html" else found.to_json()


def _advice(session: Session, ending: str) -> str:
    if session.advice is None:
        raise Problem(409, "There is no advice yet; ask for it first.")
    if ending == "html":
        return session.advice.to_html()
    return json.dumps(downloads.finite(session.advice.to_dict()), indent=1)
