"""Records one after the other in a file: each is whole and on the disk, or never was.

Layout of a log, little-endian: a head (magic, the number of acknowledged records as
uint64, 16 bytes of SHA-256 of the two); then records, each a header (its number from 1
on and the length of its content as uint64, 16 bytes of SHA-256 of the checksum before
it and the two), its content, and its checksum: 32 bytes of SHA-256 of the checksum
before it, the header and the content.

A record is acknowledged in the head as soon as it is on the disk, so one that is
acknowledged and not whole is damaged. The one behind those may have been cut short by a
kill or a power cut: it is torn if its header is right as far as it goes, and the file
ends within the record or has zeros up to its end, at least all of the checksum among
them (a power cut may leave a length without the bytes). Everything else is damage and
refused. A torn record is cut off, and kept in a file beside the log.

Whatever is written change by change is such a log, never a format of its own.
"""

import contextlib
import hashlib
import itertools
import os
import shutil
import struct
import warnings
from pathlib import Path
from typing import NamedTuple, Self

from sklazy.errors import BadFileError, DataWarning
from sklazy.storage.files import opened
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.placing import sync_folder

RESTORE = "Restore the file from a copy."
"""The way out that every damaged file has."""

_MAGIC = b"SKLAZYJ\x1a\x02\n"
_HEAD = struct.Struct("<10sQ16s")
_HEADER = struct.Struct("<QQ16s")
NO_RECORDS = _HEAD.size
"""Bytes of a log without records."""

_SHORT = 16  # bytes of a checksum in a head or a header


def damaged(
    path: object, number: int, place: int, fault: str, way_out: str = RESTORE
) -> BadFileError:
    """Make the error for a record that cannot be used.

    Examples
    --------
    >>> print(damaged("changes.log", 2, 96, "does not match its checksum"))
    changes.log: record 2, at byte 96, does not match its checksum. Restore the file
    from a copy.
    """
    return BadFileError(f"record {number}, at byte {place}, {fault}. {way_out}", path)


class Fault(NamedTuple):
    """The reason why a record is not whole."""

    text: str
    is_torn: bool  # whether a write that was cut short leaves it so


class Records(NamedTuple):
    """The records at the beginning of a log that are whole."""

    contents: list[bytes]
    end: int  # where the last of them ends
    last: bytes  # its checksum
    fault: Fault | None  # of the record behind them, if there is one


class Log:
    """A file of records, open to add further ones; see `Log.open`."""

    def __init__(self, path: Path, records: Records) -> None:
        self.n_records, self._is_clean = len(records.contents), False
        self._end, self._last = records.end, records.last
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - kept open
        self._cut_back()
        os.fsync(self._file.fileno())

    @staticmethod
    def create(path: Path) -> None:
        """Write a log without records, which is on the disk when this returns."""
        with open(path, "xb") as file:
            file.write(_pack_head(0))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)

    @classmethod
    def open(
        cls, path: Path, *, way_out: str = RESTORE, salvage: bool = False
    ) -> tuple[Self, list[bytes]]:
        """Open a log and read the contents of its records; errors end with the way out.

        With `salvage` the records before a damaged one are enough; a copy of the file
        is kept beside it.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "changes.log"
        >>> Log.create(path)
        >>> log, _ = Log.open(path)
        >>> log.append(b"a change")
        >>> log.close()
        >>> log, contents = Log.open(path)
        >>> contents
        [b'a change']
        >>> log.close()
        >>> folder.cleanup()
        """
        with opened(path) as file:
            data = file.read()
        try:
            records = read_log(data, path, way_out)
        except BadFileError as error:
            if not salvage:
                raise
            records = read_records(data, 0)
            keep_salvaged(path, data, len(records.contents), error)
        else:
            if records.fault is not None:
                _keep_torn(path, data, records)
        return cls(path, records), records.contents

    def append(self, content: bytes) -> None:
        """Write a record; it is on the disk when this returns."""
        record = pack_record(self.n_records + 1, content, self._last)
        if not self._is_clean:
            self._cut_back()
        self._is_clean = False
        try:
            self._write(self._end, record)
            os.fsync(self._file.fileno())
        except BaseException:
            self._file.truncate(self._end)  # no half of it
            raise
        with contextlib.suppress(OSError):  # it may acknowledge too few, never too many
            self._write(0, _pack_head(self.n_records + 1))
        self._end, self._last = self._end + len(record), record[-CHECKSUM:]
        self.n_records, self._is_clean = self.n_records + 1, True

    def _cut_back(self) -> None:
        """Have no more in the file than the records that are known."""
        self._write(0, _pack_head(self.n_records))
        self._file.truncate(self._end)
        self._is_clean = True

    def _write(self, place: int, data: bytes) -> None:
        self._file.seek(place)
        _write_all(self._file.fileno(), data)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


# --- layout ---------------------------------------------------------------------------


def _pack_head(n_acknowledged: int) -> bytes:
    plain = struct.pack("<10sQ", _MAGIC, n_acknowledged)
    return plain + hashlib.sha256(plain).digest()[:_SHORT]


