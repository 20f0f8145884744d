"""Every lazy classifier as scikit-learn's own: its checks, its tools, its data."""

from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from lazy_models import CLASSIFIERS, name_of
from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
    Table,
    load,
)
from sklazy.backends import chunks
from sklazy.errors import BadInputError, ReceiptError
from sklazy.estimators.selection import base as lazy_classifier

CHECKED = [
    LazyKNeighborsClassifier(),
    LazyKNeighborsClassifier(3, 1.0, discretize=False),
    LazyKNeighborsClassifier(1, "vote", "eager", "gini"),
    LazyKNeighborsClassifier(selection="none", n_jobs=2),
    LazyNBClassifier(),
    LazyNBClassifier("auto", discretize=False),
    LazyNBClassifier("local", measure="chi_square"),
    LazyNBClassifier(selection="lazy-consistency", cuts="frozen"),
    LazySelectionClassifier(),
    LazySelectionClassifier(LogisticRegression(), 0.5, selection="eager"),
    LazySelectionClassifier(GaussianNB(), selection="none"),
]

ROWS_ONCE = (
    "cuts, ranges and the choice of attributes look at rows, each once: the stop rule "
    "of the cuts is a code length in rows"
)


def expected_failures(model):
    """What a model is not meant to do, with the reason."""
    if isinstance(model, LazySelectionClassifier) and model.selection == "none":
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": ROWS_ONCE}


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def mixed_frame():
    """Numbers, words, categories and flags with missing cells, and labels."""
    rng = np.random.default_rng(0)
    n = 90
    y = rng.choice(["no", "perhaps", "yes"], n)
    color = np.where(y == "no", "red", rng.choice(["green", "blue"], n)).astype(object)
    color[::9] = None
    size = np.where(y == "yes", 3.0, 0.0) + rng.normal(size=n)
    size[::7] = np.nan
    kind = pd.Categorical(rng.choice(["a", "b"], n), categories=["a", "b", "c"])
    return pd.DataFrame(
        {"color": color, "size": size, "kind": kind, "new": rng.random(n) < 0.5}
    ), y


every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
one_of_each = pytest.mark.parametrize(
    "model",
    [LazyKNeighborsClassifier(), LazyNBClassifier(), LazySelectionClassifier()],
    ids=name_of,
)


@every_classifier
def test_all_kinds_of_frames_give_the_same_answers(model):
    frame, y = mixed_frame()
    model = clone(model).fit(frame, y)
    expected = model.predict_proba(frame)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.classes_.tolist() == ["no", "perhaps", "yes"]
    polars = pl.DataFrame(
        {
            "color": [c if isinstance(c, str) else None for c in frame["color"]],
            "size": pl.Series(frame["size"].tolist(), nan_to_null=True),
            "kind": pl.Series(frame["kind"].tolist(), dtype=pl.Enum(["a", "b", "c"])),
            "new": frame["new"].tolist(),
        }
    )
    assert np.array_equal(model.predict_proba(polars), expected)
    as_polars = clone(model).fit(polars, y)
    assert np.array_equal(as_polars.predict_proba(frame), expected)
    as_table = clone(model).fit(Table.from_any(frame), y)
    assert np.array_equal(as_table.predict_proba(Table.from_any(frame)), expected)


@one_of_each
def test_numpy_arrays_of_numbers_and_of_objects(model):
    X, y = load_iris(return_X_y=True)
    numbers = clone(model).fit(X, y).predict_proba(X[::9])
    objects = clone(model).fit(X.astype(object), y).predict_proba(X[::9])
    assert np.array_equal(numbers, objects)
    coded = clone(model).set_params(categorical_features=[0, 1])
    rounded = np.round(X)
    assert coded.fit(rounded, y).cases_.schema.positions("nominal") == [0, 1]
    assert coded.predict(rounded[:3]).shape == (3,)


@pytest.mark.parametrize("amount", [2, "vote"])
@one_of_each
def test_a_large_matrix_is_answered_in_parts(model, amount):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (700, 6)).astype(float)
    y = X[:, 0] + X[:, 1] > rng.integers(1, 5, 700)
    X[::5, 2] = np.nan
    X[:, 5] = rng.normal(size=700)
    settings = {"categorical_features": [0, 1, 2], "n_attributes": amount}
    model = clone(model).set_params(**settings, n_jobs=2).fit(X[:90], y[:90])
    X[300:, 1] += 1  # a label that no case has
    with (
        mock.patch.object(lazy_classifier, "_MOST_CELLS", 900),
        mock.patch.object(chunks, "_WORTH_THREADS", -1.0),
    ):
        parts = model.predict(X), model.predict_proba(X)
    table = model._table(X)
    assert np.array_equal(model.predict(table), parts[0])
    assert np.abs(model.predict_proba(table) - parts[1]).max() < 1e-12
    X[600, 5] = np.inf
    with pytest.raises(BadInputError, match="in row 600"):
        model.predict(X)


@one_of_each
def test_pipelines_and_cross_validation(model):
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), clone(model))
    plain = cross_val_score(clone(model), X, y, cv=3)
    assert np.array_equal(cross_val_score(pipeline, X, y, cv=3), plain)
    assert plain.min() > 0.8


@one_of_each
def test_grid_search(model):
    X, y = load_iris(return_X_y=True)
    grid = {"n_attributes": [1, 2, 0.9], "selection": ["lazy", "none"]}
    search = GridSearchCV(clone(model), grid, cv=2).fit(X[::3], y[::3])
    assert search.best_score_ > 0.9
    assert search.predict(X[:2]).tolist() == [0, 0]


