"""Put filled cells into a table of the caller's own kind."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sklazy.tables import Column, Table
from sklazy.tables.arrays import as_matrix
from sklazy.tables.frames import as_frame
from sklazy.tables.limits import is_mark
from sklazy.tables.reading import Reading
from sklazy.tables.writing import write_like

Cells = Mapping[str, tuple[NDArray[np.intp], NDArray[Any]]]
"""From a column to the rows that are filled, and with what."""


def put_cells(X: object, table: Table, cells: Cells) -> Any:  # noqa: ANN401 - as X
    """Copy a table with some cells filled: a frame of its library, or an array.

    Dates, times and amounts are written as the column writes them. Amounts without a
    unit become numbers: text of them may be read otherwise once no gap is left.
    """
    if issparse(X):
        return type(X)(_fill_array(X.toarray(), table, cells))  # type: ignore[attr-defined, call-arg]
    frame = None if isinstance(X, Table) else as_frame(X)
    if frame is None:
        return _fill_array(X, table, cells)
    filled = [  # by place: names of pandas may be numbers, or pairs
        _number_series(frame[:, j], column, cells)
        if _becomes_numbers(column)
        else _fill_series(frame[:, j], *cells[column.name], reading_of(column))
        for j, column in enumerate(table)
        if column.name in cells or _becomes_numbers(column)
    ]
    return frame.with_columns(*filled).to_native() if filled else frame.to_native()


def _becomes_numbers(column: Column) -> bool:
    """Whether cells are amounts without a unit, or were where they are numbers now."""
    reading = column.reading
    return reading is not None and reading.style == "amount" and not reading.unit


def _fill_numbers(column: Column, cells: Cells) -> NDArray[np.float64]:
    """All cells of a column of numbers."""
    data = np.array(column.data, np.float64)
    if column.name in cells:
        rows, values = cells[column.name]
        data[rows] = values
    return data


def _number_series(series: Any, column: Column, cells: Cells) -> Any:  # noqa: ANN401
    data = _fill_numbers(column, cells)
    values = [None if np.isnan(cell) else cell for cell in data.tolist()]
    which = series.implementation
    return nw.new_series(series.name, values, nw.Float64, backend=which)


def reading_of(column: Column) -> Reading | None:
    """How a column is read; points in time that are all at midnight are dates."""
    reading, known = column.reading, column.data[~column.missing]
    if reading is None or reading.style != "datetime" or (known % 1.0).any():
        return reading
    return replace(reading, style="date")


def write_cells(
    values: NDArray[Any], reading: Reading | None, known: Iterable[Any]
) -> list[Any]:
    """Values of a column as its known cells write them."""
    plain: list[Any] = values.tolist()
    if reading is None:
        return plain
    cells = (cell for cell in known if _is_known(cell))
    if reading.style == "yes-no":
        usual = [text for text, _ in Counter(map(str, cells)).most_common()]
        return [_spell_word(word, usual) for word in plain]
    example = next(cells, None)
    return [write_like(value, reading, example) for value in plain]


def _spell_word(word: str, usual: list[str]) -> str:
    """A word for yes or no in its commonest spelling."""
    meant = (text for text in usual if text and word.startswith(text.casefold()))
    return next(meant, word)


def _is_known(cell: Any) -> bool:  # noqa: ANN401
    is_absent = cell is None or type(cell).__name__ in ("NAType", "NaTType")
    is_text = isinstance(cell, str)
    return not (is_absent or cell != cell or (is_text and is_mark(cell.strip())))


def _fill_series(
    series: Any,  # noqa: ANN401 - of any library
    rows: NDArray[np.intp],
    values: NDArray[Any],
    reading: Reading | None,
) -> Any:  # noqa: ANN401
    written = write_cells(values, reading, series.to_list())
    if series.dtype.is_integer() and any(isinstance(cell, float) for cell in written):
        series = series.cast(nw.Float64)
    try:
        return series.scatter(rows.tolist(), written)
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        pass  # a label that the column has not declared
    cells = series.to_list()
    for row, value in zip(rows.tolist(), written, strict=True):
        cells[row] = value
    return nw.new_series(series.name, cells, backend=series.implementation)


def _fill_array(X: object, table: Table, cells: Cells) -> NDArray[Any]:
    has_labels = any(values.dtype.kind not in "fiu" for _, values in cells.values())
    is_plain = all(column.kind == "numeric" and not column.reading for column in table)
    if isinstance(X, Table) or has_labels or not is_plain:
        matrix = _copy_cells(X, table)
    else:
        matrix = np.array(as_matrix(X), np.float64)
    for j, column in enumerate(table):
        if _becomes_numbers(column):
            matrix[:, j] = _fill_numbers(column, cells)
    for name, (rows, values) in cells.items():
        j = table.names.index(name)
        reading = None if isinstance(X, Table) else reading_of(table[name])
        if _becomes_numbers(table[name]):
            continue
        matrix[rows, j] = write_cells(values, reading, matrix[:, j].tolist())
    return matrix


def _copy_cells(X: object, table: Table) -> NDArray[Any]:
    """All cells as objects; those of dates and amounts as they were written."""
    matrix = np.empty(table.shape, object)
    source = None if isinstance(X, Table) else np.asarray(as_matrix(X), object)
    for j, column in enumerate(table):
        if source is None or column.reading is None:
            matrix[:, j] = np.asarray(column)
        else:
            matrix[:, j] = source[:, j]
    return matrix
