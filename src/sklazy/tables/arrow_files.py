"""Parquet and Feather files: measured before they are read, validated in full.

A small file may hold very many equal cells, or long texts that are written once and
meant many times. So texts are read as codes into the distinct ones, and what a file
will take is found before its cells are unpacked: 8 bytes a cell, and all buffers
unpacked. Of Parquet that is what its metadata states. A message of a Feather file is a
flatbuffer (its fields are found by a table of offsets) and a body of buffers; a
compressed one begins with the number of bytes that it unpacks to.

References
----------
Apache Arrow, Columnar Format: Serialization and Interprocess Communication (IPC).
"""

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.errors import BadFileError, BadInputError
from sklazy.flow import MISSING
from sklazy.tables.budget import Budget
from sklazy.tables.frames import as_frame, frame_names, from_frame
from sklazy.tables.table import Column, Table, Wish

_CELL = 8  # bytes: of a number, and no less for anything else
_OTHER_DECIMALS = ("decimal32", "decimal64", "decimal256")  # frames know decimal128

VIEWS = ("string_view", "binary_view")
"""Texts that are places of a shared memory: a small file may hold very many."""

Wishes = Mapping[str, Wish]

AT_ONCE = 1 << 16
"""Rows of a batch of a Parquet file."""


def read_arrow(
    path: str, raw: bytearray, which: str, wanted: Wishes, budget: Budget
) -> Table:
    """Read the bytes of a Parquet or Feather file, or refuse it with its path."""
    try:
        import pyarrow  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise BadInputError(
            f"{path}: reading {which} files needs pyarrow; install it with "
            "pip install 'sklazy[parquet]'."
        ) from None
    read = _read_parquet if which == "parquet" else _read_feather
    try:
        native = read(pyarrow.py_buffer(raw), wanted, budget)
    except BadFileError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise BadFileError(
            f"not a readable {which} file ({error}); restore it, or name its format.",
            path,
        ) from None
    return from_arrow_table(native, wanted, path)


def from_arrow_table(native: object, wanted: Wishes, path: str) -> Table:
    """A table of Arrow's as one of ours."""
    try:
        frame = as_frame(native)
        if frame is None:
            raise BadInputError("holds no table; give a file of columns and rows.")
        n_rows = frame.shape[0]
        names, named = frame_names(frame)
        kept = [name for name in names if wanted.get(name) != "ignore"]
        nominal = [True if wanted.get(name) == "nominal" else None for name in kept]
        if len(kept) < len(names):
            frame = frame.select(kept)
        read = iter(from_frame(frame, kept, nominal))
        columns = [
            next(read) if name in kept else _without_cells(name, n_rows)
            for name in names
        ]
        return Table(tuple(columns), n_rows, named)
    except BadInputError as error:
        raise BadFileError(str(error), path) from None


def _without_cells(name: str, n_rows: int) -> Column:
    """A column that is not read."""
    return Column(name, "nominal", np.full(n_rows, MISSING, np.int32))


def check_types(
    path: str,
    schema: Any,  # noqa: ANN401 (pyarrow is untyped)
    wanted: Wishes,
    refused: Collection[str] = (),
) -> None:
    """Refuse types that are no cells, and others by name: those that share memory."""
    for field in schema:
        is_plain = _is_plain(field.type) and str(field.type) not in refused
        if wanted.get(field.name) != "ignore" and not is_plain:
            raise BadFileError(
                f"column {field.name!r} has the type {field.type}; expected "
                "numbers, bools, dates, strings or categories. Convert it, or leave "
                f"it out: kinds={{{field.name!r}: 'ignore'}}.",
                path,
            )


def _is_plain(kind: Any) -> bool:  # noqa: ANN401
    import pyarrow.types as types  # noqa: PLC0415

    if types.is_dictionary(kind):
        return _is_plain(kind.value_type) and not types.is_dictionary(kind.value_type)
    fixed = types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind)
    return fixed or types.is_fixed_size_binary(kind) or is_text(kind)


def is_text(kind: Any) -> bool:  # noqa: ANN401
    """Whether a type of Arrow's is text."""
    import pyarrow.types as types  # noqa: PLC0415

    text = types.is_string(kind) or types.is_large_string(kind)
    binary = types.is_binary(kind) or types.is_large_binary(kind)
    return text or binary or str(kind) in VIEWS


def is_number_type(kind: Any) -> bool:  # noqa: ANN401
    """Whether a type of Arrow's is one of numbers."""
    import pyarrow.types as types  # noqa: PLC0415

    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    )


