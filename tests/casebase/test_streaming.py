"""Rows of numbers that are added without a table, beside those of a table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sklazy import LazyKNeighborsClassifier, LazyLearningRegressor
from sklazy.casebase.matrix import plain_numbers
from sklazy.estimators.keeping import find_adder
from sklazy.tables import as_table

CELLS = st.sampled_from([np.nan, 0.0, -0.0, 1.0, 2.5, -3e300, 5e-324])
MATRICES = arrays.arrays(np.float64, (14, 3), elements=CELLS)


@settings(max_examples=30, deadline=None)
@given(MATRICES, st.integers(2, 9), st.booleans())
def test_rows_of_an_array_are_those_of_its_table(X, window, predicts_numbers):
    model = LazyLearningRegressor if predicts_numbers else LazyKNeighborsClassifier
    y = np.arange(14.0) if predicts_numbers else np.arange(14) % 3
    one = model(window=window).fit(X[:4], y[:4])
    other = model(window=window).fit(X[:4], y[:4])
    assert plain_numbers(one.cases_, X) is not None
    for first, last in ((4, 5), (5, 6), (6, 9), (9, 10), (10, 14)):
        one.partial_fit(X[first:last], y[first:last])
        other.partial_fit(as_table(X[first:last]), y[first:last])
    assert one.digest() == other.digest()
    assert one.ids_.tolist() == other.ids_.tolist()


def test_what_a_table_must_look_at_is_left_to_it():
    X = np.arange(8.0).reshape(4, 2)
    model = LazyKNeighborsClassifier().fit(X, [0, 1, 0, 1])
    base = model.cases_
    assert plain_numbers(base, X) is not None
    for given_ in (X.tolist(), X.astype(int), X[:, :1], X[0], X[:0], X + np.inf):
        assert plain_numbers(base, given_) is None
    labels = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})
    with_labels = LazyKNeighborsClassifier().fit(labels, [0, 1])
    assert plain_numbers(with_labels.cases_, X) is None


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ([[1.0, np.inf]], [0], "infinit|too large"),
        ([[1.0]], [0], "features"),
        ([[1.0, 2.0]], [0, 1], "inconsistent"),
        ([[1.0, 2.0]], [0.5], "continuous"),
        ([[1.0, 2.0]], [np.nan], "missing|NaN"),
    ],
)
def test_a_row_that_is_refused_changes_nothing(X, y, says):
    model = LazyKNeighborsClassifier(window=3)
    model.fit(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1])
    before = model.digest()
    with pytest.raises(ValueError, match=says):
        model.partial_fit(np.array(X), np.array(y))
    assert model.digest() == before


def test_labels_that_came_meanwhile_are_kept():
    """A column without values takes words; rows read before that are still added."""
    X = np.column_stack([np.arange(4.0), np.full(4, np.nan)])
    model = LazyKNeighborsClassifier().fit(X, [0, 1, 0, 1])
    adding = find_adder(model, np.array([[7.0, np.nan]]))
    words = pd.DataFrame({"x0": [5.0], "x1": ["red"]})
    model.partial_fit(as_table(words.to_numpy(object)), [1])
    adding(model._target(np.array([0])))
    assert model.cases_.n_rows == 6
    assert model.cases_.coder.nominal == [1]
