"""Matrices of numpy, and rows of dicts, to columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables.labels import encode, infinite
from sklazy.tables.numbers import check_exact, to_numeric
from sklazy.tables.table import Column
from sklazy.tables.times import from_datetimes, from_objects, time_labels


def as_matrix(X: object) -> NDArray[Any]:
    """Return X as a two-dimensional array; lists of mixed cells keep their types."""
    if isinstance(X, np.ma.MaskedArray):
        mask, X = np.ma.getmaskarray(X), X.data.astype(object)
        X[mask] = None
    matrix = np.asarray(X, object) if isinstance(X, list | tuple) else np.asarray(X)
    if matrix.ndim == 2:
        return matrix
    lengths = {len(row) for row in matrix.flat if isinstance(row, list | tuple)}
    if len(lengths) > 1:
        raise BadInputError(
            f"Expected 2D array, got rows of {min(lengths)} to {max(lengths)} cells; "
            "give every row the same number, None where a cell is missing."
        )
    raise BadInputError(f"Expected 2D array, got {_reshape(X, matrix)}")


def _reshape(X: object, matrix: NDArray[Any]) -> str:
    """What was given in place of rows and columns, and how to give these."""
    if matrix.ndim == 0:
        return (
            f"{type(X).__name__} instead. Give a frame, a matrix or a list of rows; of "
            "what can be gone through once, list(X)."
        )
    shaped = f"{matrix.ndim}D array instead (shape={matrix.shape}). Reshape your data"
    if matrix.dtype.names:
        way = ": pandas.DataFrame(X)."
    elif matrix.ndim > 2:
        way = ", one row for each sample: X.reshape(len(X), -1)."
    elif isinstance(X, list | tuple):
        way = ": [X] if it is one row, [[cell] for cell in X] if it is one column."
    else:
        way = (
            " either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    return shaped + way


def from_matrix(
    matrix: NDArray[Any],
    names: Sequence[str],
    nominal: Sequence[bool | None] | None,
    source: str = "X",
) -> list[Column]:
    """Make the columns of a matrix, which the caller calls `source`.

    Which columns are `nominal` is given, or follows from the dtype if (or where) None:
    bools and strings are, numbers, dates and times are not, and in an object matrix
    each column is judged by its cells.
    """
    if matrix.dtype.kind in "fiu":
        return _from_numbers(matrix, names, nominal)
    if matrix.dtype.kind not in "bMmOTU":
        raise _unusable(source, matrix.dtype)
    wanted = [None] * len(names) if nominal is None else nominal
    return [
        _column(name, matrix[:, j], want)
        for j, (name, want) in enumerate(zip(names, wanted, strict=True))
    ]


def _column(name: str, values: NDArray[Any], nominal: bool | None) -> Column:
    times = None if nominal else _times(name, values)
    if times is not None:
        return times
    column = encode(name, _words(values) if nominal else values.tolist())
    if nominal is None:
        return numbers_if_all(column) if values.dtype == object else column
    return column if nominal else to_numeric(column)


def _times(name: str, values: NDArray[Any]) -> Column | None:
    """A column of dates, times or durations; None if it is anything else."""
    if values.dtype.kind in "Mm":
        return from_datetimes(name, values)
    return from_objects(name, values.tolist()) if values.dtype == object else None


def _words(values: NDArray[Any]) -> Sequence[object]:
    """The cells as labels; dates and times are written out."""
    if values.dtype.kind not in "Mm":
        return time_labels(values.tolist())
    words = values.astype(str).astype(object)
    words[np.isnat(values)] = None
    return words.tolist()


def numbers_if_all(column: Column) -> Column:
    """Return a column of unknown dtype as numbers if it holds nothing else.

    A column of bools alone is nominal; one that is all missing is numeric.
    """
    labels = column.categories
    words = any(isinstance(label, str) for label in labels)
    bools = bool(labels) and all(isinstance(label, bool) for label in labels)
    return column if words or bools else to_numeric(column)


def _from_numbers(
    matrix: NDArray[Any], names: Sequence[str], nominal: Sequence[bool | None] | None
) -> list[Column]:
    wanted = np.zeros(len(names), bool) if nominal is None else np.array(nominal, bool)
    kept = matrix if nominal is None else matrix[:, ~wanted]
    numbers = iter(_block(kept, [names[j] for j in np.flatnonzero(~wanted).tolist()]))
    return [
        encode(name, matrix[:, j].tolist()) if wanted[j] else next(numbers)
        for j, name in enumerate(names)
    ]


def _block(matrix: NDArray[Any], names: Sequence[str]) -> list[Column]:
    """Numeric columns as contiguous views of one copy of the matrix."""
    if matrix.dtype.kind in "iu" and matrix.size:
        lowest, highest = matrix.min(axis=0).tolist(), matrix.max(axis=0).tolist()
        for name, low, high in zip(names, lowest, highest, strict=True):
            check_exact(name, low, high)
    block = np.array(matrix, np.float64, order="F")
    if np.isinf(block).any():
        row, j = np.argwhere(np.isinf(block))[0]
        raise infinite(names[int(j)], int(row), block[row, j])
    return [Column(name, "numeric", block[:, j]) for j, name in enumerate(names)]


def _unusable(source: str, dtype: np.dtype[Any]) -> BadInputError:
    if dtype.kind == "c":
        return BadInputError(
            f"Complex data not supported: {source} has dtype {dtype}. Give the real "
            "and the imaginary part as two columns."
        )
    return BadTypeError(
        f"{source} has dtype {dtype}; expected numbers, bools, strings, dates or "
        "objects. Turn bytes and records into strings."
    )


Rows = Sequence[Mapping[str, object]]


def are_dicts(X: object) -> bool:
    """Whether X is a dict, or a list of dicts."""
    rows = X if isinstance(X, list | tuple) else [X]
    return len(rows) > 0 and all(isinstance(row, Mapping) for row in rows)


def from_dicts(X: object) -> tuple[NDArray[np.object_], list[str]]:
    """Return the cells of dicts as a matrix, and the names of its columns.

    The names are those of all rows, in order of appearance; a row without one of them
    lacks that cell.

    Examples
    --------
    >>> from_dicts([{"a": 1}, {"a": 2, "b": "x"}])
    (array([[1, None],
           [2, 'x']], dtype=object), ['a', 'b'])
    """
    rows: Rows = X if isinstance(X, list | tuple) else [X]  # type: ignore[list-item]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not all(isinstance(name, str) for name in names):
        raise BadInputError(f"the keys of a row name its columns; got {names[:5]}.")
    matrix = np.empty((len(rows), len(names)), object)
    for i, row in enumerate(rows):
        for j, name in enumerate(names):
            matrix[i, j] = _cell(name, row.get(name))
    return matrix, names


def _cell(name: str, cell: object) -> object:
    if isinstance(cell, list | tuple | dict | np.ndarray) or hasattr(cell, "iloc"):
        raise BadTypeError(
            f"a dict is one row, but {name!r} holds a {type(cell).__name__}. Give a "
            "list of such rows, or make a frame of columns: pandas.DataFrame(X)."
        )
    return cell
