"""Rows that are asked about: a case with edited cells, or a new row that was typed."""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.tables import Column, Table
from sklazy.web.explore.columns import limits
from sklazy.web.explore.state import State, Value

Values = dict[str, Value]

_MOST_LABELS = 500  # offered in a list
_LONGEST = 10_000  # characters of a label or of a pasted row


def empty_row(state: State) -> Values:
    """A row that nothing is known of."""
    return dict.fromkeys(state.names)


def edited(values: Values, edits: Mapping[str, Any]) -> Values:
    """The row with other cells."""
    unknown = [name for name in edits if name not in values]
    if unknown:
        raise BadInputError(f"there is no column {unknown[0]!r}.")
    return {**values, **edits}


def to_table(base: CaseBase, values: Values) -> Table:
    """A row as the cases are: one column for each attribute."""
    columns = [
        _numeric(name, values[name])
        if base.cases.numeric[j] >= 0
        else _nominal(base, j, values[name])
        for j, name in enumerate(base.names)
    ]
    return Table(tuple(columns), 1, base.schema.named)


def _numeric(name: str, value: Value) -> Column:
    if value is None:
        return Column(name, "numeric", np.full(1, np.nan))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInputError(f"{name!r} holds numbers; {str(value)[:80]!r} is none.")
    number = float(value) if abs(value) < 1e308 else math.inf
    if not math.isfinite(number):
        raise BadInputError(f"{name!r} holds numbers; this one is too large.")
    return Column(name, "numeric", np.full(1, number))


def _nominal(base: CaseBase, j: int, value: Value) -> Column:
    name = base.names[j]
    if value is None:
        return Column(name, "nominal", np.full(1, -1, np.int32), ("",))
    if not isinstance(value, str | int | float) or len(str(value)) > _LONGEST:
        raise BadInputError(f"{name!r} holds labels; this is none.")
    known = {str(label): label for label in base.categories(j)}
    label = known.get(str(value), value)
    return Column(name, "nominal", np.zeros(1, np.int32), (label,))


def is_incomplete(values: Values) -> bool:
    """Whether a cell is missing."""
    return any(value is None for value in values.values())


def describe_fields(state: State) -> list[dict[str, Any]]:
    """What each attribute may be set to: a range of numbers, or labels."""
    return [_field(state, j) for j in range(len(state.names))]


def _field(state: State, j: int) -> dict[str, Any]:
    name = state.names[j]
    if state.base.cases.numeric[j] >= 0:
        low, high = limits(state, j)
        whole = _is_whole(state, j)
        return {"name": name, "kind": "numeric", "low": low, "high": high} | {
            "whole": whole
        }
    labels = state.base.categories(j)
    return {
        "name": name,
        "kind": "nominal",
        "labels": labels[:_MOST_LABELS],
        "n_more": max(0, len(labels) - _MOST_LABELS),
    }


def _is_whole(state: State, j: int) -> bool:
    """Whether an attribute holds whole numbers only, by its first rows."""
    cells = state.cells(j, state.order[:1000])
    known = cells[~np.isnan(cells)]
    return bool(len(known) and (known == np.floor(known)).all())


# --- rows that were pasted ------------------------------------------------------------


def parse_row(state: State, text: str) -> Values:
    """A row from JSON, from CSV with a header, or from cells in the columns' order."""
    if len(text) > _LONGEST:
        raise BadInputError(f"a row of more than {_LONGEST} characters is not taken.")
    text = text.strip()
    given = _from_json(text) if text.startswith("{") else _from_csv(state, text)
    cells = {name: _cell(state, name, value) for name, value in given.items()}
    if state.base.schema.origins:
        return _understood(state, cells)
    known = {name: value for name, value in cells.items() if name in state.names}
    if not known:
        raise BadInputError(
            f"none of the columns is one of the cases'; these are "
            f"{', '.join(state.names[:20])}."
        )
    return edited(empty_row(state), known)


def _from_json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"this is no JSON: {error}") from None
    return found


def _from_csv(state: State, text: str) -> dict[str, Any]:
    delimiter = max(",;\t", key=text.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    names = state.base.schema.given_names
    if len(rows) >= 2:
        header, cells = [name.strip() for name in rows[0]], rows[1]
    else:
        header, cells = names, rows[0] if rows else []
    if len(cells) == len(names) + 1 and header is names:
        cells = cells[:-1]  # with its target at the end
    if len(cells) != len(header):
        raise BadInputError(
            f"the row has {len(cells)} cells, but there are {len(header)} columns; "
            "paste a header line with it, or all cells in the order of the columns."
        )
    return dict(zip(header, cells, strict=True))


def _cell(state: State, name: str, value: Any) -> Value:  # noqa: ANN401 - of JSON
    """A cell; text that reads like a number is one where the column holds numbers."""
    if isinstance(value, str):
        value = value.strip()
        if value in ("", "?", "NA", "NaN", "null"):
            return None
        if name in state.names and state.column(name)[1]:
            return _number(name, value)
    if isinstance(value, list | dict):
        raise BadInputError(f"{name!r} holds neither a number nor a label.")
    return value


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInputError(f"{name!r} holds numbers; {text[:80]!r} is none.") from None


def _understood(state: State, cells: Values) -> Values:
    """Cells of the user's own columns, dates among them, as they are learned from."""
    given = {name: cells.get(name) for name in state.base.schema.given_names}
    table = state.base.matched(state.model._query_table([given]))
    return {column.name: column.cells()[0] for column in table}
