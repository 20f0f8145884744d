"""Files to download: lists, receipts, the cases or the file with the changes."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sklazy.report.plain import to_csv, to_finite
from sklazy.tables import Column
from sklazy.web.bodies import RequestLimits, parse_object
from sklazy.web.explore.asking import read_id, read_query
from sklazy.web.explore.cases import choose_cases, describe_cases, parse_case_filter
from sklazy.web.explore.receipts import make_receipt
from sklazy.web.explore.session import Session
from sklazy.web.problems import Problem

Query = Mapping[str, str]

_MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "sklazy": "application/octet-stream",
}


def make_download(session: Session, name: str, query: Query) -> tuple[str | bytes, str]:
    """The content of a file and its media type."""
    stem, _, ending = name.partition(".")
    makers: dict[str, tuple[tuple[str, ...], Callable[[], str | bytes]]] = {
        "receipt": (("html", "json"), lambda: _export_receipt(session, query, ending)),
        "cases": (("csv", "json"), lambda: _export_cases(session, query, ending)),
        "audit": (("csv", "json", "html"), lambda: _export_audit(session, ending)),
        "values": (("csv",), lambda: _export_values(session)),
        "advice": (("html", "json"), lambda: _export_advice(session, ending)),
        "changes": (("csv", "json"), lambda: _export_changes(session, ending)),
        "data": (("csv",), lambda: export_data(session)),
        "own": (("csv",), lambda: export_own_file(session)),
        "model": (("sklazy",), lambda: _export_model(session)),
    }
    endings, make = makers.get(stem, ((), bytes))
    if ending not in endings:
        raise Problem(404, "There is no such file.")
    return make(), _MEDIA_TYPES[ending]


def _parse_parameter(query: Query, name: str) -> dict[str, Any]:
    return parse_object(query.get(name, "{}").encode(), RequestLimits())


def _export_receipt(session: Session, query: Query, ending: str) -> str:
    """The sealed receipt of a row; `verify` replays it without the cases left out."""
    body, state = _parse_parameter(query, "row"), session.state
    ids, values = read_query(state, body)
    model = session.others.without(state, ids)
    receipt = make_receipt(model, values, read_id(state, body))
    if ending == "json":
        return receipt.to_json()
    case = body.get("case")
    title = "Receipt of a new row" if case is None else f"Receipt of case {case}"
    return receipt.to_html(title)


def _export_audit(session: Session, ending: str) -> str:
    audit = session.findings.audit
    if audit is None:
        raise Problem(409, "There is no audit yet; start one first.")
    if ending == "csv":
        return to_csv(audit.to_columns(), safe=True)
    return audit.to_html() if ending == "html" else audit.to_json()


def _export_values(session: Session) -> str:
    values = session.findings.values
    if values is None:
        raise Problem(409, "There are no values yet; start them first.")
    columns = {"id": values.ids.tolist(), "value": values.values.tolist()}
    return to_csv(columns, safe=True)


def _export_advice(session: Session, ending: str) -> str:
    if session.advice is None:
        raise Problem(409, "There is no advice yet; ask for it first.")
    if ending == "html":
        return session.advice.to_html()
    return json.dumps(to_finite(session.advice.to_dict()), indent=1)


def _export_cases(session: Session, query: Query, ending: str) -> str:
    """The filtered cases with their leave-one-out predictions."""
    case_filter = parse_case_filter(_parse_parameter(query, "filter"))
    left_out = session.left_out
    state = left_out.state
    rows = choose_cases(state, left_out, case_filter)
    names = list(case_filter.columns) or state.names
    listed = describe_cases(state, left_out, rows, names)
    if ending == "json":
        return json.dumps(listed, indent=1, ensure_ascii=False)
    facts = ("id", "truth", "answer", "probability", "doubt")
    columns: dict[str, list[Any]] = {
        name: [one[name] for one in listed] for name in facts
    }
    for name in listed[0]["values"] if listed else ():
        columns[_free(name, columns)] = [one["values"][name] for one in listed]
    return to_csv(columns, safe=True)


def _free(name: str, columns: Mapping[str, object]) -> str:
    return name if name not in columns else _free(f"{name}_", columns)


def export_data(session: Session) -> str:
    """The cases with all changes as CSV, in the columns of the user's file if known.

    Cells are as they were read: dates in ISO format, amounts as numbers.
    """
    made = {one["id"]: one for one in session.changes.describe()}
    original = session.changes.original
    ids = [i if isinstance(i, str) else int(i) for i in original.ids.tolist()]
    kept = [r for r, i in enumerate(ids) if made.get(i, {}).get("kind") != "forget"]
    target = [_after(made.get(ids[r]), original.truth(r)) for r in kept]
    if session.file_columns is not None:
        columns = {c.name: _cells(c) for c in session.file_columns.take(kept)}
        return to_csv({**columns, original.target: target})
    cells = original.values(np.array(kept, int), original.names)
    columns = {name: [row[name] for row in cells] for name in original.names}
    named = {_free("id", columns): [ids[r] for r in kept], **columns}
    return to_csv({**named, _free(original.target, columns): target})


def export_own_file(session: Session) -> bytes:
    """The user's file with only the changed cells changed."""
    own, original = session.own_file, session.changes.original
    if own is None:
        raise Problem(404, "The cases were not read from a text file.")
    changes = {
        original.number_of(one["id"]): one["after"]
        for one in session.changes.describe()
        if one["kind"] != "keep"
    }
    return own.write([original.truth(r) for r in range(original.n_rows)], changes)


def _after(change: Mapping[str, Any] | None, before: object) -> object:
    relabeled = change is not None and change["kind"] == "relabel"
    return change["after"] if change is not None and relabeled else before


def _cells(column: Column) -> list[Any]:
    """The cells of a column, with dates as text."""
    style = column.reading.style if column.reading is not None else ""
    if style not in ("date", "datetime"):
        return [_whole(cell) for cell in column.cells()]
    unit = 1 if style == "date" else 86_400
    with np.errstate(invalid="ignore"):
        steps = np.where(column.missing, 0, np.round(column.data * unit))
    moments = steps.astype("int64").astype("datetime64[D]" if unit == 1 else "M8[s]")
    texts = np.where(column.missing, "", moments.astype(str))
    return texts.tolist()


def _whole(cell: object) -> object:
    """Whole numbers without a decimal point."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _export_model(session: Session) -> bytes:
    """The model with all changes, as `save` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.sklazy"
        session.state.model.save(path)
        return path.read_bytes()


def _export_changes(session: Session, ending: str) -> str:
    made = session.changes.describe()
    if ending == "json":
        return json.dumps(made, indent=1, ensure_ascii=False)
    names = ("number", "kind", "id", "before", "after", "reason")
    return to_csv({name: [one[name] for one in made] for name in names}, safe=True)
