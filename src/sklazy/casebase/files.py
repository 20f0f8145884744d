"""A file of plain data: a header and arrays, checksummed, written all or nothing.

Layout: 8 bytes of magic, the format's version (uint32) and the header's length
(uint64), little-endian; the header as JSON, which names every array with its type
and shape; the arrays' bytes in that order; SHA-256 of all before. Nothing in it is
ever executed.
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
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError, BadInputError

MAGIC = b"SKLAZY\x1a\n"
VERSION = 1

_PREFIX = struct.Struct("<8sIQ")
_CHECKSUM = 32
_TYPES = ("<f8", "<i8", "<i4", "|u1")

Arrays = Mapping[str, NDArray[Any]]

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
        digest = hashlib.sha256()
        for piece in _pieces(header, arrays):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())


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
    """Read what `write_file` wrote, or say what is wrong with the file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadFileError(f"cannot be read ({error.strerror}).", path) from error
    except ValueError as error:  # a NUL in the path
        raise BadFileError(f"cannot be read ({error}).", ascii(path)) from error
    length = _check_prefix(data, path)
    if hashlib.sha256(data[:-_CHECKSUM]).digest() != data[-_CHECKSUM:]:
        raise BadFileError(
            "the checksum does not match: the file is truncated or was altered. "
            "Restore it from a copy.",
            path,
        )
    try:
        return _parse(data, length)
    except SENSELESS as error:
        raise BadFileError(f"the header makes no sense ({error}).", path) from error


def _pieces(header: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    plain = {name: _plain(array) for name, array in arrays.items()}
    layout = [(name, a.dtype.str, a.shape) for name, a in plain.items()]
    text = json.dumps({**header, "arrays": layout}, ensure_ascii=True).encode("ascii")
    yield _PREFIX.pack(MAGIC, VERSION, len(text))
    yield text
    for array in plain.values():
        yield array.tobytes()


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
    if little.dtype.str not in _TYPES:
        raise TypeError(f"arrays of type {array.dtype} are not stored")
    return little


def _check_prefix(data: bytes, path: str | Path) -> int:
    """The header's length, once the file is known to be one of ours."""
    if data[: len(MAGIC)] != MAGIC[: len(data)] or not data:
        raise BadFileError("this is not a file that sklazy saved.", path)
    if len(data) < _PREFIX.size + _CHECKSUM:
        raise BadFileError("the file is truncated. Restore it from a copy.", path)
    _, version, length = _PREFIX.unpack_from(data)
    if version > VERSION:
        raise BadFileError(
            f"the file has format {version}, this sklazy reads up to {VERSION}. "
            "Update sklazy.",
            path,
        )
    return int(length)


def _parse(data: bytes, length: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    place, end = _PREFIX.size + length, len(data) - _CHECKSUM
    header = json.loads(data[_PREFIX.size : place])
    arrays = {}
    for name, kind, shape in header.pop("arrays"):
        if kind not in _TYPES:
            raise ValueError(f"array type {kind!r}")
        count = math.prod(map(operator.index, shape))
        size = count * np.dtype(kind).itemsize
        if min(shape, default=0) < 0 or place + size > end:
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
