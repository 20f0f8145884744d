"""Lazy attribute selection from a table to the class: its slow twin, and its hosts."""

import math
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import oracle
import sklazy
from discovery import name_of
from mixed import example_frame
from model_settings.selection import SELECTION
from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
)
from sklazy.answer import batches
from sklazy.errors import BadInputError, DataWarning, ReceiptError
from sklazy.estimators.selection.model_host import ModelCache
from sklazy.methods.selection import learner as selection_learner
from sklazy.methods.selection.bayes import BayesHost
from sklazy.methods.selection.nearest import NearestHost
from sklazy.tables import as_table
from strategies import split_problems

few = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
problems = split_problems(max_rows=20, max_columns=4, telling=True)
amounts = st.sampled_from([1, 0.5, 1.0, "auto", "local", "vote"])
SETS = ["lazy-cfs", "lazy-consistency"]
strategies = st.sampled_from(["lazy", "lazy", "lazy", "eager", "none", *SETS])
measures = st.sampled_from(["entropy", "entropy", "gini", "chi_square", "gain_ratio"])


def compare(model, twin, queries):
    frame = queries.frame
    mask, predicted = model.select_attributes(frame), model.predict(frame)
    shares = model.predict_proba(frame)
    places = np.empty(len(twin.rows), int)
    places[model.cases_.arrival[model.cases_.order]] = np.arange(len(twin.rows))
    for i, query in enumerate(queries.rows):
        used, votes, decision = twin.answer(query, places)
        assert np.flatnonzero(mask[i]).tolist() == sorted(used)
        assert predicted[i] == twin.labels[decision]
        yield shares[i], votes


@few
@given(
    problems,
    strategies,
    measures,
    amounts,
    st.sampled_from([1, 2, 3, 4, "auto", "auto"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["share", "all"]),
    st.sampled_from(["uniform", "distance"]),
)
def test_nearest_neighbors_step_by_step(
    problems, selection, measure, amount, k, discretize, discount, ties, weights
):
    cases, queries = problems
    measure = "entropy" if selection == "lazy-cfs" else measure
    model = LazyKNeighborsClassifier(k, amount, selection, measure, discretize)
    model.set_params(weights=weights, ties=ties, discount_rare_values=discount)
    model.set_params(n_local_neighbors=4).fit(cases.frame, cases.classes)
    twin = oracle.LazyHost(
        cases.rows,
        cases.kinds,
        cases.classes.tolist(),
        {
            "host": "knn",
            "k": k,
            "n_attributes": amount,
            "n_local": 4,
            "selection": selection,
            "measure": measure,
            "discretize": discretize,
            "discount": discount,
            "ties": ties,
            "weights": weights,
        },
    )
    for shares, votes in compare(model, twin, queries):
        if amount == "vote" and selection in ("lazy", "eager"):
            expected = np.array(votes) / sum(votes)
        else:
            expected = oracle.ibk_probabilities(votes, len(cases.rows))
        assert shares == pytest.approx(expected, abs=1e-12)


@few
@given(
    problems,
    strategies,
    measures,
    amounts,
    st.sampled_from([1.0, 0.2]),
    st.booleans(),
    st.booleans(),
)
def test_naive_bayes_step_by_step(
    problems, selection, measure, amount, alpha, discretize, discount
):
    cases, queries = problems
    measure = "entropy" if selection == "lazy-cfs" else measure
    model = LazyNBClassifier(amount, selection, measure, alpha, discretize)
    model.set_params(n_local_neighbors=4, discount_rare_values=discount).fit(
        cases.frame, cases.classes
    )
    twin = oracle.LazyHost(
        cases.rows,
        cases.kinds,
        cases.classes.tolist(),
        {
            "host": "bayes",
            "alpha": alpha,
            "n_attributes": amount,
            "n_local": 4,
            "selection": selection,
            "measure": measure,
            "discretize": discretize,
            "discount": discount,
        },
    )
    for shares, votes in compare(model, twin, queries):
        if amount == "vote" and selection in ("lazy", "eager"):
            expected = np.array(votes) / sum(votes)
        else:
            joint = [math.exp(vote - max(votes)) for vote in votes]
            expected = np.array(joint) / sum(joint)
        assert shares == pytest.approx(expected, abs=1e-9)


# --- what all hosts share ------------------------------------------------------------

one_of_each = pytest.mark.parametrize(
    "model",
    [LazyKNeighborsClassifier(), LazyNBClassifier(), LazySelectionClassifier()],
    ids=name_of,
)
every_setting = pytest.mark.parametrize(
    "setting",
    [
        pytest.param(setting, id=name_of(setting.model))
        for settings in SELECTION.values()
        for setting in settings
        if not setting.exempt
    ],
)


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
        mock.patch.object(selection_learner, "_MOST_CELLS", 900),
        mock.patch.object(batches, "WORTH_WORKERS", -1.0),
    ):
        parts = model.predict(X), model.predict_proba(X)
    table = as_table(X)
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


