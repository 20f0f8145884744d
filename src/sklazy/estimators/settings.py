"""Parameters of estimators as plain data, and back, without executing anything.

The values read back are data, and estimators of scikit-learn with parameters that
scikit-learn allows, or of this library, which checks them when it is asked. No value is
a function, and none names a file or folder: those that could (`_REFUSED`) are refused,
in a file and when one is written.
"""

import datetime
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.discovery import all_estimators

from sklazy.compat import validate_parameters
from sklazy.errors import BadInputError

# Parameters of scikit-learn's estimators by which a file could have others read,
# unpickled or evaluated: what is allowed, and why nothing else is.
_REFUSED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "memory": (
        lambda value: value is None,
        "results are unpickled from that folder; set memory=None",
    ),
    "input": (
        lambda value: value not in ("filename", "file"),
        "files would be read whose names are in the data; set input='content'",
    ),
    "pre_dispatch": (
        lambda value: bool(
            re.fullmatch(r"all|[0-9]{0,9} ?\*? ?n_jobs|[0-9]+", f"{value}")
        ),
        "joblib evaluates it; give 'all', a count or a multiple such as '2*n_jobs'",
    ),
}

# Where estimators come from that can be saved.
_SAVED = ("sklearn.", "sklazy.")

# Estimators that are more than their parameters.
_STATEFUL = {"FrozenEstimator"}


Other = Callable[[str, Any], object]
"""Handler of a parameter that is not data."""


def to_settings(estimator: Any) -> dict[str, Any]:  # noqa: ANN401 - any estimator
    """The parameters of an estimator as JSON values, or an error: to be saved."""
    return _pack_settings(estimator, _refuse_object, {})


def describe_settings(
    estimator: Any,  # noqa: ANN401 - any estimator
    resolved: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Describe the parameters of an estimator as JSON values, of any kind.

    `resolved` has values that stand for the parameters of these names.
    """
    return _pack_settings(estimator, _describe_object, resolved or {})


def from_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters that `to_settings` took apart, if a file may hold them."""
    return {name: _unpack(value) for name, value in settings.items()}


def _pack_settings(
    estimator: Any,  # noqa: ANN401
    other: Other,
    resolved: Mapping[str, object],
) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    return {
        name: resolved[name] if name in resolved else _pack(name, value, other)
        for name, value in parameters.items()
    }


def _pack(name: str, value: Any, other: Other) -> object:  # noqa: ANN401 - any parameter
    """A parameter as JSON that distinguishes lists, tuples, dicts, arrays, models."""
    if isinstance(value, np.generic) and not isinstance(value, np.timedelta64):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        kind = "array" if isinstance(value, np.ndarray) else type(value).__name__
        return {kind: [_pack(name, item, other) for item in value]}
    if isinstance(value, dict):
        pairs = [[_pack(name, part, other) for part in pair] for pair in value.items()]
        return {"dict": pairs}
    return _pack_object(name, value, other)


def _pack_length(value: np.timedelta64 | datetime.timedelta) -> list[int]:
    """A length of time as days, seconds and microseconds."""
    if isinstance(value, np.timedelta64):  # nanoseconds would become a bare number
        value = value.astype("m8[us]").item()
    if not isinstance(value, datetime.timedelta):
        raise BadInputError(f"{value!r} is no length of time; give a timedelta.")
    return [value.days, value.seconds, value.microseconds]


def _pack_object(name: str, value: Any, other: Other) -> object:  # noqa: ANN401
    if isinstance(value, np.timedelta64 | datetime.timedelta):
        return {"timedelta": _pack_length(value)}
    if hasattr(value, "get_params") and type(value).__module__.startswith(_SAVED):
        return {"estimator": [type(value).__name__, _pack_settings(value, other, {})]}
    return other(name, value)


def _refuse_object(name: str, value: object) -> object:
    raise BadInputError(
        f"{name}={value!r} cannot be saved: a file holds data only, so a parameter "
        "must be a number, text, None, a timedelta, a list, tuple, dict or array of "
        "those, or an estimator of scikit-learn or sklazy. Save the model with one of "
        f"these, by model.set_params({name}=None) for example, and set it again after "
        "loading."
    )


def _describe_object(_: str, value: object) -> object:
    """An object by its class, with its parameters where it has them."""
    kind = value if isinstance(value, type | FunctionType) else type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"estimator": [name, describe_settings(value)]}
    return {"object": name}


def _unpack(packed: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(packed, dict):
        return packed
    ((kind, items),) = packed.items()
    if kind not in _MAKERS:
        raise BadInputError(f"a setting of the kind {kind!r} is not known.")
    return _MAKERS[kind](items)


def _make_length(items: list[Any]) -> datetime.timedelta:
    """A length of time of days, seconds and microseconds."""
    try:
        days, seconds, microseconds = map(int, items)
        return datetime.timedelta(days, seconds, microseconds)
    except (TypeError, ValueError, OverflowError):
        raise BadInputError(
            f"a setting is the length of time {items!r}; expected days, seconds and "
            "microseconds."
        ) from None


def _make_estimator(items: list[Any]) -> object:
    """An estimator, found by name among scikit-learn's and ours and no others."""
    name, settings = items
    kind = {**_known_models(), **_own_models()}.get(name)
    if kind is None:
        raise BadInputError(
            f"{name} cannot be saved or loaded: a file holds estimators that "
            "scikit-learn lists by name (`all_estimators`), or that are of sklazy, and "
            "that are made by their parameters alone."
        )
    parameters = from_settings(settings)
    for parameter, value in parameters.items():
        _check_allowed(name, parameter, value)
    model = kind(**parameters)
    if name in _known_models():
        validate_parameters(model)
    return model


@functools.cache
def _known_models() -> dict[str, Any]:
    return {name: kind for name, kind in all_estimators() if name not in _STATEFUL}


def _own_models() -> dict[str, Any]:
    """The estimators of this library, by name."""
    import_estimators()
    models = dict[str, Any]()
    waiting = list(BaseEstimator.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("sklazy."):
            models[kind.__name__] = kind
    return models


@functools.cache
def import_estimators() -> None:
    """Import every module of this room: the front door imports what is asked for."""
    room = importlib.import_module("sklazy.estimators")
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        importlib.import_module(module.name)


def _check_allowed(name: str, parameter: str, value: object) -> None:
    """Refuse a value by which a file could have others read or run."""
    is_allowed, reason = _REFUSED.get(parameter, (lambda _: True, ""))
    if not is_allowed(value):
        raise BadInputError(
            f"{parameter}={value!r} of {name} cannot be saved or loaded: {reason}."
        )


_MAKERS: dict[str, Callable[[list[Any]], object]] = {
    "array": lambda items: np.array([_unpack(item) for item in items]),
    "dict": lambda items: {_unpack(key): _unpack(value) for key, value in items},
    "estimator": _make_estimator,
    "list": lambda items: [_unpack(item) for item in items],
    "timedelta": _make_length,
    "tuple": lambda items: tuple(_unpack(item) for item in items),
}
