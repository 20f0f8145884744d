"""Parameters of estimators as plain data, and back, without executing anything."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.discovery import all_estimators

from sklazy.errors import BadInputError

_MARK = "scikit-learn estimator"


def to_settings(estimator: BaseEstimator) -> dict[str, Any]:
    """The parameters of an estimator as JSON values."""
    parameters = estimator.get_params(deep=False)
    return {name: _plain(name, value) for name, value in parameters.items()}


def from_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The parameters that `to_settings` took apart."""
    return {name: _restored(value) for name, value in settings.items()}


def _plain(name: str, value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(name, item) for item in value]
    if isinstance(value, BaseEstimator) and type(value).__module__.startswith(
        "sklearn."
    ):
        return {_MARK: type(value).__name__, "parameters": to_settings(value)}
    raise BadInputError(
        f"{name}={value!r} cannot be saved: a file holds data only, so a parameter "
        "must be a number, text, None, a list of those, or an estimator of "
        "scikit-learn. Save the parameters by other means, or set this one again."
    )


def _restored(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        named = dict(all_estimators())
        if value.get(_MARK) not in named:
            raise BadInputError(f"scikit-learn has no estimator {value.get(_MARK)!r}.")
        return named[value[_MARK]](**from_settings(value["parameters"]))
    if isinstance(value, list):
        return [_restored(item) for item in value]
    return value
