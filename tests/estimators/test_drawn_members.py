"""Blends of very many rows, whose trees and linear models learn from a draw."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from odd_rows import make_rows
from places import cut
from row_traces import GONE, asked, in_copies, in_memory, problem
from sklazy import LazyClassifier, LazyRegressor
from sklazy.answer.batch import Batch, batch_of_cases, left_out_places
from sklazy.estimators.blends.boosted_members import BoostedMember
from sklazy.methods.blends import draws
from sklazy.methods.blends import learner as blends
from sklazy.methods.blends.draws import DrawnMember
from walks import find_rise, walk

KINDS = [LazyClassifier, LazyRegressor]
N_DRAWN = 60
KERNEL = {"max_rows": 30, "n_landmarks": 20, "max_loo_rows": 6}  # by 30 rows

pytestmark = pytest.mark.filterwarnings("ignore::sklazy.DataWarning")


@pytest.fixture(autouse=True)
def _very_many(monkeypatch):
    monkeypatch.setattr(blends, "MANY_ROWS", 40)
    monkeypatch.setattr(draws, "MOST_ROWS", N_DRAWN)


def make_blend(kind, **parameters):
    kernel = {f"kernel__{name}": value for name, value in KERNEL.items()}
    return kind(max_loo_rows=1, member_parameters=kernel, **parameters)


def make_table(kind, n_rows):
    rng = np.random.default_rng(11)
    X, y = make_rows(rng, n_rows)
    y = rng.normal(size=n_rows).round(2) if is_regressor(kind()) else y
    return X, y, rng


def ask(model, X):
    return model.predict(X) if is_regressor(model) else model.predict_proba(X)


def ask_all(model, X):
    left_out = model.loo_predict([0, 1, -1], approximate=True)
    return [ask(model, X), left_out, *model.weights_.values()]


def count_fits(monkeypatch):
    fitted, fit_model = [], BoostedMember.fit_model

    def count(self, model, inputs, *known):
        fitted.append(len(inputs))
        return fit_model(self, model, inputs, *known)

    monkeypatch.setattr(BoostedMember, "fit_model", count)
    return fitted


@pytest.mark.parametrize("max_loo_rows", [1, 300])
@pytest.mark.parametrize("kind", KINDS)
def test_answers_through_changes_are_those_of_a_fit(kind, max_loo_rows):
    X, y, rng = make_table(kind, 200)
    model = make_blend(kind).set_params(max_loo_rows=max_loo_rows)
    model.fit(X[:100], y[:100])
    left = list(range(100))
    for step in range(12):
        if step % 3:
            new = slice(100 + step, 101 + step)
            model.partial_fit(X[new], y[new], ids=[new.start])
            left.append(new.start)
        else:
            gone = left.pop(int(rng.integers(len(left))))
            model.forget([gone])
        shuffled = rng.permutation(left)
        fresh = clone(model).fit(X.iloc[shuffled], y[shuffled], ids=shuffled)
        assert np.array_equal(ask(model, X[:9]), ask(fresh, X[:9]))
        places = np.argsort(shuffled)[np.argsort(np.argsort(left))]
        asked_rows = np.arange(0, len(left), 7)
        assert np.array_equal(
            model.loo_predict(asked_rows, approximate=True),
            fresh.loo_predict(places[asked_rows], approximate=True),
        )
        assert model.weights_ == fresh.weights_


@pytest.mark.parametrize("kind", KINDS)
def test_trees_stay_while_no_row_of_the_draw_moves(kind, monkeypatch):
    fitted = count_fits(monkeypatch)
    X, y, _ = make_table(kind, 1060)
    model = make_blend(kind).fit(X[:1000], y[:1000])
    ask(model, X[:1])
    n_stayed = 0
    for row in range(1000, 1060):
        n_before = len(fitted)
        ask(model.partial_fit(X[row : row + 1], y[row : row + 1]), X[:1])
        n_stayed += len(fitted) == n_before
    assert n_stayed > 45  # 60 of 1000 rows are drawn
    assert set(fitted) <= {N_DRAWN, N_DRAWN - 10}


@pytest.mark.parametrize("refresh_every", [1, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_a_row_of_the_draw(
    kind, refresh_every, monkeypatch, tmp_path
):
    monkeypatch.setattr(draws, "MOST_ROWS", 48)
    model = make_blend(kind, refresh_every=refresh_every)
    X, y = problem(model)
    X, y = X.loc[[*X.index, *X.index[:9]]], np.append(y, y[:9])
    asked(model.fit(X, y), X)
    assert "number" in in_memory(model)
    model.forget([GONE])
    assert in_memory(model) == set()
    assert in_copies(model, tmp_path / "m") == set()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_change_no_answer_of_a_draw(kind):
    X, y, _ = make_table(kind, 120)
    one = make_blend(kind).fit(X, y)
    other = cut(one, np.arange(120) // 40, 3)
    for found, expected in zip(ask_all(other, X[:9]), ask_all(one, X[:9]), strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_not_drawn_are_asked_to_be_left_out(kind):
    X, y, _ = make_table(kind, 100)
    model = make_blend(kind).fit(X, y)
    with model.cases_.snapshot() as cases:
        places = left_out_places(cases, np.arange(100))
        outside = np.flatnonzero(places >= N_DRAWN)
        batch = batch_of_cases(cases, outside)
        queries = Batch(cases, cases.cases, batch.queries)
        drawn = [m for m in model._learner().members if isinstance(m, DrawnMember)]
        assert len(drawn) == 2
        for member in drawn:
            found = member.leave_out(cases, outside)
            assert np.array_equal(found, member.answer(queries).outputs)


@pytest.mark.parametrize("kind", KINDS)
def test_receipts_of_a_draw_replay_and_have_reasons(kind):
    X, y, _ = make_table(kind, 100)
    model = make_blend(kind).fit(X, y)
    receipt = model.explain(X[:1], detail="full")[0]
    assert model.verify(receipt)
    assert len(receipt.to_dict()["members"]) == 3
    found = model.contributions(X[:2])
    assert np.allclose(found.values.sum(axis=1) + found.base, found.answer)


@pytest.mark.parametrize("kind", KINDS)
def test_old_draws_serve_until_the_refresh(kind, monkeypatch):
    fitted = count_fits(monkeypatch)
    X, y, _ = make_table(kind, 140)
    model = make_blend(kind, refresh_every=20).fit(X[:100], y[:100])
    ask(model, X[:1])
    n_fits = len(fitted)
    for row in range(100, 119):
        ask(model.partial_fit(X[row : row + 1], y[row : row + 1]), X[:1])
    assert len(fitted) == n_fits
    ask(model.partial_fit(X[119:120], y[119:120]), X[:1])
    assert len(fitted) > n_fits
    fresh = clone(model).fit(X[:120], y[:120])
    assert np.array_equal(ask(model, X[:9]), ask(fresh, X[:9]))


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_weighed_by_the_rows_of_a_draw_that_is_younger(kind):
    X, y, _ = make_table(kind, 80)
    model = make_blend(kind, refresh_every=20).set_params(max_loo_rows=5)
    ask(model.fit(X[:50], y[:50]), X[:1])  # weights, and no draw yet
    ask(model.partial_fit(X[50:65], y[50:65]), X[:1])  # a draw, the weights stay
    found = ask_all(model.partial_fit(X[65:70], y[65:70]), X[:9])
    expected = ask_all(clone(model).fit(X[:70], y[:70]), X[:9])
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_weights_all_count(kind, monkeypatch):
    fitted = count_fits(monkeypatch)
    X, y, rng = make_table(kind, 100)
    weights = rng.choice([1.0, 2.0], 100)
    ask(make_blend(kind).fit(X, y, sample_weight=weights), X[:1])
    assert 100 in fitted


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_beyond_the_draw_does_no_harm(kind, monkeypatch):
    monkeypatch.setattr(draws, "MOST_ROWS", 200)
    errors = walk(kind(max_loo_rows=4), 200, "curves", n_draws=6)
    assert find_rise(errors) <= 0.05