@pytest.mark.filterwarnings("ignore:cuts='frozen'")
@every_setting
def test_receipts_say_what_was_predicted_and_replay(setting):
    frame, y, _ = example_frame()
    model = clone(setting.model).fit(frame[:60], y[:60])
    queries = frame[60:66].copy()
    queries.loc[queries.index[0], "color"] = "violet"
    receipts = model.explain(queries, reasons=False)
    plain = [receipt.to_dict() for receipt in receipts]
    assert [each["answer"] for each in plain] == model.predict(queries).tolist()
    shares = [[vote["probability"] for vote in each["votes"]] for each in plain]
    assert np.array_equal(shares, model.predict_proba(queries))
    used = [[a["used"] for a in each["selection"]["attributes"]] for each in plain]
    assert np.array_equal(used, model.select_attributes(queries))
    assert all(model.verify(receipt) for receipt in receipts)
    model.forget([5])
    with pytest.raises(ReceiptError, match="other cases"):
        model.verify(plain[0])


def test_leaving_out_whole_data_sets_is_forgetting_each_row():
    """Many cuts, and rows behind them: a table that random ones do not reach."""
    X, y = load_wine(return_X_y=True)
    X, y = X[::4], y[::4]
    for model in (LazyKNeighborsClassifier(3), LazyNBClassifier(selection="none")):
        left_out = model.fit(X, y).loo_predict(approximate=False)
        chances = model.loo_predict_proba(approximate=False)
        for i in range(len(X)):
            others = np.delete(np.arange(len(X)), i)
            again = clone(model).fit(X[others], y[others])
            assert left_out[i] == again.predict(X[i : i + 1])[0]
            assert chances[i] == pytest.approx(again.predict_proba(X[i : i + 1])[0])
        some = [7, 3, 30]
        exact = {"approximate": False}
        assert np.array_equal(model.loo_predict(some, **exact), left_out[some])
        assert np.array_equal(model.loo_predict_proba(some, **exact), chances[some])


def serial_numbers():
    """A column that names rows, one that tells the class, and the classes."""
    rng = np.random.default_rng(0)
    y = rng.choice(["x", "y"], 60)
    hint = np.where(rng.random(60) < 0.9, y, "x")
    names = [f"no. {i}" for i in range(60)]
    return pd.DataFrame({"serial": names, "hint": hint}).astype("category"), y


@pytest.mark.parametrize("kind", [LazyKNeighborsClassifier, LazyNBClassifier])
def test_a_serial_number_is_warned_of_and_comes_last(kind):
    X, y = serial_numbers()
    with pytest.warns(DataWarning, match=r"name rows: \['serial'\]"):
        model = kind(n_attributes=1).fit(X[:-1], y[:-1])
    assert model.select_attributes(X).tolist() == [[False, True]] * 60
    warned = kind(n_attributes=2)
    with pytest.warns(DataWarning, match="name rows"):
        warned.fit(X[:-1], y[:-1])
    first, last = (
        warned.explain(X[i : i + 1], reasons=False)[0].to_text() for i in (0, 59)
    )
    assert "hardly informative" in first
    assert "never seen" not in first
    assert "never seen" in last
    with pytest.warns(DataWarning, match="name rows"):
        published = kind.paper(n_attributes=1).fit(X[:-1], y[:-1])
    assert published.select_attributes(X[:1]).tolist() == [[True, False]]


