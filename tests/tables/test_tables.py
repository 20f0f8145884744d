"""Tables from arrays and frames, targets, and queries in the terms of the cases."""

import datetime
import decimal
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import oracle
from sklazy import Table
from sklazy.errors import BadInputError, BadTypeError, DataWarning, SklazyError
from sklazy.flow import MISSING, UNSEEN
from sklazy.tables import Column, align, as_table, as_target, canonical, match, recode
from sklazy.tables.labels import encode
from strategies import mixed_problems, mixed_tables, split_problems


def plain(table):
    """A table as comparable data."""
    return [(c.name, c.kind, c.categories, c.declared, c.cells()) for c in table]


LABELS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, 2.0, float("nan"), -0.0]),
    st.sampled_from(["a", "b", "1", ""]),
)


# --- labels ---------------------------------------------------------------------------


@given(st.lists(LABELS))
def test_encode_equals_its_slow_twin(cells):
    column = encode("c", cells)
    codes, categories = oracle.encode(cells)
    assert column.data.tolist() == codes
    assert list(column.categories) == categories
    assert list(map(type, column.categories)) == list(map(type, categories))


@given(st.lists(LABELS), st.randoms())
def test_categories_do_not_depend_on_the_order_of_rows(cells, random):
    shuffled = random.sample(cells, len(cells))
    one, other = encode("c", cells).categories, encode("c", shuffled).categories
    assert repr(one) == repr(other)


@given(st.lists(LABELS), st.lists(LABELS))
def test_recode_equals_its_slow_twin(cells, known):
    categories = encode("c", known).categories
    codes = recode(encode("c", cells), categories)
    assert codes.dtype == np.int32
    assert codes.tolist() == oracle.recode(cells, categories)


@given(st.lists(st.one_of(st.none(), st.sampled_from([0.5, 1.0, 2.0]))))
def test_numbers_are_recoded_as_labels(cells):
    column = Column("c", "numeric", np.array(cells, float))
    assert recode(column, (2, 1)).tolist() == oracle.recode(cells, (2, 1))


def test_recoding_twice_keeps_unseen_and_missing():
    first = recode(encode("c", ["a", "z", None]), ("a", "b"))
    again = recode(Column("c", "nominal", first, ("a", "b")), ("b", "a"))
    assert again.tolist() == [1, UNSEEN, MISSING]


def test_whole_floats_and_integers_are_one_category():
    ints = pd.DataFrame({"c": [1, 2]})
    floats = pd.DataFrame({"c": [2.0, None]})
    cases = as_table(ints, categorical_features=["c"])
    queries = as_table(floats, categorical_features=["c"])
    assert align(queries, cases)["c"].data.tolist() == [1, MISSING]


def test_canonical_merges_what_python_calls_equal():
    assert repr(canonical(["b", True, 0, 2.5, "a"])) == repr((0, 1, 2.5, "a", "b"))


# --- frames and arrays ----------------------------------------------------------------


@given(mixed_problems())
def test_all_forms_of_a_table_are_the_same_table(problem):
    numeric = [kind == "numeric" for kind in problem.kinds]
    data = {
        name: [row[j] for row in problem.rows] for j, name in enumerate(problem.names)
    }
    dtypes = [pl.Float64 if is_number else pl.String for is_number in numeric]
    arrow = [pa.float64() if is_number else pa.string() for is_number in numeric]
    polars = pl.DataFrame(data, schema=dict(zip(problem.names, dtypes, strict=True)))
    arrows = pa.table(data, schema=pa.schema(zip(problem.names, arrow, strict=True)))
    mask = [not is_number for is_number in numeric]
    rows = as_table(
        problem.rows, feature_names=problem.names, categorical_features=mask
    )
    expected = plain(problem.table)
    assert expected == [
        (
            name,
            kind,
            tuple(oracle.encode(data[name])[1]) if kind == "nominal" else (),
            False,
            data[name],
        )
        for name, kind in zip(problem.names, problem.kinds, strict=True)
    ]
    for form in (as_table(polars), as_table(arrows), rows, as_table(problem.table)):
        assert plain(form) == expected


