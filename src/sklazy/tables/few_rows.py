"""The cells of a few rows as they are, for readers that know the columns already."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

_MOST_ROWS = 16  # beyond, columns are read sooner than cells


class CellTaker:
    """Takes the cells of a few rows in the order of some names.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> take = CellTaker(["age", "town"])
    >>> take.list_cells({"town": "Bonn", "age": 30})
    [(30, 'Bonn')]
    >>> take.list_cells({"age": 30}) is None
    True
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._take = itemgetter(*names) if len(self.names) > 1 else None

    def list_cells(self, X: object) -> list[Sequence[Any]] | None:
        """List the cells of each row; None where X has to be read as a table.

        X may be a dict, a list of dicts, or a frame of pandas, with exactly these
        names; a frame has them in this order.
        """
        if type(X) is dict:
            return self._from_dicts([X])
        if type(X) is list and all(type(row) is dict for row in X[:_MOST_ROWS]):
            return self._from_dicts(X) if 0 < len(X) <= _MOST_ROWS else None
        return self._from_frame(X)

    def _from_dicts(self, rows: list[Any]) -> list[Sequence[Any]] | None:
        n_names = len(self.names)
        if self._take is None or any(len(row) != n_names for row in rows):
            return None
        try:
            return list(map(self._take, rows))
        except KeyError:
            return None

    def _from_frame(self, X: Any) -> list[Sequence[Any]] | None:  # noqa: ANN401
        kind = type(X)
        if kind.__name__ != "DataFrame" or kind.__module__.split(".")[0] != "pandas":
            return None
        if not 0 < len(X) <= _MOST_ROWS or X.columns.tolist() != self.names:
            return None
        rows: list[Sequence[Any]] = X.to_numpy(object).tolist()
        return rows
