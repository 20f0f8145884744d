"""Contributions to local lines against the coefficients of least squares."""

import numpy as np
import pytest

from sklazy import LazyLearningRegressor


def test_a_line_through_all_rows_has_slope_times_distance_from_the_mean():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3)) * [1.0, 20.0, 0.1]
    y = X @ [2.0, -0.5, 30.0] + 7.0
    model = LazyLearningRegressor(degrees=1, n_neighbors=60, ridge=1e-12).fit(X, y)
    found = model.contributions(X[:4])
    expected = (X[:4] - X.mean(axis=0)) * [2.0, -0.5, 30.0]
    assert found.values == pytest.approx(expected, abs=1e-4)
    assert found.base == pytest.approx(np.full(4, y.mean()), abs=1e-4)


def test_indicators_are_one_feature():
    labels = np.array(["a", "b", "c"] * 20)
    numbers = np.arange(60.0)
    X = np.column_stack([labels, numbers.astype(object)])
    worth = {"a": 0.0, "b": 5.0, "c": -5.0}
    y = np.array([worth[label] for label in labels]) + numbers
    model = LazyLearningRegressor(degrees=1, n_neighbors=60, ridge=1e-12).fit(X, y)
    found = model.contributions(X[:3])
    assert found.values[:, 0] == pytest.approx([0.0, 5.0, -5.0], abs=1e-2)
