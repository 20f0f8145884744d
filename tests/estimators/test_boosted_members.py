"""Boosted trees in blends: of many rows by default, with categories as they are."""

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from sklazy import (
    DataWarning,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyLogisticClassifier,
    LazyRidgeRegressor,
)

KINDS = [LazyBlendClassifier, LazyBlendRegressor]
BOOSTED = {
    LazyBlendClassifier: HistGradientBoostingClassifier,
    LazyBlendRegressor: HistGradientBoostingRegressor,
}
MANY = "sklazy.methods.blends.learner.MANY_ROWS"


def make_table(n_rows=160, n_labels=4, seed=0):
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_labels, n_rows)
    numbers = random.normal(size=n_rows)
    steps = np.sign(np.sin(5 * numbers)) + (labels % 2)
    frame = pd.DataFrame({"number": numbers, "label": [f"l{i}" for i in labels]})
    return frame, steps


def targets_of(kind, steps):
    return (steps > 0.5).astype(int) if kind is LazyBlendClassifier else steps


def small_trees(kind):
    return BOOSTED[kind](max_iter=20, min_samples_leaf=4, early_stopping=False)


def blend_of_trees(kind, line=True):
    lines = {
        LazyBlendClassifier: LazyLogisticClassifier(),
        LazyBlendRegressor: LazyRidgeRegressor(),
    }
    members = [("trees", small_trees(kind)), *([("line", lines[kind])] * line)]
    return kind(members, default_members=False)


def answers_of(model, frame):
    ask = getattr(model, "predict_proba", model.predict)
    return ask(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_have_trees_in_place_of_paths(kind):
    frame, steps = make_table()
    targets = targets_of(kind, steps)
    few = list(kind().fit(frame, targets).weights_)
    with mock.patch(MANY, 100):
        many = list(kind().fit(frame, targets).weights_)
    assert "paths" in few
    assert "trees" not in few
    assert many == [*(name for name in few if name not in ("paths", "local")), "trees"]


@pytest.mark.parametrize("kind", KINDS)
def test_trees_weigh_most_where_the_function_is_irregular(kind):
    frame, steps = make_table(n_rows=600)
    weights = blend_of_trees(kind).fit(frame, targets_of(kind, steps)).weights_
    assert weights["trees"] > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_trees_are_those_of_scikit_learn(kind):
    frame, steps = make_table()
    targets = targets_of(kind, steps)
    model = blend_of_trees(kind, line=False).fit(frame, targets)
    with model.cases_.snapshot() as base:
        order = base.ids[base.order]
    counts = frame["label"].value_counts()
    ranked = sorted(counts.index, key=lambda label: (-counts[label], label))
    columns = np.column_stack([frame["number"], frame["label"].map(ranked.index)])
    trees = small_trees(kind).set_params(
        categorical_features=[False, True], random_state=0
    )
    trees.fit(columns[order], np.asarray(targets)[order])
    if kind is LazyBlendRegressor:
        np.testing.assert_array_equal(model.predict(frame), trees.predict(columns))
    else:
        np.testing.assert_array_equal(model.predict(frame), trees.predict(columns))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_were_forgotten_leave_no_trace(kind):
    frame, steps = make_table()
    targets = targets_of(kind, steps)
    plain = blend_of_trees(kind).fit(frame[:120], targets[:120])
    model = blend_of_trees(kind).fit(frame, targets)
    before = answers_of(model, frame)
    model.forget(np.arange(120, 160))
    after = answers_of(model, frame)
    np.testing.assert_array_equal(after, answers_of(plain, frame))
    assert (before != after).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_does_not_matter(kind):
    frame, steps = make_table()
    targets = targets_of(kind, steps)
    order = np.random.default_rng(1).permutation(len(frame))
    one = blend_of_trees(kind).fit(frame, targets)
    other = blend_of_trees(kind).fit(frame.iloc[order], targets[order])
    np.testing.assert_array_equal(answers_of(one, frame), answers_of(other, frame))


@pytest.mark.parametrize("kind", KINDS)
def test_more_categories_than_trees_take(kind):
    frame, steps = make_table(n_rows=900, n_labels=400)
    model = blend_of_trees(kind, line=False).fit(frame, targets_of(kind, steps))
    unknown = pd.DataFrame({"number": [0.1, np.nan], "label": ["never seen", None]})
    assert np.isfinite(answers_of(model, frame[:50])).all()
    assert np.isfinite(answers_of(model, unknown)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_values_is_no_obstacle(kind):
    frame, steps = make_table()
    empty = frame.assign(empty=np.nan)
    targets = targets_of(kind, steps)
    model = blend_of_trees(kind, line=False).fit(empty, targets)
    assert np.isfinite(answers_of(model, empty.assign(empty=1.0))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_that_takes_no_weights_is_left_out_of_weighted_rows(kind):
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(30, 2)), random.uniform(0.5, 2.0, 30)
    y = X[:, 0] > 0 if kind is LazyBlendClassifier else X[:, 0]
    members = {LazyBlendClassifier: KNeighborsClassifier}
    member = members.get(kind, KNeighborsRegressor)()
    model = kind([("near", member)]).fit(X, y, sample_weight=weights)
    with pytest.warns(DataWarning, match="takes no sample_weight"):
        assert "near" not in model.weights_
