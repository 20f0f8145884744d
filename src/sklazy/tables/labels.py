"""Labels of nominal columns: plain scalars, one canonical order, codes.

Labels are equal when they are in Python: 1, 1.0 and True are one category, "1" another.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Number, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError
from sklazy.flow import MISSING, UNSEEN
from sklazy.tables.slices import distinct, map_to_array, slices, sort_distinct
from sklazy.tables.table import Column, Label

EXACT = 2**53
"""The largest integer up to which float64 holds every integer."""

_ABSENT = {"NAType", "NaTType"}  # pandas' own missing values, known by name
_BOOLS = (bool, np.bool_)


def label_of(cell: object) -> Label | None:
    """Return the plain scalar of one cell, or None where it is missing.

    Whole floats become integers, so that a label does not depend on the dtype it
    came in: a column of integers turns to floats as soon as one cell is missing.

    Examples
    --------
    >>> label_of(2.0), label_of(np.float32(0.5)), label_of(np.True_), label_of("a")
    (2, 0.5, True, 'a')
    >>> label_of(float("nan")) is None
    True
    """
    if cell is None or type(cell).__name__ in _ABSENT:
        return None
    for types, make in _PLAIN:
        if isinstance(cell, types):
            return make(cell)
    raise TypeError(type(cell).__name__)


def _from_real(cell: float | np.floating | Decimal) -> Label | None:
    value = float(cell)
    if math.isnan(value):
        return None
    if math.isinf(value):
        raise OverflowError
    # A float beyond 2^53 is whole by nature, and no integer that could lose digits.
    if isinstance(cell, float | np.floating) and abs(value) > EXACT:
        return value
    return int(cell) if int(cell) == cell else value


_PLAIN: tuple[tuple[Any, Any], ...] = (
    (str, str),
    (_BOOLS, bool),
    (Integral, int),
    ((Real, Decimal), _from_real),
)


def canonical(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the distinct labels in canonical order: numbers by value, then strings.

    Bools beside other numbers are numbers, so that the result does not depend on
    which of two equal labels came first.

    Examples
    --------
    >>> canonical(["b", 10, 2, "a", 2])
    (2, 10, 'a', 'b')
    >>> canonical([True, False]), canonical([True, 3])
    ((False, True), (1, 3))
    """
    labels = list(labels)
    numbers = {label for label in labels if not isinstance(label, str)}
    if len({isinstance(number, bool) for number in numbers}) > 1:
        numbers = {int(n) if isinstance(n, bool) else n for n in numbers}
    words = {label for label in labels if isinstance(label, str)}
    return *sort_distinct(numbers), *sort_distinct(words)


def encode(
    name: str, cells: Sequence[object], declared: Sequence[object] | None = None
) -> Column:
    """Make a nominal column of raw cells; None, NaN, NA and NaT are missing.

    Categories are those declared, in their order, or those that occur, in canonical
    order.
    """
    cells = _comparable(cells)
    labels = _labels_of_distinct(name, cells)
    occurring = [label for label in labels.values() if label is not None]
    if declared is None:
        categories = canonical(occurring)
    else:
        categories = tuple(_labels_of_distinct(name, declared).values())  # type: ignore[arg-type]
    code_of: dict[object, int] = {label: i for i, label in enumerate(categories)}
    code_of[None] = MISSING
    codes = {cell: code_of[label] for cell, label in labels.items()}
    data = map_to_array(codes.__getitem__, cells, np.int32)
    return Column(name, "nominal", data, categories, declared is not None)


def _labels_of_distinct(
    name: str, cells: Sequence[object]
) -> dict[object, Label | None]:
    try:
        return {cell: label_of(cell) for cell in distinct(cells)}
    except (TypeError, OverflowError):
        raise _unusable_cell(name, cells) from None


def _comparable(cells: Sequence[object]) -> Sequence[object]:
    """The cells, in such types that equal numbers are known to be equal."""
    types = {kind for part in slices(cells) for kind in set(map(type, part))}
    if any(issubclass(t, Decimal) for t in types):  # and numpy's integers raise errors
        cells = [int(c) if isinstance(c, np.integer) else c for c in cells]
    return _bools_as_numbers(cells, types)


