"""Neighbors by a tree, against the search through all rows: equal to the last bit."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odd_numbers import KINDS, numbers
from sklazy import LazyLearningRegressor
from sklazy.flow import Columns
from sklazy.kernels.columns import METRICS
from sklazy.neighbors import TreeSearch, find_nearest, nearest


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(nearest, "FEWEST_ROWS", 1)
    monkeypatch.setattr(nearest, "WORTH_BUILDING", 0)


def columns_of(values, weights, metric):
    d = values.shape[1]
    kinds = np.where(np.isnan(values).any(axis=0), 1, 0)
    return Columns(
        np.ascontiguousarray(values.T), kinds, weights, np.full(d, 2.0), metric
    )


def same(columns, queries, k, groups=None):
    search = TreeSearch(columns)
    found = search.find(queries, k, groups=groups)
    wanted = find_nearest(columns, queries, k, groups=groups)
    assert np.array_equal(found.rows, wanted.rows)
    assert np.array_equal(found.distances, wanted.distances)
    return search


CODES = sorted(metric.code for metric in METRICS.values())


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 4),
    st.sampled_from(CODES),
    st.integers(0, 9999),
)
def test_the_tree_finds_what_all_rows_say(kind, d, metric, seed):
    rng = np.random.default_rng(seed)
    values = numbers(rng, kind, (int(rng.integers(60, 400)), d))
    queries = np.concatenate([values[:6], numbers(rng, kind, (6, d))])
    if seed % 3 == 0:
        queries[-1, 0] = np.nan
    weights = np.ones(d) if seed % 2 else rng.choice([0.3, 1.0, 7.0], d)
    if d > 1 and seed % 5 == 0:
        weights[-1] = 0.0
    columns = columns_of(values, weights, metric)
    k = int(rng.integers(1, 1 + len(values) // 20))
    same(columns, queries, k)
    own = rng.integers(0, len(values) // 2, len(values))
    same(columns, queries, k, groups=(own, rng.integers(0, len(values) // 2, 12)))


def test_missing_cells_weigh_nothing_where_their_column_does_not():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 3))
    values[::7, 2] = np.nan
    used = same(columns_of(values, np.array([1.0, 2.0, 0.0]), 0), values[:20], 5)
    assert used._tree is not None
    unused = same(columns_of(values, np.ones(3), 0), values[:20], 5)
    assert unused._tree is None


def test_a_tree_that_leaves_much_open_is_given_up():
    values = np.zeros((4000, 2))
    search = TreeSearch(columns_of(values, np.ones(2), 0))
    assert search.find(values[:500], 3).rows.tolist() == [[0, 1, 2]] * 500
    assert search._tree is None
    assert not search._may_pay


def test_few_queries_build_no_tree(monkeypatch):
    monkeypatch.setattr(nearest, "WORTH_BUILDING", 100)
    values = np.random.default_rng(0).standard_normal((400, 2))
    search = same(columns_of(values, np.ones(2), 0), values[:49], 3)
    assert search._tree is None
    search.find(values[:1], 3)
    assert search._tree is not None
    back = pickle.loads(pickle.dumps(search))
    assert np.array_equal(back.find(values, 3).rows, search.find(values, 3).rows)


def test_local_regression_is_the_same_with_a_tree(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((400, 2)), 1)  # many ties
    y = X[:, 0] ** 2 + rng.standard_normal(400) / 9
    model = LazyLearningRegressor(n_neighbors=(5, 15))
    with_tree = model.fit(X, y).predict(X)
    left_out = model.loo_predict()
    monkeypatch.setattr(nearest, "MOST_COLUMNS", 0)
    model.fit(X, y)
    assert np.array_equal(model.predict(X), with_tree)
    assert np.array_equal(model.loo_predict(), left_out)
    model.partial_fit(X[:5], y[:5])
    monkeypatch.setattr(nearest, "MOST_COLUMNS", 6)
    other = (
        LazyLearningRegressor(n_neighbors=(5, 15)).fit(X, y).partial_fit(X[:5], y[:5])
    )
    assert np.array_equal(other.predict(X), model.predict(X))
