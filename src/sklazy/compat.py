"""The only door to scikit-learn's private names."""

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from sklearn.utils import _safe_indexing as take
from sklearn.utils.metaestimators import _safe_split as split_rows
from sklearn.utils.validation import _check_method_params as rows_of_params

__all__ = [
    "forwards_sample_weight",
    "rows_of_params",
    "split_rows",
    "take",
    "validate_parameters",
]


@functools.cache  # imported when a search asks: it takes a sixth of a second
def _searches_forward() -> bool:
    """Whether this release's own searches hand sample weights on to their scorers.

    That is, when metadata routing is off.
    """
    search = importlib.import_module("sklearn.model_selection").GridSearchCV
    return hasattr(search, "_check_scorers_accept_sample_weight")


def forwards_sample_weight(scorer: Callable[..., object]) -> bool:
    """Whether GridSearchCV of this release would weigh rows in this scorer."""
    if not _searches_forward():
        return False
    accepts = getattr(scorer, "_accept_sample_weight", None)
    if accepts is not None:
        return bool(accepts())
    return "sample_weight" in inspect.signature(scorer).parameters


def validate_parameters(model: Any) -> None:  # noqa: ANN401 - any estimator
    """Check an estimator's parameters as its `fit` would, where it declares them."""
    if hasattr(model, "_parameter_constraints"):
        model._validate_params()
