"""Rows in JSON for a model; each cell is read like one of a CSV file.

A row is an object by column name, or a list in the order of the columns. A missing cell
is null; a column that is absent is refused, as one that a file lacks is in a shell.
Messages never contain values of cases.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import suggest
from sklazy.tables import Table
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.cells import MISSING_MARKERS, CellReader, make_reader
from sklazy.tables.labels import EXACT
from sklazy.tables.limits import remark_on_limits
from sklazy.tables.table import Label
from sklazy.tables.text import BadCellError
from sklazy.web.bodies import RequestLimits, check_text
from sklazy.web.problems import Problem

_LONGEST_NAME = 100  # characters, in messages

Cell = Label | None
Rows = list[dict[str, Cell]]


class ColumnReaders:
    """The readers of a case base's columns; made again when its labels change."""

    def __init__(self, cases: CaseBase) -> None:
        self._cases = cases
        self._labels: list[list[Label]] = []
        self._readers: dict[str, CellReader] = {}

    def current(self) -> dict[str, CellReader]:
        """The readers of the user's columns, by name."""
        labels = [v.labels for _, v in sorted(self._cases.coder.vocabularies.items())]
        if not self._readers or not _are_same(labels, self._labels):
            schema, vocabularies = self._cases.schema, self._cases.coder.vocabularies
            columns = schema.user_table(vocabularies)
            self._labels, self._readers = labels, make_readers(columns)
        return self._readers


def make_readers(columns: Table) -> dict[str, CellReader]:
    """The readers of columns, by name."""
    return {c.name: make_reader(c.kind, c.reading, c.categories) for c in columns}


def _are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether the lists are identical: labels that change are in new lists."""
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(one is other for one, other in pairs)


class RowReader:
    """Reads rows for the columns of a case base; `names` are these, in order."""

    def __init__(self, cases: CaseBase, limits: RequestLimits) -> None:
        schema = cases.schema
        self.names, self._limits = schema.user_names, limits
        self._known = set(self.names)
        columns = schema.user_columns
        self._readings = {c.name: c.reading for c in columns if c.kind == "numeric"}
        self._columns = ColumnReaders(cases)
        kinds = {a.kind for a in schema.attributes}
        self._all_numbers = not schema.origins and kinds == {"numeric"}

    def read(self, content: object) -> Rows:
        """The rows as dicts with every column."""
        listed, readers = self._check_list(content), self._columns.current()
        limits = ReadLimits(self._limits.cells, self._limits.body, self._limits.seconds)
        budget = Budget("rows", limits, way_out="Send fewer rows at once.")
        rows = []
        for i, row in enumerate(listed):
            budget.check_cells(i + 1, len(self.names))
            rows.append(self._row(row, i, readers))
        return rows

    def read_numbers(self, content: object) -> NDArray[np.float64] | Rows:
        """The rows as a matrix if all columns are plain numbers; dicts otherwise."""
        if not self._all_numbers:
            return self.read(content)
        listed = self._check_list(content)
        if all(type(row) is list for row in listed):
            matrix = _as_matrix(listed, len(self.names))
            if matrix is not None:
                return matrix
        rows = self.read(content)
        return np.array([list(row.values()) for row in rows], np.float64)

    def list_notes(self, content: object) -> list[str]:
        """Notes on limits such as <0.05 and marks among the cells of rows."""
        listed = content if isinstance(content, list) else []
        found: dict[str, set[str]] = {name: set() for name in self._readings}
        for row in listed:
            pairs = row if isinstance(row, dict) else zip(self.names, row, strict=True)
            for name, cell in dict(pairs).items():
                if isinstance(cell, str) and name in found:
                    found[name].add(cell.strip())
        remarks = {
            name: remark_on_limits(found[name] - MISSING_MARKERS, reading)
            for name, reading in self._readings.items()
        }
        return [f"column {n!r}: {remark}." for n, remark in remarks.items() if remark]

    def _check_list(self, content: object) -> list[Any]:
        if not isinstance(content, list) or not content:
            raise Problem(422, "rows must be a list of at least one row.")
        if len(content) > self._limits.rows:
            raise Problem(
                422,
                f"rows has {len(content)} rows; expected {self._limits.rows} at most.",
            )
        return content

    def _row(
        self, row: object, i: int, readers: dict[str, CellReader]
    ) -> dict[str, Cell]:
        if isinstance(row, list):
            if len(row) != len(self.names):
                raise Problem(
                    422,
                    f"row {i} has {len(row)} cells; the model has {len(self.names)} "
                    "columns.",
                )
            pairs = dict(zip(self.names, row, strict=True))
        elif isinstance(row, dict):
            self._check_names(row, i)
            pairs = {name: row[name] for name in self.names}
        else:
            raise Problem(422, f"row {i} is neither an object nor a list.")
        return {
            name: self._cell(cell, readers[name], name, i)
            for name, cell in pairs.items()
        }

    def _check_names(self, row: dict[str, Any], i: int) -> None:
        unknown = next((name for name in row if name not in self._known), None)
        if unknown is not None:
            shown = unknown[:_LONGEST_NAME]  # to compare long names takes long
            raise Problem(
                422,
                f"row {i} has {shown!r}, which is not a column of the model."
                f"{suggest(shown, self.names)}",
            )
        absent = next((name for name in self.names if name not in row), None)
        if absent is not None:
            raise Problem(
                422,
                f"row {i} lacks the column {absent[:_LONGEST_NAME]!r} of the model; "
                "send null if its value is missing.",
            )

    def _cell(self, cell: object, reader: CellReader, name: str, i: int) -> Cell:
        if isinstance(cell, str):
            check_text(cell, self._limits, f"row {i}, column {name!r}")
        try:
            return reader.read(cell)
        except BadCellError as error:
            raise Problem(422, f"row {i}, column {name!r}: {error.why}.") from None


def read_targets(cases: CaseBase, targets: Sequence[Label]) -> list[Label]:
    """Targets as the cases have them: classes, or numbers; none may be missing."""
    classes = cases.class_labels
    reader = make_reader("nominal" if classes else "numeric", None, classes)
    return [_read_target(one, i, reader, classes) for i, one in enumerate(targets)]


def _read_target(
    value: Label, i: int, reader: CellReader, classes: Sequence[Label]
) -> Label:
    where = f"targets, entry {i}"
    try:
        target = reader.read(value)
    except BadCellError as error:
        raise Problem(422, f"{where}: {error.why}.") from None
    if target is None:
        raise Problem(422, f"{where} is missing; every row needs one.")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    has_words = any(isinstance(label, str) for label in classes)
    has_others = any(not isinstance(label, str) for label in classes)
    if has_words and not has_others and is_number:
        raise Problem(422, f"{where} is a number, but classes are texts.")
    if has_others and not has_words and isinstance(target, str):
        raise Problem(422, f"{where} is a text, but classes are numbers or booleans.")
    return target


def _as_matrix(rows: list[Any], width: int) -> NDArray[np.float64] | None:
    """Rows of plain numbers as a matrix; None if a cell is anything else."""
    for row in rows:
        if len(row) != width or not {float, int}.issuperset(map(type, row)):
            return None
    try:
        matrix = np.array(rows, np.float64)
    except OverflowError:
        return None
    return matrix if (np.abs(matrix) <= EXACT).all() else None
