"""Expressions for messages: how a user's own library changes the columns of a frame."""

from typing import Any

Native = Any


def drop_columns(X: Native, names: list[str]) -> str:
    """The expression that leaves columns out.

    Examples
    --------
    >>> drop_columns(None, ["who"])
    "X.drop(columns=['who'])"
    """
    is_pandas = _library_of(X) not in ("polars", "pyarrow")
    return f"X.drop(columns={names})" if is_pandas else f"X.drop({names})"


def add_missing(X: Native, name: str) -> str:
    """The expression that adds a column without values.

    Examples
    --------
    >>> add_missing(None, "age")
    "X.assign(**{'age': None})"
    """
    ways = {
        "polars": f"X.with_columns(polars.lit(None).alias({name!r}))",
        "pyarrow": f"X.append_column({name!r}, pyarrow.nulls(len(X)))",
    }
    return ways.get(_library_of(X), f"X.assign(**{{{name!r}: None}})")


def convert_column(series: Native, name: str, dtype: str) -> str:
    """Advise on a column of a dtype that cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> series = pd.Series(pd.interval_range(0, 2))
    >>> convert_column(series, "ages", "interval")
    "Use X.assign(**{'ages': X['ages'].astype(str)}), or X.drop(columns=['ages'])."
    """
    drop = drop_columns(series, [name])
    if _library_of(series) != "pandas":
        return f"Turn it into strings or numbers, or leave it out: {drop}."
    if dtype.startswith("Sparse"):
        return f"Use X.assign(**{{{name!r}: X[{name!r}].sparse.to_dense()}})."
    kind = "float" if dtype.startswith("float") else "str"
    return f"Use X.assign(**{{{name!r}: X[{name!r}].astype({kind})}}), or {drop}."


def _library_of(native: Native) -> str:
    return type(native).__module__.split(".")[0]
