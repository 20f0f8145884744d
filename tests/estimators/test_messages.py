"""Messages that name a way out: each test meets the message and takes the way."""

import ast
import datetime
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sklazy
from discovery import one_keeper_of_each
from mixed import example_frame
from sklazy import (
    BadInputError,
    BadTypeError,
    DataWarning,
    LazyNBClassifier,
)
from sklazy.errors import warn_once
from sklazy.tables import as_table
from sklazy.tables.taking import take_columns

DAYS = [datetime.date(2024, 1, 1 + i) for i in range(12)]


def _frame():
    return pd.DataFrame({"age": np.arange(12.0), "colour": list("abcabcabcabc")})


def _classes():
    return ["no"] * 6 + ["yes"] * 6


# --- rows that are no table -----------------------------------------------------------


def test_one_row_is_taken_by_double_brackets():
    X = _frame()
    model = LazyNBClassifier().fit(X, _classes())
    with pytest.raises(BadInputError, match=r"X\.iloc\[\[0\]\] in place of X\.iloc"):
        model.predict(X.iloc[0])
    assert model.predict(X.iloc[[0]]).tolist() == ["no"]


def test_one_column_is_taken_by_to_frame_or_double_brackets():
    X = _frame()
    with pytest.raises(BadInputError, match=r"series\.to_frame\(\)"):
        LazyNBClassifier().fit(X["age"], _classes())
    one = LazyNBClassifier().fit(X["age"].to_frame(), _classes())
    X.index = list("abcdefghijkl")
    with pytest.raises(BadInputError, match=r"X\[\['name'\]\]"):
        LazyNBClassifier().fit(X["age"], _classes())
    other = LazyNBClassifier().fit(X[["age"]], _classes())
    assert one.cases_.names == other.cases_.names == ["age"]


def test_an_encoder_in_a_pipeline_gives_dense_output():
    def pipeline(**options):
        return make_pipeline(OneHotEncoder(**options), LazyNBClassifier())

    with pytest.raises(BadTypeError, match=r"OneHotEncoder\(sparse_output=False\)"):
        pipeline().fit(_frame(), _classes())
    model = pipeline(sparse_output=False).fit(_frame(), _classes())
    assert len(model.predict(_frame())) == 12


# --- times ----------------------------------------------------------------------------


def test_rows_without_times_where_fit_takes_them_get_them():
    model = LazyNBClassifier().fit(_frame(), _classes())
    with pytest.raises(BadInputError, match="give times to fit"):
        model.forget(before=DAYS[3])
    model.fit(_frame(), _classes(), times=DAYS).forget(before=DAYS[3])
    assert model.ids_.tolist() == list(range(3, 12))


# --- kinds ----------------------------------------------------------------------------


def _priced():
    return _frame().assign(price=[f"${1000 + i % 6}.50" for i in range(12)])


