"""Fitted estimators as plain files, and back: data only, nothing is executed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from sklazy.casebase import CaseBase
from sklazy.casebase.files import read_file, write_file
from sklazy.casebase.plain import from_plain, to_plain
from sklazy.errors import BadFileError, BadInputError


class Savable(Protocol):
    """An estimator whose fitted state is a case base and a little plain data."""

    cases_: CaseBase

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of `__init__`."""

    def _fitted_state(self) -> dict[str, Any]:
        """What beside parameters and cases makes the state, as JSON."""

    def _restore(self, cases: CaseBase, state: dict[str, Any]) -> None:
        """Take the state as it was."""


Kind = TypeVar("Kind", bound=type)
_KINDS: dict[str, type] = {}


def savable(kind: Kind) -> Kind:
    """Let a class of estimators be found by `load`."""
    _KINDS[kind.__name__] = kind
    return kind


def save_estimator(estimator: Savable, path: str | Path) -> None:
    """Write a fitted estimator to a file, all or nothing."""
    cases, arrays = to_plain(estimator.cases_)
    header = {
        "content": "estimator",
        "estimator": type(estimator).__name__,
        "params": {k: _pack(k, v) for k, v in estimator.get_params(deep=False).items()},
        "state": estimator._fitted_state(),
        "cases": cases,
    }
    write_file(path, header, arrays)


def load(path: str | Path) -> BaseEstimator:
    """Read an estimator that its `save` wrote.

    Loading executes nothing from the file; a file that was altered is refused.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator : fitted estimator of the class that was saved

    Examples
    --------
    >>> import tempfile, pathlib, sklazy
    >>> model = sklazy.LazyLearningRegressor().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "model.sklazy")
    ...     again = sklazy.load(pathlib.Path(folder) / "model.sklazy")
    >>> again.digest() == model.digest()
    True
    """
    header, arrays = read_file(path)
    if header.get("content") != "estimator":
        raise BadFileError("the file holds something else than an estimator.", path)
    try:
        kind = _KINDS[header["estimator"]]
        estimator = kind(**{k: _unpack(v) for k, v in header["params"].items()})
        cases = from_plain(header["cases"], arrays, path)
        estimator._restore(cases, header["state"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"the file contradicts itself ({error!r}).", path) from error
    return estimator


def _pack(name: str, value: object) -> object:
    """A parameter as JSON that tells lists, tuples, dicts and arrays apart."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return {"array": [_pack(name, item) for item in value.tolist()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_pack(name, item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_pack(name, k), _pack(name, v)] for k, v in value.items()]}
    raise BadInputError(
        f"{name}={value!r} cannot be saved as plain data; use numbers, text, lists, "
        "tuples, dicts or arrays."
    )


def _unpack(packed: object) -> object:
    if not isinstance(packed, dict):
        return packed
    ((kind, items),) = packed.items()
    if kind == "dict":
        return {_unpack(key): _unpack(value) for key, value in items}
    values = [_unpack(item) for item in items]
    makers: dict[str, Callable[[list[object]], object]]
    makers = {"array": np.array, "list": list, "tuple": tuple}
    return makers[kind](values)
