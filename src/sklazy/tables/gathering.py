"""Rows that estimators are given: those of sources become tables in memory."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from sklazy.errors import BadTypeError
from sklazy.tables.file_options import has_known_ending
from sklazy.tables.locations import is_several
from sklazy.tables.native import is_native
from sklazy.tables.sources import Source, is_open
from sklazy.tables.table import Table
from sklazy.tables.understand import forms_of, understand_table


def gather_rows(X: Any, describe: Callable[[], Table] | None = None) -> Any:  # noqa: ANN401
    """Rows of a source as a table in memory; frames, arrays and lists as they are.

    Rows may have to be like those of a table that `describe` makes; columns that it
    does not have are left out then.

    Examples
    --------
    >>> gather_rows([[1, 2]])
    [[1, 2]]
    """
    source = _find_source(X)
    if source is None:
        return X
    like = None if describe is None else describe()
    table = source.read(like=like)
    if like is None or not (table.named and like.named):
        return table
    return table.select([name for name in table.names if name in like])


def gather_added(X: Any, describe: Callable[[], Table]) -> Any:  # noqa: ANN401
    """Rows to be added: those of a source as a table, read like the columns of another.

    That is made by `describe`. Columns that it lacks, such as ids and targets, are
    understood by themselves; frames, arrays and lists are returned as they are.
    """
    source = _find_source(X)
    if source is None:
        return X
    like = describe()
    if not like.named:
        return source.read()
    table = source.read(like=like)
    others = [name for name in table.names if name not in like]
    notes: list[str] = []
    decimal = source.options.get("decimal", ".")
    rest = understand_table(table.select(others), {}, notes, forms_of(decimal))
    known = {column.name: column for column in rest}
    columns = tuple(known.get(column.name, column) for column in table)
    return Table(columns, table.n_rows, table.named)


def _find_source(X: Any) -> Source | None:  # noqa: ANN401
    """The source that X is or names, None for frames, arrays and lists."""
    if isinstance(X, Source):
        return X
    if _names_files(X) or is_open(X) or (type(X) is not list and is_native(X)):
        return Source(X)
    if isinstance(X, Iterator):
        raise BadTypeError(
            f"X is of the type {type(X).__name__}, which gives its rows once. Give a "
            "frame (pandas.concat), or pyarrow.RecordBatchReader.from_batches(schema, "
            "X) for Arrow's batches."
        )
    return None


def _names_files(X: object) -> bool:
    """Whether something names files; a list must do so by endings that are known."""
    if isinstance(X, str | os.PathLike):
        return True
    if not isinstance(X, list | tuple) or not is_several(X):
        return False
    return all(has_known_ending(os.fspath(path)) for path in X)
