"""Cells that come row by row, kept column by column, and counted on the way.

A column is kept in pieces, tuples of plain cells: Python's collector of garbage looks
through lists of rows, or of very many cells, again and again, and through these once.
"""

from array import array
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from sklazy.tables.budget import Budget

_WAITING = 4096  # rows that are turned into pieces of columns at once
_WAITING_CELLS = 1 << 18

Key = TypeVar("Key", bound=Hashable)
Pieces = list[tuple[Any, ...]]


class Collected:
    """The cells of rows that have one for each column, counted by a budget.

    `lines` has where each row starts in the file.

    Examples
    --------
    >>> from sklazy.tables.budget import ReadLimits
    >>> cells = Collected(Budget("a.csv", ReadLimits()), 2)
    >>> cells.add(["1", "x"], line=2)
    >>> cells.add(["2", "y"], line=3)
    >>> cells.take(0), cells.take(1)
    (['1', '2'], ['x', 'y'])
    """

    def __init__(self, budget: Budget, n_columns: int) -> None:
        self._budget = budget
        self._columns: list[Pieces] = [[] for _ in range(n_columns)]
        self._waiting: list[Sequence[Any]] = []
        self._at_once = _at_once(n_columns)
        self.n_rows, self.lines = 0, array("q")

    def add(self, row: Sequence[Any], line: int) -> None:
        """Take in a row."""
        self.n_rows += 1
        self._budget.check_cells(self.n_rows, len(self._columns))
        self._waiting.append(row)
        self.lines.append(line)
        if len(self._waiting) >= self._at_once:
            self._turn()

    def take(self, column: int) -> list[Any]:
        """The cells of a column, which are let go of here."""
        self._turn()
        self._budget.check_time()
        pieces, self._columns[column] = self._columns[column], []
        return list(chain.from_iterable(pieces))

    def _turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        turned = zip(*waiting, strict=True) if waiting else ()
        for pieces, cells in zip(self._columns, turned, strict=False):
            pieces.append(cells)


class CollectedByKey(Generic[Key]):
    """The cells of rows that name their columns, and have not all of them.

    A column that comes late counts for the rows before, too.

    Examples
    --------
    >>> from sklazy.tables.budget import ReadLimits
    >>> cells = CollectedByKey(Budget("a.json", ReadLimits()))
    >>> cells.add({"a": 1})
    >>> cells.add({"a": 2, "b": "x"})
    >>> cells.keys, cells.take("b")
    (['a', 'b'], [None, 'x'])
    """

    def __init__(self, budget: Budget) -> None:
        self._budget, self.n_rows = budget, 0
        self._columns: dict[Key, Pieces] = {}
        self._waiting: list[Mapping[Key, Any]] = []

    @property
    def keys(self) -> list[Key]:
        """The columns' names, in order of appearance."""
        return list(self._columns)

    def add(self, row: Mapping[Key, Any]) -> None:
        """Take in a row."""
        new = [key for key in row if key not in self._columns]
        self._budget.check_cells(self.n_rows + 1, len(self._columns) + len(new))
        n_turned = self.n_rows - len(self._waiting)
        self._columns.update({key: [(None,) * n_turned] for key in new})
        self._waiting.append(row)
        self.n_rows += 1
        if len(self._waiting) >= _at_once(len(self._columns)):
            self._turn()

    def take(self, key: Key) -> list[Any]:
        """The cells of a column, which are let go of here."""
        self._turn()
        self._budget.check_time()
        pieces, self._columns[key] = self._columns[key], []
        return list(chain.from_iterable(pieces))

    def _turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        for key, pieces in self._columns.items() if waiting else ():
            pieces.append(tuple([row.get(key) for row in waiting]))


def _at_once(n_columns: int) -> int:
    return min(_WAITING, 1 + _WAITING_CELLS // max(1, n_columns))
