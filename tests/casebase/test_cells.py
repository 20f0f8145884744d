"""Few rows are read cell by cell as the tables made of them are."""

import copy
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy import LazyKNeighborsClassifier, LazyNBClassifier
from sklazy.casebase import CaseBase
from sklazy.casebase.cells import add_cells, encode_cells, list_cells, read_cells
from sklazy.errors import BadInputError
from sklazy.tables import as_table, as_target

TEXTS = ["a", "b", "new", "", "NA", "TRUE", "7", " a", "\ud800"]
PLAIN = {"size": [1.5, -0.0, 3, None, math.nan], "kind": ["a", "b", None, math.nan]}
ODD = {
    "size": [*PLAIN["size"], math.inf, True, "7", "x", 2**60, np.float32(2), []],
    "kind": [*PLAIN["kind"], *TEXTS, 1, True, "true", b"a", pd.NA, 2.5],
}


def make_base(flags=("true", "false", None)):
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 8.0, 9.0] * 3,
            "kind": pd.Series(["a", "b", "b", None, "a"] * 3, dtype="str"),
            "flag": pd.Series([*flags, flags[0], flags[1]] * 3, dtype=object),
        }
    )
    y = as_target(["m", "m", "m", "n", "n"] * 3, "nominal")
    return CaseBase(as_table(frame), y)


def read_both_ways(base, rows):
    """The queries by cells, and those by a table or the error that it raises."""
    by_cells = encode_cells(base, rows)
    try:
        return by_cells, base.encode(as_table(rows, categorical_features="from_dtype"))
    except (BadInputError, TypeError) as error:
        return by_cells, error


def draw_rows(cells, most=3):
    row = st.fixed_dictionaries(
        {
            "size": st.sampled_from(cells["size"]),
            "kind": st.sampled_from(cells["kind"]),
            "flag": st.sampled_from(["true", "false", None]),
        }
    )
    return st.lists(row, min_size=1, max_size=most)


@given(draw_rows(ODD))
def test_cells_are_coded_as_their_table(rows):
    for base in (make_base(), make_base((True, False, None))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            by_cells, by_table = read_both_ways(base, rows)
        if by_cells is not None:
            assert np.array_equal(by_cells.codes, by_table.codes)
            assert np.array_equal(by_cells.values, by_table.values, equal_nan=True)


@given(draw_rows(PLAIN))
def test_plain_cells_need_no_table(rows):
    base = make_base()
    queries = encode_cells(base, rows)
    assert queries is not None
    assert np.array_equal(encode_cells(base, rows[0]).codes[0], queries.codes[0])
    columns = pd.DataFrame(rows, columns=base.names)
    by_frame = encode_cells(base, columns)
    assert np.array_equal(by_frame.codes, queries.codes)
    assert np.array_equal(by_frame.values, queries.values, equal_nan=True)
    assert not np.signbit(queries.values).any() or (queries.values < 0).any()


@given(draw_rows(PLAIN | {"kind": TEXTS}))
def test_texts_that_no_case_has_are_unseen_without_a_table(rows):
    base = make_base()
    by_cells, by_table = read_both_ways(base, rows)
    assert np.array_equal(by_cells.codes, by_table.codes)


@given(draw_rows(PLAIN), st.lists(st.sampled_from("mn"), min_size=3, max_size=3))
def test_cells_are_added_as_their_table(rows, labels):
    base, target = make_base(), as_target(labels[: len(rows)], "nominal")
    other = copy.deepcopy(base)
    for each in (base, other):
        each.digest()  # so that hashes follow
    added = add_cells(base, list_cells(base, rows), target)
    assert added.tolist() == other.add(as_table(rows), target).tolist()
    assert base.digest() == other.digest()
    fresh = copy.deepcopy(other)
    assert np.array_equal(base.order, fresh.order)
    base.forget(added)
    assert base.digest() == make_base().digest()


@pytest.mark.parametrize(
    "rows",
    [
        {"size": 1.0, "kind": "a"},
        {"size": 1.0, "kind": "a", "flag": "true", "more": 1},
        {"size": 1.0, "kind": "a", "flg": "true"},
        [[1.0, "a", "true"]],
        [],
        pd.DataFrame({"kind": ["a"], "size": [1.0], "flag": ["true"]}),
        [{"size": 1.0, "kind": "a", "flag": "true"}] * 17,
        None,
    ],
    ids=str,
)
def test_other_rows_are_for_a_table(rows):
    assert list_cells(make_base(), rows) is None


def test_classes_and_columns_that_are_new_are_for_a_table():
    base = make_base()
    cells = list_cells(base, {"size": 1.0, "kind": "a", "flag": "true"})
    assert add_cells(base, cells, as_target(["new"], "nominal")) is None
    cells = list_cells(base, {"size": 1.0, "kind": "new", "flag": "true"})
    assert add_cells(base, cells, as_target(["m"], "nominal")) is None
    empty = pd.DataFrame({"open": [np.nan, np.nan], "kind": ["a", "b"]})
    opened = CaseBase(as_table(empty), as_target(["m", "n"], "nominal"))
    assert read_cells(opened, list_cells(opened, {"open": 1.0, "kind": "a"})) is None


@pytest.mark.parametrize("make", [LazyNBClassifier, LazyKNeighborsClassifier])
def test_models_learn_and_answer_single_rows_as_frames(make):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"p": rng.normal(size=60), "q": rng.normal(size=60).round(1)})
    X["kind"] = pd.Series(rng.choice(["a", "b", "c"], 60), dtype="str")
    X.loc[::7, "kind"] = None
    y = np.where(X["p"] > 0, "yes", "no")
    single, whole = make().fit(X[:40], y[:40]), make().fit(X[:40], y[:40])
    for row in range(40, 59):
        cells = X.iloc[row].to_dict()
        assert (
            single.predict_proba(cells) == whole.predict_proba(X[row : row + 1])
        ).all()
        single.partial_fit([cells], y[row : row + 1])
        whole.partial_fit(as_table(X[row : row + 1]), y[row : row + 1])
    assert single.cases_.digest() == whole.cases_.digest()
    with pytest.raises(BadInputError, match="missing"):
        single.predict({"p": 1.0})
