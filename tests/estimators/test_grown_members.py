"""The number of boosted trees, and the line they begin at, against plain folds."""

from unittest import mock

import numpy as np
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from sklazy import LazyBlendClassifier, LazyBlendRegressor, LazyRidgeRegressor
from sklazy.answer import Batch, prepare
from sklazy.estimators.blends.boosted_members import on_one_thread

MANY = "sklazy.methods.blends.learner.MANY_ROWS"


def make_rows(noise, n_rows=300):
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 3)).round(2)
    y = 3 * X[:, 0] + X[:, 1] * np.abs(X[:, 2]) + noise * random.normal(size=n_rows)
    return X, y


def trees_of(model):
    """The member, the cases, and the rows in canonical order."""
    base = model.cases_
    members = model._current_learner(base).members
    (member,) = [one for one in members if one.name == "trees"]
    return member, base, base.ids[base.order]


def settings(n_trees):
    how = {"learning_rate": 0.05, "early_stopping": False, "random_state": 0}
    return {"max_iter": n_trees, **how}


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_the_line_and_trees_of_its_left_out_errors(weighted):
    X, y = make_rows(noise=0.3, n_rows=160)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    with mock.patch(MANY, 100), on_one_thread():
        model = LazyBlendRegressor().fit(X, y, sample_weight=weights)
        member, base, order = trees_of(model)
        line = LazyRidgeRegressor().fit(X, y, sample_weight=weights)
        rest = y - line.loo_predict()
        rows, own = X[order], None if weights is None else weights[order]
        losses = {}
        places = np.arange(len(y))
        for n_trees in (50, 100, 200):
            errors = np.empty(len(y))
            for fold in range(5):
                held = places % 5 == fold
                trees = HistGradientBoostingRegressor(**settings(n_trees)).fit(
                    rows[~held], rest[order][~held], None if own is None else own[~held]
                )
                errors[held] = trees.predict(rows[held]) - rest[order][held]
            losses[n_trees] = np.average(errors**2, weights=own)
        best = min(losses, key=losses.get)
        assert member.member._grow(base).n_trees == best
        trees = HistGradientBoostingRegressor(**settings(best))
        trees.fit(rows, rest[order], own)
        said = member.answer(prepare_batch(model, X[:7])).outputs[:, 0]
        expected = line.predict(X[:7]) + trees.predict(X[:7])
        np.testing.assert_allclose(said, expected, rtol=1e-9)


def prepare_batch(model, X):
    base = model.cases_
    prepare(model._current_learner(base), base)
    return Batch(base, base.cases, base.encode(model._query_table(X)))


def test_noise_takes_few_trees_and_a_function_without_noise_many():
    with mock.patch(MANY, 100):
        numbers = [
            trees_of(LazyBlendRegressor().fit(*make_rows(noise, n_rows)))
            for noise, n_rows in ((0.0, 1200), (10.0, 300))
        ]
        many, few = (member.member._grow(base).n_trees for member, base, _ in numbers)
    assert few == 50
    assert many >= 400


def test_a_number_of_trees_that_is_given_stays():
    X, y = make_rows(noise=0.3)
    how = {"trees__max_iter": 7}
    with mock.patch(MANY, 100):
        model = LazyBlendClassifier(member_parameters=how).fit(X, y > 0)
        member, _, order = trees_of(model)
        trees = HistGradientBoostingClassifier(**settings(7))
        trees.fit(X[order], (y > 0)[order])
        said = member.answer(prepare_batch(model, X[:7])).outputs
    np.testing.assert_allclose(said, trees.predict_proba(X[:7]), rtol=1e-9)


def test_a_class_that_a_fold_lacks_has_no_share_there():
    X, y = make_rows(noise=0.0)
    classes = np.where(y > 0, "b", "c")
    classes[3] = "a"
    with mock.patch(MANY, 100):
        model = LazyBlendClassifier().fit(X, classes)
        shares = model.predict_proba(X)
        member, base, _ = trees_of(model)
        answers = member.member._grow(base).answers
    assert shares.shape == answers.shape == (len(X), 3)
    np.testing.assert_allclose(answers.sum(axis=1), 1.0)


def test_rows_that_weigh_no_member_are_left_out_when_asked():
    X, y = make_rows(noise=0.3)
    with mock.patch(MANY, 100), on_one_thread():
        model = LazyBlendRegressor(max_loo_rows=6).fit(X, y)
        member, base, order = trees_of(model)
        found = member.leave_out(base, base.order)[:, 0]
        n_trees = member.member._grow(base).n_trees
    line = LazyRidgeRegressor().fit(X, y).loo_predict()
    rest, rows, places = (y - line)[order], X[order], np.arange(300)
    expected = line[order]
    # 60 rows are a fifth of all: one fold. The others are dealt to five.
    for held in [places < 60, *((places >= 60) & (places % 5 == i) for i in range(5))]:
        trees = HistGradientBoostingRegressor(**settings(n_trees))
        with on_one_thread():
            trees.fit(rows[~held], rest[~held])
        expected[held] += trees.predict(rows[held])
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_equal_rows_share_what_is_known_of_the_first_ones():
    X, y = make_rows(noise=0.3, n_rows=20)
    X, y = np.tile(X, (15, 1)), np.tile(y, 15)
    with mock.patch(MANY, 100):
        model = LazyBlendRegressor(max_loo_rows=6).fit(X, y)
        member, base, _ = trees_of(model)
        found = member.leave_out(base, np.arange(300))[:, 0]
    of_ids = found[np.argsort(base.ids)].reshape(15, 20)
    assert (of_ids == of_ids[0]).all()
