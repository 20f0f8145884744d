"""Numeric columns in ascending order, which follow the rows value by value."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CodedRows, Rows

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

_MOST_CELLS = 20_000_000  # beyond, they would take more memory than the rows
_MOST_ROWS = 64  # in a change; more are sorted anew
_ROOM, _FILLED = 2048, 1792  # values that a block has room for, and has at first


class SortedColumn:
    """The known values of a column in ascending order, each with its class.

    Values of other classes that are equal lie in any order. They lie in blocks, so that
    a change moves the values of one block. Blocks have room to spare, all zeros:
    nothing of a row that went is left.

    Examples
    --------
    >>> values, classes = np.array([3.0, np.nan, 1.0]), np.array([0, 1, 1], np.int8)
    >>> column = SortedColumn(values, classes)
    >>> column.insert(2.0, 0)
    >>> column.remove(3.0, 0)
    >>> column.write(np.empty(3), np.empty(3, np.int32))
    (array([1., 2.]), array([1, 0], dtype=int32))
    """

    def __init__(self, values: Floats, classes: NDArray[np.signedinteger]) -> None:
        order = np.argsort(values)
        order = order[: len(values) - int(np.isnan(values).sum())]
        parts = np.split(order, range(_FILLED, len(order), _FILLED))
        self._blocks = [_Block(values[part], classes[part]) for part in parts]
        self._ends = [block.end for block in self._blocks]

    @property
    def size(self) -> int:
        """The number of known values."""
        return sum(block.size for block in self._blocks)

    def write(self, values: Floats, classes: Labels) -> tuple[Floats, Labels]:
        """Write the values, ascending, and the class of each; return what is full."""
        filled = values[: self.size], classes[: self.size]
        np.concatenate([b.values[: b.size] for b in self._blocks], out=filled[0])
        np.concatenate([b.classes[: b.size] for b in self._blocks], out=filled[1])
        return filled

    def insert(self, value: float, label: int) -> None:
        """Put one value in."""
        number = min(bisect_left(self._ends, value), len(self._blocks) - 1)
        block = self._blocks[number]
        if block.size == _ROOM:
            self._blocks[number : number + 1] = block.halve()
            self._ends[number : number + 1] = [
                half.end for half in self._blocks[number : number + 2]
            ]
            number += value > self._ends[number]
            block = self._blocks[number]
        block.insert(value, label)
        self._ends[number] = block.end

    def remove(self, value: float, label: int) -> None:
        """Take one value out, which must be there."""
        number = bisect_left(self._ends, value)
        while not self._blocks[number].remove(value, label):
            number += 1  # equal values may lie in several blocks
        block = self._blocks[number]
        self._ends[number] = block.end
        if not block.size and len(self._blocks) > 1:
            del self._blocks[number], self._ends[number]


class _Block:
    """Some neighboring values of a column and their classes, with room for more."""

    def __init__(self, values: Floats, classes: NDArray[np.signedinteger]) -> None:
        self.size = len(values)
        self.values = np.zeros(_ROOM)
        self.classes = np.zeros(_ROOM, classes.dtype)
        self.values[: self.size], self.classes[: self.size] = values, classes

    @property
    def end(self) -> float:
        """The largest value."""
        return float(self.values[self.size - 1]) if self.size else -np.inf

    def halve(self) -> "list[_Block]":
        """Two blocks of a half each."""
        parts = slice(_ROOM // 2), slice(_ROOM // 2, self.size)
        return [_Block(self.values[part], self.classes[part]) for part in parts]

    def insert(self, value: float, label: int) -> None:
        """Put one value in; there must be room."""
        end = self.size
        place = int(self.values[:end].searchsorted(value))
        for array, cell in ((self.values, value), (self.classes, label)):
            cells = array.data  # numpy would move them one by one, backwards
            cells[place + 1 : end + 1] = cells[place:end]
            array[place] = cell
        self.size = end + 1

    def remove(self, value: float, label: int) -> bool:
        """Take one value out; False where it is not here with that class."""
        end = self.size
        first = int(self.values[:end].searchsorted(value))
        last = int(self.values[:end].searchsorted(value, "right"))
        here = self.classes[first:last] == label
        if not here.any():
            return False
        place = first + int(here.argmax())
        for array in (self.values, self.classes):
            array[place : end - 1] = array[place + 1 : end]
            array[end - 1] = 0
        self.size = end - 1
        return True


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

    def read(self) -> Iterator[tuple[Floats, Labels]]:
        """The values and classes of each column, until the next one is read.

        Fresh memory for every column takes longer than to fill it.
        """
        n_most = max((column.size for column in self.columns), default=0)
        values, classes = np.empty(n_most), np.empty(n_most, np.int32)
        for column in self.columns:
            yield column.write(values, classes)

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
