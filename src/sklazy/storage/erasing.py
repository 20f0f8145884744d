"""Which bytes of a file change when rows are erased from it in place.

The last rows of a segment take the places of those that go, what is behind them becomes
zeros, and counts, ranges and checksums follow. Bit sets are moved bit by bit.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import Places, Rows
from sklazy.errors import BadFileError
from sklazy.storage.files import Frame
from sklazy.storage.packed import Packing
from sklazy.storage.pages import BLOCK, CHECKSUM
from sklazy.storage.stored_ids import Runs

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_OF_ROWS = ("numbers", "codes", "targets", "own_weights", "times")


class CellChange(NamedTuple):
    """Cells of an array and what they become."""

    array: NDArray[Any]  # it lies in the file
    cells: Ints  # (n_cells,), their places in it
    values: NDArray[Any]  # (n_cells,), of the array's type


class Erased(NamedTuple):
    """Rows of a segment that go."""

    arrays: Arrays  # those of the segment
    n_rows: int
    # The places of those that go, and which of the last rows take which of them.
    gone: Places
    tail: Places
    holes: Places

    @classmethod
    def of(cls, arrays: Arrays, rows: Rows, gone: Places) -> "Erased":
        """The rows at some places."""
        return cls(arrays, rows.n_rows, gone, *rows.moves(gone))

    @property
    def left(self) -> int:
        """The rows that stay."""
        return self.n_rows - len(self.gone)


def cells_of_rows(rows: Erased, packing: Packing) -> Iterator[CellChange]:
    """Changed cells of a segment's arrays, except its runs."""
    arrays = rows.arrays
    for name in _OF_ROWS:
        yield _moved(arrays[name], rows)
    yield _moved(arrays["classes"][None], rows)
    if len(arrays["ids"]):
        yield _moved(arrays["ids"][None], rows)
    if arrays["texts"].size:
        yield _moved(arrays["texts"].view(f"V{arrays['texts'].shape[1]}").T, rows)
    for name in ("value_bits", "class_bits"):
        yield _moved_bits(arrays[name], rows)
    yield from _counted(rows, packing)
    yield _narrowed(rows)


def _moved(array: NDArray[Any], rows: Erased) -> CellChange:
    """CellChange of rows, the last axis the row: the last ones fill the holes."""
    behind = np.arange(rows.left, rows.n_rows)
    zeros = np.zeros((len(array), len(behind)), array.dtype)
    places = np.append(rows.holes, behind)
    cells = np.arange(len(array))[:, None] * array.shape[1] + places
    values = np.concatenate([array[:, rows.tail], zeros], axis=1)
    return CellChange(array, cells.ravel(), values.ravel())


def _moved_bits(bits: NDArray[np.uint64], rows: Erased) -> CellChange:
    """The same for bit sets."""
    one, behind = np.uint64(1), np.arange(rows.left, rows.n_rows)
    cleared = np.append(rows.holes, behind)
    words = np.unique(cleared >> 6)
    cleared_words = bits[:, words]
    masks = np.zeros(len(words), np.uint64)
    at = np.searchsorted(words, cleared >> 6)
    np.bitwise_or.at(masks, at, one << (cleared & 63).astype(np.uint64))
    cleared_words &= ~masks
    moved = bits[:, rows.tail >> 6] >> (rows.tail & 63).astype(np.uint64) & one
    moved <<= (rows.holes & 63).astype(np.uint64)
    np.bitwise_or.at(cleared_words.T, at[: len(rows.holes)], moved.T)
    cells = np.arange(len(bits))[:, None] * bits.shape[1] + words
    return CellChange(bits, cells.ravel(), cleared_words.ravel())


def _counted(rows: Erased, packing: Packing) -> Iterator[CellChange]:
    """Counts without the rows that go."""
    arrays, codes = rows.arrays, packing.at(rows.gone)
    classes = arrays["classes"][rows.gone].astype(np.int64)
    n_classes = arrays["counts"].shape[1]
    offsets = np.cumsum(packing.widths) - packing.widths
    cells = (codes + offsets[:, None]) * n_classes + classes
    if n_classes:
        yield _less(arrays["counts"], cells[codes >= 0])
        yield _less(arrays["class_counts"], classes)


def _less(counts: NDArray[np.int64], cells: Ints) -> CellChange:
    """Counts with one less for each time that a cell is named."""
    cells, times = np.unique(cells, return_counts=True)
    return CellChange(counts, cells, counts.ravel()[cells] - times)


def less_labels(counts: NDArray[np.int64], left: NDArray[np.int64]) -> CellChange:
    """The rows of each label, as they are then."""
    changed = np.flatnonzero(counts != left)
    return CellChange(counts, changed, left[changed])


def _narrowed(rows: Erased) -> CellChange:
    """The ranges of the rows that stay."""
    edges, numbers = rows.arrays["edges"], rows.arrays["numbers"]
    new = edges.copy()
    for i, going in enumerate(numbers[:, rows.gone]):
        if np.isin(going, edges[i]).any():
            column = numbers[i, : rows.n_rows].copy()
            column[rows.gone] = np.nan
            new[i] = np.fmin.reduce(column), np.fmax.reduce(column)
    return CellChange(edges, np.arange(edges.size), new.ravel())


def cells_of_runs(
    arrays: Arrays, old: Runs, new: Runs, sizes: Arrays, number: int
) -> Iterator[CellChange]:
    """Changed cells of a segment's row numbers, and of its size."""
    longest = max(len(old.starts), len(new.starts))
    runs = np.zeros((longest, 2), np.int64)
    runs[: len(new.starts)] = np.column_stack([new.starts, new.firsts])
    yield CellChange(arrays["runs"], np.arange(runs.size), runs.ravel())
    at = np.array([number])
    yield CellChange(sizes["sizes"], at, np.array([new.n_rows]))
    yield CellChange(sizes["n_runs"], at, np.array([len(new.starts)]))


def changed_bytes(
    frame: Frame, changes: Sequence[CellChange], path: object
) -> tuple[Ints, Bytes]:
    """Places and values of all bytes that change, those of checksums among them."""
    if not changes:
        return np.zeros(0, np.int64), np.zeros(0, np.uint8)
    places, values = zip(*(_bytes_of(frame, one) for one in changes), strict=True)
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
        within = slice(*np.searchsorted(place, [first, first + BLOCK]))
        content[place[within] - first] = value[within]
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


def _bytes_of(frame: Frame, change: CellChange) -> tuple[Ints, Bytes]:
    """The bytes of cells, by their places in the file."""
    size = change.array.itemsize
    first = change.array.ctypes.data - frame.data.ctypes.data
    places = first + change.cells[:, None] * size + np.arange(size)
    values = np.ascontiguousarray(change.values.astype(change.array.dtype, copy=False))
    return places.ravel(), values.view(np.uint8).ravel()