@given(mixed_tables())
def test_to_pandas_and_back(table_and_classes):
    table, _ = table_and_classes
    again = as_table(table.to_pandas())
    assert again.kinds == table.kinds
    assert [c.cells() for c in again] == [c.cells() for c in table]


@pytest.mark.parametrize(
    ("values", "kind", "categories"),
    [
        (np.array([[1.0], [np.nan]], np.float32), "numeric", ()),
        (np.array([[3], [-7]], np.int8), "numeric", ()),
        (np.array([[3], [7]], np.uint64), "numeric", ()),
        (np.array([[True], [False]]), "nominal", (False, True)),
        (np.array([["b"], ["a"]]), "nominal", ("a", "b")),
        (np.array([["b"], ["a"]], np.dtypes.StringDType()), "nominal", ("a", "b")),
        (np.array([[1], [2.5]], object), "numeric", ()),
        (np.array([[1], [None]], object), "numeric", ()),
        (np.array([[None], [None]], object), "numeric", ()),
        (np.array([[True], [None]], object), "nominal", (True,)),
        (np.array([[True], [2]], object), "numeric", ()),
        (np.array([["b"], [2]], object), "nominal", (2, "b")),
        (np.array([[decimal.Decimal("0.1")], [None]], object), "numeric", ()),
    ],
)
def test_kinds_of_numpy_arrays(values, kind, categories):
    column = as_table(values)["x0"]
    assert (column.kind, column.categories) == (kind, categories)


@pytest.mark.parametrize(
    ("series", "kind", "categories", "declared"),
    [
        (pd.Series(["b", None]), "nominal", ("b",), False),
        (pd.Series(["b", "a"], dtype=object), "nominal", ("a", "b"), False),
        (pd.Series([True, False]), "nominal", (False, True), False),
        (pd.Series([True, None], dtype="boolean"), "nominal", (True,), False),
        (pd.Series([1, None], dtype="Int64"), "numeric", (), False),
        (pd.Series([None, None], dtype="Int64"), "numeric", (), False),
        (pd.Series([1.5, None], dtype="Float32"), "numeric", (), False),
        (pd.Series([2, 1, 2]).astype("category"), "nominal", (1, 2), True),
        (
            pd.Series(pd.Categorical(["u"], categories=["w", "u"])),
            "nominal",
            ("w", "u"),
            True,
        ),
        (
            pd.Series(pd.Categorical(["u"], categories=["w", "u"], ordered=True)),
            "nominal",
            ("w", "u"),
            True,
        ),
        (pl.Series(["u"], dtype=pl.Enum(["w", "u"])), "nominal", ("w", "u"), True),
        (pl.Series(["w", "u"], dtype=pl.Categorical), "nominal", ("u", "w"), False),
        (pl.Series([None, None]), "numeric", (), False),
        (pl.Series([decimal.Decimal("1.5"), None]), "numeric", (), False),
        (pa.array(["w", "u"]).dictionary_encode(), "nominal", ("u", "w"), False),
        (pa.nulls(2), "numeric", (), False),
    ],
)
def test_kinds_of_frames(series, kind, categories, declared):
    frame = pa.table({"c": series}) if isinstance(series, pa.Array) else None
    if frame is None:
        frame = series.to_frame("c")
    column = as_table(frame)["c"]
    assert (column.kind, column.categories, column.declared) == (
        kind,
        categories,
        declared,
    )
    assert len(column) == len(series)


def test_pandas_missing_values_of_all_sorts():
    cells = ["a", None, np.nan, pd.NA, pd.NaT]
    column = as_table(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))["c"]
    assert column.cells() == ["a", None, None, None, None]


