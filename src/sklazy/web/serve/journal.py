"""An append-only file of changes: each is whole and on the disk, or it never was.

Layout: magic and version; then records, each its length (uint32, little-endian), its
JSON, and 32 bytes of SHA-256 over the checksum before it and the two. A record that
was being written when the process ended is at the end and is cut off; one that is
damaged anywhere else is refused, since records behind it were acknowledged.
"""

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any

from sklazy.errors import BadFileError

Change = dict[str, Any]

_MAGIC = b"SKLAZYJ\x1a\x01\n"
_LENGTH = struct.Struct("<I")
_CHECKSUM = 32


class Journal:
    """The changes in a file, and a place to add further ones.

    Parameters
    ----------
    path : Path
        Made if it is not there.

    Attributes
    ----------
    found : list of dict
        The changes that were there.
    n_records : int
        The changes that are there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.exists():
            path.write_bytes(_MAGIC)
        self.found, self._end, self._last = _parse(path.read_bytes(), path)
        self.n_records = len(self.found)
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - kept open
        self._file.truncate(self._end)
        os.fsync(self._file.fileno())

    def append(self, change: Change) -> None:
        """Write a change; it is on the disk when this returns."""
        record, checksum = _record(change, self._last)
        try:
            self._file.seek(self._end)
            _write_all(self._file.fileno(), record)
            os.fsync(self._file.fileno())
        except BaseException:
            self._file.truncate(self._end)  # no half of it
            raise
        self._end += len(record)
        self._last = checksum
        self.n_records += 1

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _record(change: Change, last: bytes) -> tuple[bytes, bytes]:
    text = json.dumps(change, ensure_ascii=True, allow_nan=False).encode("ascii")
    body = _LENGTH.pack(len(text)) + text
    checksum = hashlib.sha256(last + body).digest()
    return body + checksum, checksum


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _parse(data: bytes, path: Path) -> tuple[list[Change], int, bytes]:
    """The changes, where the last of them ends, and its checksum."""
    if data[: len(_MAGIC)] != _MAGIC:
        raise BadFileError("this is not a journal of sklazy's server.", path)
    found: list[Change] = []
    place, last = len(_MAGIC), _MAGIC
    while place < len(data):
        end = _end_of_record(data, place)
        body, checksum = data[place : end - _CHECKSUM], data[end - _CHECKSUM : end]
        whole = hashlib.sha256(last + body).digest() == checksum
        if end > len(data) or (end == len(data) and not whole):
            break  # it was being written
        if not whole:
            if not any(data[place:]):
                break  # a power cut leaves zeros where data were to come
            raise BadFileError(
                f"record {len(found)} does not match its checksum: the journal was "
                "altered. Restore it from a copy.",
                path,
            )
        found.append(json.loads(body[_LENGTH.size :]))
        place, last = end, checksum
    return found, place, last


def _end_of_record(data: bytes, place: int) -> int:
    """Where a record ends by its own account; behind the data if it is cut."""
    if place + _LENGTH.size > len(data):
        return len(data) + 1
    (length,) = _LENGTH.unpack_from(data, place)
    return place + _LENGTH.size + int(length) + _CHECKSUM