def checked_batch(batch: Any) -> Any:  # noqa: ANN401
    """A batch as a table with texts as codes: no text is made more than once."""
    import pyarrow  # noqa: PLC0415

    native = pyarrow.Table.from_batches([batch])
    native.validate(full=True)  # places outside of the data would be read else
    for i, field in enumerate(native.schema):
        if is_text(field.type):
            coded = native.column(i).dictionary_encode()
            native = native.set_column(i, field.name, coded)
        elif str(field.type).startswith(_OTHER_DECIMALS):
            numbers = native.column(i).cast("float64")
            native = native.set_column(i, field.name, numbers)
    return native


def _joined(batches: Iterable[Any], schema: Any, budget: Budget) -> Any:  # noqa: ANN401
    """One table of all batches, each checked as it comes."""
    import pyarrow  # noqa: PLC0415

    tables = []
    for batch in batches:
        budget.check_time()
        tables.append(checked_batch(batch))
    return pyarrow.concat_tables(tables or [schema.empty_table()])


def _check_sizes(sizes: Iterable[int], budget: Budget) -> None:
    """Refuse a file as soon as the sizes of its parts are too many bytes."""
    total = 0
    for size in sizes:
        budget.check_bytes(total := total + size, "its cells take")


def _read_parquet(raw: Any, wanted: Wishes, budget: Budget) -> Any:  # noqa: ANN401
    from pyarrow import BufferReader, parquet  # noqa: PLC0415

    file = parquet.ParquetFile(BufferReader(raw))
    check_types(budget.name, file.schema_arrow, wanted)
    budget.check_cells(file.metadata.num_rows, file.metadata.num_columns)
    _check_sizes(_chunk_sizes(file.metadata), budget)
    texts = [field.name for field in file.schema_arrow if is_text(field.type)]
    file = parquet.ParquetFile(BufferReader(raw), read_dictionary=texts)
    return _joined(file.iter_batches(AT_ONCE), file.schema_arrow, budget)


def _chunk_sizes(metadata: Any) -> Iterator[int]:  # noqa: ANN401
    """Bytes of each part of each column, by the metadata of a Parquet file."""
    yield _CELL * metadata.num_rows * metadata.num_columns
    for i in range(metadata.num_row_groups):
        for j in range(metadata.num_columns):
            yield metadata.row_group(i).column(j).total_uncompressed_size


def _read_feather(raw: Any, wanted: Wishes, budget: Budget) -> Any:  # noqa: ANN401
    from pyarrow import BufferReader, feather, ipc  # noqa: PLC0415

    if bytes(raw[: len(MAGIC)]) != MAGIC:  # the first version, never compressed
        native = feather.read_table(BufferReader(raw))
        check_types(budget.name, native.schema, wanted, VIEWS)
        budget.check_cells(native.num_rows, native.num_columns)
        _check_sizes([_CELL * native.num_rows * native.num_columns], budget)
        return _joined(native.to_batches(AT_ONCE), native.schema, budget)
    # What is measured is what is read: the stream, not what the footer points to.
    stream = raw.slice(8)
    with ipc.open_file(BufferReader(raw)) as file:
        check_types(budget.name, schema := file.schema, wanted, VIEWS)
    _check_measurable(stream, budget.name)
    _check_sizes(_batch_sizes(stream, len(schema), budget), budget)
    with ipc.open_stream(BufferReader(stream)) as reader:
        native = _joined(reader, schema, budget)
        n_batches = reader.stats.num_record_batches
    with ipc.open_file(BufferReader(raw)) as file:  # it knows where the file should end
        if file.num_record_batches != n_batches:
            raise ValueError("its footer lists other batches")
    return native


def _check_measurable(stream: Any, path: str) -> None:  # noqa: ANN401
    """Refuse a file whose columns are in its footer alone."""
    from pyarrow import ArrowInvalid, BufferReader, ipc  # noqa: PLC0415

    try:
        ipc.open_stream(BufferReader(stream)).close()
    except (ArrowInvalid, OSError) as error:
        raise BadFileError(
            f"its size cannot be found before it is read ({error}), as of files that "
            "polars writes by write_ipc. Write it as Parquet.",
            path,
        ) from None


def _batch_sizes(stream: Any, n_columns: int, budget: Budget) -> Iterator[int]:  # noqa: ANN401
    """Bytes of each batch of a Feather file, by its messages."""
    total = 0
    for n_rows, n_bytes in _message_sizes(stream):
        budget.check_cells(total := total + n_rows, n_columns)
        yield _CELL * n_rows * n_columns + n_bytes


MAGIC = b"ARROW1"
"""How a Feather file of the second version begins."""

_HEADER, _LENGTH, _DATA, _BUFFERS, _COMPRESSION = 2, 0, 1, 2, 3  # numbers of fields
_AS_IT_IS = -1  # instead of a size: this buffer is not compressed


def _message_sizes(stream: Any) -> Iterator[tuple[int, int]]:  # noqa: ANN401
    """Rows and bytes of each batch, and of each list of categories, in a stream."""
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