def test_masked_cells_are_missing():
    masked = np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]])
    assert as_table(masked).missing == {"x0": 1, "x1": 0}


@pytest.mark.parametrize(
    "features", [["b"], [1], np.array([False, True]), [False, True], ("b",)]
)
def test_nominal_by_name_index_or_mask(features):
    frame = pd.DataFrame({"a": [1, 2], "b": [1.0, 1.5]})
    table = as_table(frame, categorical_features=features)
    assert table.kinds == ["numeric", "nominal"]
    assert table["b"].categories == (1, 1.5)


def test_a_mask_decides_alone():
    frame = pd.DataFrame({"a": [True, False], "b": ["x", "y"]})
    table = as_table(frame, categorical_features=["b"])
    assert table.kinds == ["numeric", "nominal"]
    assert table["a"].data.tolist() == [1.0, 0.0]
    with pytest.raises(BadTypeError, match=r"'b'.*string 'x', row 0.*nominal"):
        as_table(frame, categorical_features=None)


def test_integers_beyond_float_precision_can_be_labels():
    ids = np.array([[2**60, 1], [2**60 + 1, 2]])
    table = as_table(ids, categorical_features=[0])
    assert table["x0"].categories == (2**60, 2**60 + 1)
    assert table.kinds == ["nominal", "numeric"]


@pytest.mark.parametrize("make", [float, np.float32, np.float64])
def test_large_floats_are_numbers_in_lists_and_objects(make):
    large = float(make(2.0**60))
    cells = [[make(2.0**60)], [make(-1e30)], [2.5]]
    for X in (cells, np.array(cells, object), pd.DataFrame(cells, dtype=object)):
        (column,) = as_table(X)
        assert column.kind == "numeric"
        assert column.cells() == [large, float(make(-1e30)), 2.5]
    assert encode("a", [2**60, make(2.0**60)]).categories == (2**60,)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_dates_are_labels_where_said(library):
    days = [datetime.date(2020, 1, 2), None, datetime.date(2020, 1, 1)]
    frame = library({"t": pa.array(days) if library is pa.table else days})
    if library is pd.DataFrame:
        frame["t"] = pd.to_datetime(frame["t"])
    column = as_table(frame, categorical_features=["t"])["t"]
    assert column.cells() == ["2020-01-02", None, "2020-01-01"]
    assert as_table(frame, kinds={"t": "nominal"})["t"].cells() == column.cells()


def test_a_table_shares_no_memory_with_its_source():
    X = np.ones((3, 2))
    table = as_table(X)
    X[:] = 5
    assert table["x0"].data.tolist() == [1, 1, 1]
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    assert not np.shares_memory(as_table(frame)["a"].data, frame["a"].to_numpy())


def test_names_that_are_no_strings_are_positions():
    table = as_table(pd.DataFrame(np.ones((2, 2))))
    assert (table.names, table.named) == (["0", "1"], False)
    assert as_table(np.ones((2, 2))).names == ["x0", "x1"]


