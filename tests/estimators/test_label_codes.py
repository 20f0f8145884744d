"""Mean targets in place of labels, against plain loops; no row's own target leaks."""

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier

from oracle.blends import label_means, label_means_of_rows
from sklazy import LazyBlendClassifier, LazyBlendRegressor
from sklazy.answer import Batch, prepare
from sklazy.estimators.blends.boosted_members import on_one_thread
from sklazy.estimators.blends.label_codes import (
    ManyLabels,
    average_labels,
    place_codes,
    place_rows,
)

MANY = "sklazy.methods.blends.learner.MANY_ROWS"
N_LABELS = 6


@st.composite
def labeled_rows(draw):
    n_rows = draw(st.integers(1, 40))
    codes = draw(
        st.lists(st.integers(-1, N_LABELS - 1), min_size=n_rows, max_size=n_rows)
    )
    targets = draw(
        st.lists(
            st.sampled_from([0.0, 1.0, -2.5, 1e6, 1e-9]),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    weights = draw(
        st.none() | st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)
    )
    learned = draw(st.lists(st.integers(0, n_rows - 1), min_size=1, unique=True))
    return codes, targets, weights, sorted(learned)


def as_labels(codes, targets, weights, order=None):
    """The same as the library has it; labels may be numbered in another order."""
    codes = np.array(codes)
    if order is not None:
        codes = np.where(codes < 0, codes, np.array(order)[codes])
    own = None if weights is None else np.array(weights, float)
    columns = np.array(targets, float)[:, None]
    return ManyLabels(np.array([0]), codes[None], (N_LABELS,), columns, own)


def same(one, other, targets):
    size = max(map(abs, targets), default=0.0)
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * size)


@given(labeled_rows())
def test_means_are_those_of_plain_loops(rows):
    codes, targets, weights, learned = rows
    labels, own = as_labels(codes, targets, weights), weights or [1] * len(codes)
    (means,) = average_labels(labels, np.array(learned))
    same(means[:-1, 0], label_means(codes, targets, own, learned, N_LABELS), targets)
    assert means[-1, 0] == 0.0
    slow = label_means_of_rows(codes, targets, own, learned, N_LABELS)
    same(place_rows(labels, np.array(learned))[:, 0], slow, targets)


