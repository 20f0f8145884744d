"""Rows in JSON as a model takes them, checked by its schema.

A row is an object by column name, in which what is absent is missing, or a list in the
order of the columns. Messages name columns and what was sent, never what cases hold.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import suggest
from sklazy.web.bodies import check_text
from sklazy.web.limits import Limits
from sklazy.web.problems import Problem

_LONGEST_NAME = 100  # characters, in messages

Cell = str | float | bool | None
Rows = list[dict[str, Cell]]


class RowReader:
    """Reads rows for the columns that a case base was made of.

    Attributes
    ----------
    names : list of str
        The user's columns, in order.
    """

    def __init__(self, cases: CaseBase, limits: Limits) -> None:
        schema = cases.schema
        self.names, self._limits = schema.given_names, limits
        self._known = set(self.names)
        # Dates and amounts may come as texts: the reading of the first rows decides.
        self._plain = not schema.origins
        self._numeric = {a.name for a in schema.attributes if a.kind == "numeric"}
        self._all_numbers = self._plain and len(self._numeric) == len(self.names)

    def read(self, given: object) -> Rows:
        """The rows as dicts with every column."""
        return [self._row(row, i) for i, row in enumerate(self._listed(given))]

    def read_numbers(self, given: object) -> NDArray[np.float64] | Rows:
        """The rows as a matrix if all columns are plain numbers; dicts otherwise."""
        if self._all_numbers:
            rows = self._listed(given)
            if all(type(row) is list for row in rows):
                matrix = _as_matrix(rows, len(self.names))
                if matrix is not None:
                    return matrix
        found = self.read(given)
        if not self._all_numbers:
            return found
        return np.array([list(row.values()) for row in found], np.float64)

    def _listed(self, given: object) -> list[Any]:
        if not isinstance(given, list) or not given:
            raise Problem(422, "rows must be a list of at least one row.")
        if len(given) > self._limits.rows:
            raise Problem(
                422,
                f"rows has {len(given)} rows; at most {self._limits.rows} are taken at "
                "once.",
            )
        return given

    def _row(self, row: object, i: int) -> dict[str, Cell]:
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
            pairs = {name: row.get(name) for name in self.names}
        else:
            raise Problem(422, f"row {i} is neither an object nor a list.")
        return {name: self._cell(cell, name, i) for name, cell in pairs.items()}

    def _check_names(self, row: dict[str, Any], i: int) -> None:
        unknown = next((name for name in row if name not in self._known), None)
        if unknown is not None:
            shown = unknown[:_LONGEST_NAME]  # to compare long names takes long
            raise Problem(
                422,
                f"row {i} has {shown!r}, which is not a column of the model."
                f"{suggest(shown, self.names)}",
            )

    def _cell(self, cell: object, name: str, i: int) -> Cell:
        where = f"row {i}, column {name!r}"
        if isinstance(cell, str):
            check_text(cell, self._limits, where)
        elif isinstance(cell, dict | list):
            raise Problem(422, f"{where}: a cell is a number, a text or null.")
        elif isinstance(cell, int | float) and not _is_finite(cell):
            raise Problem(
                422, f"{where}: the number is infinite or too large; null is missing."
            )
        if isinstance(cell, float) and math.isnan(cell):
            return None
        if self._plain and name in self._numeric and isinstance(cell, str | bool):
            raise Problem(422, f"{where} must be a number or null.")
        return cell  # type: ignore[return-value]


def _is_finite(number: float) -> bool:
    """Whether a float can hold a number; NaN is a missing cell."""
    try:
        return not math.isinf(float(number))
    except OverflowError:
        return False


def _as_matrix(rows: list[Any], width: int) -> NDArray[np.float64] | None:
    """Rows of plain numbers at once; None where a cell must be looked at."""
    for row in rows:
        if len(row) != width or not {float, int}.issuperset(map(type, row)):
            return None
    try:
        matrix = np.array(rows, np.float64)
    except OverflowError:
        return None
    return matrix if np.isfinite(matrix).all() else None
