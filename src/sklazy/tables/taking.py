"""Columns of a frame that are taken by name for the target and the ids of rows."""

from typing import Any

import narwhals as nw
import numpy as np

from sklazy.errors import BadInputError, suggest
from sklazy.tables.arrays import are_dicts
from sklazy.tables.frames import as_frame
from sklazy.tables.gathering import gather_rows
from sklazy.tables.reading import CALENDAR
from sklazy.tables.table import Column, Table

_DAY = 86_400_000_000  # microseconds
_EPOCH = np.datetime64("1970-01-01", "us")


def take_columns(X: object, y: object, ids: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
    """Return X, y and ids; where these name a column of X, it leaves X.

    X may be a source of rows, which are read then.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"who": ["a", "b"], "age": [30, 40], "churn": [0, 1]})
    >>> X, y, ids = take_columns(frame, "churn", "who")
    >>> list(X.columns), list(y), ids
    (['age'], [0, 1], ['a', 'b'])
    """
    X = gather_rows(X)
    chosen = {"y": y, "ids": ids}
    chosen = {role: name for role, name in chosen.items() if isinstance(name, str)}
    if not chosen:
        return X, y, ids
    if isinstance(X, list) and are_dicts(X):
        return _take_of_dicts(X, y, ids)
    frame: Any = X if isinstance(X, Table) else as_frame(X)
    for role, name in chosen.items():
        _check_name(role, name, frame)
    if isinstance(y, str):
        y = frame[y] if isinstance(frame, Table) else frame[y].to_native()
    if isinstance(ids, str):
        ids = list_ids(frame, ids)
    return _leave_out(frame, set(chosen.values())), y, ids


def _take_of_dicts(rows: list[dict[str, Any]], y: Any, ids: Any) -> Any:  # noqa: ANN401
    """Take y and ids from a list of dicts, of which every one must have them."""
    chosen = {role: n for role, n in (("y", y), ("ids", ids)) if isinstance(n, str)}
    for role, name in chosen.items():
        lacking = next((i for i, row in enumerate(rows) if name not in row), None)
        if lacking is not None:
            raise BadInputError(
                f"{role}={name!r} is not in X[{lacking}].{suggest(name, rows[lacking])}"
            )
    rest = [{k: row[k] for k in row if k not in chosen.values()} for row in rows]
    y, ids = (
        [row[given] for row in rows] if isinstance(given, str) else given
        for given in (y, ids)
    )
    return rest, y, ids


def take_times(X: object, times: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return X and times; where these name a column of X, it leaves X.

    Dates that were read from text are dates again.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"day": ["2026-03-01", "2026-03-02"], "age": [30, 40]})
    >>> X, times = take_times(frame, "day")
    >>> list(X.columns), list(times)
    (['age'], ['2026-03-01', '2026-03-02'])
    """
    if not isinstance(times, str):
        return X, times
    X = gather_rows(X)
    frame: Any = X if isinstance(X, Table) else as_frame(X)
    _check_name("times", times, frame)
    rest = _leave_out(frame, {times})
    if isinstance(frame, Table):
        return rest, _moments_of(frame[times])
    return rest, frame[times].to_native()


def _moments_of(column: Column) -> Any:  # noqa: ANN401
    """The cells of a column as numbers, or as dates where they were read as such."""
    style = column.reading.style if column.reading else None
    if style not in CALENDAR or column.kind != "numeric":
        return column.cells() if column.kind == "nominal" else column.data
    known = ~column.missing
    moments = np.full(len(column), np.datetime64("NaT"), "M8[us]")
    moments[known] = np.rint(column.data[known] * _DAY).astype("m8[us]") + _EPOCH
    return moments


def _check_name(role: str, name: str, frame: Any) -> None:  # noqa: ANN401
    """Refuse a name where X has no names, or not this one."""
    if frame is None:
        raise BadInputError(
            f"{role}={name!r} names a column, but X has no names. Give a frame as X, "
            f"or one value for each row as {role}."
        )
    names = frame.names if isinstance(frame, Table) else frame.columns
    if name not in names:
        known = [column for column in names if isinstance(column, str)]
        raise BadInputError(
            f"{role}={name!r} is not a column of X.{suggest(name, known)}"
        )


def list_ids(frame: Any, name: str) -> list[Any]:  # noqa: ANN401
    """The cells of a column, with whole numbers of a table as integers."""
    if not isinstance(frame, Table):
        return list(frame[name].to_list())
    return [
        int(cell) if isinstance(cell, float) and cell.is_integer() else cell
        for cell in frame[name].cells()
    ]


def _leave_out(frame: Any, names: set[str]) -> object:  # noqa: ANN401
    """The frame or table without some columns."""
    if isinstance(frame, nw.DataFrame):
        return frame.drop(sorted(names)).to_native()
    columns = tuple(column for column in frame if column.name not in names)
    return Table(columns, frame.n_rows, frame.named)
