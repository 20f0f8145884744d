"""Matrices of numpy to columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables.labels import encode, infinite
from sklazy.tables.numbers import check_exact, to_numeric
from sklazy.tables.table import Column


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
    raise BadInputError(
        f"Expected 2D array, got {matrix.ndim}D array instead (shape={matrix.shape}). "
        "Reshape your data either using array.reshape(-1, 1) if your data has a single "
        "feature or array.reshape(1, -1) if it contains a single sample."
    )


def from_matrix(
    matrix: NDArray[Any],
    names: Sequence[str],
    nominal: Sequence[bool] | None,
    source: str = "X",
) -> list[Column]:
    """Make the columns of a matrix.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_columns)
    names : sequence of str
    nominal : sequence of bool, optional
        Which columns are nominal; by dtype if None: bools and strings are, numbers
        are not, and in an object matrix each column is judged by its cells.
    source : str
        What the caller calls the matrix.
    """
    if matrix.dtype.kind in "fiu":
        return _from_numbers(matrix, names, nominal)
    if matrix.dtype.kind not in "bOTU":
        raise _unusable(source, matrix.dtype)
    columns = [encode(name, matrix[:, j].tolist()) for j, name in enumerate(names)]
    if nominal is not None:
        return [
            column if wanted else to_numeric(column)
            for column, wanted in zip(columns, nominal, strict=True)
        ]
    return [numbers_if_all(c) for c in columns] if matrix.dtype == object else columns


def numbers_if_all(column: Column) -> Column:
    """Return a column of unknown dtype as numbers if it holds nothing else.

    A column of bools alone is nominal; one that is all missing is numeric.
    """
    labels = column.categories
    words = any(isinstance(label, str) for label in labels)
    bools = bool(labels) and all(isinstance(label, bool) for label in labels)
    return column if words or bools else to_numeric(column)


def _from_numbers(
    matrix: NDArray[Any], names: Sequence[str], nominal: Sequence[bool] | None
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
        f"{source} has dtype {dtype}; expected numbers, bools, strings or objects. "
        "Turn dates and times into numbers (days since a date), bytes and records into "
        "strings."
    )
