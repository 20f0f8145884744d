"""Columns of later rows, read as those of the cases were."""

from collections.abc import Collection
from dataclasses import replace

from sklazy.errors import BadTypeError, warn_once
from sklazy.tables.limits import (
    describe_limits,
    find_later_form,
    read_numbers,
    warn_of_marks,
)
from sklazy.tables.reading import CALENDAR, Reading
from sklazy.tables.table import Column, Kind, Table
from sklazy.tables.understand import (
    adopt_reading,
    describe_reading,
    list_texts,
    read_labels,
    unreadable_cell,
)


def read_later_numbers(table: Table, like: Table, forms: Collection[str]) -> Table:
    """Return later rows with plain numbers where those of `like` are such.

    Their texts may be numbers, limits and marks, of which there is a warning; a column
    with any other word stays as it is.
    """
    names = {c.name for c in like if c.kind == "numeric" and c.reading is None}
    columns = [_later_numbers(c, forms) if c.name in names else c for c in table]
    return Table(tuple(columns), table.n_rows, table.named)


def read_typed_numbers(table: Table, like: Table) -> Table:
    """Return later rows of a file with types, its texts as the numbers they write.

    Of columns that are plain numbers in `like`, with a warning, as in frames.
    """
    names = {c.name for c in like if c.kind == "numeric" and c.reading is None}
    columns = [read_numbers(c) if c.name in names else c for c in table]
    return Table(tuple(columns), table.n_rows, table.named)


def _later_numbers(column: Column, forms: Collection[str]) -> Column:
    texts = [] if column.declared else list_texts(column)
    if not texts:
        return column
    reading = find_later_form(texts, forms)
    if reading is None:
        return column
    if remark := describe_limits(texts, reading):
        warn_once(f"column {column.name!r}: {remark.removeprefix(', ')}.")
    return replace(read_labels(column, reading), reading=None)


def read_like(column: Column, kind: Kind, reading: Reading | None) -> Column:
    """Return a column of later rows as the cases have it, by their kind and reading.

    The column may not be understood yet, or have been on its own.
    """
    present = column.reading
    if present is not None and present.style == "aside":  # labels, seen by themselves
        column, present = replace(column, reading=None), None
    is_aside = reading is not None and reading.style == "aside"
    if is_aside or present == reading or column.missing.all():
        return adopt_reading(column, reading)
    if present is not None and reading is None and _are_numbers(present, kind):
        return replace(column, reading=None)
    if present is not None and not _alike(present, reading):
        then = describe_reading(reading) if reading else f"plain {kind} cells"
        way = "Give the cells as for fit, or read the file with like=."
        if reading is not None and {present.unit, reading.unit} == {"", "UTC"}:
            zone = "'UTC'" if reading.unit else "None"
            way = f"Set their zone: X[{column.name!r}].dt.tz_localize({zone})."
        raise BadTypeError(
            f"column {column.name!r} is read as {describe_reading(present)}, but the "
            f"cases have {then} there. {way}"
        )
    if reading is not None and column.kind == "nominal":
        warn_of_marks(column, reading)
        return read_labels(column, reading)
    if reading is not None and present is None and reading.style != "amount":
        known = ~column.missing
        cell = float(column.data[known][0])
        raise unreadable_cell(column, known, cell, reading)
    return replace(column, reading=reading)


def _are_numbers(present: Reading, kind: Kind) -> bool:
    """Whether cells that were read on their own are the plain numbers of the cases."""
    return kind == "numeric" and present.style == "amount" and not present.unit


def _alike(one: Reading, other: Reading | None) -> bool:
    """Whether two readings give numbers of the same meaning."""
    if other is None or one.unit != other.unit or "yes-no" in (one.style, other.style):
        return False
    return one.style == other.style or {one.style, other.style} <= set(CALENDAR)
