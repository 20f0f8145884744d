"""Predict, then learn: against a plain loop, and what is refused."""

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier

from sklazy import (
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    prequential,
)
from sklazy.errors import BadInputError, BadTypeError
from sklazy.estimators import prequential as prequential_module
from strategies import mixed_problems


def made(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"size": rng.normal(size=n_rows), "color": rng.choice(["r", "g", "b"], n_rows)}
    )
    y = np.where((X["size"] > 0) ^ (X["color"] == "r"), "yes", "no")
    return X, y, np.sort(rng.integers(0, 25, n_rows))


@pytest.mark.parametrize("step", [1, 7])
@pytest.mark.parametrize("timed", [True, False])
def test_it_equals_a_fit_to_the_rows_before(step, timed):
    X, y, times = made()
    times = times if timed else np.arange(len(y))
    model = LazyKNeighborsClassifier(n_attributes=1, window=20)
    result = prequential(model, X, y, times if timed else None, n_first=5, step=step)
    expected, start = [], next(i for i in range(5, 60) if times[i] != times[i - 1])
    first = start
    while start < len(y):
        end = start + step
        while end < len(y) and times[end] == times[end - 1]:
            end += 1
        part = slice(start, min(end, len(y)))
        model.fit(X[:start], y[:start], times=times[:start])
        expected += model.predict(X[part]).tolist()
        start = end
    assert result.predicted.tolist() == expected
    assert result.actual.tolist() == y[first:].tolist()
    assert result.moments.tolist() == times[first:].tolist()
    assert result.score == np.mean(result.predicted == y[first:])


def test_numbers_have_errors():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 2))
    result = prequential(LazyLearningRegressor(half_life=10), X, X[:, 0], n_first=8)
    assert result.score == pytest.approx(np.abs(result.predicted - X[8:, 0]).mean())
    assert result.rolling(5)[-1] == pytest.approx(result.losses[-5:].mean())
    assert result.rolling(5)[1] == pytest.approx(result.losses[:2].mean())
    assert "mean absolute error" in repr(result)


def test_models_of_scikit_learn_know_all_classes_at_once():
    X, y, _ = made()
    model = SGDClassifier(random_state=0)
    result = prequential(model, X[["size"]].to_numpy(), y, n_first=1)
    assert len(result.predicted) == 59
    assert not hasattr(model, "classes_")


def test_the_picture_is_svg():
    X, y, times = made()
    result = prequential(LazyNBClassifier(), X, y, times)
    picture = result.to_svg(width=10)
    assert picture.startswith("<svg")
    assert "accuracy over time" in picture
    assert result._repr_html_().startswith("<svg")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"times": [3, 2, 1]}, "go backwards from row 0 to row 1"),
        ({"times": [1, 2]}, "2 values for 3 rows"),
        ({"times": [1, np.nan, 2]}, "missing"),
        ({"y": [0, 1]}, "shape"),
        ({"n_first": 3}, "none of the 3 rows"),
        ({"n_first": 0}, "n_first"),
        ({"step": 0}, "step"),
    ],
)
def test_what_makes_no_sense_is_refused(change, words):
    arguments = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 0], "n_first": 1} | change
    with pytest.raises((BadInputError, BadTypeError), match=words):
        prequential(LazyNBClassifier(), **arguments)


def test_an_estimator_must_learn_row_by_row():
    with pytest.raises(BadTypeError, match="KNeighborsClassifier cannot learn"):
        prequential(KNeighborsClassifier(), [[0.0], [1.0]], [0, 1])


@settings(max_examples=15, deadline=None)
@given(
    mixed_problems(min_rows=6, max_rows=30, max_columns=4, telling=True),
    st.sampled_from([None, 3, 7, 2.5]),
    st.sampled_from(["share", "all"]),
    st.sampled_from(["uniform", "distance"]),
    st.integers(1, 4),
    st.integers(1, 4),
    st.data(),
)
def test_at_once_equals_in_turn(problem, window, ties, weights, k, step, data):
    n_rows = len(problem.rows)
    times = data.draw(st.lists(st.integers(0, 9), min_size=n_rows, max_size=n_rows))
    times = np.sort(times)
    if len(set(times.tolist())) == 1:
        return
    parameters = {"ties": ties, "weights": weights, "n_neighbors": k, "window": window}
    model = LazyKNeighborsClassifier(selection="none", discretize=False, **parameters)
    arguments = model, problem.frame, problem.classes, times
    n_first = int(np.flatnonzero(np.diff(times))[0]) + 1
    at_once = prequential(*arguments, n_first=n_first, step=step)
    with mock.patch.object(LazyKNeighborsClassifier, "_predict_moving", nothing):
        in_turn = prequential(*arguments, n_first=n_first, step=step)
    assert at_once.predicted.tolist() == in_turn.predicted.tolist()


def nothing(*_):
    """In place of what predicts all rows at once."""


def test_selection_is_asked_in_turn():
    X, y, _ = made(20)
    with mock.patch.object(prequential_module, "_predict_in_turn") as in_turn:
        in_turn.return_value = y[10:]
        prequential(LazyKNeighborsClassifier(n_attributes=1), X, y)
        prequential(LazyKNeighborsClassifier(selection="none", half_life=3), X, y)
        assert in_turn.call_count == 2
        plain = LazyKNeighborsClassifier(5, selection="none", discretize=False)
        prequential(plain, X, y)
        assert in_turn.call_count == 2
