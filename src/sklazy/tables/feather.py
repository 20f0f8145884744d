"""What the batches of a Feather file unpack to, by its messages alone.

A message is a flatbuffer (its fields are found by a table of offsets) and a body of
buffers. A compressed buffer begins with the number of bytes that it unpacks to.

References
----------
Apache Arrow, Columnar Format: Serialization and Interprocess Communication (IPC).
"""

import struct
from collections.abc import Iterator
from typing import Any

MAGIC = b"ARROW1"
"""How a Feather file of the second version begins."""

_HEADER, _LENGTH, _DATA, _BUFFERS, _COMPRESSION = 2, 0, 1, 2, 3  # numbers of fields
_AS_IT_IS = -1  # instead of a size: this buffer is not compressed


def batch_sizes(stream: Any) -> Iterator[tuple[int, int]]:  # noqa: ANN401
    """Rows and bytes of each batch, and of each list of categories.

    Parameters
    ----------
    stream : buffer of pyarrow
        The messages, without what is before and behind them in a file.
    """
    from pyarrow import BufferReader, ipc  # noqa: PLC0415 (an optional dependency)

    for message in ipc.MessageReader.open_stream(BufferReader(stream)):
        if message.type in ("record batch", "dictionary"):
            try:
                yield _size(bytes(message.metadata), message)
            except struct.error as error:
                raise ValueError(f"a damaged message: {error}") from None


def _size(metadata: bytes, message: Any) -> tuple[int, int]:  # noqa: ANN401
    table = _table(metadata, 0)
    batch = _followed(metadata, table, _HEADER)
    if message.type == "dictionary":
        batch = _followed(metadata, batch, _DATA)
    place = _field(metadata, batch, _LENGTH)
    n_rows = _number("<q", metadata, place) if place else 0
    is_packed = bool(_field(metadata, batch, _COMPRESSION))
    return n_rows, sum(
        _unpacked_size(message.body, first, length) if is_packed else length
        for first, length in _buffers(metadata, batch)
    )


def _buffers(metadata: bytes, batch: int) -> Iterator[tuple[int, int]]:
    """Where each buffer begins in the body, and how long it is there."""
    vector = _followed(metadata, batch, _BUFFERS)
    for i in range(_number("<I", metadata, vector)):
        yield struct.unpack_from("<qq", metadata, vector + 4 + 16 * i)


def _unpacked_size(body: Any, first: int, length: int) -> int:  # noqa: ANN401
    if length < 8:
        return 0
    size = _number("<q", body, first)
    return length if size == _AS_IT_IS else max(size, length)


def _table(data: bytes, place: int) -> int:
    return place + _number("<I", data, place)


def _followed(data: bytes, table: int, field: int) -> int:
    """The place that a field of a table points to."""
    place = _field(data, table, field)
    if not place:
        raise ValueError("a message lacks a field")
    return _table(data, place)


def _field(data: bytes, table: int, field: int) -> int:
    """The place of a field, 0 if the table has none."""
    offsets = table - _number("<i", data, table)
    entry = 4 + 2 * field
    if entry >= _number("<H", data, offsets):
        return 0
    offset = _number("<H", data, offsets + entry)
    return table + offset if offset else 0


def _number(form: str, data: Any, place: int) -> int:  # noqa: ANN401
    if place < 0:
        raise ValueError("a message points before its beginning")
    return int(struct.unpack_from(form, data, place)[0])
