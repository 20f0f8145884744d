"""Put filled cells into a table of the caller's own kind."""

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sklazy.tables import Table
from sklazy.tables.arrays import as_matrix
from sklazy.tables.frames import as_frame

Cells = Mapping[str, tuple[NDArray[np.intp], NDArray[Any]]]
"""From a column to the rows that are filled, and with what."""


def put_cells(X: object, table: Table, cells: Cells) -> Any:  # noqa: ANN401 - as X
    """Copy a table with some cells filled: a frame of its library, or an array."""
    frame = None if isinstance(X, Table) else as_frame(X)
    if frame is None:
        return _fill_array(X, table, cells)
    names = dict(zip(table.names, frame.columns, strict=True))
    filled = [
        _fill_series(frame[names[name]], rows, values)
        for name, (rows, values) in cells.items()
    ]
    return frame.with_columns(*filled).to_native() if filled else frame.to_native()


def _fill_series(
    series: Any,  # noqa: ANN401 - of any library
    rows: NDArray[np.intp],
    values: NDArray[Any],
) -> Any:  # noqa: ANN401
    try:
        if not series.dtype.is_integer():
            return series.scatter(rows.tolist(), values.tolist())
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        pass  # a label that the column has not declared
    cells = series.to_list()
    for row, value in zip(rows.tolist(), values.tolist(), strict=True):
        cells[row] = value
    return nw.new_series(series.name, cells, backend=series.implementation)


def _fill_array(X: object, table: Table, cells: Cells) -> NDArray[Any]:
    has_labels = any(values.dtype.kind not in "fiu" for _, values in cells.values())
    nominal = any(column.kind == "nominal" for column in table)
    if isinstance(X, Table) or nominal or has_labels:
        matrix = np.empty(table.shape, object)
        for j, column in enumerate(table):
            matrix[:, j] = np.asarray(column)
    else:
        matrix = np.array(as_matrix(X), np.float64)
    for name, (rows, values) in cells.items():
        matrix[rows, table.names.index(name)] = values
    return matrix
