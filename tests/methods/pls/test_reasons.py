"""Contributions to local PLS against the slopes of predictions."""

import numpy as np
import pytest

from sklazy import LazyPLSRegressor


def test_slopes_of_all_components_are_those_of_least_squares():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3)) * [1.0, 20.0, 0.1]
    y = X @ [2.0, -0.5, 30.0] + 7.0
    model = LazyPLSRegressor(n_neighbors=60, n_components=3).fit(X, y)
    found = model.contributions(X[:4])
    expected = (X[:4] - X.mean(axis=0)) * [2.0, -0.5, 30.0]
    assert found.values == pytest.approx(expected, abs=1e-6)
    assert found.base == pytest.approx(np.full(4, y.mean()), abs=1e-6)
    assert not found.errors.any()
