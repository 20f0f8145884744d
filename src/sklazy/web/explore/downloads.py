"""Files that a person asks for: lists, receipts, the cases with the changes."""

import csv
import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sklazy.receipts.plain import number
from sklazy.tables import Column
from sklazy.web.explore.cases import Wish, choose, describe_rows
from sklazy.web.explore.session import Session

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows a formula


def to_csv(columns: Mapping[str, Sequence[object]], *, safe: bool = True) -> str:
    """Columns as CSV; unless they are to be read again, no text is a formula.

    Examples
    --------
    >>> print(to_csv({"id": [1, 2], "class": ["=a", None]}), end="")
    id,class
    1,'=a
    2,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    cell = _harmless if safe else _as_it_is
    writer.writerow(map(cell, columns))
    writer.writerows(map(cell, row) for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def _harmless(cell: object) -> object:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULAS)
    return f"'{cell}" if is_formula else cell


def _as_it_is(cell: object) -> object:
    return cell


def list_as(session: Session, wish: Wish, ending: str) -> str:
    """The cases that were chosen, with what the others say of them."""
    left_out = session.left_out
    state = left_out.state
    rows = choose(state, left_out, wish)
    listed = describe_rows(state, left_out, rows, list(wish.columns) or state.names)
    if ending == "json":
        return json.dumps(listed, indent=1, ensure_ascii=False)
    own = ("id", "truth", "answer", "probability", "doubt")
    columns: dict[str, list[Any]] = {
        name: [one[name] for one in listed] for name in own
    }
    for name in listed[0]["values"] if listed else ():
        columns[_free(name, columns)] = [one["values"][name] for one in listed]
    return to_csv(columns)


def _free(name: str, columns: Mapping[str, object]) -> str:
    return name if name not in columns else _free(f"{name}_", columns)


def changed_data(session: Session) -> str:
    """The cases with all changes as CSV: the user's own columns where they are known.

    Cells are as they were read: dates in ISO, amounts as numbers.
    """
    made = {one["id"]: one for one in session.changes.describe()}
    original = session.changes.original
    ids = [i if isinstance(i, str) else int(i) for i in original.ids.tolist()]
    kept = [r for r, i in enumerate(ids) if made.get(i, {}).get("kind") != "forget"]
    target = [_after(made.get(ids[r]), original.truth(r)) for r in kept]
    if session.given is not None:
        table = session.given.take(kept)
        columns = {c.name: _cells(c) for c in table}
        return to_csv({**columns, original.target: target}, safe=False)
    cells = original.values(np.array(kept, int), original.names)
    columns = {name: [row[name] for row in cells] for name in original.names}
    named = {_free("id", columns): [ids[r] for r in kept], **columns}
    return to_csv({**named, _free(original.target, columns): target}, safe=False)


def _after(change: Mapping[str, Any] | None, before: object) -> object:
    relabeled = change is not None and change["kind"] == "relabel"
    return change["after"] if change is not None and relabeled else before


def _cells(column: Column) -> list[Any]:
    """The cells of a column, days as dates again."""
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
    """Whole numbers without a point, as most files write them."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def model_file(session: Session) -> bytes:
    """The model with all changes, as `save` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.sklazy"
        session.state.model.save(path)
        return path.read_bytes()


def changes_as(session: Session, ending: str) -> str:
    """The list of changes."""
    made = session.changes.describe()
    if ending == "json":
        return json.dumps(made, indent=1, ensure_ascii=False)
    names = ("number", "kind", "id", "before", "after", "reason")
    return to_csv({name: [one[name] for one in made] for name in names})


def finite(plain: Any) -> Any:  # noqa: ANN401 - plain data
    """Plain data for JSON, which has no NaN and no infinities."""
    if isinstance(plain, Mapping):
        return {str(key): finite(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    if isinstance(plain, np.generic):
        plain = plain.item()
    return number(plain) if isinstance(plain, float) else plain