BAD = [
    (np.ones(3), BadInputError, "Reshape your data"),
    (np.ones((2, 2, 2)), BadInputError, "Reshape your data"),
    (pd.Series([1.0]), BadInputError, "Reshape your data"),
    (None, BadInputError, "Expected 2D"),
    ([[1, 2], [3]], BadInputError, "Expected 2D.* rows of 1 to 2 cells"),
    (pd.DataFrame({"a": pd.IntervalIndex.from_breaks([0, 1])}), BadTypeError, "interv"),
    (np.empty((0, 3)), BadInputError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a"),
    (np.empty((3, 0)), BadInputError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a min"),
    (pd.DataFrame({"a": []}), BadInputError, r"0 sample\(s\)"),
    (csr_array(np.eye(2)), BadTypeError, "(?i)sparse.*toarray"),
    (np.array([[1j]]), BadInputError, "Complex data not supported"),
    (np.array([[b"a"]]), BadTypeError, "bytes"),
    ([[1.0], [{"a": 1}]], BadTypeError, "row 1.*argument must be a string.* number"),
    ([["a"], [b"b"]], BadTypeError, "row 1.*bytes"),
    ([[1.0, 2.0], [1.0, np.inf]], BadInputError, "'x1' contains infinity.*row 1"),
    (np.array([[1.0], [-np.inf]]), BadInputError, "'x0' contains infinity.*row 1"),
    (np.array([[1, 2**53 + 1]]), BadInputError, r"'x1' has 9007.*2\^53.*nominal"),
    ([[2**70]], BadInputError, r"'x0' has .*2\^53"),
    (pd.DataFrame({"a": [0.0, np.inf]}), BadInputError, "'a' contains infinity.*row 1"),
    (pd.DataFrame({"a": [2**60, None]}, dtype="Int64"), BadInputError, r"'a'.*2\^53"),
    (pl.DataFrame({"a": [-(2**60)]}), BadInputError, r"'a'.*2\^53"),
    (pl.DataFrame({"a": [decimal.Decimal(2**60)]}), BadInputError, r"'a'.*2\^53"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), BadInputError, "unique"),
    (pd.DataFrame([[1, 2]], columns=["a", 1]), BadTypeError, "string names"),
    (pl.DataFrame({"t": [[1]]}), BadTypeError, "'t' has dtype List"),
    (pl.LazyFrame({"a": [1]}), BadTypeError, "collect"),
]


@pytest.mark.parametrize(("X", "error", "message"), BAD)
def test_bad_input_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        as_table(X)


@pytest.mark.parametrize(
    "features", [["c"], [2], [-1], [True], "a", [[0]], [0.5], [None], {"a": 1}]
)
def test_unknown_categorical_features_are_refused(features):
    frame = pd.DataFrame({"a": [1], "b": [2]})
    with pytest.raises(BadInputError, match="categorical_features="):
        as_table(frame, categorical_features=features)


@pytest.mark.parametrize("names", [["a"], ["a", 1], ["a", "a"]])
def test_bad_feature_names_are_refused(names):
    with pytest.raises(BadInputError):
        as_table(np.ones((2, 2)), feature_names=names)


def test_empty_tables_where_allowed():
    assert as_table(np.empty((0, 3)), allow_empty=True).shape == (0, 3)
    assert as_table(pd.DataFrame({"a": [1, 2]})[[]], allow_empty=True).n_rows == 2
    assert as_table(pl.DataFrame({"a": ["x"]}).head(0), allow_empty=True).shape == (
        0,
        1,
    )


def test_a_hundred_thousand_distinct_strings():
    words = np.array([[f"w{i}"] for i in range(100_000)], object)
    start = time.perf_counter()
    with pytest.warns(DataWarning, match="'x0': set aside, since 100000 of its"):
        column = as_table(words)["x0"]
    codes = recode(column, column.categories[::2])
    assert time.perf_counter() - start < 10
    assert len(column.categories) == 100_000
    assert (codes == UNSEEN).sum() == 50_000


# --- the table itself -----------------------------------------------------------------


def table_of_three():
    return Table.from_any(
        pd.DataFrame({"a": [1.0, None, 3.0], "b": ["x", "y", None], "c": [1, 2, 3]})
    )


def test_take_select_and_drop():
    table = table_of_three()
    assert table.take([2, 0])["a"].cells() == [3.0, 1.0]
    assert table.take(np.array([True, False, False])).shape == (1, 3)
    assert table.take([]).shape == (0, 3)
    assert table.drop(["b"]).names == ["a", "c"]
    assert table.select(["c", "a"]).names == ["c", "a"]
    assert table.missing == {"a": 1, "b": 1, "c": 0}
    for call in (table.drop, table.select):
        with pytest.raises(BadInputError, match="no column 'z'"):
            call(["z"])


def test_names_of_columns_come_in_lists():
    for call in (table_of_three().select, table_of_three().drop):
        with pytest.raises(BadInputError, match=r"expected a list: \['a'\]"):
            call("a")


def test_tables_and_columns_are_arrays_to_others():
    table = table_of_three()
    numbers = np.asarray(table.drop(["b"]))
    np.testing.assert_array_equal(numbers, [[1, 1], [np.nan, 2], [3, 3]])
    assert np.asarray(table).tolist()[1:] == [[None, "y", 2.0], [3.0, None, 3.0]]
    assert np.asarray(table["b"]).tolist() == ["x", "y", None]
    assert np.asarray(encode("d", [2, 1])).dtype == np.int64
    assert np.asarray(encode("d", ["b", 1])).tolist() == ["b", 1]
    assert np.asarray(table["c"], np.int64).dtype == np.int64
    np.asarray(table["c"])[:] = 7
    assert table["c"].cells() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="without a copy"):
        np.array(table, copy=False)
    split = train_test_split(table, table["c"], test_size=1, random_state=0)
    assert [len(part) for part in split] == [2, 1, 2, 1]
    assert split[0]["c"].cells() == split[2].cells()
    labels = encode("label", ["no", "yes", "yes"])
    model = LogisticRegression().fit(table.select(["c"]), labels)
    assert model.predict([[3.0]]).tolist() == ["yes"]


