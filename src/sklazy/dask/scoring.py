"""Predictions of Dask frames by a model in a file, which each worker opens once."""

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import sklazy
from sklazy.dask.client import is_dask
from sklazy.errors import BadTypeError

if TYPE_CHECKING:
    import pandas


def predict(path: str | Path, X: Any, *, method: str = "predict") -> Any:  # noqa: ANN401
    """Predict the rows of a Dask frame, partition by partition where they are.

    Nothing is computed before the result is, and nothing comes to this machine. Each
    worker opens the model mapped, once, and all of a machine share it in memory.

    Parameters
    ----------
    path : str or Path
        The file or folder of a model, which all workers see under this name.
    X : Dask frame
        The features; other columns are left out.
    method : {"predict", "predict_proba", "novelty"}
        What is asked.

    Returns
    -------
    answers : Dask series, or frame with a column for each class
        With the index and the partitions of X.
    """
    if not is_dask(X) or not hasattr(X, "map_partitions") or not hasattr(X, "columns"):
        raise BadTypeError(
            f"X is a {type(X).__name__}; expected a Dask frame. Rows of this machine "
            "are predicted by sklazy.load(path).predict(X)."
        )
    where = os.path.abspath(path)
    model = _open(where, _stamp(where))
    empty = _frame(model, method, _ask(model, method, None), X._meta.index[:0])
    return X.map_partitions(_answer, where, _stamp(where), method, meta=empty)


def _stamp(path: str) -> int:
    return os.stat(path).st_mtime_ns


@lru_cache(maxsize=2)
def _open(path: str, _: int) -> Any:  # noqa: ANN401
    """The model, once for each process and version of the file."""
    return sklazy.load(path, mmap_mode="c")


def _answer(rows: "pandas.DataFrame", path: str, stamp: int, method: str) -> Any:  # noqa: ANN401
    model = _open(path, stamp)
    answers = _ask(model, method, rows if len(rows) else None)
    return _frame(model, method, answers, rows.index)


def _ask(model: Any, method: str, rows: Any) -> Any:  # noqa: ANN401
    """Ask for rows; for none, an empty answer of the right type."""
    if rows is not None:
        known = [n for n in rows.columns if n in model.feature_names_in_]
        return getattr(model, method)(rows[known])
    if method == "predict_proba":
        return np.zeros((0, len(model.classes_)))
    is_label = method == "predict" and hasattr(model, "classes_")
    return model.classes_[:0] if is_label else np.zeros(0)


def _frame(model: Any, method: str, answers: Any, index: Any) -> Any:  # noqa: ANN401
    """Answers as pandas has them."""
    import pandas  # noqa: PLC0415 (Dask frames have it)

    if method == "predict_proba":
        return pandas.DataFrame(answers, index, columns=list(map(str, model.classes_)))
    return pandas.Series(answers, index, name=method)
