"""The fitted state of an estimator: as plain data, taken back, and checked."""

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import clone

from sklazy.casebase import CaseBase
from sklazy.casebase.choices import Choices
from sklazy.errors import BadTypeError, warn_once
from sklazy.estimators.parameters import check_count, check_share
from sklazy.estimators.settings import describe_settings, from_settings, to_settings

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

Model = TypeVar("Model", bound="LazyEstimator")

NOT_RECORDED = ("n_jobs", "cache_size", "device")
"""Parameters that answers do not depend on."""


def describe_model(model: "LazyEstimator") -> dict[str, Any]:
    """Describe an estimator for the header of a file, as JSON."""
    saved = _saved_settings(model)
    from_settings(saved)  # what `load` would refuse is refused now
    return {
        "content": "estimator",
        "estimator": type(model).__name__,
        "settings": saved,
        "state": describe_state(model),
    }


def _saved_settings(model: "LazyEstimator") -> dict[str, Any]:
    if isinstance(getattr(model, "random_state", None), int | np.integer | None):
        return to_settings(model)
    # A generator cannot be written down: the seed that it gave stands for it.
    return to_settings(clone(model).set_params(random_state=model.seed_))


def describe_choices(model: "LazyEstimator") -> dict[str, Any]:
    """Describe the parameters that answers depend on, as JSON."""
    settings = describe_settings(model, model._resolved())
    return {k: value for k, value in settings.items() if k not in NOT_RECORDED}


def describe_state(model: "LazyEstimator") -> dict[str, Any]:
    """Describe the fitted state other than parameters and cases, as JSON."""
    return {name.strip("_"): getattr(model, name) for name in model._fitted}


def restore_state(
    model: "LazyEstimator", cases: CaseBase, state: dict[str, Any]
) -> None:
    """Take a fitted state: cases, and the rest as `describe_state` gave it."""
    let_choices_age(model, cases)
    model.cases_ = cases
    names = cases.schema.user_names
    model.n_features_in_ = len(names)
    if cases.schema.named:
        model.feature_names_in_ = np.array(names, dtype=object)
    for name, kind in model._fitted.items():
        setattr(model, name, kind(state[name.strip("_")]))


def let_choices_age(model: "LazyEstimator", cases: CaseBase) -> None:
    """Have choices outlive as many changes as `refresh_every` allows."""
    limit: object = model.refresh_every
    is_count = isinstance(limit, int | np.integer) and not isinstance(limit, bool)
    if is_count or not isinstance(limit, float):
        check_count("refresh_every", limit)
        cases.choices = Choices(int(limit))  # type: ignore[call-overload]
    else:
        check_share("refresh_every", limit)
        cases.choices = Choices(float(limit))
    if cases.is_parted and cases.choices.may_be_old:
        warn_once(
            f"refresh_every={limit!r} has no effect where rows lie in parts (a file "
            "that changes with them, a cluster): choices are made anew after every "
            "change. Load the model without mmap_mode='r+', or leave it at 1."
        )


def check_restored(model: "LazyEstimator", *, mapped: bool = False) -> None:
    """Refuse what `fit`, or the next query, would refuse.

    That looks at rows unless they stay in a file, which is read with the first query.
    """
    model._check_parameters()
    if model.n_jobs is not None and not isinstance(model.n_jobs, int):
        raise BadTypeError(f"n_jobs={model.n_jobs!r}; expected a whole number or None.")
    model._check_size(len(model.cases_.names), None)
    if not mapped:
        model._check_cases(model.cases_)
    model._learner()


def as_member(model: Model, n_features: int) -> Model:
    """A copy that answers from cases which another estimator keeps."""
    twin: Model = clone(model)
    set_initial_state(twin, n_features)
    return twin


def set_initial_state(model: "LazyEstimator", n_features: int) -> None:
    """Set the fitted state that `fit` would find without looking at rows."""
    model.n_features_in_ = n_features
    model.__dict__.update(model._find_fitted(np.zeros(1)))
