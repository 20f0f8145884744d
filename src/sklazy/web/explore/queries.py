"""Rows to predict: a case with edited cells, or a new row."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.tables import Column, Table
from sklazy.tables.cells import CellReader
from sklazy.tables.text import BadCellError
from sklazy.web.explore.columns import limits
from sklazy.web.explore.state import State, Value
from sklazy.web.rows import make_readers

Values = dict[str, Value]

_MOST_LABELS = 500  # offered in a list
_LONGEST = 10_000  # characters of a label or of a pasted row


def empty_row(state: State) -> Values:
    """A row with all cells missing."""
    return dict.fromkeys(state.names)


def edit_row(state: State, values: Values, edits: Mapping[str, Any]) -> Values:
    """The row with other cells, read like those of a file."""
    unknown = [name for name in edits if name not in values]
    if unknown:
        raise BadInputError(f"there is no column {unknown[0]!r}.")
    readers = make_readers(state.base.coder.model())
    return {**values, **_read_cells(readers, edits)}


def row_table(base: CaseBase, values: Values) -> Table:
    """A row as a table with a column for each feature."""
    columns = [
        _numeric(name, values[name])
        if base.cases.numeric[j] >= 0
        else _nominal(name, values[name])
        for j, name in enumerate(base.names)
    ]
    return Table(tuple(columns), 1, base.schema.named)


def _numeric(name: str, value: Value) -> Column:
    number = np.nan if value is None else float(value)
    return Column(name, "numeric", np.full(1, number))


def _nominal(name: str, value: Value) -> Column:
    if value is None:
        return Column(name, "nominal", np.full(1, -1, np.int32), ("",))
    return Column(name, "nominal", np.zeros(1, np.int32), (value,))


def _read_cells(readers: Mapping[str, CellReader], cells: Mapping[str, Any]) -> Values:
    """Cells as values of their columns; an error names the column."""
    values: Values = {}
    for name, cell in cells.items():
        if len(str(cell)) > _LONGEST:
            raise BadInputError(
                f"{name!r} has more than {_LONGEST} characters; shorten it."
            )
        try:
            values[name] = readers[name].read(cell)
        except BadCellError as error:
            raise BadInputError(f"{name!r}: {error.why}.") from None
    return values


def is_incomplete(values: Values) -> bool:
    """Whether a cell is missing."""
    return any(value is None for value in values.values())


def describe_fields(state: State) -> list[dict[str, Any]]:
    """The range of numbers, or the labels, of each feature."""
    return [_field(state, j) for j in range(len(state.names))]


def _field(state: State, j: int) -> dict[str, Any]:
    name = state.names[j]
    if state.base.cases.numeric[j] >= 0:
        low, high = limits(state, j)
        ends = {"low": low, "high": high, "whole": _is_whole(state, j)}
        return {"name": name, "kind": "numeric", **ends}
    labels = state.base.categories(j)
    return {
        "name": name,
        "kind": "nominal",
        "labels": labels[:_MOST_LABELS],
        "n_more": max(0, len(labels) - _MOST_LABELS),
    }


def _is_whole(state: State, j: int) -> bool:
    """Whether a feature has whole numbers only, by a sample."""
    cells = state.cells(j, state.order[:1000])
    known = cells[~np.isnan(cells)]
    return bool(len(known) and (known == np.floor(known)).all())


# --- pasted rows ----------------------------------------------------------------------


def parse_row(state: State, text: str) -> Values:
    """A row from JSON, from CSV with a header, or from cells in the columns' order."""
    if len(text) > _LONGEST:
        raise BadInputError(f"the row has more than {_LONGEST} characters; shorten it.")
    text = text.strip()
    cells = _from_json(text) if text.startswith("{") else _from_csv(state, text)
    base, schema = state.base, state.base.schema
    readers = make_readers(schema.user_table(base.coder.vocabularies))
    known = {name: cell for name, cell in cells.items() if name in readers}
    if not known:
        raise BadInputError(
            f"the row has none of the columns of the cases; expected "
            f"{', '.join(schema.user_names[:20])}."
        )
    row = {**dict.fromkeys(readers), **_read_cells(readers, known)}
    table = base.matched(state.model._query_table([row]))
    return {column.name: column.cells()[0] for column in table}


def _from_json(text: str) -> dict[str, Any]:
    try:
        cells: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"the row is not valid JSON: {error}") from None
    return cells


def _from_csv(state: State, text: str) -> dict[str, Any]:
    delimiter = max(",;\t", key=text.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    names = state.base.schema.user_names
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
