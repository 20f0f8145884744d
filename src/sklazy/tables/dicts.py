"""Rows as dicts, from names to cells: one dict is one row, a list of them several."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError

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
