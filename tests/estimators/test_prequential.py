"""Predict, then learn: against a plain loop, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier

from sklazy import (
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    prequential,
)
from sklazy.errors import BadInputError, BadTypeError


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
        own = slice(start, min(end, len(y)))
        model.fit(X[:start], y[:start], times=times[:start])
        expected += model.predict(X[own]).tolist()
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
    given = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 0], "n_first": 1} | change
    with pytest.raises((BadInputError, BadTypeError), match=words):
        prequential(LazyNBClassifier(), **given)


def test_an_estimator_must_learn_row_by_row():
    with pytest.raises(BadTypeError, match="KNeighborsClassifier cannot learn"):
        prequential(KNeighborsClassifier(), [[0.0], [1.0]], [0, 1])
