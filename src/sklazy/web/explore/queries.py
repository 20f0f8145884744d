"""Rows to predict: a case with edited cells, or a new row."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.tables import Column, Table
from sklazy.tables.cells import CellReader
from sklazy.tables.labels import encode
from sklazy.tables.text import BadCellError
from sklazy.web.explore.columns import limits
from sklazy.web.explore.formats import describe_format, expand_date, is_date
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
    cells = _read_cells(readers, edits)
    dates = {name: cell for name, cell in cells.items() if is_date(state.base, name)}
    parts: Values = {}
    for name, day in dates.items():  # its month and weekday follow
        expanded = expand_date(state.base, name, [np.nan if day is None else day])
        parts |= {part: column[0] for part, column in expanded.items()}
    return {**values, **cells, **parts}


def row_table(base: CaseBase, values: Values) -> Table:
    """A row as a table with a column for each attribute."""
    return rows_table(base, {name: [values[name]] for name in base.names}, 1)


def rows_table(
    base: CaseBase, cells: Mapping[str, Sequence[Value]], n_rows: int
) -> Table:
    """Rows as a table, from the cells of each attribute."""
    columns = [
        _numeric(name, cells[name])
        if base.cases.numeric[j] >= 0
        else encode(name, list(cells[name]))
        for j, name in enumerate(base.names)
    ]
    return Table(tuple(columns), n_rows, base.schema.named)


def _numeric(name: str, values: Sequence[Value]) -> Column:
    numbers = [np.nan if value is None else float(value) for value in values]
    return Column(name, "numeric", np.array(numbers))


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
    """The range of numbers, or the labels, of each of the user's columns."""
    return [_field(state, name) for name in state.features]


def _field(state: State, name: str) -> dict[str, Any]:
    j, _ = state.column(name)
    if state.base.cases.numeric[j] >= 0:
        low, high = limits(state, j)
        ends = {"low": low, "high": high, "whole": is_whole(state, j)}
        written = describe_format(state.base, name)
        return {"name": name, "kind": "numeric", **ends, **written}
    labels = state.base.categories(j)
    return {
        "name": name,
        "kind": "nominal",
        "labels": labels[:_MOST_LABELS],
        "n_more": max(0, len(labels) - _MOST_LABELS),
    }


def is_whole(state: State, j: int) -> bool:
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
