"""Changes of a row that change its answer: each verified by asking."""

import numpy as np
import pandas as pd
import pytest

from sklazy import (
    BadInputError,
    LazyBlendClassifier,
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyNBClassifier,
)

RNG = np.random.default_rng(2)
X = pd.DataFrame(
    {
        "color": RNG.choice(["red", "blue", "green"], 120),
        "size": RNG.normal(size=120).round(2),
        "day": pd.Timestamp("2024-01-01")
        + pd.to_timedelta(RNG.integers(0, 90, 120), "D"),
        "noise": RNG.normal(size=120).round(2),
    }
)
Y = np.where((X["color"] == "red") & (X["size"] > 0), "yes", "no")
MODELS = [LazyBlendClassifier, LazyKNeighborsClassifier, LazyNBClassifier]


@pytest.mark.parametrize("kind", MODELS)
def test_every_change_gives_the_answer_that_it_names(kind):
    model = kind().fit(X, Y)
    for row in (0, 1, 2):
        found = model.changes(X[row : row + 1])
        assert found.answer == model.predict(X[row : row + 1])[0]
        assert [len(c.after) for c in found] == sorted(len(c.after) for c in found)
        for change in found:
            again = X[row : row + 1].copy()
            for name, value in change.after.items():
                if name == "day":
                    value = pd.Timestamp("1970-01-01") + pd.to_timedelta(value, "D")
                again[name] = value
            assert model.predict(again)[0] == change.answer != found.answer
            shares = model.predict_proba(again)[0]
            at = model.classes_.tolist().index(change.answer)
            assert shares[at] == pytest.approx(change.probability)


def test_changes_are_worded_as_the_table_has_them():
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(40), "D")
    frame = pd.DataFrame({"day": when})
    model = LazyKernelRegressor().fit(frame, np.arange(40.0))
    (change, *_) = model.changes(frame[:1], by=5.0)
    day = pd.Timestamp("1970-01-01") + pd.to_timedelta(change.after["day"], "D")
    assert str(change).startswith(f"with day {day.date()}: ")
    sure = LazyBlendClassifier().fit(X, Y).changes(X[Y == "yes"][:1])[0]
    assert f"no ({100 * sure.probability:.3g} %)" in str(sure)


def test_no_smaller_set_of_features_is_repeated():
    found = LazyBlendClassifier().fit(X, Y).changes(X[:1])
    sets = [set(change.after) for change in found]
    assert not any(a < b for a in sets for b in sets)


def test_fixed_features_stay():
    model = LazyKNeighborsClassifier().fit(X, Y)
    for change in model.changes(X[:1], fixed=["color"]):
        assert "color" not in change.after
    with pytest.raises(BadInputError, match="fixed names 'colour'"):
        model.changes(X[:1], fixed=["colour"])


def test_numbers_move_by_a_stated_amount():
    numbers = X["size"].to_numpy() * 3
    model = LazyKernelRegressor().fit(X, numbers)
    before = model.predict(X[:1])[0]
    found = model.changes(X[:1], max_features=1, by=2.0)
    assert found
    assert all(abs(change.answer - before) >= 2.0 for change in found)
    assert not model.changes(X[:1], by=1e9)
    assert "None of the" in str(model.changes(X[:1], by=1e9))


def test_one_row_at_a_time():
    model = LazyNBClassifier().fit(X, Y)
    with pytest.raises(BadInputError, match="x has 2 rows"):
        model.changes(X[:2])
    with pytest.raises(BadInputError, match="max_features=3"):
        model.changes(X[:1], max_features=3)


def test_a_row_of_which_nothing_is_known_can_change():
    model = LazyNBClassifier().fit(X, Y)
    empty = pd.DataFrame({name: [None] for name in X})
    assert model.changes(empty).n_tried > 0