def _fit_where(model, X):
    """Fit, and return the lines that warnings point to and their texts."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        line = sys._getframe().f_lineno + 1
        model.fit(X, _classes())
    places = [(Path(one.filename).name, one.lineno - line) for one in caught]
    return places, [str(one.message) for one in caught]


@pytest.mark.parametrize(
    "make", [LazyNBClassifier, sklazy.LazyBlendClassifier, make_pipeline]
)
def test_a_kind_is_set_as_the_warning_has_it(make):
    model = make(LazyNBClassifier()) if make is make_pipeline else make()
    places, (text,) = _fit_where(model, _priced())
    assert places == [("test_messages.py", 0)]
    assert "kinds" not in text
    option = re.search(r"categorical_features=(\{.*\})", text)[1]
    kinds = ast.literal_eval(option.replace("name", "price"))
    last = model[-1] if make is make_pipeline else model
    last.set_params(categorical_features=kinds)
    assert _fit_where(model, _priced()) == ([], [])
    assert last.cases_.cases.numeric.tolist() == [0, -1, -1]


def test_a_kind_of_a_file_is_set_as_the_warning_has_it(tmp_path):
    path = tmp_path / "prices.csv"
    _priced().to_csv(path, index=False)
    with pytest.warns(DataWarning, match=r"kinds=\{'name': 'nominal'\}") as caught:
        sklazy.read_table(path)
    assert caught[0].filename == __file__
    assert sklazy.read_table(path, kinds={"price": "nominal"}).kinds[2] == "nominal"


def test_a_table_with_nothing_left_keeps_a_column_by_its_kind():
    X = pd.DataFrame({"id": [f"customer {i:03}" for i in range(40)]})
    y = ["no", "yes"] * 20
    with warnings.catch_warnings(action="ignore"):
        with pytest.raises(BadInputError, match="set aside") as caught:
            LazyNBClassifier().fit(X, y)
        option = re.search(r"categorical_features=(\{.*\})", str(caught.value))[1]
        kinds = ast.literal_eval(option)
        model = LazyNBClassifier(categorical_features=kinds).fit(X, y)
    assert model.cases_.names == ["id"]


def test_a_warning_comes_once_though_filters_change():
    text = "a text that no other test has"
    with warnings.catch_warnings(record=True, action="ignore") as caught:
        warn_once(text)
    assert not caught
    lines = []
    for _ in range(3):
        with warnings.catch_warnings(record=True, action="default") as caught:
            warn_once(text)
        lines.append(len(caught))
    assert lines == [1, 0, 0]
    with pytest.raises(DataWarning, match=text):
        warn_once(text)


# --- columns by name ------------------------------------------------------------------


@one_keeper_of_each
def test_columns_taken_by_name_are_those_given_apart(setting):
    frame = _frame()
    y = np.sqrt(frame["age"]) if is_regressor(setting.model) else _classes()
    ids = [f"row {i}" for i in range(len(frame))]
    with_both = frame.assign(who=ids, target=y)
    apart = clone(setting.model).fit(frame, with_both["target"], ids=ids)
    by_name = clone(setting.model).fit(with_both, "target", ids="who")
    assert by_name.digest() == apart.digest()
    assert by_name.ids_.tolist() == ids
    assert list(by_name.feature_names_in_) == list(frame.columns)
    assert list(with_both.columns)[-2:] == ["who", "target"]


def _named(kind, rows=slice(None)):
    frame = _frame().assign(who=range(100, 112), churn=_classes())[rows]
    made = {"pandas": frame, "polars": pl.from_pandas(frame)}
    made["arrow"] = made["polars"].to_arrow()
    made["table"] = sklazy.Table.from_any(frame)
    return made[kind]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "table"])
def test_columns_are_taken_from_every_kind_of_frame(kind):
    apart = LazyNBClassifier().fit(_frame(), _classes(), ids=range(100, 112))
    model = LazyNBClassifier().fit(_named(kind), "churn", ids="who")
    assert model.digest() == apart.digest()
    later = LazyNBClassifier().fit(_named(kind, slice(7)), "churn", ids="who")
    later.partial_fit(
        _named(kind, slice(7, None)), "churn", classes=["no", "yes"], ids="who"
    )
    assert later.digest() == apart.digest()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "table"])
def test_queries_may_have_the_columns_of_ids_and_targets(kind, tmp_path):
    model = LazyNBClassifier().fit(_named("pandas"), "churn", ids="who")
    model.save(tmp_path / "kept.sklazy")
    asked = take_columns(_named(kind), "churn", None)[0]
    plain = model.predict_proba(_frame())
    for fitted in (model, sklazy.load(tmp_path / "kept.sklazy")):
        np.testing.assert_array_equal(fitted.predict_proba(asked), plain)
        named = fitted.explain(asked)
        assert [receipt["row"] for receipt in named] == list(range(100, 112))
        assert fitted.similar(asked, 1).index[0][0] == 100
    np.testing.assert_array_equal(model.predict_proba(_named(kind)), plain)


def test_rows_added_with_the_column_of_ids_have_its_ids():
    apart = LazyNBClassifier().fit(_named("pandas"), "churn", ids="who")
    model = LazyNBClassifier().fit(_named("pandas", slice(7)), "churn", ids="who")
    model.partial_fit(_named("pandas", slice(7, None)), "churn")
    assert model.ids_.tolist() == apart.ids_.tolist()
    assert model.digest() == apart.digest()


def test_names_of_no_column_are_refused_with_those_there_are():
    with pytest.raises(BadInputError, match=r"y='chrun' is no.*mean 'churn'"):
        LazyNBClassifier().fit(_named("pandas"), "chrun")
    with pytest.raises(BadInputError, match=r"ids='whom' is no.*mean 'who'"):
        LazyNBClassifier().fit(_named("pandas"), "churn", ids="whom")
    with pytest.raises(BadInputError, match="y='churn' names a column, but X has no"):
        LazyNBClassifier().fit([[1.0], [2.0]], "churn")


# --- sets -----------------------------------------------------------------------------


@pytest.mark.parametrize("coverage", [0.3, 0.6, 0.9])
def test_sets_list_the_labels_that_the_matrix_marks(coverage):
    y = np.resize(["maybe", "no", "yes"], 12)
    model = LazyNBClassifier().fit(_frame(), y)
    marks = model.predict_set(_frame(), coverage)
    sets = model.predict_set(_frame(), coverage, as_labels=True)
    assert [[label in one for label in model.classes_] for one in sets] == (
        marks.tolist()
    )
    assert [len(one) for one in sets] == marks.sum(axis=1).tolist()


# --- names ----------------------------------------------------------------------------


def test_completion_shows_public_names_alone():
    assert sklazy.Table.from_any([[1.0]]).n_rows == 1  # imports rooms of the house
    assert dir(sklazy) == sklazy.__all__


@one_keeper_of_each
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_columns_of_a_frame_are_found_by_name(setting):
    frame, labels, numbers = example_frame()
    y = numbers if is_regressor(setting.model) else labels
    model = clone(setting.model).fit(frame, y)
    turned = frame[frame.columns[::-1]]
    expected = model.predict(frame[:3]).tolist()
    assert model.predict(turned[:3]).tolist() == expected
    assert model.predict(pl.from_pandas(turned[:3])).tolist() == expected
    assert model.predict(as_table(turned[:3])).tolist() == expected
    before = model.digest()
    model.partial_fit(turned[:2], y[:2], ids=[1000, 1001])
    assert model.forget([1000, 1001]).digest() == before
    renamed = frame.rename(columns={frame.columns[0]: "other"})
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- other"):
        model.predict(renamed[:3])
    with pytest.raises(ValueError, match="yet now missing"):
        model.predict(frame.iloc[:3, 1:])
