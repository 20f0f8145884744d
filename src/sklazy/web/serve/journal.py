"""The changes of a served model in an append-only file, as JSON in records.

`storage.records` defines a record, and distinguishes one that was being written when
the process ended from one that is damaged. Journals of format 1 are read, too: each
record is its length (uint32, little-endian), its JSON, and SHA-256 over the checksum
before it and the two. There a torn end looks like a damaged length, so both are
refused.
"""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

from sklazy.errors import BadFileError
from sklazy.storage.files import opened
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.records import NO_RECORDS, Log, damaged, keep_salvaged

Change = dict[str, Any]

WAY_OUT = (
    "Nothing was changed. Restore the journal's folder from a copy, or start once with "
    "--salvage: it goes on from what is whole before the damage, and keeps a copy."
)
"""The end of errors about damaged journals."""

_FIRST_MAGIC = b"SKLAZYJ\x1a\x01\n"
_LENGTH = struct.Struct("<I")


class ChangeJournal:
    """An open file of changes; see `open_journal`."""

    def __init__(self, log: Log) -> None:
        self._log = log

    @property
    def n_records(self) -> int:
        """The number of changes in the file."""
        return self._log.n_records

    def append(self, change: Change) -> None:
        """Write a change; it is on disk when this returns."""
        text = json.dumps(change, ensure_ascii=True, allow_nan=False)
        self._log.append(text.encode("ascii"))

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def create_journal(path: Path) -> ChangeJournal:
    """Make a journal without changes."""
    Log.create(path)
    return ChangeJournal(Log.open(path)[0])


def is_empty(path: Path) -> bool:
    """Whether a file is too short for a journal with changes."""
    return path.stat().st_size <= NO_RECORDS


def open_journal(
    path: Path, *, salvage: bool = False
) -> tuple[list[Change], ChangeJournal | None]:
    """Read the changes of a journal, and open it to add further ones.

    The journal is None if it has format 1, which is only read. With `salvage` the
    changes before a damaged one are enough; see `Log.open`.
    """
    with opened(path) as file:
        is_first = file.read(len(_FIRST_MAGIC)) == _FIRST_MAGIC
    if is_first:
        return _parse(_read_first_format(path, salvage=salvage)), None
    log, contents = Log.open(path, way_out=WAY_OUT, salvage=salvage)
    return _parse(contents), ChangeJournal(log)


def _parse(contents: list[bytes]) -> list[Change]:
    return [json.loads(content) for content in contents]


def _read_first_format(path: Path, *, salvage: bool) -> list[bytes]:
    """Read the contents of the records of a journal of format 1."""
    data, contents = path.read_bytes(), list[bytes]()
    place, last = len(_FIRST_MAGIC), _FIRST_MAGIC
    while place < len(data):
        first = place + _LENGTH.size
        end = first + int.from_bytes(data[place:first], "little")
        checksum = hashlib.sha256(last + data[place:end]).digest()
        if data[end : end + CHECKSUM] != checksum:
            error = _not_whole(path, len(contents) + 1, place)
            if not salvage:
                raise error
            keep_salvaged(path, data, len(contents), error)
            break
        contents.append(data[first:end])
        place, last = end + CHECKSUM, checksum
    return contents


def _not_whole(path: Path, number: int, place: int) -> BadFileError:
    text = "is cut short or does not match its checksum (journal of format 1)"
    return damaged(path, number, place, text, WAY_OUT)
