"""A file of plain data: a header and arrays, checksummed, written all or nothing.

Layout of format 2: 8 bytes of magic, the format's version (uint32) and the header's
length (uint64), little-endian; the header as JSON, which names every array with its
type and shape; the arrays in that order, large ones from the beginning of a page; a
checksum of every block of these (`casebase.pages`); SHA-256 of prefix, header and
checksums. Format 1 had the arrays without gaps and SHA-256 of all before; it is read,
too. Nothing in a file is ever executed.
"""

import contextlib
import glob
import hashlib
import itertools
import json
import math
import operator
import os
import shutil
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.pages import (
    Blocks,
    Layout,
    aligned_buffer,
    end_of,
    line_up,
    views_of,
)
from sklazy.errors import BadFileError, BadInputError

MAGIC = b"SKLAZY\x1a\n"
VERSION = 2

_PREFIX = struct.Struct("<8sIQ")
_CHECKSUM = 32
_TYPES = ("<f8", "<i8", "<u8", "<i4", "<i2", "|i1", "|u1")

Arrays = Mapping[str, NDArray[Any]]
Bytes = NDArray[np.uint8]

SENSELESS = (
    *(ValueError, TypeError, LookupError),
    *(AttributeError, OverflowError, RecursionError, StopIteration),
)
"""What a header may raise that somebody made up, checksum and all."""

_counter = itertools.count()


