"""LazyImputer: cells filled with reasons, whatever the table is."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import sklazy
from sklazy import (
    LazyImputer,
    LazyKNeighborsClassifier,
    LazyKNeighborsRegressor,
    LazyLearningRegressor,
)
from sklazy.errors import BadInputError, DataWarning, UnknownIdError
from sklazy.tables import as_table
from sklazy.tables.labels import encode
from sklazy.tables.understand import read_labels

QUICK = LazyImputer(LazyKNeighborsClassifier(5), LazyKNeighborsRegressor(5))


@pytest.fixture(scope="module")
def tables():
    """A complete frame, and the same with gaps, under an index of its own."""
    rng, n_rows = np.random.default_rng(0), 80
    size = rng.normal(size=n_rows)
    word = np.where(size > 0, "large", "small")
    whole = pd.DataFrame(
        {
            "size": size,
            "word": pd.Series(word, dtype=object),
            "twice": 2 * size + 0.1 * rng.normal(size=n_rows),
            "kind": pd.Categorical(word, categories=["small", "large", "none"]),
        }
    )
    whole.index = [f"row {i}" for i in range(n_rows)]
    return whole, whole.mask(rng.random(whole.shape) < 0.1)


def test_gaps_are_filled_and_the_rest_is_untouched(tables):
    whole, gaps = tables
    filled = clone(QUICK).fit_transform(gaps)
    assert not filled.isna().any(axis=None)
    assert filled.index.equals(gaps.index)
    assert filled["kind"].dtype == gaps["kind"].dtype
    for name in gaps:
        known = gaps[name].notna()
        assert (filled[name][known] == whole[name][known]).all()
    hidden = gaps["word"].isna()
    assert (filled["word"] == whole["word"])[hidden].mean() > 0.9
    hidden = gaps["twice"].isna()
    assert (filled["twice"] - whole["twice"])[hidden].abs().mean() < 0.5


def test_frames_tables_and_arrays_get_the_same_cells(tables):
    _, gaps = tables
    imputer = clone(QUICK).fit(gaps)
    filled = imputer.transform(gaps)
    polars = imputer.transform(pl.from_pandas(gaps))
    assert isinstance(polars, pl.DataFrame)
    assert polars["word"].to_list() == filled["word"].tolist()
    assert polars["size"].to_list() == filled["size"].tolist()
    table = imputer.transform(sklazy.Table.from_any(gaps))
    assert table[:, 1].tolist() == filled["word"].tolist()
    numbers = gaps[["size", "twice"]].to_numpy()
    array = clone(QUICK).fit(numbers).transform(numbers)
    assert array.dtype == np.float64
    assert not np.isnan(array).any()
    frame = clone(QUICK).set_output(transform="pandas").fit_transform(numbers)
    assert isinstance(frame, pd.DataFrame)


def test_every_cell_has_a_receipt_that_replays(tables):
    _, gaps = tables
    imputer = clone(QUICK).fit(gaps)
    filled, cells = imputer.transform(gaps), imputer.explain(gaps)
    assert len(cells) == gaps.isna().sum().sum()
    for cell in cells:
        assert filled[cell.column].iloc[cell.row] == cell.value
        assert imputer.models_[cell.column].verify(cell.receipt)
        if cell.interval is None:
            assert cell.probabilities[cell.value] == max(cell.probabilities.values())
        else:
            assert cell.interval[0] <= cell.value <= cell.interval[1]


def test_rows_come_and_go_exactly(tables):
    _, gaps = tables
    first, more = gaps[:60], gaps[60:]
    imputer = clone(QUICK).fit(first)
    digest, filled = imputer.digest(), imputer.transform(gaps)
    imputer.partial_fit(more, ids=list(more.index))
    assert imputer.digest() == clone(QUICK).fit(gaps).digest() != digest
    imputer.forget(list(more.index))
    assert imputer.digest() == digest
    assert imputer.transform(gaps).equals(filled)


def test_a_column_can_begin_and_end():
    rows = [[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]]
    imputer = clone(QUICK).fit(rows)
    assert list(imputer.models_) == ["x0"]
    assert np.isnan(imputer.transform(rows)[:, 1]).all()
    before = imputer.digest()
    imputer.partial_fit([[4.0, 5.0]])
    assert imputer.transform(rows)[:, 1].tolist() == [5.0, 5.0, 5.0]
    assert imputer.forget([3]).digest() == before


def test_a_single_column_is_filled():
    filled = clone(QUICK).fit_transform([[1.0], [3.0], [np.nan]])
    assert filled[2, 0] == pytest.approx(2.0)


def test_draws_differ_and_repeat(tables):
    _, gaps = tables
    imputer = clone(QUICK).fit(gaps)
    one, other = imputer.draw(gaps, 2, random_state=3)
    assert not one.equals(other)
    again = imputer.draw(gaps, 2, random_state=3)
    assert one.equals(again[0])
    assert other.equals(again[1])
    hidden = gaps["twice"].isna()
    assert not (one["twice"] == other["twice"])[hidden].all()
    assert (one["twice"] == other["twice"])[~hidden].all()
    assert set(one["word"]) <= {"large", "small"}
    with pytest.raises(BadInputError, match="n_draws"):
        imputer.draw(gaps, 0)


def test_left_out_answers_choose(tables):
    _, gaps = tables
    far, near = LazyKNeighborsRegressor(60), LazyKNeighborsRegressor(3)
    imputer = LazyImputer(LazyKNeighborsClassifier(5), [far, near]).fit(gaps)
    assert imputer.models_["twice"].n_neighbors == 3
    few = LazyImputer(LazyKNeighborsClassifier(5), [far, near]).fit(gaps[:6])
    chosen = {name: model.n_neighbors for name, model in few.models_.items()}
    few.partial_fit(gaps[6:], ids=list(gaps.index[6:])).forget(list(gaps.index[6:]))
    assert {n: m.n_neighbors for n, m in few.models_.items()} == chosen


def test_it_stands_in_a_pipeline(tables):
    whole, gaps = tables
    y = (whole["size"] > 0.2).to_numpy()
    numbers = gaps[["size", "twice"]]
    model = make_pipeline(clone(QUICK), LogisticRegression()).fit(numbers, y)
    assert model.score(numbers, y) > 0.9


def test_what_makes_no_sense_is_refused(tables):
    _, gaps = tables
    with pytest.raises(BadInputError, match="lazy estimator"):
        LazyImputer(regressor=LogisticRegression()).fit(gaps)
    with pytest.raises(BadInputError, match="entries for 80 rows"):
        clone(QUICK).fit(gaps, ids=[1, 2])
    imputer = clone(QUICK).fit(gaps)
    with pytest.raises(BadInputError, match="taken"):
        imputer.partial_fit(gaps[:2], ids=["row 0", "new"])
    with pytest.raises(UnknownIdError, match="nobody"):
        imputer.forget(["nobody"])
    with pytest.raises(UnknownIdError, match="all"):
        imputer.forget(list(gaps.index))


DAYS = pd.date_range("2024-03-01", periods=24)
SIZES = np.arange(24.0)
FORMS = {
    "date": (DAYS, pd.Timestamp("2024-03-10")),
    "moment": (DAYS + pd.Timedelta("90min"), pd.Timestamp("2024-03-10 01:30")),
    "zone": (
        DAYS.tz_localize("Asia/Tokyo"),
        pd.Timestamp("2024-03-10", tz="Asia/Tokyo"),
    ),
    "span": (pd.to_timedelta(SIZES, unit="D"), pd.Timedelta("9D")),
    "dots": ([day.strftime("%d.%m.%Y") for day in DAYS], "10.03.2024"),
    "words": ([day.strftime("%d %b %Y %H:%M") for day in DAYS], "10 Mar 2024 00:00"),
    "objects": ([day.date() for day in DAYS], datetime.date(2024, 3, 10)),
    "money": ([f"€{1000 + size:,.2f}" for size in SIZES], "€1,009.00"),
    "comma": ([f"1.{int(size):03},5 kg" for size in SIZES], "1.009,5 kg"),
    "answer": (["Yes", "YES", "No"] * 8, "YES"),
}


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("name", list(FORMS))
def test_dates_and_amounts_are_filled_as_they_are_written(name):
    cells, expected = FORMS[name]
    size = SIZES if name != "answer" else SIZES % 3 != 2
    whole = pd.DataFrame({"size": size * 1.0, "it": cells})
    gaps = whole.copy()
    gaps.loc[9, "it"] = None
    near = LazyImputer(LazyKNeighborsClassifier(2), LazyKNeighborsRegressor(2))
    imputer = near.fit(gaps)
    filled = imputer.transform(gaps)
    assert filled["it"].dtype == gaps["it"].dtype
    assert filled["it"][9] == expected
    assert filled["it"].drop(9).tolist() == whole["it"].drop(9).tolist()
    (cell,) = imputer.explain(gaps)
    if name in ("date", "dots", "objects"):
        assert cell.value == datetime.datetime(2024, 3, 10)
        assert cell.interval[0] <= cell.value <= cell.interval[1]
    polars = imputer.transform(pl.from_pandas(gaps))["it"]
    assert polars.null_count() == 0


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_a_row_alone_is_read_and_filled_as_the_first_ones():
    for name in ("dots", "money", "comma"):
        cells, _ = FORMS[name]
        imputer = clone(QUICK).fit(pd.DataFrame({"size": SIZES, "it": cells}))
        (text,) = imputer.transform(pd.DataFrame({"size": [9.0], "it": [None]}))["it"]
        known = as_table(pd.DataFrame({"it": cells}))["it"].reading
        assert read_labels(encode("it", [text]), known).data[0] > 0


def test_columns_that_name_rows_keep_their_gaps():
    names = [f"free text number {i}" for i in range(24)]
    frame = pd.DataFrame({"kind": ["a", "b", None] * 8, "note": [None, *names[1:]]})
    with pytest.warns(DataWarning, match="set aside"):
        imputer = clone(QUICK).fit(frame)
    with pytest.warns(DataWarning, match=r"columns \['note'\] keep their missing"):
        assert imputer.transform(frame)["note"].isna().sum() == 1
    named = clone(QUICK).set_params(categorical_features={"note": "nominal"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert not named.fit_transform(frame).isna().any(axis=None)


def test_sparse_matrices_are_filled_and_stay_sparse():
    dense = np.array([[1.0, 2.0], [3.0, np.nan], [4.0, 5.0], [0.0, 3.0]])
    imputer = clone(QUICK).fit(csr_matrix(dense))
    filled = imputer.transform(csr_matrix(dense))
    assert isinstance(filled, csr_matrix)
    np.testing.assert_array_equal(filled.toarray(), imputer.transform(dense))


def test_dates_that_were_made_up_end_with_the_calendar():
    never = datetime.date(9999, 12, 31)  # as tables write "without end"
    days = [datetime.date(2024, 1, 1), never] * 12
    frame = pd.DataFrame({"until": [*days, None, None], "size": range(26)})
    imputer = LazyImputer().fit(frame)
    for filled in imputer.draw(frame, 20, random_state=0):
        assert max(filled["until"]) <= never
    for cell in imputer.explain(frame):
        assert cell.interval[1].date() <= never


NAMINGS = {
    "numbers": range(2),
    "pairs": pd.MultiIndex.from_tuples([("x", "a"), ("x", "b")]),
}


@pytest.mark.parametrize("naming", list(NAMINGS))
def test_frames_whose_columns_have_no_text_for_names(naming):
    X = pd.DataFrame({0: SIZES * 1.0, 1: SIZES * 2.0})
    X.columns = NAMINGS[naming]
    X.iloc[3, 1] = np.nan
    imputer = clone(QUICK).fit(X)
    for filled in (imputer.transform(X), *imputer.draw(X, 2)):
        assert filled.columns.equals(X.columns)
        assert not filled.isna().any(axis=None)


def test_whole_numbers_with_gaps_of_any_library():
    whole = {"i": [1, 2, None, 4] * 10, "f": [*range(40)]}
    for frame in (
        pl.DataFrame(whole),
        pd.DataFrame(whole).convert_dtypes(),
        pd.DataFrame(whole).convert_dtypes(dtype_backend="pyarrow"),
        pa.table(whole),
    ):
        filled = clone(QUICK).fit(frame).transform(frame)
        assert type(filled) is type(frame)
        cells = np.asarray(filled["i"], float)
        assert not np.isnan(cells).any()
        assert cells[3] == 4


CANDIDATES = {
    "default": None,
    "local": LazyLearningRegressor(),
    "two": [LazyLearningRegressor(), LazyKNeighborsRegressor(2)],
}


@pytest.mark.parametrize("n_known", [1, 2, 3])
@pytest.mark.parametrize("name", list(CANDIDATES))
def test_columns_with_few_known_cells(name, n_known):
    X = pd.DataFrame({"few": np.nan, "size": SIZES * 1.0})
    X.loc[: n_known - 1, "few"] = [7.0, 8.0, 9.0][:n_known]
    start = LazyImputer(regressor=CANDIDATES[name])
    imputer = clone(start).fit(X)
    filled = imputer.transform(X)
    assert filled["few"].between(6, 12).all()
    assert not imputer.draw(X, 1, 0)[0].isna().any(axis=None)
    assert all(cell.interval is None for cell in imputer.explain(X))
    for rest in (range(n_known, len(X)), range(1, len(X))):
        part = X.drop(index=rest).reset_index(drop=True)
        grown = clone(start).fit(part)
        more = X.loc[[*rest]]
        grown.partial_fit(more, ids=[*rest])
        assert grown.digest() == imputer.digest()
        pd.testing.assert_frame_equal(grown.transform(X), filled)
    if n_known > 1:
        alone = clone(start).fit(X.drop(index=n_known - 1))
        imputer.forget([n_known - 1])
        assert imputer.digest() == alone.digest()
        pd.testing.assert_frame_equal(imputer.transform(X), alone.transform(X))


def test_later_frames_have_their_index_for_ids_where_the_first_had():
    X = pd.DataFrame({"it": SIZES * 2.0, "size": SIZES * 1.0})
    X.index = [f"P{i}" for i in range(len(X))]
    imputer = clone(QUICK).fit(X[:5]).partial_fit(X[5:])
    imputer.forget(["P3", "P7"])
    assert imputer.digest() == clone(QUICK).fit(X.drop(index=["P3", "P7"])).digest()


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("library", ["pandas", "polars", "array"])
@pytest.mark.parametrize("way", [None, "pandas", "polars"])
@pytest.mark.parametrize("form", ["{:.3f}", "{:.2f}", "{:.0f}"])
def test_filling_does_not_change_how_a_column_is_read(form, way, library):
    texts = [form.format(10 + size) for size in SIZES] * 2
    known = np.array(texts, float)
    texts[9], texts[4] = "k.A.", "-"
    frame = pd.DataFrame({"size": [*SIZES, *SIZES], "it": texts})
    X = {"pandas": frame, "polars": pl.from_pandas(frame)}.get(
        library, frame.to_numpy(object)
    )
    imputer = clone(QUICK)
    if way is not None:
        imputer.set_output(transform=way)
    filled = as_table(imputer.fit_transform(X))
    read = as_table(X).columns[1].data
    assert filled.kinds == ["numeric", "numeric"]
    is_known = ~np.isnan(read)
    np.testing.assert_array_equal(filled.columns[1].data[is_known], known[is_known])
    assert not filled.columns[1].missing.any()
    alone = as_table(imputer.transform(X[4:5]))
    assert alone.kinds == ["numeric", "numeric"]
