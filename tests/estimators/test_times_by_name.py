"""Windows that are timedeltas are saved, and times may be a column of X."""

import datetime as dt
from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sklazy
from sklazy import LazyClassifier, LazyKNeighborsRegressor, LazyNBClassifier
from sklazy.errors import BadInputError
from sklazy.estimators.settings import from_settings

pytestmark = pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")

START = dt.date(2026, 1, 1)


def sales(first, last):
    days = range(first, last)
    return pd.DataFrame(
        {
            "sale": [f"S{i}" for i in days],
            "when": pd.to_datetime([START + timedelta(days=i) for i in days]),
            "temp": [float(i % 7) for i in days],
            "sky": [["sun", "rain"][i % 3 == 0] for i in days],
            "cups": [100.0 + i for i in days],
        }
    )


LENGTHS = [timedelta(days=30), np.timedelta64(30, "D"), np.timedelta64(30 * 86400, "s")]


@pytest.mark.parametrize("length", [*LENGTHS, np.timedelta64(30 * 86400 * 10**9, "ns")])
@pytest.mark.parametrize("name", ["window", "half_life"])
def test_a_length_of_time_is_saved_and_loaded(tmp_path, length, name):
    options = {name: length}
    model = LazyNBClassifier(**options).fit(
        sales(0, 40), "sky", ids="sale", times="when"
    )
    model.save(tmp_path / "cups.sklazy")
    loaded = sklazy.load(tmp_path / "cups.sklazy")
    assert getattr(loaded, name) == timedelta(days=30)
    assert loaded.digest() == model.digest()
    for one in (model, loaded):
        one.partial_fit(sales(40, 60), "sky")
    assert loaded.digest() == model.digest()
    assert list(loaded.ids_) == list(model.ids_)
    assert len(model.ids_) == (30 if name == "window" else 60)


@pytest.mark.parametrize("items", [[1], ["a", 0, 0], [10**12, 0, 0], None])
def test_a_file_with_another_length_is_refused(items):
    with pytest.raises(BadInputError, match="expected days, seconds and microseconds"):
        from_settings({"window": {"timedelta": items}})


def by_series(model, frame):
    return model.partial_fit(
        frame.drop(columns="when"), "cups", ids="sale", times=frame["when"]
    )


def make():
    return LazyKNeighborsRegressor(window=timedelta(days=30))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "path", "table"])
def test_times_may_be_the_name_of_a_column(tmp_path, kind):
    def given(frame):
        path = tmp_path / f"{frame['sale'][0]}.csv"
        frame.to_csv(path, index=False)
        return {
            "pandas": lambda: frame,
            "polars": lambda: pl.from_pandas(frame),
            "arrow": lambda: pl.from_pandas(frame).to_arrow(),
            "path": lambda: path,
            "table": lambda: sklazy.read_table(path),
        }[kind]()

    first, second, third = sales(0, 40), sales(40, 50), sales(50, 60)
    expected = make()
    for frame in (first, second, third):
        by_series(expected, frame)
    model = make().fit(given(first), "cups", ids="sale", times="when")
    assert "when" not in list(model.feature_names_in_)
    model.partial_fit(given(second), "cups", ids="sale", times="when")
    model.save(tmp_path / "cups.sklazy")
    model = sklazy.load(tmp_path / "cups.sklazy")
    model.partial_fit(given(third), "cups")  # the names are known by now
    assert model.digest() == expected.digest()
    asked = third.head(3).drop(columns="cups")
    np.testing.assert_array_equal(
        model.predict(given(asked.reset_index(drop=True))),
        expected.predict(asked[["temp", "sky"]]),
    )


def test_classifiers_take_the_name_with_classes_and_weights():
    frame = sales(0, 40)
    model = LazyNBClassifier(half_life=9.0)
    model.partial_fit(
        frame, "sky", classes=["rain", "sun"], ids="sale", times="when"
    ).partial_fit(sales(40, 50), "sky")
    other = LazyNBClassifier(half_life=9.0)
    rows = sales(0, 50)
    other.fit(rows.drop(columns="when"), "sky", ids="sale", times=rows["when"])
    assert model.predict_proba(frame[["temp", "cups"]]) == pytest.approx(
        other.predict_proba(frame[["temp", "cups"]])
    )


def test_names_that_are_no_columns_are_refused():
    frame = sales(0, 10)
    with pytest.raises(BadInputError, match=r"times='wen' is not a column of X\. Did"):
        make().fit(frame, "cups", times="wen")
    with pytest.raises(BadInputError, match="times='when' names a column, but X"):
        make().fit(frame[["temp"]].to_numpy(), frame["cups"], times="when")


def test_the_model_for_a_first_answer_has_windows_and_is_saved(tmp_path):
    model = LazyClassifier(window=timedelta(days=30))
    model.fit(sales(0, 60), "sky", ids="sale", times="when")
    assert len(model.ids_) == 30
    model.save(tmp_path / "sky.sklazy")
    assert sklazy.load(tmp_path / "sky.sklazy").window == timedelta(days=30)
