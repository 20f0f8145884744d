"""Law 7: leave-one-out never sees the row itself."""

import copy
import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from discovery import (
    every_keeper,
    keeps_cases,
    keeps_cases_with,
    one_keeper_of_each,
    settings_of,
)
from lawful import few, fewer, fitted, left_out, quiet, wholes, with_exact_cuts
from sklazy.errors import BadInputError, DataWarning

pytestmark = quiet


def takes_weights(setting):
    if getattr(setting.model, "n_landmarks", None) == 0:  # refuses weights
        return False
    return keeps_cases(setting) and has_fit_parameter(setting.model, "sample_weight")


def asked_rows(problem):
    return st.lists(st.integers(0, len(problem.rows) - 1), min_size=1, max_size=4)


@every_keeper
@fewer
@given(st.data())
def test_its_own_target_cannot_leak(setting, data):
    problem = data.draw(wholes(setting, more=1))
    row = data.draw(st.integers(0, len(problem.rows) - 1))
    model = with_exact_cuts(setting.model)
    before = left_out(fitted(model, problem), [row])
    classes, targets = problem.classes.copy(), problem.targets.copy()
    classes[row], targets[row] = data.draw(st.integers(0, 3)), 1e6
    changed = dataclasses.replace(problem, classes=classes, targets=targets)
    after = left_out(fitted(model, changed), [row])
    assert after.tolist() == before.tolist()


@pytest.mark.parametrize(
    "setting", settings_of(lambda s: keeps_cases(s) and is_classifier(s.model), most=1)
)
def test_a_row_left_out_breaks_no_tie(setting):
    nothing = np.full((3, 1), np.nan)
    found = [
        left_out(clone(setting.model).fit(nothing, [own, 1, 0]), [0]).tolist()
        for own in (0, 1)
    ]
    assert found[0] == found[1]


@every_keeper
@few
@given(st.data())
def test_a_row_left_out_is_a_row_forgotten(setting, data):
    problem = data.draw(wholes(setting, more=1))
    asked = data.draw(asked_rows(problem))
    whole = fitted(setting.model, problem)
    digest, found = whole.digest(), left_out(whole, asked).tolist()
    for place, row in enumerate(asked):
        one = problem.take([row])
        rest = problem.take([i for i in range(len(problem.rows)) if i != row])
        if getattr(setting.model, "cuts", "exact") == "frozen":  # cuts stay, too
            others = copy.deepcopy(whole).forget([whole.ids_[row]])
        else:
            others = fitted(setting.model, rest)
        assert found[place] == others.predict(one.frame)[0]
        if hasattr(whole, "loo_predict_proba"):
            shares = np.zeros(len(whole.classes_))
            kept = whole.classes_.searchsorted(others.classes_)
            shares[kept] = others.predict_proba(one.frame)[0]
            # Where counts without the row follow from those with it, sums are rounded
            # differently.
            slack = 1e-12 if hasattr(whole, "select_attributes") else 0.0
            found_shares = left_out(whole, [row], "loo_predict_proba")[0]
            assert found_shares == pytest.approx(shares, rel=0, abs=slack)
    assert whole.digest() == digest


@pytest.mark.parametrize("setting", settings_of(keeps_cases_with("cuts")))
@fewer
@given(st.data())
def test_leaving_out_follows_frozen_cuts(setting, data):
    problem = data.draw(wholes(setting, more=1))
    row = data.draw(st.integers(0, len(problem.rows) - 1))
    found = fitted(setting.model, problem, cuts="frozen").loo_predict([row])
    others = fitted(setting.model, problem, cuts="frozen")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they stem from the row, too
        others.forget([row])
    assert found.tolist() == others.predict(problem.take([row]).frame).tolist()