def test_approximate_leaving_out_keeps_the_number_of_attributes():
    X, y = load_wine(return_X_y=True)
    X, y = X[::4], y[::4]
    for kind in (LazyKNeighborsClassifier, LazyNBClassifier):
        auto = kind().fit(X, y)
        counts = set(auto.select_attributes(X).sum(axis=1).tolist())
        assert len(counts) == 1
        fixed = kind(n_attributes=counts.pop())
        if kind is LazyKNeighborsClassifier:
            fixed.n_neighbors = auto.explain(X[:1], reasons=False)[0]["neighbors"]["k"]
        fixed.fit(X, y)
        exact = fixed.loo_predict_proba(approximate=False)
        assert np.array_equal(auto.loo_predict_proba(), exact)
        assert np.array_equal(fixed.loo_predict_proba(), exact)
        assert auto._learner().settle(auto.cases_) == fixed._learner()
        assert not auto._learner().can_leave_out(auto.cases_).any()


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
    some = frame[::3]  # as many as are explained at a time
    (first, *_) = receipts = model.explain(some, reasons=False)
    distinct = len(np.unique(model.select_attributes(some), axis=0))
    assert distinct > 2
    assert {r.to_dict()["model"]["n_models_in_batch"] for r in receipts} == {distinct}
    assert first.to_dict()["model"]["estimator"] == "DecisionTreeClassifier()"
    assert [len(cache) for cache in caches_of(model)] == [2]
    model.partial_fit(frame[:1], y[:1])
    assert not caches_of(model)


def caches_of(model):
    with model.cases_.snapshot() as cases:
        derived = list(cases._derived.values())
    return [cache for cache in derived if isinstance(cache, ModelCache)]


def test_another_estimator_answers_by_models_of_its_own():
    frame, y = load_wine(return_X_y=True, as_frame=True)
    model = LazySelectionClassifier(DecisionTreeClassifier(max_depth=1), 2)
    before = model.fit(frame, y).predict_proba(frame)
    model.set_params(estimator__max_depth=5)
    fresh = LazySelectionClassifier(DecisionTreeClassifier(max_depth=5), 2)
    probabilities = model.predict_proba(frame)
    assert not np.array_equal(probabilities, before)
    assert np.array_equal(probabilities, fresh.fit(frame, y).predict_proba(frame))


def test_choosing_attributes_keeps_nothing_more_each_time():
    X, y = load_iris(return_X_y=True)
    model = LazySelectionClassifier(n_attributes=2).fit(X, y)
    model.select_attributes(X)
    with model.cases_.snapshot() as cases:
        kept = len(cases._derived)
        model.select_attributes(X)
        assert len(cases._derived) == kept


def test_hosts_of_other_kinds_differ():
    assert NearestHost(1, True) != BayesHost(1, True)


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


@one_of_each
def test_an_unknown_discretization_is_named_as_the_user_named_it(model):
    with pytest.raises(BadInputError, match="discretization='gini'"):
        clone(model).set_params(discretization="gini").fit([[1.0], [2.0]], [0, 1])


# --- hosts that take tables -----------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        sklazy.LazyAssociativeClassifier(),
        sklazy.LazyDecisionTreeClassifier(),
        sklazy.LazyBayesRulesClassifier(),
        sklazy.LazyNBClassifier(selection="none"),
    ],
    ids=lambda host: type(host).__name__,
)
def test_a_host_of_ours_gets_the_table(host):
    """It answers as the host fitted on the very columns that were chosen."""
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 80)
    frame = pd.DataFrame(
        {
            "x": np.where(y == "no", 0.0, 1.5) + rng.normal(size=80),
            "word": pd.Categorical(np.where(rng.random(80) < 0.7, y, "maybe")),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], 80)),
        }
    )
    frame.loc[::9, "x"] = np.nan
    frame.loc[3, "word"] = None
    model = sklazy.LazySelectionClassifier(host, n_attributes=2).fit(frame, y)
    queries = frame[:12].copy()
    queries["color"] = queries["color"].cat.add_categories("unseen")
    queries.loc[5, "color"] = "unseen"
    chosen = model.select_attributes(queries)
    probabilities = model.predict_proba(queries)
    for i, support in enumerate(chosen):
        names = frame.columns[support].tolist()
        alone = clone(host).fit(frame[names], y)
        expected = alone.predict_proba(queries[names].iloc[i : i + 1])[0]
        assert probabilities[i] == pytest.approx(expected, abs=1e-12)
