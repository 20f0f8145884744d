"""Rows that came after a file was written, kept behind what it holds.

Behind the file's own bytes follow records, each a file of its own (header, arrays,
checksums), and the end: how long all that is, and the next id. So a file without added
rows is as it was, and one that lost its end is noticed.
"""

import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.files import (
    SENSELESS,
    Bytes,
    contradiction,
    parse_bytes,
    to_bytes,
)
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.texts import read_texts, width_of, write_texts
from sklazy.errors import BadFileError

_MAGIC = b"SKLADD\x1a\n"
_END = struct.Struct("<32sqQ8s")  # checksum, next id, length, magic
_RECORD = struct.Struct("<Q")


def end_of_file(n_bytes: int, next_id: int) -> bytes:
    """The end of a file that has so many bytes of records, ends among them."""
    return _END.pack(_checksum(next_id, n_bytes), next_id, n_bytes, _MAGIC)


def cut_added(data: Bytes, path: object) -> tuple[Bytes, list[bytes], int]:
    """A file's own bytes, the records behind them, and the next id (or 0)."""
    end = data[-_END.size :].tobytes()
    if len(end) < _END.size or not end.endswith(_MAGIC):
        return data, [], 0
    told, next_id, n_bytes, _ = _END.unpack(end)
    if told != _checksum(next_id, n_bytes) or n_bytes + _END.size > len(data):
        raise BadFileError("the end of the file was altered.", path)
    first = len(data) - _END.size - n_bytes
    return data[:first], _records(data[first : len(data) - _END.size], path), next_id


def _checksum(next_id: int, n_bytes: int) -> bytes:
    return hashlib.sha256(struct.pack("<qQ", next_id, n_bytes)).digest()


def _records(data: Bytes, path: object) -> list[bytes]:
    """The records, each but the last with an end behind it that is one no more."""
    raw, place, found = data.tobytes(), 0, []
    while place < len(raw):
        first = place + _RECORD.size
        (length,) = _RECORD.unpack_from(raw.ljust(first, b"\0"), place)
        if length > len(raw) - first:
            raise BadFileError("a record of added rows is truncated.", path)
        found.append(raw[first : first + length])
        place = first + length + _END.size
    return [content for content in found if content]


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


def unpack_rows(contents: Sequence[bytes], path: str | Path) -> list[CodedRows]:
    """The rows of records."""
    arrays = [parse_bytes(content, path)[1] for content in contents]
    try:
        return [_unpacked(own) for own in arrays]
    except SENSELESS as error:
        raise contradiction(error, path) from error


def _unpacked(arrays: dict[str, NDArray[Any]]) -> CodedRows:
    own, n_rows = {name: arrays[name] for name in _OF_ROWS}, len(arrays["classes"])
    texts = arrays["texts"]
    return CodedRows(
        **own,
        arrival=np.arange(n_rows),
        hashes=np.zeros((0, n_rows), np.uint64),
        ids=read_texts(texts) if texts.shape[1] else arrays["ids"],
    )
