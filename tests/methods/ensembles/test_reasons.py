"""Contributions to bagging of best splits: exact where every node can be followed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyStackingClassifier,
)
from strategies import split_problems


@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyBaggingRegressor])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_changes_at_splits_are_followed_to_the_leaf(kind, data):
    cases, queries = data.draw(
        split_problems(min_rows=4, max_rows=24, max_queries=3, telling=True)
    )
    model = kind(4, random_state=0, splits="best")
    targets = cases.targets if kind is LazyBaggingRegressor else cases.classes
    found = model.fit(cases.frame, targets).contributions(queries.frame)
    assert not found.errors.any()
    sums = found.base + found.values.sum(axis=1)
    scale = max(1.0, float(np.abs(targets).max()))
    assert sums == pytest.approx(found.answer, abs=1e-9 * scale)


def test_a_split_that_decides_has_nearly_all_of_the_change():
    X = np.column_stack([np.arange(40.0), np.tile([0.0, 1.0], 20)])
    y = np.where(X[:, 0] < 20, "low", "high")
    model = LazyBaggingClassifier(5, random_state=0).fit(X, y)
    found = model.contributions([[3.0, 1.0]])
    assert found.of.tolist() == ["low"]
    assert abs(found.values[0, 1]) < 0.05 < found.values[0, 0]
    assert found.base[0] + found.values[0].sum() == pytest.approx(1.0)


def test_a_missing_value_contributes_nothing_and_the_paths_are_known():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1])
    model = LazyBaggingRegressor(6, random_state=0).fit(X, y)
    found = model.contributions([[np.nan, 0.5, -0.2], [0.1, np.nan, np.nan]])
    assert not found.errors.any()
    assert found.values[0, 0] == 0.0
    assert found.values[1, 1:].tolist() == [0.0, 0.0]


def test_few_orders_of_a_stacking_are_as_near_as_their_errors_state(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "up", "down")
    model = LazyStackingClassifier(n_estimators=5, random_state=0, n_jobs=1).fit(X, y)
    few = model.contributions(X[:6] + 0.1)
    monkeypatch.setattr("sklazy.methods.ensembles.reasons._N_ASKED", 2**8)
    exact = model.contributions(X[:6] + 0.1)
    assert not exact.errors.any()
    squares = (few.values - exact.values) ** 2
    assert 0.25 < squares.mean() / (few.errors**2).mean() < 2.25
    assert few.values.sum(axis=1) == pytest.approx(exact.values.sum(axis=1))