@pytest.mark.parametrize("setting", settings_of(takes_weights))
@fewer
@given(st.data())
def test_leaving_out_follows_weights_and_changes(setting, data):
    problem = data.draw(wholes(setting, more=2))
    last = len(problem.rows) - 1
    each = st.sampled_from([0.5, 1, 2])
    weights = np.array(data.draw(st.lists(each, min_size=last + 1, max_size=last + 1)))
    fresh = fitted(setting.model, problem.take(range(last)), weights[:last])
    changed = fitted(setting.model, problem, weights).forget([last])
    row = data.draw(st.integers(0, last - 1))
    rows = [row, (row + 1) % last]
    found = left_out(fresh, rows)
    assert left_out(changed, rows).tolist() == found.tolist()
    others = fitted(setting.model, problem, weights).forget([row, last])
    assert found[0] == others.predict(problem.take([row]).frame)[0]


def skip_if_strange(setting, scale):
    if scale == "range" and not hasattr(setting.model, "degrees"):
        pytest.skip("it scales by deviations, or not at all")


@pytest.mark.parametrize("scale", [True, "range", False])
@pytest.mark.parametrize("setting", settings_of(keeps_cases_with("scale")))
def test_a_hidden_row_is_a_row_never_seen(setting, scale):
    skip_if_strange(setting, scale)
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.sin(6 * X[:, 0]) + X[:, -1] + 0.1 * rng.standard_normal(40)
    model = clone(setting.model).set_params(scale=scale)
    y = y if is_regressor(model) else (y > y.mean()).astype(int)
    further = {"return_std": True} if is_regressor(model) else {}
    loo = np.atleast_2d(model.fit(X, y).loo_predict(**further))
    for i in range(0, 40, 7):
        kept = np.arange(40) != i
        without = clone(model).fit(X[kept], y[kept])
        found = np.atleast_2d(without.predict(X[i : i + 1], **further))
        assert found[:, 0].tolist() == loo[:, i].tolist()


def is_weighted_and_scaled(setting):
    """Local regressions, which put large and small numbers in other units."""
    scaled = keeps_cases_with("scale")(setting) and takes_weights(setting)
    return scaled and is_regressor(setting.model)


@pytest.mark.parametrize("scale", [True, "range", False])
@pytest.mark.parametrize(
    ("of_target", "of_weight"), [(1e200, 1), (1e-200, 1), (1, 1e11)]
)
@pytest.mark.parametrize("setting", settings_of(is_weighted_and_scaled, most=1))
def test_units_are_those_of_the_rows_that_stay(setting, scale, of_target, of_weight):
    skip_if_strange(setting, scale)
    rng, n_rows = np.random.default_rng(0), 16
    X, y, weights = rng.random((n_rows, 2)), rng.random(n_rows), 1 + rng.random(n_rows)
    X[:4] = [[0, 0], [0, 0], [1, 1], [1, 1]]  # no row alone ends a range
    y[9] *= max(of_target, 1)  # one row is large, or the others are small
    y[np.arange(n_rows) != 9] *= min(of_target, 1)
    weights[9] *= of_weight
    model = clone(setting.model).set_params(scale=scale)
    found = np.array(model.fit(X, y, weights).loo_predict(return_std=True))
    for i in range(8, 12):
        kept = np.arange(n_rows) != i
        others = clone(model).fit(X[kept], y[kept], weights[kept])
        alone = np.array(others.predict(X[i : i + 1], return_std=True))
        assert alone[:, 0].tolist() == found[:, i].tolist()


@one_keeper_of_each
@pytest.mark.parametrize(
    "rows", [[0, 6], [-7], [0.5], [True] * 6, 3, ["a"], [999]], ids=str
)
def test_rows_that_are_not_there_cannot_be_left_out(setting, rows):
    model = clone(setting.model).fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    with pytest.raises(BadInputError, match="rows="):
        model.loo_predict(rows=rows)


@pytest.mark.parametrize(
    "setting", settings_of(lambda s: keeps_cases(s) and s.min_rows == 1)
)
def test_the_only_row_cannot_be_left_out(setting):
    model = clone(setting.model).fit([[1.0, 2.0]], [1])
    with pytest.raises(BadInputError, match="second row"):
        model.loo_predict()
