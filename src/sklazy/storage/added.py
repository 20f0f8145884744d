"""Rows that came after a file was written, kept behind what it holds.

Behind the file's own bytes follow records, each a file of its own (header, arrays,
checksums), and the end: how long all that is, and the next id. So a file without added
rows is as it was, and one that lost its end is noticed. No record is ever torn, since
it comes there by `storage.redo`: one that is not whole is damaged. That it is part of
format 2 of files keeps it from being a log of `storage.records`. A file that is cut
exactly behind the end of an earlier change is the file of that moment.
"""

import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CodedRows
from sklazy.errors import BadFileError
from sklazy.storage.files import SENSELESS, Bytes, contradiction, parse_bytes, to_bytes
from sklazy.storage.records import RESTORE, damaged
from sklazy.storage.stored_ids import read_texts, width_of, write_texts

_MAGIC = b"SKLADD\x1a\n"
_END = struct.Struct("<32sqQ8s")  # checksum, next id, length, magic
_RECORD = struct.Struct("<Q")


class Added(NamedTuple):
    """A record of added rows: its number from 1 on, its first byte, its content."""

    number: int
    place: int
    content: bytes


def end_of_file(n_bytes: int, next_id: int) -> bytes:
    """The end of a file with `n_bytes` of records, ends among them."""
    return _END.pack(_checksum(next_id, n_bytes), next_id, n_bytes, _MAGIC)


def cut_added(data: Bytes, path: str | Path) -> tuple[Bytes, list[Added], int]:
    """A file's own bytes, the records behind them, and the next id (or 0)."""
    end = data[-_END.size :].tobytes()
    if len(end) < _END.size or not end.endswith(_MAGIC):
        return data, [], 0
    checksum, next_id, n_bytes, _ = _END.unpack(end)
    place = len(data) - _END.size
    if checksum != _checksum(next_id, n_bytes) or n_bytes > place:
        raise BadFileError(
            f"the end behind added rows, at byte {place}, was altered. {RESTORE}", path
        )
    first = place - n_bytes
    return data[:first], _records(data[first:place], first, path), next_id


def _checksum(next_id: int, n_bytes: int) -> bytes:
    return hashlib.sha256(struct.pack("<qQ", next_id, n_bytes)).digest()


def _records(data: Bytes, begin: int, path: str | Path) -> list[Added]:
    """The records, each but the last with an end behind it that is one no more."""
    raw, place, records = data.tobytes(), 0, list[Added]()
    while place < len(raw):
        first, number = place + _RECORD.size, len(records) + 1
        (length,) = _RECORD.unpack_from(raw.ljust(first, b"\0"), place)
        if length > len(raw) - first:
            unpack_rows(records, path)  # the length of an earlier one may be wrong
            fault = f"of added rows, has {length} bytes, more than the file"
            raise damaged(path, number, begin + place, fault)
        records.append(Added(number, begin + place, raw[first : first + length]))
        place = first + length + _END.size
    return records


def as_record(content: bytes) -> bytes:
    """A record as it lies in a file."""
    return _RECORD.pack(len(content)) + content


# --- rows as records ------------------------------------------------------------------

_OF_ROWS = ("numbers", "codes", "classes", "targets", "weights", "times")


def pack_rows(rows: CodedRows) -> bytes:
    """Rows as the content of a record."""
    arrays = {name: getattr(rows, name) for name in _OF_ROWS}
    is_text = rows.ids.dtype == object
    texts = np.zeros((len(rows), width_of(rows.ids) if is_text else 0), np.uint8)
    if is_text:
        write_texts(rows.ids, texts)
    ids = np.zeros(0, np.int64) if is_text else rows.ids
    return to_bytes({}, {**arrays, "ids": ids, "texts": texts})


def unpack_rows(records: Sequence[Added], path: str | Path) -> list[CodedRows]:
    """The rows of records; one that was emptied has none."""
    arrays = [_parse_record(one, path) for one in records if one.content]
    try:
        return [_unpacked(one) for one in arrays]
    except SENSELESS as error:
        raise contradiction(error, path) from error


def _parse_record(record: Added, path: str | Path) -> dict[str, NDArray[Any]]:
    try:
        return parse_bytes(record.content, path)[1]
    except BadFileError as error:
        fault = "of added rows, is truncated or was altered"
        raise damaged(path, record.number, record.place, fault) from error


def _unpacked(arrays: dict[str, NDArray[Any]]) -> CodedRows:
    content, n_rows = {name: arrays[name] for name in _OF_ROWS}, len(arrays["classes"])
    texts = arrays["texts"]
    return CodedRows(
        **content,
        arrival=np.arange(n_rows),
        hashes=np.zeros((0, n_rows), np.uint64),
        ids=read_texts(texts) if texts.shape[1] else arrays["ids"],
    )
