"""Messages that name a way out: each test meets the message and takes the way."""

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sklazy
from sklazy import BadInputError, BadTypeError, LazyKernelClassifier, LazyNBClassifier

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


def test_rows_without_times_where_fit_takes_none_go_by_their_ids():
    model = LazyKernelClassifier().fit(_frame(), _classes())
    with pytest.raises(BadInputError, match=r"ids.*LazyNBClassifier") as caught:
        model.forget(before=DAYS[3])
    assert "give times to fit" not in str(caught.value)
    old = [i for i, day in enumerate(DAYS) if day < DAYS[3]]
    assert model.forget(old).ids_.tolist() == list(range(3, 12))


def test_rows_without_times_where_fit_takes_them_get_them():
    model = LazyNBClassifier().fit(_frame(), _classes())
    with pytest.raises(BadInputError, match="give times to fit"):
        model.forget(before=DAYS[3])
    model.fit(_frame(), _classes(), times=DAYS).forget(before=DAYS[3])
    assert model.ids_.tolist() == list(range(3, 12))


# --- names ----------------------------------------------------------------------------


def test_completion_shows_public_names_alone():
    assert sklazy.Table.from_any([[1.0]]).n_rows == 1  # imports rooms of the house
    assert dir(sklazy) == sklazy.__all__
