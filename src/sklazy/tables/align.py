"""Queries in the terms of the cases: same columns, same kinds, same codes."""

from collections.abc import Collection, Iterable

import numpy as np

from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables.labels import recode, to_nominal
from sklazy.tables.numbers import to_numeric
from sklazy.tables.table import Column, Table


def align(table: Table, like: Table) -> Table:
    """Return the table with the columns, order, kinds and categories of another.

    Columns are matched by name, or by position where one of the tables has no names
    of its own. A label that the other table's categories lack gets the code `UNSEEN`;
    an all-missing column fits any kind; numbers fit a nominal column whose labels
    are numbers, and labels that are numbers fit a numeric column.

    Parameters
    ----------
    table : Table of n_rows rows
    like : Table
        Its rows do not matter; it may have none.

    Returns
    -------
    aligned : Table of n_rows rows

    Examples
    --------
    >>> cases = Table.from_any([[1.0, "red"], [2.0, "blue"]])
    >>> queries = Table.from_any([[1.5, "green"], [None, "blue"]])
    >>> align(queries, cases)["x1"].data
    array([-2,  0], dtype=int32)
    """
    matched = match(table, like)
    columns = [
        _recoded(column, model) for column, model in zip(matched, like, strict=True)
    ]
    return Table(tuple(columns), table.n_rows, like.named)


def match(table: Table, like: Table, unsettled: Collection[str] = ()) -> Table:
    """Return the table with the columns, order and kinds of another.

    Like `align`, but nominal columns keep categories of their own, and the columns of
    the other table that are named as unsettled take any kind.
    """
    columns = [
        column.renamed(model.name) if model.name in unsettled else _fit(column, model)
        for column, model in zip(matched_columns(table, like), like, strict=True)
    ]
    return Table(tuple(columns), table.n_rows, like.named)


def _recoded(column: Column, model: Column) -> Column:
    if model.kind == "numeric":
        return column
    codes = recode(column, model.categories)
    return Column(model.name, "nominal", codes, model.categories, model.declared)


def matched_columns(table: Table, like: Table) -> Iterable[Column]:
    """The columns of a table, in the order of another."""
    if not (table.named and like.named):
        if len(table.columns) != len(like.columns):
            raise BadInputError(
                f"X has {len(table.columns)} features, but {len(like.columns)} are "
                "expected: the columns the cases have, in their order."
            )
        return table
    absent = [name for name in like.names if name not in table]
    extra = [name for name in table.names if name not in like]
    if absent or extra:
        raise BadInputError(
            "The feature names should match those of the cases: "
            f"missing {absent}, not known {extra}. Rename, add or drop columns."
        )
    return table.select(like.names)


def _fit(column: Column, model: Column) -> Column:
    """One column with the name and kind of its model."""
    if model.kind == "numeric":
        data = _all_missing(column) if column.missing.all() else to_numeric(column).data
        return Column(model.name, "numeric", data)
    if column.kind == "numeric" and not _takes_numbers(column, model):
        row = int((~column.missing).argmax())
        raise BadTypeError(
            f"column {model.name!r} is nominal with strings such as "
            f"{model.categories[0]!r}, but row {row} (counted from 0) holds the number "
            f"{column.data[row]:g}. Give strings, or fit the cases with numbers."
        )
    return to_nominal(column).renamed(model.name)


def _all_missing(column: Column) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.full(len(column), np.nan)


def _takes_numbers(column: Column, model: Column) -> bool:
    are_words = [isinstance(label, str) for label in model.categories]
    return not are_words or not all(are_words) or bool(column.missing.all())
