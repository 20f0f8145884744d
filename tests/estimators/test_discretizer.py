"""EntropyDiscretizer: frames, bad input, Weka's cuts."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import oracle
from sklazy import EntropyDiscretizer, Table
from sklazy.casebase.cuts import interval_labels
from sklazy.errors import BadInputError
from strategies import mixed_problems


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.copy()
    X.iloc[::7, 3] = np.nan
    return X, y


@settings(max_examples=60, deadline=None)
@given(problem=mixed_problems(kinds=("numeric",)))
def test_columns_are_cut_and_coded_like_the_twin(problem):
    X, y = problem.frame.to_numpy(), problem.classes
    discretizer = EntropyDiscretizer("kononenko").fit(X, y)
    codes = discretizer.transform(X)
    for j, cuts in enumerate(discretizer.cut_points_):
        expected = oracle.cut_points(X[:, j].tolist(), y.tolist(), "kononenko")
        assert cuts.tolist() == expected
        below = [
            np.nan if np.isnan(x) else sum(x > cut for cut in expected) for x in X[:, j]
        ]
        np.testing.assert_array_equal(codes[:, j], below)
    assert discretizer.n_bins_.tolist() == [len(c) + 1 for c in discretizer.cut_points_]


def test_all_kinds_of_tables_give_the_same(wine):
    X, y = wine
    expected = EntropyDiscretizer().fit(X.to_numpy(), y.to_numpy())
    tables = {
        "pandas": (X, y),
        "polars": (pl.from_pandas(X), pl.from_pandas(y)),
        "nullable": (X.convert_dtypes(), y.astype("category")),
        "lists": (X.to_numpy().tolist(), y.astype(str).tolist()),
        "table": (Table.from_any(X), Table.from_any(y.to_frame())["target"]),
    }
    for name, (table, target) in tables.items():
        fitted = EntropyDiscretizer().fit(table, target)
        np.testing.assert_equal(fitted.cut_points_, expected.cut_points_, name)
        np.testing.assert_array_equal(
            fitted.transform(table), expected.transform(X.to_numpy()), name
        )


def test_threads_and_row_order_change_nothing(wine):
    X, y = wine
    shuffle = np.random.default_rng(0).permutation(len(X))
    one = EntropyDiscretizer().fit(X, y)
    two = EntropyDiscretizer(n_jobs=2).fit(X.iloc[shuffle], y.iloc[shuffle])
    np.testing.assert_equal(one.cut_points_, two.cut_points_)
    np.testing.assert_equal(one.data_range_, two.data_range_)


def test_fit_does_not_write_to_what_it_was_given(wine):
    X, y = (table.copy() for table in wine)
    EntropyDiscretizer().fit(X, y).transform(X)
    pd.testing.assert_frame_equal(X, wine[0])
    pd.testing.assert_series_equal(y, wine[1])


@pytest.mark.parametrize("encode", ["codes", "intervals"])
def test_set_output(wine, encode):
    X, y = wine
    discretizer = EntropyDiscretizer(encode=encode).fit(X, y)
    plain = discretizer.transform(X)
    as_pandas = discretizer.set_output(transform="pandas").transform(X)
    as_polars = discretizer.set_output(transform="polars").transform(X)
    assert list(as_pandas.columns) == list(X.columns) == as_polars.columns
    assert list(discretizer.get_feature_names_out()) == list(X.columns)
    for j, name in enumerate(X.columns):
        missing = X[name].isna().to_numpy()
        assert as_pandas[name].isna().to_numpy().tolist() == missing.tolist()
        assert as_pandas[name][~missing].tolist() == plain[~missing, j].tolist()
        assert (
            as_polars[name].to_numpy()[~missing].tolist() == plain[~missing, j].tolist()
        )


def test_intervals_in_words():
    X, y = load_iris(return_X_y=True)
    X[0, 3] = np.nan
    discretizer = EntropyDiscretizer(encode="intervals")
    words = discretizer.fit_transform(X, y)
    assert words[[0, 1, 60, 149], 3].tolist() == [
        None,
        "(-inf, 0.8]",
        "(0.8, 1.75]",
        "(1.75, inf)",
    ]
    codes = EntropyDiscretizer().fit_transform(X, y)
    for j, cuts in enumerate(discretizer.cut_points_):
        labels = interval_labels(cuts)
        for word, code in zip(words[:, j], codes[:, j], strict=True):
            assert word == (None if np.isnan(code) else labels[int(code)])


@pytest.mark.parametrize("encode", ["codes", "intervals"])
def test_back_to_numbers(wine, encode):
    X, y = wine[0].to_numpy(), wine[1].to_numpy()
    discretizer = EntropyDiscretizer(encode=encode).fit(X, y)
    coded = discretizer.transform(X)
    bounds = discretizer.inverse(coded)
    middles = discretizer.inverse_transform(coded)
    missing = np.isnan(X)
    assert bounds.shape == (*X.shape, 2)
    assert np.isnan(bounds[missing]).all()
    assert (bounds[~missing, 0] < X[~missing]).all()
    assert (X[~missing] <= bounds[~missing, 1]).all()
    assert np.array_equal(np.isnan(middles), missing)
    np.testing.assert_array_equal(discretizer.transform(middles), coded)


def test_bounds_of_one_bin(wine):
    X, y = wine
    discretizer = EntropyDiscretizer().fit(X, y)
    cuts = discretizer.cut_points_[0]
    assert discretizer.bounds("alcohol", 0) == (-np.inf, cuts[0])
    assert discretizer.bounds(0, len(cuts)) == (cuts[-1], np.inf)
    with pytest.raises(BadInputError, match=r"code=9; expected a bin.*, 0 to"):
        discretizer.bounds(0, 9)
    with pytest.raises(BadInputError, match=r"column='wine' is unknown.*alcohol"):
        discretizer.bounds("wine", 0)
    for column in (13, 1.5, None):
        with pytest.raises(BadInputError, match=r"is unknown; give 0 to 12"):
            discretizer.bounds(column, 0)
    for code in (0.5, "0", None):
        with pytest.raises(BadInputError, match=r"expected a bin of column 0"):
            discretizer.bounds(0, code)


def test_back_to_numbers_refuses_what_is_no_bin(wine):
    discretizer = EntropyDiscretizer().fit(*wine)
    codes = discretizer.transform(wine[0])
    codes[3, 2] = 77
    with pytest.raises(BadInputError, match=r"77.* in column 2.*expected one of"):
        discretizer.inverse(codes)
    with pytest.raises(BadInputError, match=r"X has 2 columns; expected 13"):
        discretizer.inverse_transform(codes[:, :2])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0]], [0]),  # one row
        ([[1.0], [2.0], [3.0]], ["a", "a", "a"]),  # one class
        ([[5.0]] * 8, [0, 1] * 4),  # constant
        ([[np.nan]] * 8, [0, 1] * 4),  # all missing
    ],
)
def test_nothing_to_cut_is_one_bin(X, y):
    discretizer = EntropyDiscretizer()
    codes = discretizer.fit_transform(X, y)
    assert discretizer.n_bins_.tolist() == [1] * len(X[0])
    np.testing.assert_array_equal(codes, np.array(X) * 0)
    middles = discretizer.inverse_transform(codes)
    assert np.array_equal(np.isnan(middles), np.isnan(X))


def test_new_rows_may_lie_outside_and_miss_cells():
    discretizer = EntropyDiscretizer().fit(
        [[1.0], [2.0], [9.0], [10.0]] * 5, [0, 0, 1, 1] * 5
    )
    assert discretizer.cut_points_[0].tolist() == [5.5]
    codes = discretizer.transform([[-1e300], [5.5], [1e300], [np.nan]])
    np.testing.assert_array_equal(codes, [[0], [0], [1], [np.nan]])


def test_columns_that_are_no_numbers_are_named():
    frame = pd.DataFrame({"size": [1.0, 2.0], "color": ["red", "blue"]})
    for table in (frame, pl.from_pandas(frame), frame.astype({"color": "category"})):
        with pytest.raises(BadInputError, match=r"\['color'\].*ColumnTransformer"):
            EntropyDiscretizer().fit(table, [0, 1])
    mixed = ColumnTransformer(
        [("cut", EntropyDiscretizer(), ["size"]), ("one", OneHotEncoder(), ["color"])]
    )
    assert mixed.fit_transform(frame, [0, 1]).shape == (2, 3)


def test_infinite_values_are_named():
    X = np.zeros((5, 2))
    X[3, 1] = -np.inf
    with pytest.raises(BadInputError, match=r"infinity in column 1 \(first in row 3"):
        EntropyDiscretizer().fit(X, [0, 1, 0, 1, 0])
    with pytest.raises(BadInputError, match=r"infinity in column 'b'"):
        EntropyDiscretizer().fit(pd.DataFrame(X, columns=["a", "b"]), [0, 1, 0, 1, 0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gini"}, r"criterion='gini'.*'fayyad', 'kononenko'"),
        ({"criterion": ["fayyad"]}, r"criterion=\['fayyad'\]"),
        ({"encode": "onehot"}, r"encode='onehot'.*'codes', 'intervals'"),
    ],
)
def test_bad_parameters(wine, parameters, message):
    with pytest.raises(BadInputError, match=message):
        EntropyDiscretizer(**parameters).fit(*wine)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, None, 1, None], r"row\(s\) 2, 4"),
        ([0.0, 1.0, np.nan, 1.0, 0.0], r"row\(s\) 2"),
        ([0.5, 1.5, 0.1, 1.7, 0.2], "Unknown label type"),
        ([0, 1], "inconsistent"),
        (None, "requires y to be passed"),
    ],
)
def test_a_bad_target_leaves_the_object_as_it_was(wine, y, message):
    discretizer = EntropyDiscretizer().fit(*wine)
    before = pickle.dumps(discretizer)
    with pytest.raises(ValueError, match=message):
        discretizer.fit(np.zeros((5, 2)), y)
    assert pickle.dumps(discretizer) == before


def test_bad_columns_leave_the_object_as_it_was(wine):
    discretizer = EntropyDiscretizer().fit(*wine)
    before = pickle.dumps(discretizer)
    frame = pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, 2.0]})
    with pytest.raises(BadInputError, match="infinity"):
        discretizer.fit(frame, [0, 1])
    assert pickle.dumps(discretizer) == before
    with pytest.raises(ValueError, match="feature names should match"):
        discretizer.transform(wine[0].rename(columns={"alcohol": "water"}))
    assert pickle.dumps(discretizer) == before


def test_clone_pickle_and_search(wine):
    X, y = wine[0].drop(columns="alcalinity_of_ash"), wine[1]
    discretizer = EntropyDiscretizer("kononenko", n_jobs=2).fit(X, y)
    assert clone(discretizer).get_params() == discretizer.get_params()
    again = pickle.loads(pickle.dumps(discretizer))
    assert np.array_equal(again.transform(X), discretizer.transform(X))
    model = make_pipeline(EntropyDiscretizer(), CategoricalNB(min_categories=20))
    grid = {"entropydiscretizer__criterion": ["fayyad", "kononenko"]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