def test_the_printed_table():
    assert repr(table_of_three()).splitlines() == [
        "Table: 3 rows, 3 columns",
        "  a  numeric  1 to 3, 1 missing",
        "  b  nominal  2 categories: 'x', 'y', 1 missing",
        "  c  numeric  1 to 3",
    ]
    assert "... and 5 more" in repr(as_table(np.ones((1, 25))))
    assert "no values, 2 missing" in repr(as_table([[None], [None]]))


def test_columns_must_agree():
    one, two = as_table([[1.0]]).columns[0], as_table([[1.0], [2.0]]).columns[0]
    with pytest.raises(BadInputError, match=r"\[1, 2\] rows"):
        Table((one, two.renamed("b")))
    with pytest.raises(BadInputError, match="unique"):
        Table((one, one))


def test_occurring_leaves_out_unused_categories():
    column = Column(
        "c", "nominal", np.array([2, 0, -1, 2, -2], np.int32), ("a", "b", 3)
    )
    kept = column.occurring()
    assert kept.categories == ("a", 3)
    assert kept.data.tolist() == [1, 0, -1, 1, -2]


# --- queries --------------------------------------------------------------------------


@given(split_problems())
def test_aligned_queries_equal_the_slow_twin(cases_and_queries):
    cases, queries = cases_and_queries
    model = cases.table
    # Only the cases' own columns tell a query's kind: here both frames have dtypes.
    aligned = align(queries.table, model)
    for j, (column, known) in enumerate(zip(aligned, model, strict=True)):
        cells = [row[j] for row in queries.rows]
        if known.kind == "numeric":
            assert column.cells() == cells
        else:
            assert column.categories == known.categories
            assert column.data.tolist() == oracle.recode(cells, known.categories)


def test_columns_are_matched_by_name_else_by_position():
    cases = as_table(pd.DataFrame({"a": [1.0], "b": ["x"]}))
    swapped = as_table(pd.DataFrame({"b": ["x"], "a": [2.0]}))
    assert align(swapped, cases)["a"].cells() == [2.0]
    unnamed = as_table([[3.0, "x"]])
    assert align(unnamed, cases).names == ["a", "b"]
    with pytest.raises(BadInputError, match="X has 1 features, but 2"):
        align(as_table([[3.0]]), cases)
    with pytest.raises(BadInputError, match=r"missing \['b'\], not known \['z'\]"):
        align(as_table(pd.DataFrame({"a": [1.0], "z": [1.0]})), cases)


