"""Parameters of estimators as plain data, and back, without executing anything."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.discovery import all_estimators

from sklazy.errors import BadInputError


def to_settings(estimator: Any) -> dict[str, Any]:  # noqa: ANN401 - any estimator
    """The parameters of an estimator as JSON values."""
    parameters = estimator.get_params(deep=False)
    return {name: _pack(name, value) for name, value in parameters.items()}


def from_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters that `to_settings` took apart."""
    return {name: _unpack(value) for name, value in settings.items()}


def _pack(name: str, value: Any) -> object:  # noqa: ANN401 - any parameter
    """A parameter as JSON that tells lists, tuples, dicts, arrays and models apart."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        kind = "array" if isinstance(value, np.ndarray) else type(value).__name__
        return {kind: [_pack(name, item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_pack(name, k), _pack(name, v)] for k, v in value.items()]}
    if type(value).__module__.startswith("sklearn.") and hasattr(value, "get_params"):
        return {"estimator": [type(value).__name__, to_settings(value)]}
    raise BadInputError(
        f"{name}={value!r} cannot be saved: a file holds data only, so a parameter "
        "must be a number, text, None, a list, tuple, dict or array of those, or an "
        "estimator of scikit-learn. Set it again after loading."
    )


def _unpack(packed: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(packed, dict):
        return packed
    ((kind, items),) = packed.items()
    if kind not in _MAKERS:
        raise BadInputError(f"a setting of the kind {kind!r} is not known.")
    return _MAKERS[kind](items)


def _model(items: list[Any]) -> object:
    """An estimator of scikit-learn, found by name among its own and no others."""
    name, settings = items
    known = dict(all_estimators())
    if name not in known:
        raise BadInputError(f"scikit-learn has no estimator {name!r}.")
    return known[name](**from_settings(settings))


_MAKERS: dict[str, Callable[[list[Any]], object]] = {
    "array": lambda items: np.array([_unpack(item) for item in items]),
    "dict": lambda items: {_unpack(key): _unpack(value) for key, value in items},
    "estimator": _model,
    "list": lambda items: [_unpack(item) for item in items],
    "tuple": lambda items: tuple(_unpack(item) for item in items),
}
