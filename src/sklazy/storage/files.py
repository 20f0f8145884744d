"""A file of plain data: a header and arrays, checksummed, written all or nothing.

Layout of format 2: 8 bytes of magic, the format's version (uint32) and the header's
length (uint64), little-endian; the header as JSON, which names every array with its
type and shape; the arrays in that order, large ones from the beginning of a page; a
checksum of every block of these (`storage.pages`); SHA-256 of prefix, header and
checksums. Nothing in a file is ever executed.
"""

import contextlib
import hashlib
import json
import mmap
import operator
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError, BadInputError
from sklazy.storage.pages import (
    BLOCK,
    CHECKSUM,
    Blocks,
    Layout,
    aligned_buffer,
    checksums,
    end_of,
    find_end,
    line_up,
    size_of_table,
    views_of,
)
from sklazy.storage.placing import AT_ANY_TIME, naming_file, replacing_file, take_room

MAGIC = b"SKLAZY\x1a\n"
VERSION = 2

_AT_ONCE = 1 << 27  # bytes of a file that are checked together; some blocks

_PREFIX = struct.Struct("<8sIQ")
_TYPES = ("<f8", "<i8", "<u8", "<i4", "<i2", "|i1", "|u1")

Arrays = Mapping[str, NDArray[Any]]
Bytes = NDArray[np.uint8]

SENSELESS = (
    *(ValueError, TypeError, LookupError),
    *(AttributeError, OverflowError, RecursionError, StopIteration),
)
"""Errors that a forged header with a valid checksum may raise."""


def write_file(
    path: str | Path,
    header: Mapping[str, Any],
    arrays: Arrays,
    like: str | Path | None = None,
) -> None:
    """Write a header and arrays; the old file stands until the new one is complete.

    Its permissions to read are those of the file `like`.
    """
    _check_path(os.fsdecode(path))
    real, model = Path(os.path.realpath(path)), None if like is None else Path(like)
    with naming_file(path), replacing_file(real, like=model) as file:
        for piece in _pieces(header, arrays):
            file.write(piece)


