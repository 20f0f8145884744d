"""Choices that may be old: how old they are is stated, and what was erased is gone."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor
from sklearn.ensemble import HistGradientBoostingRegressor

from discovery import keeps_cases_with, settings_of
from lawful import quiet
from odd_rows import make_rows
from oracle import kernel_models as slow
from row_traces import GONE, asked, in_copies, in_memory, problem
from sklazy import (
    LazyClassifier,
    LazyKernelClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazyRegressor,
    load,
)
from sklazy.answer.learner import prepare
from sklazy.errors import BadInputError, DataWarning
from sklazy.estimators.blends.boosted_members import BoostedMember
from sklazy.methods.blends import learner as blends
from strategies import split_problems

pytestmark = quiet

each = pytest.mark.parametrize(
    "setting",
    settings_of(
        lambda s: (
            keeps_cases_with("refresh_every")(s)
            and "refresh_every" in s.model.get_params(deep=False)
        ),
        1,
    ),
)
KERNELS = [LazyKernelClassifier, LazyKernelRegressor]


def ask(model, X):
    return model.predict(X) if is_regressor(model) else model.predict_proba(X)


def make_table(model, n_rows=90):
    rng = np.random.default_rng(4)
    X, y = make_rows(rng, n_rows)
    return X, (rng.normal(size=n_rows).round(1) if is_regressor(model) else y)


def aged(model, X, y, n_first, n_later):
    """A model that chose by the first rows, and learned the later ones since."""
    model = clone(model).fit(X[:n_first], y[:n_first])
    ask(model, X[:3])
    for row in range(n_first, n_first + n_later):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        ask(model, X[:3])
    return model


@each
def test_choices_are_as_old_as_stated(setting):
    X, y = make_table(setting.model)
    earlier = clone(setting.model).fit(X[:60], y[:60])
    model = aged(clone(setting.model).set_params(refresh_every=8), X, y, 60, 7)
    plain = clone(setting.model).set_params(refresh_every=1).fit(X[:67], y[:67])
    stated = model.explain(X[:1])[0].to_dict()["cases"]
    assert stated["choices"] == [{"rows_since": 7, "digest": earlier.digest()}]
    assert stated["digest"] == model.digest() != plain.digest()
    model.partial_fit(X[67:68], y[67:68])  # the eighth
    plain.partial_fit(X[67:68], y[67:68])
    assert np.array_equal(ask(model, X), ask(plain, X))
    assert model.digest() == plain.digest()
    assert "choices" not in model.explain(X[:1])[0].to_dict()["cases"]


@each
@pytest.mark.parametrize("way", ["refresh", "forget"])
def test_refreshed_choices_are_those_of_a_fit(setting, way):
    X, y = make_table(setting.model)
    model = aged(clone(setting.model).set_params(refresh_every=0.9), X, y, 60, 9)
    left = np.arange(69)
    if way == "refresh":
        model.refresh()
    else:
        model.forget([5])
        left = np.delete(left, 5)
    plain = clone(setting.model).set_params(refresh_every=1)
    plain.fit(X.iloc[left], y[left])
    assert np.array_equal(ask(model, X), ask(plain, X))
    assert model.digest() == plain.digest()


@each
def test_copies_answer_alike_and_receipts_hold(setting):
    X, y = make_table(setting.model)
    model = aged(clone(setting.model).set_params(refresh_every=50), X, y, 60, 5)
    receipt = model.explain(X[:1])[0]
    assert model.verify(receipt)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.digest() == model.digest()
    np.testing.assert_allclose(ask(copied, X), ask(model, X), rtol=1e-7, atol=1e-9)


@each
def test_a_file_has_no_old_choices(setting, tmp_path):
    X, y = make_table(setting.model)
    model = aged(clone(setting.model).set_params(refresh_every=50), X, y, 60, 5)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert np.array_equal(ask(again, X), ask(model.refresh(), X))
    ask(again.partial_fit(X[70:71], y[70:71]), X)
    assert again.cases_.choices.describe()  # they age in it, too


@each
def test_rows_are_left_out_by_choices_of_those_there(setting):
    X, y = make_table(setting.model)
    model = aged(clone(setting.model).set_params(refresh_every=50), X, y, 60, 5)
    plain = clone(setting.model).set_params(refresh_every=1).fit(X[:65], y[:65])
    parameters = {} if not model._can_approximate else {"approximate": False}
    found = model.loo_predict([0, 61], **parameters)
    assert np.array_equal(found, plain.loo_predict([0, 61], **parameters))


@each
@pytest.mark.parametrize("way", ["forget", "window"])
def test_a_row_that_went_is_nowhere(setting, way, tmp_path):
    model = clone(setting.model).set_params(refresh_every=1000)
    X, y = problem(model)
    asked(model.fit(X, y), X)
    if way == "forget":
        model.forget([GONE])
    else:  # a window forgets by place
        model.cases_.forget_places(np.flatnonzero(model.cases_.ids == GONE))
    assert in_memory(model) == set()
    assert in_copies(model, tmp_path / "m") == set()


def test_windows_let_choices_age():
    X, y = make_table(LazyNBClassifier(), 200)
    model = LazyNBClassifier(window=60, refresh_every=30)
    model = aged(model, X, y, 60, 10)
    assert model.cases_.choices.describe()[-1][0] == 20  # ten came, ten went
    frozen = settled(LazyNBClassifier(window=60), X[:60], y[:60])
    for row in range(60, 70):
        frozen.partial_fit(X[row : row + 1], y[row : row + 1])
    assert np.array_equal(ask(model, X), ask(frozen, X))


def settled(model, X, y):
    """A model with the numbers that it chooses by rows, and their cuts, for good."""
    model = clone(model).fit(X, y)
    with model.cases_.snapshot() as cases:
        learner = model._learner().settle(cases)
    chosen = {"n_attributes": learner.recipe.n_attributes, "cuts": "frozen"}
    if "n_neighbors" in model.get_params():
        chosen["n_neighbors"] = learner.host.n_neighbors
    model = clone(model).set_params(**chosen).fit(X, y)
    ask(model, X)  # which finds the cuts
    return model


@pytest.mark.parametrize("kind", [LazyNBClassifier, LazyKNeighborsClassifier])
@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_choices_that_were_fixed(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = make_rows(rng, 140)
    model = aged(kind(refresh_every=40), X, y, 80, 30)
    fixed = settled(kind(), X[:80], y[:80])
    for row in range(80, 110):
        fixed.partial_fit(X[row : row + 1], y[row : row + 1])
    assert np.array_equal(ask(model, X), ask(fixed, X))


@pytest.mark.parametrize("kind", KERNELS)
@given(
    split=split_problems(min_rows=6, max_rows=14, max_queries=4, telling=True),
    n_landmarks=st.integers(1, 16),
    max_rows=st.sampled_from([0, 100]),
)
def test_kernel_answers_are_those_of_ranks_and_settings_before(
    kind, split, n_landmarks, max_rows
):
    cases, queries = split
    outcome = cases.targets if kind is LazyKernelRegressor else cases.classes
    frame, n_first = cases.frame, len(cases.rows) - 3
    settings = {"max_rows": max_rows, "n_landmarks": n_landmarks, "max_loo_rows": 20}
    model = kind(refresh_every=50, **settings)
    model.fit(frame[:n_first], outcome[:n_first])
    with model.cases_.snapshot() as base:
        before = prepare(model._learner(), base)
    for row in range(n_first, len(cases.rows)):
        model.partial_fit(frame[row : row + 1], outcome[row : row + 1])
        with model.cases_.snapshot() as base:
            data, order = prepare(model._learner(), base), base.ids[base.order]
    if model.cases_.choices.age < 3:  # a column got its first label, and so a kind
        return
    assert data.settings.rate == before.settings.rate
    rows = [cases.rows[i] for i in order.tolist()]
    ranked = cases.rows[:n_first]
    known = ranked, cases.kinds, data.settings.weights, data.settings.rate
    marks = rows if max_rows else [rows[i] for i in data.solution.places]
    near = slow.similarities(rows, marks, *known)
    sides = slow.similarities(queries.rows, marks, *known)
    ridge, targets = data.settings.ridge, data.targets
    if max_rows:
        center = targets.mean(axis=0)
        system = near + ridge * np.eye(len(rows))
        expected = center + sides @ np.linalg.solve(system, targets - center)
    else:
        among = slow.similarities(marks, marks, *known)
        expected = slow.answer_by_landmarks(near, among, sides, ridge, targets)
    found = data.center + sides @ data.solution.coefficients.T
    size = np.abs(targets).max()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * size)


@pytest.fixture
def fitted_trees(monkeypatch):
    """The numbers of rows that boosted trees are fitted to, which answer early."""
    fitted, fit_model = [], BoostedMember.fit_model

    def count(self, model, inputs, *known):
        fitted.append(len(inputs))
        return fit_model(self, model, inputs, *known)

    monkeypatch.setattr(blends, "MANY_ROWS", 40)
    monkeypatch.setattr(BoostedMember, "fit_model", count)
    return fitted


@pytest.mark.parametrize(
    "model",
    [
        LazyClassifier(),
        LazyRegressor([HistGradientBoostingRegressor()], default_members=False),
    ],
    ids=["grown", "given"],
)
def test_boosted_trees_are_as_old_as_choices(model, fitted_trees):
    X, y = make_table(model)
    model = aged(clone(model).set_params(refresh_every=6), X, y, 60, 1)
    assert model.weights_[list(model.weights_)[-1]] > 0
    n_fits = len(fitted_trees)
    for row in range(61, 65):
        ask(model.partial_fit(X[row : row + 1], y[row : row + 1]), X)
    assert len(fitted_trees) == n_fits
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(ask(copied, X), ask(model, X), rtol=1e-7, atol=1e-9)
    for change in (
        lambda: model.partial_fit(X[65:66], y[65:66]),  # the sixth
        lambda: model.forget([65]),
        lambda: model.partial_fit(X[66:67].assign(kind=["new"]), y[66:67]),
    ):
        n_fits = len(fitted_trees)
        change()
        assert ask(model, X) is not None
        assert model.cases_.n_rows in fitted_trees[n_fits:]


@pytest.mark.parametrize("kind", [LazyClassifier, LazyRegressor])
def test_nothing_is_left_in_old_trees(kind, fitted_trees, tmp_path):
    model = kind(refresh_every=1000)
    X, y = problem(model)
    X, y = X.loc[[*X.index, *X.index[:9]]], np.append(y, y[:9])
    asked(model.fit(X, y), X)
    assert fitted_trees
    model.forget([GONE])
    assert in_memory(model) == set()
    assert in_copies(model, tmp_path / "m") == set()


@pytest.mark.parametrize("limit", [0, -1, 1.0, 1.5, float("nan"), True, "1", None])
def test_what_is_no_limit_is_refused(limit):
    with pytest.raises(BadInputError, match="refresh_every"):
        LazyNBClassifier(refresh_every=limit).fit([[1.0], [2.0]], ["a", "b"])


def test_a_model_that_changes_its_file_says_that_it_has_no_effect(tmp_path):
    X, y = make_table(LazyNBClassifier())
    model = LazyNBClassifier(refresh_every=0.5).fit(X, y)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").cases_.choices.may_be_old
    with pytest.warns(DataWarning, match="refresh_every=0.5 has no effect"):
        stored = load(tmp_path / "model", mmap_mode="r+")
    np.testing.assert_array_equal(stored.predict(X[:5]), model.predict(X[:5]))