def _bools_as_numbers(cells: Sequence[object], types: set[type]) -> Sequence[object]:
    """Bools as numbers where other numbers stand beside them (else True hides 1)."""
    others = [t for t in types if issubclass(t, Number) and not issubclass(t, _BOOLS)]
    if not types.intersection(_BOOLS) or not others:
        return cells
    numbers = tuple(others)
    # NaN is unequal to itself: a missing cell, not a number.
    if not any(isinstance(cell, numbers) and cell == cell for cell in cells):
        return cells
    return [int(c) if isinstance(c, _BOOLS) else c for c in cells]


def _unusable_cell(name: str, cells: Sequence[object]) -> BadInputError:
    """The error for the first cell that can be no label."""
    for row, cell in enumerate(cells):
        try:
            hash(cell)
            label_of(cell)
        except OverflowError:
            return infinite(name, row, cell)
        except TypeError:
            break
    cells_of = name if name == "y" else f"X[{name!r}]"
    return BadTypeError(
        f"column {name!r}, row {row}: the cells of the argument must be a string, a "
        f"bool or a number, or missing (None, NaN); got {type(cell).__name__}. Convert "
        f"the column to strings, as {cells_of}.astype(str) does, or drop it."
    )


def infinite(name: str, row: int, cell: object) -> BadInputError:
    """The error for an infinite cell."""
    return BadInputError(
        f"column {name!r} contains infinity or a value too large for float64: {cell} "
        f"in row {row} (counted from 0). Make it missing (NaN), or drop the row."
    )


def to_nominal(column: Column) -> Column:
    """Return the column with its numbers as labels; a nominal column as it is."""
    if column.kind == "nominal":
        return column
    known = ~column.missing
    numbers, inverse = np.unique(column.data[known], return_inverse=True)
    data = np.full(len(column), MISSING, np.int32)
    data[known] = inverse
    labels = tuple(label_of(number) for number in numbers.tolist())
    return Column(column.name, "nominal", data, labels)  # type: ignore[arg-type]


def with_labels(column: Column, labels: Sequence[Label]) -> Column:
    """Return a nominal column with another label for each of its categories.

    Examples
    --------
    >>> with_labels(encode("paid", ["Yes", "no", "yes"]), ["yes", "no", "yes"]).cells()
    ['yes', 'no', 'yes']
    """
    categories = canonical(labels)
    place = {label: code for code, label in enumerate(categories)}
    # The two last entries are reached by the codes -2 and -1.
    codes = np.array([*map(place.__getitem__, labels), UNSEEN, MISSING], np.int32)
    data = codes.take(column.data)
    return Column(column.name, "nominal", data, categories, reading=column.reading)


def recode(column: Column, categories: Sequence[Label]) -> NDArray[np.int32]:
    """Return the codes of the cells among other categories.

    Parameters
    ----------
    column : Column
        Nominal, or numeric: then its numbers are taken as labels.
    categories : sequence of labels
        What the codes shall stand for.

    Returns
    -------
    codes : int32 array of shape (n_rows,)
        The position among the categories, `UNSEEN` (-2) for a label that is not
        there, `MISSING` (-1) for a missing cell.

    Examples
    --------
    >>> column = encode("color", ["red", "blue", None, "green"])
    >>> recode(column, ("green", "red")).tolist()
    [1, -2, -1, 0]
    """
    column = to_nominal(column)
    position = {label: code for code, label in enumerate(categories)}
    # The two last entries are reached by the codes -2 and -1.
    lookup = [position.get(label, UNSEEN) for label in column.categories]
    return np.array([*lookup, UNSEEN, MISSING], np.int32).take(column.data)


def indicators(codes: NDArray[np.int32], n_categories: int) -> NDArray[np.float64]:
    """Return a column per category, 1 where the cell has it; 0 if missing or unseen.

    Examples
    --------
    >>> indicators(np.array([1, -1, 0], np.int32), 2).tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return (codes[:, None] == np.arange(n_categories)).astype(np.float64)
