"""Many cells, some at a time: between two calls Python handles interrupts.

A loop inside one call of the standard library or of numpy cannot be interrupted, and
takes seconds for a column of ten million cells.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

AT_ONCE = 1 << 16
"""Cells that one call gets."""

Cell = TypeVar("Cell")
Word = TypeVar("Word", str, float)


def slices(cells: Iterable[Cell], size: int = AT_ONCE) -> Iterator[list[Cell]]:
    """Cut cells into lists of this length, but for the last.

    Examples
    --------
    >>> list(slices("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(cells)
    while part := list(islice(rest, size)):
        yield part


def distinct(cells: Iterable[Cell]) -> dict[Cell, None]:
    """The different cells, in order of appearance."""
    seen: dict[Cell, None] = {}
    for part in slices(cells):
        seen.update(dict.fromkeys(part))
    return seen


def map_to_array(
    function: Callable[[Cell], object], cells: Iterable[Cell], dtype: DTypeLike
) -> NDArray[np.generic]:
    """Return an array of what a function makes of each cell."""
    arrays = [np.fromiter(map(function, part), dtype) for part in slices(cells)]
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype)


def sort_distinct(words: Iterable[Word]) -> list[Word]:
    """Sort words or numbers; two sorted lists in a row are merged in one pass.

    Examples
    --------
    >>> sort_distinct({"b", "a"})
    ['a', 'b']
    """
    runs = [sorted(part) for part in slices(words)]
    while len(runs) > 1:
        runs = [sorted(chain(*pair)) for pair in slices(runs, 2)]
    return runs[0] if runs else []
