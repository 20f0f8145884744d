"""Columns of a Dask frame taken by name: the target, ids, times and weights."""

from typing import Any

from sklazy.dask.client import is_dask
from sklazy.errors import BadInputError, BadTypeError, suggest


def check_on_cluster(X: object, name: str) -> None:
    """Refuse rows of this machine, with the way to have them on the cluster."""
    if not is_dask(X):
        raise BadTypeError(
            f"X is a {type(X).__name__} of this machine. sklazy.dask.{name} takes Dask "
            "frames and arrays: make one, for instance by "
            "dask.dataframe.from_pandas(X, npartitions=4), or use "
            f"sklazy.{name}."
        )


def take_named(X: Any, **beside: Any) -> list[Any]:  # noqa: ANN401
    """X and the others; where these name a column of X, it leaves X."""
    named = {role: name for role, name in beside.items() if isinstance(name, str)}
    if not named:
        return [X, *beside.values()]
    known = [str(column) for column in getattr(X, "columns", ())]
    for role, name in named.items():
        if not known:
            raise BadInputError(
                f"{role}={name!r} names a column, but X has no names. Give a frame as "
                f"X, or one value for each row as {role}."
            )
        if name not in known:
            raise BadInputError(
                f"{role}={name!r} is not a column of X.{suggest(name, known)}"
            )
    taken = [X[one] if role in named else one for role, one in beside.items()]
    gone = set(named.values())
    return [X[[name for name in X.columns if name not in gone]], *taken]
