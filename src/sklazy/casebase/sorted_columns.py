"""Numeric columns in ascending order, which follow the rows value by value."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CodedRows, Rows

Floats = NDArray[np.float64]

_MOST_CELLS = 20_000_000  # beyond, they would take more memory than the rows
_MOST_ROWS = 64  # in a change; more are sorted anew


class SortedColumn:
    """The known values of a column in ascending order, each with its class.

    Values of other classes that are equal lie in any order. The arrays have room to
    spare, all zeros: nothing of a row that went is left.

    Examples
    --------
    >>> values, classes = np.array([3.0, np.nan, 1.0]), np.array([0, 1, 1], np.int8)
    >>> column = SortedColumn(values, classes)
    >>> column.insert(2.0, 0)
    >>> column.remove(3.0, 0)
    >>> column.values, column.classes
    (array([1., 2.]), array([1, 0], dtype=int32))
    """

    def __init__(self, values: Floats, classes: NDArray[np.signedinteger]) -> None:
        order = np.argsort(values)
        order = order[: len(values) - int(np.isnan(values).sum())]
        self.n_rows = len(order)
        self._values, self._classes = values[order], classes[order]

    @property
    def values(self) -> Floats:
        """The values, ascending; not to be written to."""
        return self._values[: self.n_rows]

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of each."""
        return self._classes[: self.n_rows].astype(np.int32)

    def insert(self, value: float, label: int) -> None:
        """Put one value in."""
        place, end = int(self.values.searchsorted(value)), self.n_rows
        if end == len(self._values):
            room = np.zeros(end // 8 + 16)
            self._values = np.concatenate([self._values, room])
            kind = self._classes.dtype
            self._classes = np.concatenate([self._classes, room.astype(kind)])
        for array, cell in ((self._values, value), (self._classes, label)):
            cells = array.data  # numpy would move them one by one, backwards
            cells[place + 1 : end + 1] = cells[place:end]
            array[place] = cell
        self.n_rows = end + 1

    def remove(self, value: float, label: int) -> None:
        """Take one value out, which must be there."""
        first = int(self.values.searchsorted(value))
        last = int(self.values.searchsorted(value, "right"))
        place = first + int((self._classes[first:last] == label).argmax())
        end = self.n_rows
        for array in (self._values, self._classes):
            array[place : end - 1] = array[place + 1 : end]
            array[end - 1] = 0
        self.n_rows = end - 1


class SortedColumns:
    """All numeric columns of rows with classes, in ascending order."""

    def __init__(self, rows: Rows) -> None:
        live = slice(0, rows.n_rows)
        classes = rows.classes[live]
        self.columns = [SortedColumn(c[live], classes) for c in rows.numbers]
        self._largest = np.iinfo(classes.dtype).max

    @classmethod
    def are_worth_keeping(cls, rows: Rows) -> bool:
        """Whether they take no more memory than they should."""
        return rows.numbers.shape[0] * rows.n_rows <= _MOST_CELLS

    def follow(self, batch: CodedRows, step: int) -> Self | None:
        """Follow rows that came (step 1) or went (step -1), or None if too many did."""
        if len(batch) > _MOST_ROWS or batch.classes.max(initial=0) > self._largest:
            return None
        labels = batch.classes.tolist()
        for column, values in zip(self.columns, batch.numbers.tolist(), strict=True):
            for value, label in zip(values, labels, strict=True):
                if value != value:
                    continue
                if step > 0:
                    column.insert(value, label)
                else:
                    column.remove(value, label)
        return self
