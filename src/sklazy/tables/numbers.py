"""Numbers of numeric columns: float64, NaN for missing, no digit lost silently."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, NotNumericError
from sklazy.tables.amounts import MARKS
from sklazy.tables.labels import EXACT, infinite
from sklazy.tables.table import Column


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
        f"(categorical_features=[{name!r}], or a string dtype) or drop it."
    )


def to_numeric(column: Column) -> Column:
    """Return the column with its labels as numbers; a numeric column as it is.

    Bools become 0 and 1. A string is not a number, even if it looks like one.
    """
    if column.kind == "numeric":
        return column
    words = [label for label in column.categories if isinstance(label, str)]
    if words:
        plain = [word for word in words if word.strip().casefold() not in MARKS]
        raise _word(column, [*plain, *words][0])
    integers = [label for label in column.categories if isinstance(label, int)]
    check_exact(column.name, min(integers, default=0), max(integers, default=0))
    # The two last entries are reached by the codes -2 and -1.
    values = np.array([*map(float, column.categories), np.nan, np.nan])
    return Column(column.name, "numeric", values[column.data])


def _word(column: Column, word: str) -> NotNumericError:
    rows = np.flatnonzero(column.data == column.categories.index(word))
    where = f"row {rows[0]} (counted from 0)" if len(rows) else "a category"
    message = (
        f"column {column.name!r} is taken as numbers but holds the string {word!r}, "
        f"{where}. Convert it to numbers, or make the column nominal "
        "(categorical_features)."
    )
    return NotNumericError(message, word, where)