def test_matched_queries_keep_their_own_categories():
    cases = as_table(pd.DataFrame({"a": [1.0], "b": ["x"]}))
    matched = match(as_table(pd.DataFrame({"b": ["z", "y"], "a": [2, 3]})), cases)
    assert matched.names == ["a", "b"]
    assert matched["b"].categories == ("y", "z")


def test_kinds_that_do_not_fit_are_refused():
    cases = as_table([[1.0, "x"], [2.0, "y"]])
    with pytest.raises(BadTypeError, match=r"'x0'.*numbers.*'oops', row 1"):
        align(as_table([[1.0, "x"], ["oops", "y"]]), cases)
    with pytest.raises(BadTypeError, match=r"'x1' is nominal.*row 0.*number 7"):
        align(as_table([[1.0, 7]]), cases)


def test_kinds_that_can_be_made_to_fit():
    cases = as_table([[1.0, "x"], [2.0, "y"]])
    nothing = align(as_table([[None, None]]), cases)
    assert nothing["x0"].cells() == nothing["x1"].cells() == [None]
    bools = align(as_table([[True, "x"]]), cases)
    assert bools["x0"].cells() == [1.0]
    numbers = as_table([[1], [2]], categorical_features=[0])
    assert align(as_table([[2.0], [5.0]]), numbers)["x0"].data.tolist() == [1, UNSEEN]


# --- targets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [2, 1, 2],
        np.array([2.0, 1.0, 2.0]),
        pd.Series([2, 1, 2]),
        pl.Series([2, 1, 2]),
        np.array([[2], [1], [2]]),
        pd.DataFrame({"y": [2, 1, 2]}),
    ],
)
def test_targets_of_all_forms(y):
    column = as_target(y, "nominal")
    assert (column.categories, column.data.tolist()) == ((1, 2), [1, 0, 1])
    numbers = as_target(y, "numeric")
    assert numbers.shape == np.shape(y)
    assert numbers.ravel().tolist() == [2.0, 1.0, 2.0]


@pytest.mark.parametrize("kind", ["nominal", "numeric"])
@pytest.mark.parametrize("make", [list, np.array, pd.Series])
def test_missing_labels_are_named(kind, make):
    y = make([np.nan, 1.0, *[np.nan] * 6])
    with pytest.raises(BadInputError, match=r"NaN: 7 missing .* 0, 2, 3, 4, 5, \.\.\."):
        as_target(y, kind)


@pytest.mark.parametrize(
    ("y", "kind", "message"),
    [
        (None, "nominal", "requires y to be passed, but the target y is None"),
        ([1.0, np.inf], "numeric", "'y' contains infinity.*row 1"),
        ([1.0, np.inf], "nominal", "'y' contains infinity.*row 1"),
        (["a", "b"], "numeric", "y holds the string 'a', row 0.*use a classifier"),
        (np.ones((2, 2)), "nominal", "1d array"),
        (np.ones((2, 2, 2)), "numeric", "2D"),
        (1.0, "numeric", "2D"),
    ],
)
def test_bad_targets_are_refused(y, kind, message):
    with pytest.raises(SklazyError, match=message):
        as_target(y, kind)


def test_a_target_keeps_declared_classes():
    y = pd.Series(pd.Categorical(["b", "b"], categories=["c", "b"]))
    column = as_target(y, "nominal")
    assert column.categories == ("c", "b")
    assert column.occurring().categories == ("b",)


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_a_column_is_blank_if_no_row_has_a_cell(kind):
    is_numeric = kind == "numeric"
    data = np.full(10_000, np.nan) if is_numeric else np.full(10_000, -1, np.int32)
    assert Column("x", kind, data, ("a",) * (not is_numeric)).is_blank
    for place in (0, 9999):
        known = data.copy()
        known[place] = 0
        assert not Column("x", kind, known, ("a",) * (not is_numeric)).is_blank
