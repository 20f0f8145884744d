"""Arrays one after the other in a file: aligned to pages, with a checksum for a block.

An array of a page or more begins with a page, so that it can be mapped; a smaller one
begins with a cache line. What lies between is zeros.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

PAGE = 4096
LINE = 64
BLOCK = 1 << 16
CHECKSUM = 32
"""Bytes of a SHA-256."""

_AT_ONCE = 16 * BLOCK  # bytes that a thread hashes

Layout = tuple[str, np.dtype, tuple[int, ...]]


def start_after(place: int, n_bytes: int) -> int:
    """Where an array of `n_bytes` begins, not before a place."""
    step = PAGE if n_bytes >= PAGE else LINE
    return -(-place // step) * step


def line_up(place: int, arrays: Iterable[NDArray[np.generic]]) -> Iterator[memoryview]:
    """The bytes of arrays from a place on, and the zeros between them."""
    for array in arrays:
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        start = start_after(place, little.nbytes)
        yield memoryview(bytes(start - place))
        yield little.reshape(-1).view(np.uint8).data
        place = start + little.nbytes


def find_end(place: int, layout: Iterable[Layout]) -> int:
    """Where arrays end that begin at a place."""
    for _, kind, shape in layout:
        n_bytes = math.prod(shape) * kind.itemsize
        place = start_after(place, n_bytes) + n_bytes
    return place


def views_of(
    data: NDArray[np.uint8], place: int, layout: Sequence[Layout]
) -> dict[str, NDArray[np.generic]]:
    """The arrays that lie in a file's bytes from a place on, not copied."""
    arrays = {}
    for name, kind, shape in layout:
        n_bytes = math.prod(shape) * kind.itemsize
        start = start_after(place, n_bytes)
        place = start + n_bytes
        if place > len(data):
            raise ValueError(f"array {name!r} does not fit")
        arrays[name] = data[start:place].view(kind).reshape(shape)
    if place != len(data):
        raise ValueError("bytes left over")
    return arrays


def end_of(begin: int, end: int) -> int:
    """Where the arrays end whose checksums follow them, between two places."""
    n_blocks = -(-(end - begin) // (BLOCK + CHECKSUM))
    return max(begin, end - n_blocks * CHECKSUM)


def size_of_table(begin: int, end: int) -> int:
    """How many bytes the checksums take of arrays between two places."""
    return -(-(end - begin) // BLOCK) * CHECKSUM


def aligned_buffer(n_bytes: int) -> NDArray[np.uint8]:
    """Memory for a file that begins with a page, as the file does."""
    buffer = np.empty(n_bytes + PAGE, np.uint8)
    first = -buffer.ctypes.data % PAGE
    return buffer[first : first + n_bytes]


class Blocks:
    """The checksums of blocks of bytes.

    Examples
    --------
    >>> blocks = Blocks()
    >>> blocks.add(memoryview(b"some bytes"))
    >>> len(blocks.table())
    32
    """

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._room = BLOCK
        self._digest = hashlib.sha256()

    def add(self, piece: memoryview) -> None:
        """Take further bytes in."""
        while len(piece):
            self._digest.update(piece[: self._room])
            taken = min(self._room, len(piece))
            piece, self._room = piece[taken:], self._room - taken
            if not self._room:
                self._close()

    def _close(self) -> None:
        self._digests.append(self._digest.digest())
        self._digest, self._room = hashlib.sha256(), BLOCK

    def table(self) -> bytes:
        """The checksums of all blocks, the last one may be short."""
        if self._room < BLOCK:
            self._close()
        return b"".join(self._digests)


def checksums(data: NDArray[np.uint8]) -> list[bytes]:
    """The checksums of pieces of bytes, each of some blocks."""
    starts = range(0, len(data), _AT_ONCE)
    pieces = (data[first : first + _AT_ONCE] for first in starts)
    with ThreadPoolExecutor() as threads:  # hashing lets others run
        return list(threads.map(_checksums, pieces))


def _checksums(piece: NDArray[np.uint8]) -> bytes:
    return b"".join(
        hashlib.sha256(piece[first : first + BLOCK].data).digest()
        for first in range(0, len(piece), BLOCK)
    )
