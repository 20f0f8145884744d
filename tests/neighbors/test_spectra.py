"""Spectra as metrics see them, against plain formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.neighbors.spectra import (
    find_nearest_spectra,
    make_view,
    see,
    seen_columns,
    to_metric,
)


def made(n_rows, n_columns, seed, missing=0.0):
    rng = np.random.default_rng(seed)
    scales = np.logspace(0, -2, n_columns)
    X = rng.standard_normal((n_rows, n_columns)) * scales + 1.0
    X[rng.random(X.shape) < missing] = np.nan
    return X


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 20),
    st.integers(2, 9),
    st.sampled_from(["correlation", "angle"]),
    st.integers(0, 9999),
)
def test_directions_are_those_of_the_formula(n_rows, n_columns, metric, seed):
    X = made(n_rows, n_columns, seed)
    X[0] = 3.0  # flat
    seen = see(make_view(X, metric, 1), X)
    centered = metric == "correlation"
    expected = [oracle.direction(row, centered) for row in X]
    np.testing.assert_allclose(seen, expected, rtol=1e-12, atol=1e-15)


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 20), st.integers(1, 9), st.integers(1, 6), st.integers(0, 9999))
def test_distances_of_scores_are_mahalanobis(n_rows, n_columns, n_scores, seed):
    X = made(n_rows + 1, n_columns, seed)
    cases, query = X[1:], X[0]
    view = make_view(cases, "mahalanobis", n_scores)
    said = np.square(see(view, cases) - see(view, query[None])).sum(axis=1)
    scores, own = oracle.principal_scores(cases, query, n_scores)
    expected = np.square(scores - own).sum(axis=1)
    np.testing.assert_allclose(said, expected, rtol=1e-6)


@pytest.mark.parametrize("metric", ["correlation", "angle"])
def test_a_query_that_lacks_cells_is_compared_in_those_it_has(metric):
    X, query = made(30, 12, 3), made(1, 12, 4)
    query[0, [2, 7]] = np.nan
    view = make_view(X, metric, 1)
    columns = seen_columns(view, X)
    found = find_nearest_spectra(view, columns, X, query, 5, None)
    known = ~np.isnan(query[0])
    centered = metric == "correlation"
    own = oracle.direction(query[0, known], centered)
    rest = [np.linalg.norm(oracle.direction(r[known], centered) - own) for r in X]
    assert found.rows[0].tolist() == np.argsort(rest)[:5].tolist()
    np.testing.assert_allclose(np.sqrt(found.distances[0]), np.sort(rest)[:5])


def test_scores_of_a_query_that_lacks_cells_come_nearest_to_the_cells_it_has():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 9))
    view = make_view(X, "mahalanobis", 2)
    query = X[:1].copy()
    query[0, :4] = np.nan
    np.testing.assert_allclose(see(view, query), see(view, X[:1]), rtol=1e-9)


def test_metrics_are_what_they_are_called():
    X = made(2, 30, 5)
    for metric in ("correlation", "angle"):
        one, other = see(make_view(X, metric, 1), X)
        said = to_metric(np.array([np.linalg.norm(one - other)]), metric)[0]
        correlation = np.corrcoef(X)[0, 1]
        cosine = X[0] @ X[1] / np.linalg.norm(X[0]) / np.linalg.norm(X[1])
        expected = 1 - correlation if metric == "correlation" else np.arccos(cosine)
        assert said == pytest.approx(expected, rel=1e-9)