def to_bytes(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The bytes that `write_file` would write."""
    return b"".join(_pieces(header, arrays))


def _pieces(header: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes | memoryview]:
    layout = [(name, _type_of(array), array.shape) for name, array in arrays.items()]
    prefix, blocks = _pack_prefix(header, layout), Blocks()
    yield prefix
    for piece in line_up(len(prefix), arrays.values()):
        blocks.add(piece)
        yield piece
    table = blocks.table()
    yield table
    yield hashlib.sha256(prefix + table).digest()


@contextlib.contextmanager
def create_file(
    path: str | Path,
    header: Mapping[str, Any],
    layout: Sequence[Layout],
    check: Callable[[Path], object] | None = None,
    turn: AbstractContextManager[object] = AT_ANY_TIME,
) -> Iterator["MappedArrays"]:
    """A file whose arrays, zeros at first, are written to within a ``with`` block.

    They lie in the file, not in memory. It takes the place of an old one at the end of
    the block, or never was if that fails. Its room is taken at the start: a disk that
    is full is an error then. `check` is given the complete file, under another name; if
    it raises there is none. `turn` is entered for the moment in which the file takes
    its place.
    """
    _check_path(os.fsdecode(path))
    plain = [(name, kind.str, shape) for name, kind, shape in layout]
    prefix = _pack_prefix(header, plain)
    end = find_end(len(prefix), layout)
    with naming_file(path), replacing_file(Path(os.path.realpath(path)), turn) as file:
        take_room(file, end + size_of_table(len(prefix), end) + CHECKSUM)
        file.write(prefix)
        file.flush()
        data = np.memmap(file, np.uint8, "r+", shape=(end,))
        whole = data.view(np.ndarray)
        views = views_of(whole, len(prefix), layout)
        arrays = MappedArrays(data, views, file)
        yield arrays
        data.flush()
        table = b""
        for first in range(len(prefix), end, _AT_ONCE):
            arrays.leave_memory()
            table += b"".join(checksums(whole[first : min(end, first + _AT_ONCE)]))
        file.seek(end)
        file.write(table)
        file.write(hashlib.sha256(prefix + table).digest())
        file.flush()
        if check is not None:
            check(Path(file.name))


class MappedArrays(dict[str, NDArray[Any]]):
    """Arrays by name that lie in a file while it is written."""

    def __init__(
        self, data: "np.memmap[Any, Any]", views: Arrays, file: IO[bytes]
    ) -> None:
        super().__init__(views)
        self._data, self._file = data, file

    def put(self, room: NDArray[Any], values: NDArray[Any]) -> None:
        """Write rows of values to where they lie in one of the arrays.

        Past the mapping, where the system can: pages of it are made one by one.
        """
        if not hasattr(os, "pwrite"):  # pragma: no cover - Windows
            room[:] = values
            return
        begin, step = room.ctypes.data - self._data.ctypes.data, room.strides[0]
        for number, row in enumerate(values):
            data = np.ascontiguousarray(row, room.dtype).view(np.uint8).data
            at = begin + number * step
            while len(data):  # a write may be cut short
                n_written = os.pwrite(self._file.fileno(), data, at)
                data, at = data[n_written:], at + n_written

    def leave_memory(self) -> None:
        """Count pages that were written as the system's, not as this process's.

        They stay in the file, which others could see, so nothing is lost.
        """
        if hasattr(mmap, "MADV_DONTNEED"):
            self._data._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]


def _check_path(path: str) -> None:
    """Refuse what a file cannot be put in the place of."""
    if not path or "\0" in path:
        raise BadInputError(
            f"{path=} is not the name of a file; give one, such as 'model.sklazy'."
        )
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise BadInputError(
            f"{path=} is a device or a pipe, not a file; give a file, such as "
            "'model.sklazy'."
        )


Content = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A header and arrays."""


def read_file(path: str | Path) -> Content:
    """Read a file of `write_file`, every byte checked, or raise `BadFileError`."""
    with opened(path) as file:
        return parse_bytes(read_bytes(file, path, size_of(file)), path)


def size_of(file: IO[bytes]) -> int:
    """The bytes that an open file has now."""
    return os.fstat(file.fileno()).st_size


@contextlib.contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to read, or an error that names it."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise BadFileError(
            f"cannot be read ({error.strerror}). Check its name and its permissions.",
            path,
        ) from error
    except ValueError as error:  # a NUL in the path
        raise BadFileError(f"cannot be read ({error}).", ascii(path)) from error
    with file:
        yield file


def read_bytes(file: IO[bytes], path: str | Path, size: int) -> Bytes:
    """The first bytes of a file, where arrays can lie as they do in it."""
    try:
        data = aligned_buffer(size)
        return data[: file.readinto(data)]  # type: ignore[attr-defined]
    except OSError as error:
        raise BadFileError(
            f"cannot be read ({error.strerror}). Check its name and its permissions.",
            path,
        ) from error


def parse_bytes(data: Bytes | bytes, path: str | Path) -> Content:
    """Header and arrays from the bytes of a file, every one of them checked."""
    if isinstance(data, bytes):
        buffer = aligned_buffer(len(data))
        buffer[:] = np.frombuffer(data, np.uint8)
        data = buffer
    frame = open_frame(data, path)
    computed = b"".join(checksums(data[frame.begin : frame.end]))
    if computed != frame.table().tobytes():
        raise _altered(path, _first_altered(frame, computed))
    return frame.header, frame.arrays


def map_bytes(file: IO[bytes], path: str | Path, size: int) -> Bytes:
    """The first bytes of a file, which stay there; what is written to them does not."""
    try:
        return np.memmap(file, np.uint8, mode="c", shape=(size,)).view(np.ndarray)
    except OSError as error:
        raise BadFileError(
            f"cannot be mapped ({error.strerror}). Load it without mmap_mode.", path
        ) from error
    except ValueError as error:  # nothing in it
        raise BadFileError(
            f"cannot be mapped ({error}). Load it without mmap_mode.", path
        ) from error


