"""Strings, bools or numbers: cells of two of them do not meet in one column.

Which of them a column holds decides its kind wherever no dtype does. If they could
meet, the kind would depend on which rows came first, and on how many at a time.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from sklazy.errors import BadTypeError
from sklazy.tables.align import matched_columns
from sklazy.tables.labels import label_of
from sklazy.tables.table import Column, Label, Table


def check_unmixed(columns: Sequence[Column], objects: Sequence[Sequence[Any]]) -> None:
    """Refuse columns that hold more than one of strings, bools and numbers.

    Declared categories may be of any kind.

    Parameters
    ----------
    columns : sequence of Column
    objects : sequence of lists of cells
        What the columns were made of; empty where a dtype told what it is.
    """
    for column, cells in zip(columns, objects, strict=True):
        if column.kind == "numeric" and has_bools(cells):
            raise _mixture(column.name, _bools_and_numbers(cells))
        found = _examples(column)
        if len(found) > 1 and not column.declared:
            raise _mixture(column.name, found)


def check_same_kind(table: Table, like: Table, unsettled: Collection[str]) -> None:
    """Refuse rows whose columns hold something else than those of another table.

    Parameters
    ----------
    table : Table
    like : Table
        Its categories count, not its rows.
    unsettled : collection of str
        Columns of `like` that have no value.
    """
    for column, model in zip(matched_columns(table, like), like, strict=True):
        if model.declared or model.name in unsettled:
            continue
        known = {"numbers": None} if model.kind == "numeric" else _first(model)
        found = known | _examples(column)
        if len(found) > 1:
            raise _mixture(model.name, found)


def has_bools(cells: Sequence[Any]) -> bool:
    """Whether some cell is a bool, Python's or numpy's."""
    return not {bool, np.bool_}.isdisjoint(map(type, cells))


def _examples(column: Column) -> dict[str, Label | None]:
    """What a column holds, with an example of each."""
    if column.kind == "nominal":
        return _first(column.occurring())
    known = column.data[~column.missing]
    return {"numbers": float(known[0])} if len(known) else {}


def _first(column: Column) -> dict[str, Label | None]:
    found: dict[str, Label | None] = {}
    for label in column.categories:
        found.setdefault(_family(label), label)
    return found


def _family(label: object) -> str:
    if isinstance(label, str):
        return "strings"
    return "bools" if isinstance(label, bool | np.bool_) else "numbers"


def _bools_and_numbers(cells: Sequence[Any]) -> dict[str, Label | None]:
    known = [cell for cell in cells if label_of(cell) is not None]
    return {_family(cell): label_of(cell) for cell in reversed(known)}


def _mixture(name: str, found: dict[str, Label | None]) -> BadTypeError:
    shown = " and ".join(
        family if label is None else f"{family} such as {label!r}"
        for family, label in found.items()
    )
    return BadTypeError(
        f"column {name!r} holds {shown}, but its kind follows from its cells, which "
        "must be strings, bools or numbers alone. Convert them, or name all nominal "
        "columns in categorical_features: these may hold anything."
    )
