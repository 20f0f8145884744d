"""Numbers beyond squares: every answer is finite, or refused in clear words."""

import inspect
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor

from discovery import keeps_cases, keeps_cases_with, one_keeper_of_each, settings_of
from lawful import few, fewer, fitted, quiet, splits
from sklazy import LazyLearningRegressor, LazySelectionClassifier
from sklazy.errors import BadInputError, DataWarning
from sklazy.methods.ensembles import data

pytestmark = [
    *quiet,
    pytest.mark.filterwarnings("ignore:.*divided by their sums"),
]

SIZES = [1e-320, 1e-300, 1.0, 1e154, 1e200, 1e300]
sizes = st.sampled_from(SIZES)
FINITE = ("predict", "predict_proba", "loo_predict")

# The same examples in every run: where numbers end is no place for surprises, and new
# examples are for whoever looks for them (change the seed), not for every change.
the_same_few = settings(few, derandomize=True)
the_same_fewer = settings(fewer, derandomize=True)


def resized(problem, of_cells, of_targets=1.0):
    """A problem whose numbers are multiplied, cells by one factor for each row."""
    rows = [
        [cell * size if isinstance(cell, float) else cell for cell in row]
        for row, size in zip(problem.rows, of_cells, strict=True)
    ]
    return replace(problem, rows=rows, targets=problem.targets * of_targets)


def check_answers(model, queries):
    """Whatever is answered is finite, and what is answered can be explained."""
    for method in FINITE:
        if hasattr(model, method):
            own = () if method == "loo_predict" else (queries.frame,)
            found = np.asarray(getattr(model, method)(*own))
            assert found.dtype.kind != "f" or np.isfinite(found).all(), method
            assert method != "predict_proba" or np.allclose(found.sum(axis=1), 1.0)
    for receipt in model.explain(queries.frame):
        receipt.to_json()


def check_or_refused(fit, queries):
    """All goes well, or is refused at `fit` or `predict`; then `explain` is, too."""
    try:
        model = fit()
    except BadInputError:
        return
    try:
        model.predict(queries.frame)
    except BadInputError:
        with pytest.raises(BadInputError):
            model.explain(queries.frame)
        return
    check_answers(model, queries)


def takes(model, parameter):
    return parameter in inspect.signature(model.fit).parameters


@one_keeper_of_each
@the_same_few
@given(st.data())
def test_extreme_cells_and_targets(setting, data):
    cases, queries = data.draw(splits(setting, more=2, max_rows=14))
    one, n_rows = data.draw(sizes), len(cases.rows)
    mixed = st.lists(sizes, min_size=n_rows, max_size=n_rows)
    of_cells = data.draw(st.one_of(st.just([one] * n_rows), mixed))
    cases = resized(cases, of_cells, data.draw(sizes))
    asked = resized(queries, [data.draw(sizes)] * len(queries.rows))
    check_or_refused(lambda: fitted(setting.model, cases), asked)


@pytest.mark.parametrize(
    "setting", settings_of(lambda s: keeps_cases(s) and takes(s.model, "sample_weight"))
)
@the_same_fewer
@given(st.data())
def test_extreme_weights(setting, data):
    cases, queries = data.draw(splits(setting, more=2, max_rows=14))
    n_rows = len(cases.rows)
    one = data.draw(st.sampled_from([*SIZES, 1e308]))
    several = st.lists(sizes, min_size=n_rows, max_size=n_rows)
    weights = data.draw(st.one_of(st.just([one] * n_rows), several))
    check_or_refused(lambda: fitted(setting.model, cases, weights), queries)


@pytest.mark.parametrize("parameter", ["alpha", "ridge", "attribute_weights"])
@the_same_fewer
@given(st.data())
def test_extreme_parameters(parameter, data):
    found = settings_of(keeps_cases_with(parameter), most=1)
    setting = data.draw(st.sampled_from([param.values[0] for param in found]))
    cases, queries = data.draw(splits(setting, more=2, max_rows=14))
    value = data.draw(st.sampled_from([1e-320, 1e-30, 1e154, 1e300, 1e308]))
    if parameter == "attribute_weights":
        value = [value] * len(cases.kinds)
    chosen = {parameter: value}
    check_or_refused(lambda: fitted(setting.model, cases, **chosen), queries)


def is_free_of_scale(setting):
    """Bags are drawn by the cells of a query; all else looks at differences."""
    draws = hasattr(setting.model, "beta") or hasattr(setting.model, "default_members")
    return keeps_cases(setting) and not draws


