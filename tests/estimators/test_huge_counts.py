"""Whole numbers beyond all bounds: taken as all there is, or refused by name."""

import inspect
import re
import sys

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from discovery import exported
from model_settings import SETTINGS
from sklazy import LazyKNeighborsClassifier, LazyKNeighborsRegressor
from sklazy.kernels.compiling import every_job_due

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).round(1)
CLASSES, NUMBERS = (X[:, 0] > 0).astype(int), X[:, 0] + X[:, 1]
HUGE = {"1e30": 10**30, "1e400": 10**400, "maxsize": sys.maxsize}

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*rows are taken at most"),
    pytest.mark.filterwarnings("ignore:.*smaller than n_iter"),
    pytest.mark.filterwarnings("ignore:the race had .* no test was made"),
    pytest.mark.filterwarnings("ignore:a member is left out of the blend"),
]


def whole_numbers(kind):
    """The parameters that take whole numbers, by their defaults or their docs."""
    taken, text = inspect.signature(kind).parameters, inspect.getdoc(kind)
    counts = {n for n, p in taken.items() if type(p.default) is int}
    return sorted(
        counts | (set(re.findall(r"^(\w+) : .*\bint\b", text, re.M)) & set(taken))
    )


CASES = [
    pytest.param(kind, name, value, id=f"{kind.__name__}-{name}-{size}")
    for kind in exported().values()
    for name in whole_numbers(kind)
    for size, value in HUGE.items()
]


def ask(model):
    """Fit a model and use it in every way that it has."""
    model.fit(X, NUMBERS if is_regressor(model) else CLASSES)
    for method in ("predict", "transform", "explain"):
        if hasattr(model, method):
            getattr(model, method)(X[:3])
    if hasattr(model, "loo_predict"):
        model.loo_predict(rows=[0, 1])


def refusal(model):
    """Why a model cannot be used; None if it can."""
    try:
        ask(model)
    except ValueError as error:
        return str(error)
    return None


def test_parameters_are_found():
    counts = {name for kind in exported().values() for name in whole_numbers(kind)}
    assert {"n_neighbors", "max_rows", "n_estimators", "n_jobs", "window"} <= counts
    assert len(CASES) > 200


@pytest.mark.parametrize(("kind", "name", "value"), CASES)
def test_huge_numbers_are_taken_or_refused_by_name(kind, name, value):
    model = clone(SETTINGS[kind][0].model).set_params(**{name: value})
    why = refusal(model)
    # Splitters of scikit-learn name their own parameter.
    assert why is None or re.match(f"{name}=|.*n_splits=", why)


def test_more_neighbors_than_rows_are_all_of_them():
    """Ensembles and local models, whose bags and ranges need so many, refuse them."""
    kinds = [k for k in exported().values() if "n_neighbors" in whole_numbers(k)]
    taken = []
    for kind in kinds:
        model = clone(SETTINGS[kind][0].model).set_params(n_neighbors=sys.maxsize)
        if refusal(model) is None:
            taken.append(kind.__name__)
            every = model.predict(X[:9]).tolist()
            assert every == model.set_params(n_neighbors=len(X)).predict(X[:9]).tolist()
    assert taken == [
        "LazyKNeighborsClassifier",
        "LazyKNeighborsRegressor",
        "LazyKernelClassifier",
        "LazyKernelRegressor",
        "LazyPLSRegressor",
    ]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("kind", [LazyKNeighborsClassifier, LazyKNeighborsRegressor])
def test_kernels_take_more_neighbors_than_rows(kind, weights):
    """Jobs as small as these run without kernels, unless a process has them."""
    few, many = (kind(n, weights=weights) for n in (len(X), sys.maxsize))
    with every_job_due():
        ask(many)
        ask(few)
        assert many.predict(X[:9]).tolist() == few.predict(X[:9]).tolist()
        assert many.loo_predict().tolist() == few.loo_predict().tolist()