@given(labeled_rows(), st.permutations(range(N_LABELS)), st.floats(-9, 9))
def test_neither_the_numbers_of_labels_nor_the_own_target_matter(rows, order, other):
    codes, targets, weights, learned = rows
    learned = np.array(learned)
    before = place_rows(as_labels(codes, targets, weights), learned)
    numbered = place_rows(as_labels(codes, targets, weights, order), learned)
    np.testing.assert_array_equal(before, numbered)
    row = int(learned[len(learned) // 2])
    changed = [*targets[:row], other, *targets[row + 1 :]]
    after = place_rows(as_labels(codes, changed, weights), learned)
    np.testing.assert_array_equal(before[row], after[row])


@given(labeled_rows())
def test_whole_weights_are_copies(rows):
    codes, targets, weights, _ = rows
    if weights is None or not any(weights):
        return
    own = np.repeat(np.arange(len(codes)), weights)
    labels = as_labels(codes, targets, weights)
    copies = as_labels(np.array(codes)[own], np.array(targets)[own], None)
    (one,) = average_labels(labels, np.arange(len(codes)))
    (other,) = average_labels(copies, np.arange(len(own)))
    same(one, other, targets)


def test_unknown_labels_stand_at_the_mean_of_all_and_missing_ones_nowhere():
    labels = as_labels([0, 0, 0, 1, 1, 1], [0, 0, 1, 9, 9, 8], None)
    means = average_labels(labels, np.arange(6))
    placed = place_codes(np.array([[0], [1], [-2], [5], [-1]]), means)[:, 0]
    assert placed[0] < 0.0 < placed[1]
    assert placed[2] == placed[3] == 0.0
    assert np.isnan(placed[4])


def make_table(n_rows, n_labels, *, informs, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_labels, n_rows)
    numbers = random.normal(size=n_rows).round(3)
    effects = 2.0 * np.random.default_rng(9).normal(size=n_labels)
    signal = numbers + informs * effects[codes]
    frame = pd.DataFrame({"number": numbers, "label": [f"l{c}" for c in codes]})
    return frame, signal + 0.3 * random.normal(size=n_rows)


def trees_of(model):
    base = model.cases_
    members = model._current_learner(base).members
    (member,) = [one for one in members if one.name == "trees"]
    return member, base


def test_left_out_predictions_choose_how_labels_are_seen():
    for n_labels, informs, expected in ((300, True, True), (4, True, False)):
        frame, y = make_table(900, n_labels, informs=informs)
        with mock.patch(MANY, 100):
            member, base = trees_of(LazyBlendRegressor().fit(frame, y))
            assert member.member._grow(base).sees_means is expected


def test_trees_are_those_of_scikit_learn_on_means():
    frame, y = make_table(700, 200, informs=True)
    classes = (y > 0).astype(int)
    with mock.patch(MANY, 100), on_one_thread():
        model = LazyBlendClassifier().fit(frame, classes)
        member, base = trees_of(model)
        prepare(model._current_learner(base), base)
        queries = base.encode(model._query_table(frame[:20]))
        shares = member.answer(Batch(base, base.cases, queries)).outputs
        found = member.member._grow(base)
        order = base.ids[base.order]
    assert found.sees_means
    codes = frame["label"].str[1:].astype(int).to_numpy()[order].tolist()
    slow = [codes, classes[order].tolist(), [1] * 700, list(range(700)), 200]
    rows = np.column_stack(
        [frame["number"].to_numpy()[order], label_means_of_rows(*slow)]
    )
    how = {"learning_rate": 0.05, "early_stopping": False, "random_state": 0}
    trees = HistGradientBoostingClassifier(max_iter=found.n_trees, **how)
    means = np.array(label_means(*slow))
    asked = means[frame["label"].str[1:].astype(int).to_numpy()[:20]]
    with on_one_thread():
        trees.fit(rows, classes[order])
        expected = trees.predict_proba(np.column_stack([frame["number"][:20], asked]))
    np.testing.assert_allclose(shares, expected, rtol=1e-6)


@pytest.mark.parametrize("kind", [LazyBlendClassifier, LazyBlendRegressor])
def test_rows_come_and_go_without_a_trace(kind):
    frame, y = make_table(500, 120, informs=True)
    targets = y if kind is LazyBlendRegressor else np.digitize(y, [-1, 1])
    queries = pd.concat(
        [
            frame[:30],
            pd.DataFrame({"number": [0.1, np.nan], "label": ["never seen", None]}),
        ]
    )
    with mock.patch(MANY, 100):
        plain = kind().fit(frame[:400], targets[:400])
        assert trees_of(plain)[0].member._grow(plain.cases_).sees_means
        mixed = np.random.default_rng(1).permutation(400)
        model = kind().fit(frame.iloc[mixed], targets[mixed])
        model.partial_fit(frame[400:], targets[400:])
        ask = getattr(model, "predict_proba", model.predict)
        before = ask(queries)
        model.forget(np.arange(400, 500))
        after, expected = (
            ask(queries),
            getattr(plain, "predict_proba", plain.predict)(queries),
        )
    assert (before != after).any()
    np.testing.assert_array_equal(after, expected)


def test_huge_targets_and_labels_of_one_row_do_no_harm():
    frame, y = make_table(400, 300, informs=True)
    lonely = frame.assign(label=[f"l{i}" for i in range(400)])
    with mock.patch(MANY, 100):
        for table, targets in ((frame, y * 1e30), (frame, y * 1e150), (lonely, y)):
            kinds = {"label": "nominal"}
            model = LazyBlendRegressor(categorical_features=kinds).fit(table, targets)
            assert np.isfinite(model.predict(table[:9])).all()


def test_labels_that_leave_a_window_take_old_choices_with_them():
    random = np.random.default_rng(0)
    codes = np.r_[
        50, random.integers(0, 50, 400)
    ]  # the first row is alone in its label
    effects = 5 * random.normal(size=51)
    number = random.normal(size=401)
    frame = pd.DataFrame({"number": number, "label": [f"l{code}" for code in codes]})
    y = effects[codes] + number
    with mock.patch(MANY, 100):
        model = LazyBlendRegressor(window=400, refresh_every=50)
        model.fit(frame[:400], y[:400])
        assert trees_of(model)[0].member._choose(model.cases_)[1]
        model.predict(frame[:2])
        model.partial_fit(frame[400:], y[400:])
        assert np.isfinite(model.predict(frame[:9])).all()
