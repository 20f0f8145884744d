"""Numbers of numeric columns: float64, NaN for missing, no digit lost silently."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, NotNumericError
from sklazy.tables.labels import EXACT, infinite
from sklazy.tables.limits import is_number_or_limit
from sklazy.tables.table import Column

_WITH_COMMA = re.compile(r"[<>≤≥]?=?\s*[+-]?[0-9]*,[0-9]+")


def numeric_column(name: str, values: NDArray[Any]) -> Column:
    """Make a numeric column of its own copy of the values; infinite ones are refused.

    Examples
    --------
    >>> numeric_column("height", np.array([1.5, np.nan])).data
    array([1.5, nan])
    """
    data = np.array(values, np.float64)
    if np.isinf(data).any():
        row = int(np.isinf(data).argmax())
        raise infinite(name, row, data[row])
    return Column(name, "numeric", data)


def check_exact(name: str, smallest: object, largest: object) -> None:
    """Refuse integers that float64 would round."""
    for value in (smallest, largest):
        if value is not None and abs(int(value)) > EXACT:  # type: ignore[call-overload]
            raise too_long(name, value)


def too_long(name: str, value: object) -> BadInputError:
    """The error for an integer beyond 2^53."""
    return BadInputError(
        f"column {name!r} has {value}, beyond 2^53: as a number it would lose digits. "
        "If it is an id or a code, make the column nominal "
        f"(categorical_features={{{name!r}: 'nominal'}}, or a string dtype) or drop it."
    )


def to_numeric(column: Column, *, later: bool = False) -> Column:
    """Return the column with its labels as numbers; a numeric column as it is.

    Bools become 0 and 1. A string is not a number, even if it looks like one. The rows
    may be `later` ones than those that made the column one of numbers.
    """
    if column.kind == "numeric":
        return column
    if any(isinstance(label, str) for label in column.categories):
        raise _word(column, later=later)
    integers = [label for label in column.categories if isinstance(label, int)]
    check_exact(column.name, min(integers, default=0), max(integers, default=0))
    # The two last entries are reached by the codes -2 and -1.
    values = np.array([*map(float, column.categories), np.nan, np.nan])
    return Column(column.name, "numeric", values.take(column.data))


def _word(column: Column, *, later: bool) -> NotNumericError:
    """The error for a string: the first that is no number, limit or mark, if any."""
    words = [label for label in column.categories if isinstance(label, str)]
    odd = [word for word in words if not is_number_or_limit(word.strip())] or words
    codes = list(map(column.categories.index, odd))
    rows = np.flatnonzero(np.isin(column.data, codes))
    word = column.categories[column.data[rows[0]]] if len(rows) else odd[0]
    where = f"row {rows[0]} (counted from 0)" if len(rows) else "a category"
    are_numbers = later or len(odd) < len(column.categories)
    way_out = (
        "Write a number there, or leave it missing (None)."
        if are_numbers
        else "Convert it to numbers, or make the column nominal (categorical_features)."
    )
    if _WITH_COMMA.fullmatch(str(word).strip()):
        way_out = (
            "If the comma is a decimal mark, write a point, or read the file with "
            "decimal=','."
        )
    message = (
        f"column {column.name!r} is taken as numbers but holds the string {word!r}, "
        f"{where}. {way_out}"
    )
    return NotNumericError(message, str(word), where)