@every_classifier
def test_it_comes_back_from_a_file(model, tmp_path):
    frame, y = mixed_frame()
    model = clone(model).fit(frame[:60], y[:60], ids=[f"row {i}" for i in range(60)])
    model.save(tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.digest() == model.digest()
    assert np.array_equal(
        back.predict_proba(frame[60:]), model.predict_proba(frame[60:])
    )
    for each in (model, back):
        each.forget(["row 3", "row 59"])
    assert np.array_equal(back.predict(frame[60:]), model.predict(frame[60:]))


@every_classifier
def test_receipts_say_what_was_predicted_and_replay(model):
    frame, y = mixed_frame()
    model = clone(model).fit(frame[:60], y[:60])
    queries = frame[60:66].copy()
    queries.loc[queries.index[0], "color"] = "violet"
    receipts = model.explain(queries)
    told = [receipt.to_dict() for receipt in receipts]
    assert [each["answer"] for each in told] == model.predict(queries).tolist()
    shares = [[vote["probability"] for vote in each["votes"]] for each in told]
    assert np.array_equal(shares, model.predict_proba(queries))
    used = [[a["used"] for a in each["selection"]["attributes"]] for each in told]
    assert np.array_equal(used, model.select_attributes(queries))
    assert all(model.verify(receipt) for receipt in receipts)
    model.forget([5])
    with pytest.raises(ReceiptError, match="other cases"):
        model.verify(told[0])


def test_leaving_out_whole_data_sets_is_forgetting_each_row():
    """Many cuts, and rows behind them: a table that random ones do not reach."""
    X, y = load_wine(return_X_y=True)
    X, y = X[::4], y[::4]
    for model in (LazyKNeighborsClassifier(3), LazyNBClassifier(selection="none")):
        found = model.fit(X, y).loo_predict()
        chances = model.loo_predict_proba()
        for i in range(len(X)):
            others = np.delete(np.arange(len(X)), i)
            again = clone(model).fit(X[others], y[others])
            assert found[i] == again.predict(X[i : i + 1])[0]
            assert chances[i] == pytest.approx(again.predict_proba(X[i : i + 1])[0])
        some = [7, 3, 30]
        assert np.array_equal(model.loo_predict(some), found[some])
        assert np.array_equal(model.loo_predict_proba(some), chances[some])


def test_a_class_leaves_with_its_only_row():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 2, 2, 2])
    for model in (LazyKNeighborsClassifier(2), LazyNBClassifier(selection="none")):
        chances = model.fit(X, y).loo_predict_proba([2])
        assert chances[0, 1] == 0
        assert chances.sum() == pytest.approx(1)


def test_loo_is_in_order_of_arrival():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    model = LazyNBClassifier(2).fit(X, y)
    shuffled = LazyNBClassifier(2).fit(X[order], y[order])
    assert np.array_equal(shuffled.loo_predict(), model.loo_predict()[order])
    with pytest.raises(BadInputError, match="second row"):
        LazyNBClassifier().fit(X[:1], y[:1]).loo_predict()


def test_models_are_shared_kept_and_dropped():
    frame, y = load_wine(return_X_y=True, as_frame=True)
    model = LazySelectionClassifier(DecisionTreeClassifier(), 2, cache_size=2)
    model.fit(frame, y)
    (first, *_) = receipts = model.explain(frame)
    distinct = len(np.unique(model.select_attributes(frame), axis=0))
    assert distinct > 2
    assert {r.to_dict()["model"]["n_models_in_batch"] for r in receipts} == {distinct}
    assert first.to_dict()["model"]["estimator"] == "DecisionTreeClassifier()"
    assert len(model.cases_.derive("models", dict)) == 2
    model.partial_fit(frame[:1], y[:1])
    assert not model.cases_.derive("models", dict)


def test_models_without_probabilities():
    X, y = load_iris(return_X_y=True)
    model = LazySelectionClassifier(LinearSVC(), 2).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert model.score(X, y) > 0.9


def test_weights_of_models_must_be_of_use():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 2, 1e-6, 1.0)
    model = LazySelectionClassifier(GaussianNB(), selection="none")
    assert 2 not in model.fit(X, y, weights).predict(X[y == 1])
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(BadInputError, match="takes none"):
        LazySelectionClassifier(KNeighborsClassifier()).fit(X, y, weights).predict(X)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LazyKNeighborsClassifier(0), "n_neighbors=0"),
        (LazyKNeighborsClassifier(n_attributes=5), "more than there is"),
        (LazyKNeighborsClassifier(n_attributes="all"), "n_attributes='all'"),
        (LazyKNeighborsClassifier(selection="best"), "selection='best'"),
        (LazyKNeighborsClassifier(measure="luck"), "measure='luck'"),
        (LazyKNeighborsClassifier(n_jobs=0), "n_jobs=0"),
        (LazyNBClassifier(alpha=0), "alpha=0"),
        (LazyNBClassifier(selection="lazy-cfs", measure="gini"), "entropy"),
        (LazySelectionClassifier(n_attributes="auto"), "GridSearchCV"),
        (LazySelectionClassifier(estimator=3), "no fit"),
        (LazySelectionClassifier(cache_size=0), "cache_size=0"),
    ],
    ids=name_of,
)
def test_bad_parameters(model, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(BadInputError, match=message):
        clone(model).fit(X, y).predict(X[:1])
