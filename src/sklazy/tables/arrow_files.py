"""Parquet and Feather files: measured before they are read, validated in full.

A small file may hold very many equal cells, or long texts that are written once and
meant many times. So texts are read as codes into the distinct ones, and what a file
will take is found before its cells are unpacked: 8 bytes a cell, and all buffers
unpacked. Of Parquet that is what the file says of itself; of Feather what it unpacks
to.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sklazy.errors import BadFileError, BadInputError
from sklazy.tables.feather import MAGIC, batch_sizes
from sklazy.tables.frames import as_frame, frame_names, from_frame
from sklazy.tables.table import Table, Wish

MOST_ARROW_BYTES = 2**32
"""Of the cells of a Parquet or Feather file, unless more are asked for."""

_CELL = 8  # bytes: of a number, and no less for anything else


def read_arrow(
    path: str, raw: bytes, which: str, wanted: Mapping[str, Wish], max_bytes: int
) -> Table:
    """Read the bytes of a Parquet or Feather file, or refuse it with its path."""
    try:
        import pyarrow  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise BadInputError(
            f"{path}: reading {which} files needs pyarrow; install it with "
            "pip install 'sklazy[frames]'."
        ) from None
    read = _read_parquet if which == "parquet" else _read_feather
    try:
        native = read(pyarrow.py_buffer(raw), Limit(path, max_bytes))
        native.validate(full=True)  # places outside of the data would be read else
        native = with_codes(native)
    except BadFileError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise BadFileError(f"not a readable {which} file ({error}).", path) from None
    return to_table(native, wanted, path)


def to_table(native: object, wanted: Mapping[str, Wish], path: str) -> Table:
    """A table of Arrow's as one of ours."""
    try:
        frame = as_frame(native)
        if frame is None:
            raise BadInputError("holds no table.")
        names, named = frame_names(frame)
        nominal = [True if wanted.get(name) == "nominal" else None for name in names]
        return Table(tuple(from_frame(frame, names, nominal)), frame.shape[0], named)
    except BadInputError as error:
        raise BadFileError(str(error), path) from None


class Limit:
    """How much a file may take."""

    def __init__(self, path: str, max_bytes: int) -> None:
        self.path, self.max_bytes = path, max_bytes

    def check_size(self, sizes: Iterable[int]) -> None:
        """Refuse a file as soon as the sizes of its parts are too many bytes."""
        total = 0
        for size in sizes:
            total += size
            if total > self.max_bytes:
                raise BadFileError(
                    f"its cells take {total} bytes or more in memory, more than "
                    f"max_bytes={self.max_bytes}; give a larger max_bytes if that is "
                    "right, or save fewer rows or columns.",
                    self.path,
                )

    def check_types(self, schema: Any) -> None:  # noqa: ANN401 (pyarrow is untyped)
        """Refuse types whose cells may share memory, and those that are no cells."""
        for field in schema:
            if not _is_plain(field.type):
                raise BadFileError(
                    f"column {field.name!r} has the type {field.type}; expected "
                    "numbers, bools, dates, strings or categories. Convert or drop it.",
                    self.path,
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
    return text or types.is_binary(kind) or types.is_large_binary(kind)


def with_codes(native: Any) -> Any:  # noqa: ANN401
    """The table with texts as codes: no text is made more than once."""
    for i, field in enumerate(native.schema):
        if is_text(field.type):
            coded = native.column(i).dictionary_encode()
            native = native.set_column(i, field.name, coded)
    return native


def _read_parquet(raw: Any, limit: Limit) -> Any:  # noqa: ANN401
    from pyarrow import BufferReader, parquet  # noqa: PLC0415

    file = parquet.ParquetFile(BufferReader(raw))
    limit.check_types(file.schema_arrow)
    limit.check_size(_chunk_sizes(file.metadata))
    texts = [field.name for field in file.schema_arrow if is_text(field.type)]
    return parquet.ParquetFile(BufferReader(raw), read_dictionary=texts).read()


def _chunk_sizes(told: Any) -> Iterator[int]:  # noqa: ANN401
    """What each part of each column takes, by what a Parquet file says."""
    yield _CELL * told.num_rows * told.num_columns
    for i in range(told.num_row_groups):
        for j in range(told.num_columns):
            yield told.row_group(i).column(j).total_uncompressed_size


def _read_feather(raw: Any, limit: Limit) -> Any:  # noqa: ANN401
    from pyarrow import BufferReader, feather, ipc  # noqa: PLC0415

    if bytes(raw[: len(MAGIC)]) != MAGIC:  # the first version, never compressed
        native = feather.read_table(BufferReader(raw))
        limit.check_types(native.schema)
        limit.check_size([_CELL * native.num_rows * native.num_columns])
        return native
    # What is measured is what is read: the stream, not what the footer points to.
    stream = raw.slice(8)
    with ipc.open_stream(BufferReader(stream)) as reader:
        limit.check_types(reader.schema)
        n_columns = len(reader.schema)
    limit.check_size(
        _CELL * n_rows * n_columns + n_bytes for n_rows, n_bytes in batch_sizes(stream)
    )
    with ipc.open_stream(BufferReader(stream)) as reader:
        native = reader.read_all()
        n_batches = reader.stats.num_record_batches
    with ipc.open_file(BufferReader(raw)) as file:  # it knows where the file should end
        if file.num_record_batches != n_batches:
            raise ValueError("its footer tells of other batches")
    return native
