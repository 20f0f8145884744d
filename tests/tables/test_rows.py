"""Rows that have names, rows as dicts, and sparse data."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array, dok_array

import sklazy
from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables import as_table
from sklazy.tables.frames import index_ids

ROWS = pd.DataFrame({"a": [1.0, 2.0, 8.0, 9.0], "b": ["u", "u", "v", "v"]})
CLASSES = ["x", "x", "y", "y"]


def fitted(frame, **options):
    return sklazy.LazyKNeighborsClassifier(n_neighbors=1).fit(frame, CLASSES, **options)


# --- the index of pandas --------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "ids"),
    [
        (["ann", "bob", "cy", "di"], ["ann", "bob", "cy", "di"]),
        ([7, 3, 5, 1], [7, 3, 5, 1]),
        ([0, 1, 2, 3], None),
        ([2**62, 1, 2, 3], None),
        (pd.RangeIndex(10, 14), None),
        (["a", "a", "b", "c"], None),
        ([1.5, 2.5, 3.5, 4.5], None),
        (["a", 1, 2, 3], None),
        (pd.date_range("2024-01-01", periods=4), None),
        (pd.MultiIndex.from_product([[0, 1], [0, 1]]), None),
    ],
)
def test_an_index_that_names_rows_becomes_their_ids(index, ids):
    frame = ROWS.set_axis(pd.Index(index), axis=0)
    assert index_ids(frame) == ids
    model = fitted(frame)
    assert model.ids_.tolist() == (ids or [0, 1, 2, 3])


def test_receipts_name_rows_of_the_frame():
    frame = ROWS.set_axis(["ann", "bob", "cy", "di"], axis=0)
    model = fitted(frame)
    (receipt,) = model.explain(frame[2:3], reasons=False)
    named = [case["id"] for case in receipt["neighbors"]["listed"]]
    assert set(frame.loc[named, "b"]) == {"v"}
    model.forget(["ann"])
    assert model.ids_.tolist() == ["bob", "cy", "di"]


def test_later_rows_have_ids_of_their_index_if_the_first_had(tmp_path):
    frame = ROWS.set_axis([7, 3, 5, 1], axis=0)
    model = fitted(frame)
    model.partial_fit(frame[:1].set_axis([11], axis=0), ["x"])
    model.partial_fit(ROWS[:1], ["x"])  # a range names no rows
    assert model.ids_.tolist() == [7, 3, 5, 1, 11, 12]
    model.save(tmp_path / "m.lazy")
    again = sklazy.load(tmp_path / "m.lazy")
    again.partial_fit(frame[:1].set_axis([40], axis=0), ["x"])
    assert again.ids_.tolist()[-1] == 40
    before = model.digest()
    with pytest.raises(BadInputError, match=r"ids=\[7\] are taken"):
        model.partial_fit(frame[:1], ["x"])
    assert model.digest() == before
    plain = fitted(ROWS.to_numpy())
    plain.partial_fit(frame[:1].to_numpy(), ["x"])
    assert plain.ids_.tolist() == [0, 1, 2, 3, 4]
    ranged = fitted(ROWS)
    ranged.partial_fit(frame[1:2], ["x"])  # the first were numbered
    assert ranged.ids_.tolist() == [0, 1, 2, 3, 4]


def test_given_ids_win():
    frame = ROWS.set_axis(["ann", "bob", "cy", "di"], axis=0)
    assert fitted(frame, ids=[4, 3, 2, 1]).ids_.tolist() == [4, 3, 2, 1]


def test_other_frames_have_no_index():
    assert index_ids(pl.from_pandas(ROWS)) is None
    assert index_ids([[1]]) is None
    assert index_ids(pd.Series([1], index=["a"])) is None


# --- dicts ----------------------------------------------------------------------------


def test_dicts_are_rows():
    rows = ROWS.to_dict("records")
    model = fitted(ROWS)
    assert model.predict(rows).tolist() == model.predict(ROWS).tolist()
    assert model.predict(rows[0]).tolist() == ["x"]
    (answer,) = model.predict({"b": "v", "a": None})
    assert [answer] == model.predict(pd.DataFrame({"a": [None], "b": ["v"]})).tolist()
    assert len(model.explain(rows[1], reasons=False)) == 1
    of_dicts = fitted(rows)
    assert of_dicts.digest() == model.digest()
    assert list(of_dicts.feature_names_in_) == ["a", "b"]
    assert of_dicts.predict(ROWS).tolist() == model.predict(ROWS).tolist()
    of_dicts.partial_fit(rows[0], ["x"])
    assert len(of_dicts.ids_) == 5


def test_absent_keys_are_missing_cells():
    table = as_table([{"a": 1.5}, {"b": "x", "a": 2}, {}])
    assert table.names == ["a", "b"]
    assert [c.cells() for c in table] == [[1.5, 2.0, None], [None, "x", None]]
    days = as_table({"day": dt.date(1970, 1, 2)})
    assert days["day"].cells() == [1.0]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ({"a": [1, 2]}, BadTypeError, r"'a' holds a list.*DataFrame\(X\)"),
        ({"a": np.ones(2)}, BadTypeError, "'a' holds a ndarray"),
        ({"a": pd.Series([1])}, BadTypeError, "'a' holds a Series"),
        ({1: 2}, BadInputError, "keys of a row name its columns"),
        ({}, BadInputError, "0 feature"),
        ([{"a": 1}, [2]], BadInputError, "2D"),
    ],
)
def test_dicts_that_are_no_rows_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        as_table(X)


def test_a_query_with_other_keys_is_refused():
    model = fitted(ROWS)
    with pytest.raises(BadInputError, match=r"missing \['b'\], not known \['c'\]"):
        model.predict({"a": 1.0, "c": "u"})


# --- sparse ---------------------------------------------------------------------------


def test_sparse_input_is_refused_with_the_way_out():
    for sparse in (csr_array, dok_array):  # the latter is a dict, too
        with pytest.raises(BadTypeError, match=r"Sparse.*toarray\(\)"):
            as_table(sparse(np.eye(2)))
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 1.0])})
    with pytest.raises(BadTypeError, match=r"'a' is sparse.*\.sparse\.to_dense\(\)"):
        as_table(frame)
    assert as_table(frame.sparse.to_dense())["a"].cells() == [0.0, 0.0, 1.0]
    model = fitted(ROWS[["a"]])
    with pytest.raises(BadTypeError, match="toarray"):
        model.predict(csr_array(np.ones((1, 1))))
