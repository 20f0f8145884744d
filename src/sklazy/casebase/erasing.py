"""Which bytes of a file change when rows are erased from it in place.

The last rows of a segment take the places of those that go, what is behind them becomes
zeros, and counts, ranges and checksums follow. Bit sets are moved bit by bit.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.files import Frame
from sklazy.casebase.packing import Packing
from sklazy.casebase.pages import BLOCK, CHECKSUM
from sklazy.casebase.rows import Places, Rows
from sklazy.casebase.runs import Runs
from sklazy.errors import BadFileError

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_OF_ROWS = ("numbers", "codes", "targets", "own_weights", "times")


class Cells(NamedTuple):
    """Cells of an array and what they become.

    Attributes
    ----------
    array : the array, in the file
    cells : int64 array (n_cells,), their places in it
    values : array (n_cells,) of the array's type
    """

    array: NDArray[Any]
    cells: Ints
    values: NDArray[Any]


class Erased(NamedTuple):
    """Rows of a segment that go.

    Attributes
    ----------
    own : dict, the arrays of the segment
    n_rows : int
    gone, tail, holes : int64 arrays of places
        Those that go, and which of the last rows take which of their places.
    """

    own: Arrays
    n_rows: int
    gone: Places
    tail: Places
    holes: Places

    @classmethod
    def of(cls, own: Arrays, rows: Rows, gone: Places) -> "Erased":
        """The rows at some places."""
        return cls(own, rows.n_rows, gone, *rows.moves(gone))

    @property
    def left(self) -> int:
        """The rows that stay."""
        return self.n_rows - len(self.gone)


def cells_of_rows(rows: Erased, packing: Packing) -> Iterator[Cells]:
    """What changes in the arrays of a segment, but for its runs."""
    own = rows.own
    for name in _OF_ROWS:
        yield _moved(own[name], rows)
    yield _moved(own["classes"][None], rows)
    if len(own["ids"]):
        yield _moved(own["ids"][None], rows)
    if own["texts"].size:
        yield _moved(own["texts"].view(f"V{own['texts'].shape[1]}").T, rows)
    for name in ("value_bits", "class_bits"):
        yield _moved_bits(own[name], rows)
    yield from _counted(rows, packing)
    yield _narrowed(rows)


def _moved(array: NDArray[Any], rows: Erased) -> Cells:
    """Cells of rows, the last axis the row: the last ones fill the holes."""
    behind = np.arange(rows.left, rows.n_rows)
    zeros = np.zeros((len(array), len(behind)), array.dtype)
    places = np.append(rows.holes, behind)
    cells = np.arange(len(array))[:, None] * array.shape[1] + places
    values = np.concatenate([array[:, rows.tail], zeros], axis=1)
    return Cells(array, cells.ravel(), values.ravel())


def _moved_bits(bits: NDArray[np.uint64], rows: Erased) -> Cells:
    """The same for bit sets."""
    one, behind = np.uint64(1), np.arange(rows.left, rows.n_rows)
    cleared = np.append(rows.holes, behind)
    words = np.unique(cleared >> 6)
    found = bits[:, words]
    masks = np.zeros(len(words), np.uint64)
    at = np.searchsorted(words, cleared >> 6)
    np.bitwise_or.at(masks, at, one << (cleared & 63).astype(np.uint64))
    found &= ~masks
    moved = bits[:, rows.tail >> 6] >> (rows.tail & 63).astype(np.uint64) & one
    moved <<= (rows.holes & 63).astype(np.uint64)
    np.bitwise_or.at(found.T, at[: len(rows.holes)], moved.T)
    cells = np.arange(len(bits))[:, None] * bits.shape[1] + words
    return Cells(bits, cells.ravel(), found.ravel())


def _counted(rows: Erased, packing: Packing) -> Iterator[Cells]:
    """Counts without the rows that go."""
    own, codes = rows.own, packing.at(rows.gone)
    classes = own["classes"][rows.gone].astype(np.int64)
    n_classes = own["counts"].shape[1]
    offsets = np.cumsum(packing.widths) - packing.widths
    cells = (codes + offsets[:, None]) * n_classes + classes
    if n_classes:
        yield _less(own["counts"], cells[codes >= 0])
        yield _less(own["class_counts"], classes)


def _less(counts: NDArray[np.int64], cells: Ints) -> Cells:
    """Counts with one less for each time that a cell is named."""
    cells, times = np.unique(cells, return_counts=True)
    return Cells(counts, cells, counts.ravel()[cells] - times)


def less_labels(counts: NDArray[np.int64], left: NDArray[np.int64]) -> Cells:
    """The rows of each label, as they are then."""
    changed = np.flatnonzero(counts != left)
    return Cells(counts, changed, left[changed])


def _narrowed(rows: Erased) -> Cells:
    """The ranges of the rows that stay."""
    edges, numbers = rows.own["edges"], rows.own["numbers"]
    new = edges.copy()
    for i, going in enumerate(numbers[:, rows.gone]):
        if np.isin(going, edges[i]).any():
            column = numbers[i, : rows.n_rows].copy()
            column[rows.gone] = np.nan
            new[i] = np.fmin.reduce(column), np.fmax.reduce(column)
    return Cells(edges, np.arange(edges.size), new.ravel())


def cells_of_runs(
    own: Arrays, old: Runs, new: Runs, sizes: Arrays, number: int
) -> Iterator[Cells]:
    """What changes in the numbers of a segment's rows, and how many there are."""
    longest = max(len(old.starts), len(new.starts))
    runs = np.zeros((longest, 2), np.int64)
    runs[: len(new.starts)] = np.column_stack([new.starts, new.firsts])
    yield Cells(own["runs"], np.arange(runs.size), runs.ravel())
    at = np.array([number])
    yield Cells(sizes["sizes"], at, np.array([new.n_rows]))
    yield Cells(sizes["n_runs"], at, np.array([len(new.starts)]))


