"""AttributeRanker and lazy_advantage: Weka's figures, frames as they are, bad input."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import oracle
from mixed import mixed_frames
from places import divided, elsewhere, keeper_of, partitions, with_a_cluster
from sklazy import (
    AttributeRanker,
    LazyNBClassifier,
    SubsetSelector,
    Table,
    lazy_advantage,
)
from sklazy.errors import BadInputError
from sklazy.measures import MEASURES, CountTable
from weka_sets import SETS, read_outputs, weka_frame, weka_part

pytestmark = with_a_cluster

BY_COUNTS = {
    "information_gain": "InfoGainAttributeEval",
    "gain_ratio": "GainRatioAttributeEval",
    "symmetric_uncertainty": "SymmetricalUncertAttributeEval",
}

# --- Weka -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "weka", "program"),
    [
        ("entropy", "InfoGainAttributeEval", 0),
        ("information_gain", "InfoGainAttributeEval", 0),
        ("gain_ratio", "GainRatioAttributeEval", 0),
        ("symmetric_uncertainty", "SymmetricalUncertAttributeEval", 0),
        ("chi_square", "chi2", 1),
    ],
)
@pytest.mark.parametrize("part", ["all", "train"])
@pytest.mark.parametrize("name", SETS)
def test_scores_equal_weka_s(measure, weka, program, part, name):
    outputs = read_outputs(name)[program]
    theirs = outputs[f"chi2_{part}"] if program else outputs[f"rank_{part}"][weka]
    X, y = weka_part(name, part)
    scores = AttributeRanker.weka(measure).fit(X, y).scores_
    expected = np.array([theirs[column] for column in X.columns])
    tolerance = 1e-9 * np.maximum(1.0, np.abs(expected))
    assert (np.abs(scores - expected) <= tolerance).all()


@pytest.mark.parametrize(
    ("place", "name"),
    elsewhere(["contact-lenses", "credit-g", "weather.nominal"], few=["credit-g"]),
    indirect=["place"],
)
def test_scores_of_labels_equal_weka_s_wherever_the_rows_are(place, name):
    """By counts of the cases; Weka cuts numbers in another way, and spreads gaps."""
    X, y = weka_frame(name)
    X = X.select_dtypes("category")
    model = place(LazyNBClassifier().fit(X, y), divided(X, y))
    theirs = read_outputs(name)[0]["rank_all"]
    with keeper_of(model).cases_.snapshot() as base:
        counts = CountTable(base.cases.counts, base.cases.offsets)
        for measure, weka in BY_COUNTS.items():
            scores = MEASURES[measure].relevance(counts, base.cases.class_counts)
            expected = [theirs[weka][column] for column in X.columns]
            np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("measure", BY_COUNTS)
def test_scores_of_a_ranker_on_a_cluster_equal_weka_s(measure):
    dask = pytest.importorskip("sklazy.dask")
    X, y = weka_frame("credit-g")
    X = X.select_dtypes("category")
    rows = divided(X, y)
    ranker = dask.AttributeRanker(measure)
    ranker.fit(partitions(rows.X, rows), partitions(rows.y, rows))
    theirs = read_outputs("credit-g")[0]["rank_all"][BY_COUNTS[measure]]
    expected = [theirs[column] for column in X.columns]
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-9, atol=1e-9)


# --- what is selected -----------------------------------------------------------------


@settings(max_examples=40)
@given(data=mixed_frames())
def test_nominal_scores_equal_the_plain_twin(data):
    X, y = data
    labels = sorted(set(y))
    nominal = X.select_dtypes(exclude="number")
    if not nominal.shape[1]:
        return
    plain = []
    for name in nominal:
        cells = [None if pd.isna(v) else v for v in nominal[name]]
        values = sorted({v for v in cells if v is not None})
        rows = [
            [
                sum(c == v and t == k for c, t in zip(cells, y, strict=True))
                for k in labels
            ]
            for v in values
        ]
        plain.append(oracle.attribute_figure(rows, "entropy") if rows else np.inf)
    whole = oracle.entropy_of([y.count(k) for k in labels])
    scores = AttributeRanker().fit(nominal, y).scores_
    np.testing.assert_allclose(scores, whole - np.array(plain), atol=1e-11)


@settings(max_examples=40)
@given(data=mixed_frames())
def test_the_best_columns_are_kept_and_nothing_depends_on_row_order(data):
    X, y = data
    turned = X.iloc[::-1].reset_index(drop=True)
    for measure in MEASURES:
        ranker = AttributeRanker(measure, n_attributes=0.5).fit(X, y)
        kept = ranker.get_support()
        assert kept.sum() == ranker.n_attributes_ == max(1, int(X.shape[1] / 2 + 0.5))
        if not kept.all():
            assert ranker.scores_[kept].min() >= ranker.scores_[~kept].max()
        assert sorted(ranker.ranking_) == list(range(1, X.shape[1] + 1))
        again = AttributeRanker(measure, n_attributes=0.5).fit(turned, y[::-1])
        assert np.array_equal(again.scores_, ranker.scores_)


def test_ties_go_to_the_earlier_column():
    X = [["a", "a", "b"], ["b", "b", "a"], ["a", "a", "b"], ["b", "b", "a"]]
    ranker = AttributeRanker(n_attributes=2).fit(X, [0, 1, 0, 1])
    assert ranker.ranking_.tolist() == [1, 2, 3]
    assert ranker.get_support().tolist() == [True, True, False]


def test_a_column_that_no_row_knows_ranks_last():
    X = np.array([[np.nan, 1.0, 5.0], [np.nan, 1.0, 6.0], [np.nan, 1.0, 7.0]])
    for measure in MEASURES:
        ranker = AttributeRanker(measure, n_attributes=1).fit(X, ["u", "v", "u"])
        assert ranker.ranking_.tolist() == [3, 1, 2]
        assert ranker.scores_[0] == -np.inf


# --- frames ---------------------------------------------------------------------------


@pytest.fixture
def mixed():
    X = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 2.0],
            "word": ["u", None, "v", "v"],
            "kind": pd.Categorical(["p", "q", "p", None], categories=["q", "p", "r"]),
            "flag": [True, False, True, False],
        }
    )
    return X, ["yes", "no", "yes", "no"]


def test_frames_come_back_as_they_were(mixed):
    X, y = mixed
    ranker = AttributeRanker(n_attributes=2).fit(X, y)
    kept = ["kind", "flag"]
    assert ranker.get_feature_names_out().tolist() == kept
    pd.testing.assert_frame_equal(ranker.transform(X), X[kept])
    pd.testing.assert_frame_equal(
        ranker.set_output(transform="pandas").transform(X), X[kept]
    )
    polars = pl.from_pandas(X)
    ranker = AttributeRanker(n_attributes=2).fit(polars, y)
    assert ranker.transform(polars).equals(polars[kept])
    assert ranker.set_output(transform="polars").transform(polars).equals(polars[kept])
    table = Table.from_any(X)
    assert AttributeRanker(n_attributes=2).fit_transform(table, y).names == kept


@pytest.mark.parametrize(
    ("library", "make"), [("pandas", pl.from_pandas), ("polars", lambda X: X)]
)
def test_set_output_changes_the_library(mixed, library, make):
    X, y = make(mixed[0]), mixed[1]
    out = (
        AttributeRanker(n_attributes=2)
        .set_output(transform=library)
        .fit_transform(X, y)
    )
    assert isinstance(out, pd.DataFrame if library == "pandas" else pl.DataFrame)
    assert list(out.columns) == ["kind", "flag"]
    assert [str(v) for v in out["flag"]] == ["True", "False", "True", "False"]


def test_mixed_lists_and_object_arrays(mixed):
    X, y = mixed
    cells = X.astype(object).where(X.notna(), None).to_numpy()
    for rows in (cells, cells.tolist()):
        ranker = AttributeRanker(n_attributes=2).fit(rows, y)
        assert ranker.transform(rows).tolist() == cells[:, 2:].tolist()


def test_named_nominal_columns():
    X = np.array([[0, 1], [1, 1], [2, 2], [3, 2]], dtype=float)
    y = [0, 1, 0, 1]
    assert AttributeRanker().fit(X, y).scores_.tolist() == [0.0, 0.0]
    ranker = AttributeRanker(categorical_features=[0]).fit(X, y)
    assert ranker.scores_.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("make", [AttributeRanker, SubsetSelector])
def test_a_table_and_one_of_its_columns(mixed, make):
    X, y = mixed
    table = Table.from_any(X.assign(label=y))
    expected = make().fit(X, y)
    fitted = make().fit(table.drop(["label"]), table["label"])
    assert fitted.get_feature_names_out().tolist() == (
        expected.get_feature_names_out().tolist()
    )
    kept = fitted.transform(table.drop(["label"]))
    assert kept.names == fitted.get_feature_names_out().tolist()
    with pytest.raises(BadInputError, match="feature names should match"):
        fitted.transform(table)
    nameless = make().fit(X.to_numpy(), y)
    with pytest.raises(BadInputError, match=r"X has 5 features, .* expecting 4"):
        nameless.transform(table)


def test_in_a_pipeline():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(AttributeRanker(n_attributes=4), DecisionTreeClassifier())
    assert model.fit(X, y).score(X, y) > 0.9


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"measure": "gain"}, "measure='gain' is not known; give one of"),
        ({"measure": ["gini"]}, r"measure=\['gini'\] is not known; give one of"),
        ({"n_attributes": 0}, "n_attributes=0 selects nothing; give a count of 1 to 4"),
        ({"n_attributes": 5}, "n_attributes=5 is more than there is"),
        ({"missing": "drop"}, "missing='drop' is not known; give one of"),
        ({"discretization": "mdl"}, "discretization='mdl' is not known"),
        ({"categorical_features": ["color"]}, "categorical_features="),
    ],
)
def test_bad_parameters_are_explained_and_change_nothing(mixed, parameters, message):
    X, y = mixed
    ranker = AttributeRanker(n_attributes=1).fit(X, y)
    before = {k: v for k, v in vars(ranker).items() if k.endswith("_")}
    ranker.set_params(**parameters)
    with pytest.raises(BadInputError, match=message):
        ranker.fit(X.rename(columns={"word": "term"}), y)
    assert {k: v for k, v in vars(ranker).items() if k.endswith("_")} == before


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", None, "b", "a"], r"missing label\(s\), in row\(s\) 1"),
        ([0.5, 1.5, 2.5, 1.5], "Unknown label type"),
        (["a", "b"], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_bad_labels_are_refused(mixed, y, message):
    for call in (AttributeRanker().fit, lazy_advantage):
        with pytest.raises(ValueError, match=message):
            call(mixed[0], y)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_more_counts_than_memory_holds_are_refused():
    keys = [f"k{i}" for i in range(20_000)]
    X = pd.DataFrame({"key": pd.Categorical(keys)})  # strings would be set aside
    for call in (AttributeRanker().fit, lazy_advantage):
        with pytest.raises(BadInputError, match=r"3 GiB; column 'key' has 20000"):
            call(X, [f"c{i}" for i in range(20_000)])


def test_other_columns_are_refused(mixed):
    X, y = mixed
    ranker = AttributeRanker().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        ranker.transform(X.rename(columns={"word": "term"}))
    with pytest.raises(ValueError, match="feature names"):
        ranker.transform(X[["number", "word"]])
    numbers = np.ones((4, 3))
    with pytest.raises(ValueError, match=r"has 2 features, but .* expecting 3"):
        AttributeRanker().fit(numbers, y).transform(numbers[:, :2])


# --- lazy_advantage -------------------------------------------------------------------


@settings(max_examples=40)
@given(data=mixed_frames())
def test_advantage_equals_the_plain_twin(data):
    X, y = data
    nominal = X.select_dtypes(exclude="number")
    if not nominal.shape[1]:
        return
    for weighting in ("weighted", "unweighted"):
        advantage = lazy_advantage(nominal, y, weighting=weighting)
        plain = []
        for name in nominal:
            table = pd.crosstab(nominal[name].astype(object), np.array(y))
            rows = table.to_numpy().tolist()
            plain.append(oracle.v_of_attribute(rows, weighting == "weighted"))
        np.testing.assert_allclose(advantage.by_attribute, plain, atol=1e-11)
        assert advantage.overall == pytest.approx(np.mean(plain))
        for x in (1, 30, 50, 100):
            n_highest = max(1, int(x / 100 * len(plain) + 0.5))
            highest = sorted(plain, reverse=True)[:n_highest]
            assert advantage.top(x) == pytest.approx(np.mean(highest))


def test_advantage_as_plain_data(mixed):
    X, y = mixed
    advantage = lazy_advantage(X, y, x=(25, 50))
    data = advantage.to_dict()
    as_array = lazy_advantage(X, y, x=np.array([25, 50])).to_dict()
    assert json.dumps(as_array) == json.dumps(data)
    assert list(data["by_attribute"]) == list(X.columns)
    assert list(data["highest"]) == [25, 50]
    assert data["overall"] == advantage.overall
    assert repr(advantage).startswith("LazyAdvantage(4 attributes, V(D)=")
    with pytest.raises(ValueError, match="read-only"):
        advantage.by_attribute[0] = 1.0


@pytest.mark.parametrize("x", [0, -1, 101, "10", True, None, (10, 0)])
def test_a_bad_percentage_is_explained(mixed, x):
    with pytest.raises(BadInputError, match="expected a percentage of attributes"):
        lazy_advantage(*mixed, x=x)


def test_a_bad_weighting_is_explained(mixed):
    with pytest.raises(BadInputError, match="weighting='equal' is not known"):
        lazy_advantage(*mixed, weighting="equal")