@pytest.mark.parametrize("setting", settings_of(is_free_of_scale, most=1))
@pytest.mark.parametrize("exponent", [-900, -600, 600, 900])
def test_powers_of_two_change_no_answer(setting, exponent):
    # No ties: these are settled by an order of rows that hangs on their cells.
    rng, size = np.random.default_rng(0), 2.0**exponent
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    y = y if is_regressor(setting.model) else (X[:, 0] + 0.1 * y > 0).astype(int)
    plain = clone(setting.model).fit(X, y).predict(X)
    found = clone(setting.model).fit(X * size, y).predict(X * size)
    np.testing.assert_allclose(found, plain, rtol=1e-9)


def predicts_locally(setting):
    return is_regressor(setting.model) and hasattr(setting.model, "degrees")


@pytest.mark.parametrize("setting", settings_of(predicts_locally))
@pytest.mark.parametrize("exponent", [-900, -400, 400, 900])
def test_local_models_answer_in_the_units_of_the_target(setting, exponent):
    rng, size = np.random.default_rng(0), 2.0**exponent
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    plain = clone(setting.model).fit(X, y).predict(X)
    found = clone(setting.model).fit(X, y * size).predict(X)
    np.testing.assert_allclose(found / size, plain, rtol=1e-9)


def averages_members(setting):
    return is_regressor(setting.model) and hasattr(setting.model, "beta")


@pytest.mark.parametrize("setting", settings_of(averages_members))
def test_ensembles_answer_the_same_in_other_units(setting):
    # Numbers of another size lie in another order, and so in other bags.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), 37.0 * rng.normal(size=30)
    plain = clone(setting.model).fit(X, y)
    with mock.patch.object(data, "_SQUARE", 1.0):
        placed = clone(setting.model).fit(X, y)
        assert says(placed, X) == says(plain, X)
        told = [receipt.to_dict() for receipt in placed.explain(X[:3])]
        assert data.prepare_data(placed.cases_, placed.target).unit < 1.0
    for own, other in zip(told, plain.explain(X[:3]), strict=True):
        assert_close(own, other.to_dict())


def says(model, X):
    return model.predict(X).tolist(), model.member_values(X).tolist()


def assert_close(own, other):
    """Two receipts say the same, but for the last digits and the seals of these."""
    if isinstance(own, dict):
        assert own.keys() == other.keys()
        for key in own.keys() - {"seal"}:
            assert_close(own[key], other[key])
    elif isinstance(own, list):
        for one, another in zip(own, other, strict=True):
            assert_close(one, another)
    else:
        assert own == (pytest.approx(other) if isinstance(own, float) else other)


@pytest.mark.parametrize("setting", settings_of(averages_members, most=1))
@pytest.mark.parametrize("size", [2.0**-1000, 2.0**-600, 1e130])
def test_ensembles_answer_in_the_units_of_the_target(setting, size):
    places = np.arange(60.0)
    model = clone(setting.model).fit(places[:, None], places * size)
    found = model.predict(places[:, None]) / size
    np.testing.assert_allclose(found, places, atol=10)
    for receipt in model.explain(places[20:22, None], detail="full"):
        assert model.verify(receipt)
        (target,) = receipt["cases"]["targets"]
        assert target["std"] / size == pytest.approx(places.std())
        assert 0 < receipt["diversity"]["nearby"]["error"] / size < 30


def test_what_is_beyond_squares_is_told_apart():
    X, places = np.arange(12.0)[:, None], np.arange(12.0)
    plain = LazyLearningRegressor().fit(X, places).predict(X)
    large = LazyLearningRegressor().fit(X * 1e300, places * 1e290).predict(X * 1e300)
    np.testing.assert_allclose(large / 1e290, plain, atol=0.02)


class Unsure(ClassifierMixin, BaseEstimator):
    """A classifier whose rows sum to 3, or are NaN."""

    def __init__(self, share=1.0):
        self.share = share

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), self.share)


def test_hosts_that_answer_no_probabilities_are_mended_or_refused():
    X, y = np.arange(9.0)[:, None], np.arange(9) % 3
    with pytest.warns(DataWarning, match="sum to 3"):
        found = LazySelectionClassifier(Unsure()).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found, 1 / 3)
    with pytest.raises(BadInputError, match="expected probabilities"):
        LazySelectionClassifier(Unsure(np.nan)).fit(X, y).predict(X)