def _pack_header(number: int, length: int, last: bytes) -> bytes:
    plain = struct.pack("<QQ", number, length)
    return plain + hashlib.sha256(last + plain).digest()[:_SHORT]


def pack_record(number: int, content: bytes, last: bytes = _MAGIC) -> bytes:
    """Make a record as it lies in a log, behind one with the checksum `last`.

    Examples
    --------
    >>> len(pack_record(1, b"a change"))
    72
    """
    body = _pack_header(number, len(content), last) + content
    return body + hashlib.sha256(last + body).digest()


# --- reading --------------------------------------------------------------------------


def read_log(data: bytes, path: Path, way_out: str) -> Records:
    """Read the records of a log, but for a torn one at its end; damage is refused."""
    head = data[: _HEAD.size]
    n_acknowledged = _HEAD.unpack(head.ljust(_HEAD.size, b"\0"))[1]
    if head != _pack_head(n_acknowledged):
        raise BadFileError(
            f"the first {_HEAD.size} bytes are not the head of a journal of sklazy's, "
            f"or were altered. {way_out}",
            path,
        )
    records = read_records(data, n_acknowledged)
    number, fault = len(records.contents) + 1, records.fault
    if fault is not None and (number <= n_acknowledged or not fault.is_torn):
        text = f"{fault.text}; {n_acknowledged} were acknowledged"
        raise damaged(path, number, records.end, text, way_out)
    return records


def read_records(data: bytes, n_acknowledged: int) -> Records:
    """Read the records of a log up to one that is not whole.

    Examples
    --------
    >>> read_records(bytes(34) + pack_record(1, b"a change"), 0).contents
    [b'a change']
    >>> read_records(bytes(34) + pack_record(1, b"a change")[:50], 0).fault
    Fault(text='is cut short: 50 of its 72 bytes are there', is_torn=True)
    """
    contents: list[bytes] = []
    end, last, fault = _HEAD.size, _MAGIC, None
    while end < len(data) or len(contents) < n_acknowledged:
        first = end + _HEADER.size
        fault = _find_fault(data, end, len(contents) + 1, last)
        if fault is not None:
            break
        length = _HEADER.unpack_from(data, end)[1]
        contents.append(data[first : first + length])
        end = first + length + CHECKSUM
        last = data[end - CHECKSUM : end]
    return Records(contents, end, last, fault)


def _find_fault(data: bytes, place: int, number: int, last: bytes) -> Fault | None:
    """Find why a record that begins at a place is not whole."""
    header = data[place : place + _HEADER.size]
    length = _HEADER.unpack(header.ljust(_HEADER.size, b"\0"))[1]
    expected = _pack_header(number, length, last)
    if header == expected:
        return _find_fault_behind(data, place, place + _HEADER.size + length, last)
    written = header.rstrip(b"\0")
    if not (_is_zero(data, place + len(header)) and expected.startswith(written)):
        return Fault("has a header that does not match its checksum", False)
    return Fault("is cut short within its header" if written else "is not there", True)


def _find_fault_behind(data: bytes, place: int, end: int, last: bytes) -> Fault | None:
    """Find why a record is not whole whose header is, and whose content has an end."""
    if len(data) < end + CHECKSUM:
        there, size = len(data) - place, end + CHECKSUM - place
        return Fault(f"is cut short: {there} of its {size} bytes are there", True)
    if _is_zero(data, end):
        return Fault("ends in zeros, its checksum among them", True)
    if hashlib.sha256(last + data[place:end]).digest() != data[end : end + CHECKSUM]:
        return Fault("does not match its checksum", False)
    return None


def _is_zero(data: bytes, place: int) -> bool:
    """Whether nothing but zeros, if anything, follows up to the end of the file."""
    return not any(memoryview(data)[place:])


# --- what is cut off ------------------------------------------------------------------


def _keep_torn(path: Path, data: bytes, records: Records) -> None:
    """Keep what is cut off a log, and warn."""
    assert records.fault is not None
    copy = _keep_beside(path, data[records.end :])
    warnings.warn(
        f"{path}: record {len(records.contents) + 1}, at byte {records.end}, "
        f"{records.fault.text}. It was being written when the process ended and was "
        f"never acknowledged; it is cut off. Its bytes are kept in {copy.name}.",
        DataWarning,
        stacklevel=2,
    )


def keep_salvaged(path: Path, data: bytes, n_records: int, error: BadFileError) -> None:
    """Keep a copy of a damaged file of which some records are used, and warn."""
    copy = _keep_beside(path, data)
    warnings.warn(
        f"{error} Salvaged: {n_records} records before the damage are used, all behind "
        f"it is given up. The file as it was is kept in {copy.name}.",
        DataWarning,
        stacklevel=2,
    )


def _keep_beside(path: Path, data: bytes) -> Path:
    """Write bytes to a new file beside a log, on the disk when this returns."""
    for number in itertools.count(1):
        copy = path.with_name(f"{path.name}.cut-{number}")
        with contextlib.suppress(FileExistsError), open(copy, "xb") as file:
            shutil.copymode(path, copy)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            break
    sync_folder(path.parent)
    return copy