def see_arrays(data: Bytes, path: str | Path) -> Content:
    """Header and arrays from the bytes of a file; only the header is checked."""
    frame = open_frame(data, path)
    return frame.header, frame.arrays


def _pack_prefix(header: Mapping[str, Any], layout: Sequence[object]) -> bytes:
    text = json.dumps({**header, "arrays": layout}, ensure_ascii=True).encode("ascii")
    return _PREFIX.pack(MAGIC, VERSION, len(text)) + text


def _type_of(array: NDArray[Any]) -> str:
    kind = array.dtype.newbyteorder("<").str
    if kind not in _TYPES:
        raise TypeError(f"arrays of type {array.dtype} are not stored")
    return kind


def _check_version(data: Bytes, path: str | Path) -> None:
    """Refuse a file that is none of ours, or has another format."""
    first = data[: _PREFIX.size].tobytes()
    if first[: len(MAGIC)] != MAGIC[: len(first)] or not first:
        raise BadFileError(
            "this is not a file that sklazy saved; give one that model.save wrote.",
            path,
        )
    if len(data) < _PREFIX.size + CHECKSUM:
        raise BadFileError("the file is truncated. Restore it from a copy.", path)
    version = int(_PREFIX.unpack(first)[1])
    if version > VERSION:
        raise BadFileError(
            f"the file has format {version}, this sklazy reads up to {VERSION}. "
            "Update sklazy.",
            path,
        )
    if version < VERSION:
        raise BadFileError(
            f"the file has format {version}, this sklazy reads {VERSION}. Fit the "
            "model again and save it.",
            path,
        )


def contradiction(error: Exception, path: object) -> BadFileError:
    """The error for a header that contradicts itself."""
    return BadFileError(
        f"the file contradicts itself ({error}). Restore it from a copy.", path
    )


def _altered(path: str | Path, where: str = "") -> BadFileError:
    return BadFileError(
        f"the checksum{where} does not match: the file is truncated or was altered. "
        "Restore it from a copy.",
        path,
    )


def _first_altered(frame: "Frame", digests: bytes) -> str:
    """Where the first block is that has another checksum."""
    stored, computed = (
        frame.table(),
        np.frombuffer(digests, np.uint8).reshape(-1, CHECKSUM),
    )
    first = (
        frame.begin + int(np.flatnonzero((stored != computed).any(axis=1))[0]) * BLOCK
    )
    return f" of bytes {first} to {min(first + BLOCK, frame.end) - 1}"


class Frame(NamedTuple):
    """A file whose header makes sense; its arrays begin and end at these bytes."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    data: Bytes
    begin: int
    end: int

    def table(self) -> Bytes:
        """The checksums of its blocks, shape (n_blocks, 32)."""
        return self.data[self.end : -CHECKSUM].reshape(-1, CHECKSUM).copy()


def open_frame(data: Bytes, path: str | Path) -> Frame:
    """Read the header of a file of format 2, and see its arrays where they are."""
    _check_version(data, path)
    begin = _PREFIX.size + int(_PREFIX.unpack(data[: _PREFIX.size].tobytes())[2])
    if begin > len(data) - CHECKSUM:
        raise _altered(path)
    end = end_of(begin, len(data) - CHECKSUM)
    table, checksum = data[end:-CHECKSUM].tobytes(), data[-CHECKSUM:].tobytes()
    if hashlib.sha256(data[:begin].tobytes() + table).digest() != checksum:
        raise _altered(path)
    try:
        header = json.loads(data[_PREFIX.size : begin].tobytes())
        layout = [_checked_layout(*entry) for entry in header.pop("arrays")]
        arrays = views_of(data[:end], begin, layout)
    except SENSELESS as error:
        raise BadFileError(
            f"the header cannot be understood ({error}). Restore the file from a copy.",
            path,
        ) from error
    return Frame(header, arrays, data, begin, end)


def _checked_layout(name: str, kind: str, shape: list[int]) -> Layout:
    if kind not in _TYPES:
        raise ValueError(f"array type {kind!r}")
    if min(map(operator.index, shape), default=0) < 0:
        raise ValueError(f"array {name!r} does not fit")
    return name, np.dtype(kind), tuple(shape)