def changed_bytes(
    frame: Frame, cells: Sequence[Cells], path: object
) -> tuple[Ints, Bytes]:
    """Places and values of all bytes that change, those of checksums among them."""
    if not cells:
        return np.zeros(0, np.int64), np.zeros(0, np.uint8)
    places, values = zip(*(_bytes_of(frame, own) for own in cells), strict=True)
    place, value = np.concatenate(places), np.concatenate(values)
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    blocks = np.unique((place - frame.begin) // BLOCK)
    table = frame.table()
    for block in blocks.tolist():
        first = frame.begin + block * BLOCK
        content = frame.data[first : min(first + BLOCK, frame.end)].copy()
        if hashlib.sha256(content.data).digest() != table[block].tobytes():
            raise BadFileError(
                "a block does not match its checksum: the file was altered. Nothing "
                "was erased; restore the file from a copy.",
                path,
            )
        own = slice(*np.searchsorted(place, [first, first + BLOCK]))
        content[place[own] - first] = value[own]
        digest = hashlib.sha256(content.data).digest()
        table[block] = np.frombuffer(digest, np.uint8)
    of_table = frame.end + (blocks[:, None] * CHECKSUM + np.arange(CHECKSUM))
    whole = hashlib.sha256(frame.data[: frame.begin].tobytes() + table.tobytes())
    last = frame.end + table.size + np.arange(CHECKSUM)
    return (
        np.concatenate([place, of_table.ravel(), last]),
        np.concatenate(
            [value, table[blocks].ravel(), np.frombuffer(whole.digest(), np.uint8)]
        ),
    )


def _bytes_of(frame: Frame, own: Cells) -> tuple[Ints, Bytes]:
    """The bytes of cells, by their places in the file."""
    size = own.array.itemsize
    first = own.array.ctypes.data - frame.data.ctypes.data
    places = first + own.cells[:, None] * size + np.arange(size)
    values = np.ascontiguousarray(own.values.astype(own.array.dtype, copy=False))
    return places.ravel(), values.view(np.uint8).ravel()
