"""From the columns that a user has to those that are learned from, and back again.

A table has one column for each of the user's. What is learned from may have more, the
calendar parts of dates, and fewer, without those set aside. `Origin` records what
became of each, so that rows that come later are read likewise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklazy.errors import BadInputError
from sklazy.tables.later_rows import read_like
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Kind, Table
from sklazy.tables.times import calendar_parts


class Origin(NamedTuple):
    """One of the user's columns."""

    name: str
    kind: Kind
    reading: Reading | None


def origins_of(table: Table) -> tuple[Origin, ...]:
    """Describe the columns of a table; none if all are plain numbers and labels."""
    if all(column.reading is None for column in table):
        return ()
    return describe_columns(table)


def describe_columns(table: Table) -> tuple[Origin, ...]:
    """Describe the columns of a table."""
    return tuple(Origin(c.name, c.kind, c.reading) for c in table)


def expand_columns(table: Table) -> Table:
    """Return the table as it is learned from: with calendar parts, less what is aside.

    Examples
    --------
    >>> import datetime
    >>> from sklazy.tables import as_table
    >>> table = as_table([[datetime.date(2024, 5, 1)], [datetime.date(2024, 5, 4)]])
    >>> expand_columns(table)
    Table: 2 rows, 3 columns
      x0           numeric  19844 to 19847
      x0: month    numeric  5 to 5
      x0: weekday  nominal  7 categories: 'Monday', 'Tuesday', 'Wednesday', ...
    """
    if all(column.reading is None for column in table):
        return table
    columns = tuple(part for column in table for part in _expanded(column))
    if not columns:
        raise BadInputError(
            f"all columns, {table.names}, are set aside: nothing is left to learn "
            "from. Keep one with "
            f"categorical_features={{{table.names[0]!r}: 'nominal'}}."
        )
    return Table(columns, table.n_rows, table.named)


def expanded_names(origins: Sequence[Origin]) -> list[list[str]]:
    """List for each of the user's columns the names of those learned from it.

    Examples
    --------
    >>> day = Reading("date")
    >>> expanded_names([Origin("born", "numeric", day), Origin("age", "numeric", None)])
    [['born', 'born: month', 'born: weekday'], ['age']]
    """
    table = empty_table(origins)
    return [[part.name for part in _expanded(column)] for column in table]


def one_to_one(table: Table) -> Table:
    """Return the table for what ranks and selects the user's columns, one by one.

    Dates are numbers without parts, and what is set aside has no values.
    """
    if all(column.reading is None for column in table):
        return table
    columns = (_emptied(c) if is_aside(c) else replace(c, reading=None) for c in table)
    return Table(tuple(columns), table.n_rows, table.named)


def mask_of_aside(table: Table) -> int:
    """The columns that are set aside, as bits of a number.

    Examples
    --------
    >>> from sklazy.tables import as_table
    >>> mask_of_aside(as_table([[1, "a"]], kinds={"x1": "ignore"}))
    2
    """
    return sum(1 << j for j, column in enumerate(table) if is_aside(column))


def _emptied(column: Column) -> Column:
    return Column(column.name, "numeric", np.full(len(column), np.nan))


def is_aside(column: Column) -> bool:
    """Whether nothing is learned from a column, such as ids and free text."""
    return column.reading is not None and column.reading.style == "aside"


def _expanded(column: Column) -> Iterable[Column]:
    if not is_aside(column):
        yield replace(column, reading=None)
        yield from calendar_parts(column)


def follow_origins(table: Table, origins: Sequence[Origin]) -> Table:
    """Return rows that come later as they are learned from, read as the first were.

    The table may not be understood yet, be understood on its own, or be expanded
    already.
    """
    if not origins and all(column.reading is None for column in table):
        return table
    if not origins:
        columns = [read_like(column, column.kind, None) for column in table]
        return Table(tuple(columns), table.n_rows, table.named)
    learned = expand_columns(empty_table(origins)).names
    if table.names == learned != [origin.name for origin in origins]:
        return table
    return expand_columns(read_as(table, origins))


def _list_names(names: Iterable[str]) -> str:
    shown = [*map(repr, names)]
    return ", ".join(shown[:12]) + (" ..." if len(shown) > 12 else "")


def read_as(table: Table, origins: Sequence[Origin]) -> Table:
    """Return the table with its columns read as their origins define.

    They are matched by name, or by position where names are not those of the origins.
    A column that was set aside may be absent.
    """
    origin_of = {origin.name: origin for origin in origins}
    if not table.named or not any(name in origin_of for name in table.names):
        if len(table.columns) != len(origins):
            raise BadInputError(
                f"X has {len(table.columns)} features, but {len(origins)} are "
                "expected: the columns the cases have, in their order: "
                f"{_list_names(origin_of)}."
            )
        pairs = zip(table, origins, strict=True)
        columns = [read_like(column, o.kind, o.reading) for column, o in pairs]
        return Table(tuple(columns), table.n_rows, table.named)
    columns = [
        read_like(column, o.kind, o.reading)
        if (o := origin_of.get(column.name))
        else column
        for column in table
    ]
    return Table(tuple(columns), table.n_rows)


def empty_table(origins: Sequence[Origin]) -> Table:
    """A table of these columns without rows, to read others like it."""
    columns = (
        Column(
            o.name,
            o.kind,
            np.zeros(0, float if o.kind == "numeric" else np.int32),
            reading=o.reading,
        )
        for o in origins
    )
    return Table(tuple(columns), 0)