def write_file(path: str | Path, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a header and arrays; the old file stands until the new one is complete."""
    _check_path(os.fsdecode(path))
    with _named(path), _replacing(Path(os.path.realpath(path))) as file:
        prefix, blocks = _prefix(header, arrays), Blocks()
        file.write(prefix)
        for piece in line_up(len(prefix), arrays.values()):
            blocks.add(piece)
            file.write(piece)
        table = blocks.table()
        file.write(table)
        file.write(hashlib.sha256(prefix + table).digest())


def _check_path(path: str) -> None:
    """Refuse what a file cannot be put in the place of."""
    if not path or "\0" in path:
        raise BadInputError(f"{path=} names no file; give one, such as 'model.sklazy'.")
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise BadInputError(
            f"{path=} is a device or a pipe, which a file would take the place of; "
            "give a file, such as 'model.sklazy'."
        )


def read_file(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_file` wrote, every byte checked, or say what is wrong."""
    try:
        with open(path, "rb") as file:
            data = aligned_buffer(os.fstat(file.fileno()).st_size)
            data = data[: file.readinto(data)]  # type: ignore[arg-type]
    except OSError as error:
        raise BadFileError(f"cannot be read ({error.strerror}).", path) from error
    except ValueError as error:  # a NUL in the path
        raise BadFileError(f"cannot be read ({error}).", ascii(path)) from error
    if _version_of(data, path) == 1:
        return _read_first_format(data, path)
    opened = _open(data, path)
    if not opened.blocks.equal(data[opened.begin : opened.end]):
        raise _altered(path)
    return opened.header, opened.arrays


def map_file(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Open what `write_file` wrote, arrays in the file; the header alone is checked.

    Arrays can be written to, which never reaches the file.
    """
    try:
        data = np.memmap(path, np.uint8, mode="c").view(np.ndarray)
    except OSError as error:
        raise BadFileError(f"cannot be read ({error.strerror}).", path) from error
    except ValueError as error:  # nothing in it, or a NUL in the path
        raise BadFileError(f"cannot be mapped ({error}).", ascii(path)) from error
    if _version_of(data, path) == 1:
        raise BadFileError(
            "the file has format 1, which cannot be mapped. Load it without "
            "mmap_mode and save it again.",
            path,
        )
    opened = _open(data, path)
    return opened.header, opened.arrays


def _prefix(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    layout = [(name, _type_of(a), a.shape) for name, a in arrays.items()]
    text = json.dumps({**header, "arrays": layout}, ensure_ascii=True).encode("ascii")
    return _PREFIX.pack(MAGIC, VERSION, len(text)) + text


def _type_of(array: NDArray[Any]) -> str:
    kind = array.dtype.newbyteorder("<").str
    if kind not in _TYPES:
        raise TypeError(f"arrays of type {array.dtype} are not stored")
    return kind


def _version_of(data: Bytes, path: str | Path) -> int:
    """The format of a file, once it is known to be one of ours."""
    first = data[: _PREFIX.size].tobytes()
    if first[: len(MAGIC)] != MAGIC[: len(first)] or not first:
        raise BadFileError("this is not a file that sklazy saved.", path)
    if len(data) < _PREFIX.size + _CHECKSUM:
        raise BadFileError("the file is truncated. Restore it from a copy.", path)
    version = int(_PREFIX.unpack(first)[1])
    if version > VERSION:
        raise BadFileError(
            f"the file has format {version}, this sklazy reads up to {VERSION}. "
            "Update sklazy.",
            path,
        )
    return version


def _altered(path: str | Path) -> BadFileError:
    return BadFileError(
        "the checksum does not match: the file is truncated or was altered. "
        "Restore it from a copy.",
        path,
    )


class _Opened(NamedTuple):
    """A file whose header makes sense; its arrays begin and end at these bytes."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    blocks: Blocks
    begin: int
    end: int


def _open(data: Bytes, path: str | Path) -> _Opened:
    """Read the header of a file of format 2, and see its arrays where they are."""
    begin = _PREFIX.size + _header_length(data)
    if begin > len(data) - _CHECKSUM:
        raise _altered(path)
    end = end_of(begin, len(data) - _CHECKSUM)
    table, told = data[end:-_CHECKSUM].tobytes(), data[-_CHECKSUM:].tobytes()
    if hashlib.sha256(data[:begin].tobytes() + table).digest() != told:
        raise _altered(path)
    try:
        header = json.loads(data[_PREFIX.size : begin].tobytes())
        layout = [_checked_layout(*entry) for entry in header.pop("arrays")]
        arrays = views_of(data[:end], begin, layout)
    except SENSELESS as error:
        raise BadFileError(f"the header makes no sense ({error}).", path) from error
    return _Opened(header, arrays, Blocks(table), begin, end)


def _header_length(data: Bytes) -> int:
    return int(_PREFIX.unpack(data[: _PREFIX.size].tobytes())[2])


def _checked_layout(name: str, kind: str, shape: list[int]) -> Layout:
    if kind not in _TYPES:
        raise ValueError(f"array type {kind!r}")
    if min(map(operator.index, shape), default=0) < 0:
        raise ValueError(f"array {name!r} does not fit")
    return name, np.dtype(kind), tuple(shape)


def _read_first_format(
    data: Bytes, path: str | Path
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    told = data[-_CHECKSUM:].tobytes()
    if hashlib.sha256(data[:-_CHECKSUM].data).digest() != told:
        raise _altered(path)
    try:
        return _parse(data.tobytes(), _header_length(data))
    except SENSELESS as error:
        raise BadFileError(f"the header makes no sense ({error}).", path) from error


def _parse(data: bytes, length: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    place, end = _PREFIX.size + length, len(data) - _CHECKSUM
    header = json.loads(data[_PREFIX.size : place])
    arrays = {}
    for entry in header.pop("arrays"):
        name, kind, shape = _checked_layout(*entry)
        count = math.prod(shape)
        size = count * kind.itemsize
        if place + size > end:
            raise ValueError(f"array {name!r} does not fit")
        arrays[name] = np.frombuffer(data, kind, count, place).reshape(shape).copy()
        place += size
    if place != end:
        raise ValueError("bytes left over")
    return header, arrays


@contextlib.contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Let errors of the system name the file that was asked for, not its part."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` at the end, or never was."""
    _clear_leftovers(path)
    # Several threads may save to the same path.
    part = path.with_name(f".{path.name}.{os.getpid()}.{next(_counter)}.part")
    try:
        with open(part, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(path, part)  # what was private stays private
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _clear_leftovers(path: Path) -> None:
    """Remove what a save left that was killed: its process is no more."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.*.part"):
        process = part.name.split(".")[-3]
        if process.isdigit() and not _alive(int(process)):
            part.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name == "nt":  # no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
