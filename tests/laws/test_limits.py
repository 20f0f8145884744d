"""Law 9, its second half: no limit of size makes the error jump."""

import ast
import contextlib
import inspect
import re
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from sklearn.base import is_regressor

import sklazy
from discovery import exported, name_of
from lawful import quiet
from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyKNeighborsRegressor,
    LazyLogisticClassifier,
    LazyNBClassifier,
    LazyPLSRegressor,
    LazyRidgeRegressor,
)
from walks import find_rise, walk

pytestmark = quiet

SMALL = 200  # rows at which the limits lie that can be moved
LARGEST_RISE = 0.05  # of the error; two rows more change it by some thousandths


def check_walk(model, limit, table, **how):
    errors = walk(model, limit, table, **how)
    assert find_rise(errors) <= LARGEST_RISE, errors.mean(axis=0).round(4).tolist()


# Parameters, set to a small limit.
PARAMETERS = [
    (LazyKernelClassifier(max_rows=SMALL, max_loo_rows=75), "max_rows"),
    (LazyKernelRegressor(max_rows=SMALL, max_loo_rows=75), "max_rows"),
    (LazyKernelClassifier(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyKernelRegressor(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyBlendClassifier(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyBlendRegressor(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyNBClassifier(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyKNeighborsClassifier(max_loo_rows=SMALL), "max_loo_rows"),
    (LazyKNeighborsRegressor(5, "auto", max_loo_rows=SMALL), "max_loo_rows"),
]


def limits_in_rows(kind):
    """The parameters of an estimator that are limits of rows."""
    return [name for name in inspect.signature(kind).parameters if "_rows" in name]


def test_every_limit_that_is_a_parameter_is_walked():
    walked = {(type(model), name) for model, name in PARAMETERS}
    kinds = exported().values()
    assert walked == {(kind, name) for kind in kinds for name in limits_in_rows(kind)}


@pytest.mark.parametrize("table", ["curves", "words"])
@pytest.mark.parametrize(
    "model", [pytest.param(m, id=name_of(m)) for m, name in PARAMETERS[2:]]
)
def test_one_row_beyond_a_parameter_does_no_harm(model, table):
    blend = isinstance(model, LazyBlendClassifier | LazyBlendRegressor)
    check_walk(model, SMALL, table, n_draws=4 if blend else 6)


@pytest.mark.parametrize(
    "model", [pytest.param(m, id=name_of(m)) for m, name in PARAMETERS[:2]]
)
def test_one_row_beyond_the_system_of_all_cases_does_no_harm(model):
    check_walk(model, SMALL, "curves")


@pytest.mark.parametrize("kind", [LazyKernelClassifier, LazyKernelRegressor])
def test_one_row_beyond_the_nearest_cases_does_no_harm(kind):
    model = kind(max_rows=0, n_landmarks=0, n_neighbors=SMALL, max_loo_rows=75)
    check_walk(model, SMALL, "curves", n_draws=4)


# Constants, by module and name: small ones in their place, and whom they concern.
CONSTANTS = {
    "methods/selection/amounts.py": (
        {"_LEAST_TRIED": SMALL, "_NANOSECONDS": 1.0},
        [LazyNBClassifier(), LazyKNeighborsClassifier()],
    ),
    "methods/number_selection/amounts.py": (
        {"_LEAST_TRIED": SMALL, "_NANOSECONDS": 1.0},
        [LazyKNeighborsRegressor(5, "auto")],
    ),
    "methods/kernel_models/refine.py": (
        {"FEWEST_ROWS": SMALL},
        [LazyKernelClassifier(), LazyKernelRegressor()],
    ),
    "methods/linear_models/columns.py": (
        {"_SAMPLED": SMALL},
        [LazyLogisticClassifier(), LazyRidgeRegressor()],
    ),
    "estimators/ensembles/base.py": (
        {"_RANDOM_DRAWS": SMALL},
        [LazyBaggingClassifier(splits="random"), LazyBaggingRegressor(splits="random")],
    ),
    "methods/blends/draws.py": (
        {"MOST_ROWS": SMALL},
        [LazyBlendClassifier(), LazyBlendRegressor()],
    ),
    "neighbors/spectra.py": (
        {"_SAMPLED": SMALL},
        [LazyPLSRegressor(metric="mahalanobis")],
    ),
    "answer/uncertainty/scores.py": (
        {"MOST_ROWS": SMALL},
        [LazyNBClassifier(), LazyRidgeRegressor()],
    ),
    "answer/novelty.py": (
        {"_FEWEST_COMPARED": SMALL, "_MOST_CELLS": 0},
        [LazyNBClassifier()],
    ),
}
MEASURES = {
    "answer/uncertainty/scores.py": lambda model, queries, truth: (
        np.ptp(model.predict_interval(queries), axis=1).mean()
        if is_regressor(model)
        else model.predict_set(queries).sum(axis=1).mean()
    ),
    "answer/novelty.py": lambda model, queries, truth: model.novelty(queries).mean(),
}
NOT_WALKED = {
    ("estimators/reasons.py", "_MOST_TRIED"): "beyond it receipts name no change",
    ("methods/ensembles/learner.py", "N_TRIED"): "neighbors, however many rows",
    ("estimators/warming.py", "_N_ROWS"): "rows that are made up to compile for",
    ("methods/blends/learner.py", "MANY_ROWS"): "walked at its own size",
    ("methods/paths/bags.py", "AUTO_DRAWS"): "walked at its own size",
    ("methods/paths/bags.py", "FEWEST_DRAWS"): "a tree of fewer rows is none",
    ("methods/paths/bags.py", "WHOLE_ROWS"): "walked at its own size",
    ("estimators/audit/indicators.py", "N_JUDGED"): "of audits alone",
    ("methods/kernel_models/first_rows.py", "_N_COMPARED"): "of the rows drawn",
    ("methods/kernel_models/sums.py", "_MOST_ROWS"): "similarities of 21 or 18 bits",
    ("methods/selection/following.py", "_MOST_ROWS"): "a faster way to the same votes",
    ("neighbors/nearest.py", "FEWEST_ROWS"): "a faster search for the same rows",
}
LIMITING = re.compile("ROWS|SAMPLED|COMPARED|DRAWS|JUDGED|TRIED")


def constants_of(path):
    """The names of numbers that a module sets once."""
    for node in ast.parse(path.read_text("utf-8")).body:
        for target in getattr(node, "targets", []):
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def test_every_limit_that_is_a_constant_is_walked():
    root = Path(sklazy.__file__).parent
    present = {
        (path.relative_to(root).as_posix(), name)
        for room in ("answer", "methods", "estimators", "neighbors")
        for path in (root / room).rglob("*.py")
        if path.parent.name != "cuda" and path.name != "drawing.py"  # lengths of lists
        for name in constants_of(path)
        if LIMITING.search(name)
    }
    walked = {(path, name) for path, (own, _) in CONSTANTS.items() for name in own}
    assert present - walked == set(NOT_WALKED)


@contextlib.contextmanager
def few_directions():
    """Linear models look for directions among few columns, too."""
    linear = "sklazy.methods.linear_models"
    with (
        mock.patch(f"{linear}.logistic.MOST_DIRECTIONS", 6),
        mock.patch(f"{linear}.ridge.MOST_DIRECTIONS", 6),
    ):
        yield


@pytest.mark.parametrize(
    ("path", "model"),
    [
        pytest.param(path, model, id=f"{path}-{name_of(model)}")
        for path, (_, models) in CONSTANTS.items()
        for model in models
    ],
)
def test_one_row_beyond_a_constant_does_no_harm(path, model):
    module = "sklazy." + path.removesuffix(".py").replace("/", ".")
    how = {"measure": MEASURES[path]} if path in MEASURES else {}
    with few_directions(), mock.patch.multiple(module, **CONSTANTS[path][0]):
        check_walk(model, SMALL, "curves", **how)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "limit", "table"),
    [
        (LazyKernelClassifier(), 2000, "lines"),
        (LazyKernelRegressor(), 2000, "lines"),
        (LazyBlendClassifier(), 2000, "lines"),
        (LazyBlendRegressor(), 2000, "lines"),
        (LazyBlendClassifier(), 2000, "curves"),
        (LazyBlendRegressor(), 2000, "curves"),
        (LazyKernelClassifier(), 750, "curves"),
        (LazyKernelRegressor(), 750, "curves"),
        (LazyKernelClassifier(), 300, "curves"),
        (LazyKernelRegressor(), 300, "curves"),
        (LazyBlendClassifier(), 300, "curves"),
        (LazyBlendRegressor(), 300, "curves"),
        (LazyNBClassifier(), 1000, "curves"),
        (LazyKNeighborsClassifier(), 1000, "curves"),
        (LazyKNeighborsRegressor(5, "auto"), 1000, "curves"),
        (LazyBaggingClassifier(splits="random"), 4000, "curves"),
        (LazyBaggingRegressor(splits="random"), 4000, "curves"),
        (LazyBaggingClassifier(), 20_000, "curves"),
        (LazyBaggingRegressor(), 20_000, "curves"),
        (LazyBaggingClassifier(), 20_000, "lines"),
        (LazyBaggingRegressor(), 20_000, "lines"),
    ],
)
def test_one_row_beyond_a_default_does_no_harm(model, limit, table):
    check_walk(model, limit, table, n_draws=4, n_queries=100)
