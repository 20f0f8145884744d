"""RaceFeatureSelector and RacedRegressor."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.parallel import Parallel

from sklazy import (
    LazyKNeighborsClassifier,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    RacedRegressor,
    RaceFeatureSelector,
)
from sklazy.errors import BadInputError
from sklazy.estimators.search.losses import ROW_LOSSES
from sklazy.estimators.search.set_evaluators import RowSetEvaluator
from sklazy.flow import Columns
from sklazy.kernels.columns import METRICS, NUMERIC
from sklazy.methods.local_models.subsets import SubsetPredictor
from sklazy.neighbors import find_nearest
from sklazy.neighbors.subsets import column_differences, find_nearest_in_subsets

QUICK = {"max_candidates": 60, "n_start": 20, "max_confirm": 100, "random_state": 0}


def friedman_pair(n_rows, n_columns, seed):
    """Five inputs matter: a product, a square and two lines."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_columns))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_rows)


# --- the losses of sets ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_set_predicts_as_a_learner_that_has_only_this_set(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    frame["e"] = pd.Categorical(rng.choice(["x", "y", "z"], 60))
    frame.iloc[rng.integers(0, 60, 6), 1] = np.nan
    y = frame["a"] * 2 + (frame["e"] == "x") + rng.normal(0, 0.1, 60)
    model = LazyLearningRegressor().fit(frame, y)
    data = model._prepared()
    ask = SubsetPredictor(data)
    # Not the nominal column alone: among equally near rows a learner takes those
    # that come first by content, and the content is another there.
    sets = [(0,), (0, 4), (1, 2), (0, 1, 2, 3, 4)]
    rows = rng.permutation(60)[:5]
    learners = {}
    for row in rows:
        others = np.delete(np.arange(60), row)
        learners[row] = ask.predict(sets, row, others)[:, 0]
        # Sets that come and go between the rows, and a set without attributes.
        some = ask.predict([(0, 4), ()], row, others)
        assert some[0] == learners[row][1]
        assert some[1] == pytest.approx(data.cases.targets[others].mean())
    for place, columns in enumerate(sets):
        alone = LazyLearningRegressor().fit(frame.iloc[:, list(columns)], y)
        expected = alone.loo_predict(approximate=True)
        for row in rows:
            arrival = model.cases_.arrival[data.rows[row]]
            assert learners[row][place] == pytest.approx(expected[arrival], rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), metric=st.sampled_from(list(METRICS.values())))
def test_nearest_rows_by_sets_equal_those_by_the_sets_columns(seed, metric):
    """Against the search on a set's own columns, which has a twin of its own."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(3, 700)), 5
    values = rng.integers(0, 4, size=(n_columns, n_rows)).astype(float)  # many ties
    kinds = rng.integers(0, 3, size=n_columns)
    values[kinds == NUMERIC] += rng.normal(size=n_rows)
    gaps = (rng.random(values.shape) < 0.1) & (kinds != NUMERIC)[:, None]
    values[gaps] = np.nan
    weights, absents = rng.uniform(0.5, 2, size=(2, n_columns))
    cases = Columns(values, kinds, weights, absents, metric.code)
    query = values[:, 0] + 0.5 * (kinds == NUMERIC)
    sets = np.array([[0, 1, 2], [1, 3, 4], [0, 2, 4], [3, -1, -1], [1, 4, -1]])
    rows = np.arange(1, n_rows)
    differences = column_differences(cases, query, np.arange(n_columns), rows)
    n_nearest = min(7, len(rows))
    nearest = rows[find_nearest_in_subsets(differences, sets, n_nearest)]
    for filled, near in zip(sets, nearest, strict=True):
        columns = filled[filled >= 0]
        alone = Columns(
            np.ascontiguousarray(values[columns][:, rows]),
            kinds[columns],
            weights[columns],
            absents[columns],
            metric.code,
        )
        expected = find_nearest(alone, query[None, columns], n_nearest).rows[0]
        assert near.tolist() == rows[expected].tolist()


# --- what is found --------------------------------------------------------------------


@pytest.mark.parametrize("search", ["neighborhood", "schemata"])
@pytest.mark.parametrize("start", ["random", "gram-schmidt", "pearson"])
def test_the_relevant_inputs_are_found(search, start):
    X, y = friedman_pair(400, 9, 1)
    selector = RaceFeatureSelector(
        search=search, start=start, max_candidates=150, random_state=0
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3, 4]
    assert selector.transform(X).shape == (400, 5)
    losses = selector.winner_losses_
    assert np.array_equal(losses, np.sort(losses))
    assert selector.winners_.shape == (len(losses), 9)
    assert selector.n_predictions_ == sum(s.n_predictions for s in selector.history_)
    assert selector.history_[-1].n_assessed == selector.n_candidates_
    for step in selector.history_:
        rows = step.n_learned / step.n_predictions
        assert rows == len(X) - 1 if step.phase == "confirm" else rows < len(X) - 1


def test_the_users_own_start_is_where_it_starts():
    X, y = friedman_pair(200, 7, 0)
    mine = [[0, 1, 2, 3], [True, False, False, True, True, False, False]]
    selector = RaceFeatureSelector(start=mine, **{**QUICK, "max_candidates": 1})
    selector.fit(X, y)
    assert selector.history_[0].n_candidates == 2
    assert selector.search_.stopped == "candidates"


def test_the_best_may_be_preferred_to_the_smallest():
    X, y = friedman_pair(150, 8, 3)
    small = RaceFeatureSelector(**QUICK).fit(X, y)
    best = RaceFeatureSelector(prefer="best", **QUICK).fit(X, y)
    assert np.array_equal(small.winners_, best.winners_)
    assert np.array_equal(best.support_, best.winners_[0])
    assert small.support_.sum() <= best.support_.sum()


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_classes(scoring):
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([rng.normal(size=(150, 3)), X[:, 2:]])
    selector = RaceFeatureSelector(LazyLearningClassifier(), scoring=scoring, **QUICK)
    assert set(selector.fit(X, y).get_support(indices=True)) <= {3, 4}


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_lazy_classifiers_race_over_rows(scoring):
    X, y = load_iris(return_X_y=True)
    selector = RaceFeatureSelector(
        LazyKNeighborsClassifier(selection="none"),
        scoring=scoring,
        start=[[0], [1], [2], [3]],
        max_candidates=4,
        max_blocks=12,
        max_confirm=12,
        random_state=0,
    ).fit(X[::5], y[::5])
    assert not selector.support_[1]
    assert selector.history_[0].n_blocks > 3
    assert not selector.search_.last_race.reasons


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_a_row_left_out_costs_what_a_learner_without_it_says(scoring):
    X, y = load_iris(return_X_y=True)
    X, y = X[::6], y[::6]
    model, rows = LazyNBClassifier(selection="none"), np.arange(len(y))
    evaluate = RowSetEvaluator(model, X, y, ROW_LOSSES[scoring], Parallel(n_jobs=1))
    for row, n_training in ((3, len(y) - 1), (8, len(y) - 1), (20, 12), (9, 7)):
        training = np.delete(rows, row)[:n_training]
        losses = evaluate([0b1010, 0b0101], np.array([row]), training)
        for loss, columns in zip(losses, ([1, 3], [0, 2]), strict=True):
            known = clone(model).fit(X[training][:, columns], y[training])
            one = X[[row]][:, columns]
            expected = -float(known.predict(one)[0] == y[row])
            if scoring == "neg_log_loss":
                chance = known.predict_proba(one)[0, known.classes_ == y[row]].sum()
                expected = -np.log(max(chance, np.finfo(float).eps))
            assert loss == pytest.approx(expected)


def test_other_estimators_race_over_folds():
    X, y = make_classification(
        300, 8, n_informative=2, n_redundant=0, shuffle=False, random_state=1
    )
    selector = RaceFeatureSelector(GaussianNB(), **QUICK).fit(X, y)
    assert max(step.n_blocks for step in selector.history_) <= 10
    assert selector.support_[:2].any()
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(100, 5))
    target = Z[:, 1] - 2 * Z[:, 3] + 0.1 * rng.normal(size=100)
    selector = RaceFeatureSelector(LinearRegression(), **QUICK).fit(Z, target)
    assert selector.get_support(indices=True).tolist() == [1, 3]


def test_a_fit_that_fails_drops_the_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[5, 2] = np.nan  # scikit-learn's k-NN refuses it
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    selector = RaceFeatureSelector(
        KNeighborsRegressor(3), start="random", cv=5, **QUICK
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0]


def test_frames_keep_their_names_and_missing_cells_are_allowed():
    X, y = friedman_pair(150, 6, 0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.iloc[::9, 5] = np.nan
    selector = RaceFeatureSelector(**QUICK).fit(frame, y)
    assert selector.get_feature_names_out().tolist() == list(
        np.array(list("abcdef"))[selector.support_]
    )
    polar = RaceFeatureSelector(**QUICK).fit(pl.from_pandas(frame), y)
    assert np.array_equal(polar.support_, selector.support_)


def test_thousands_of_attributes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1500))
    y = 2 * X[:, 1234] + X[:, 7] ** 2 + 0.1 * rng.normal(size=80)
    selector = RaceFeatureSelector(
        max_candidates=300, max_blocks=20, random_state=0
    ).fit(X, y)
    assert {7, 1234} <= set(selector.get_support(indices=True))


@pytest.mark.parametrize("settings", [{}, {"search": "schemata"}])
def test_a_time_budget_of_zero_still_gives_a_set(settings):
    X, y = friedman_pair(60, 6, 0)
    selector = RaceFeatureSelector(max_seconds=0, random_state=0, **settings)
    assert selector.fit(X, y).support_.any()
    assert selector.search_.stopped == "seconds"


def test_odd_tables():
    X, y = friedman_pair(60, 6, 0)
    X[:, 1], X[:, 2] = np.nan, 7.0  # nothing is known, nothing differs
    X[:, 3] *= 1e100
    selector = RaceFeatureSelector(n_winners=500, **QUICK).fit(X, y)
    assert selector.support_[[0, 3]].any()
    assert RaceFeatureSelector(**QUICK).fit(X[:, :1], y).support_.tolist() == [True]
    assert RaceFeatureSelector(**QUICK).fit(X[:3], y[:3]).support_.any()


def test_the_same_seed_gives_the_same_sets():
    X, y = friedman_pair(120, 6, 0)
    first = RaceFeatureSelector(**QUICK).fit(X, y)
    again = RaceFeatureSelector(**QUICK).fit(X, y)
    assert first.history_ == again.history_
    folds = {"estimator": LinearRegression(), **QUICK}
    alone = RaceFeatureSelector(**folds).fit(X, y)
    together = RaceFeatureSelector(**folds, n_jobs=2).fit(X, y)
    assert alone.history_ == together.history_


def test_the_race_is_drawn():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    X, y = friedman_pair(120, 6, 0)
    selector = RaceFeatureSelector(**QUICK).fit(X, y)
    assert selector.plot_race(ax) is ax
    assert len(ax.lines) >= len(selector.winners_)
    pyplot.close(figure)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"search": "tabu"}, "search='tabu'"),
        ({"prefer": "largest"}, "prefer='largest'"),
        ({"blocks": "columns"}, "blocks='columns'"),
        ({"start": "lasso"}, "start='lasso'"),
        ({"start": []}, "start="),
        ({"n_start": 0}, "n_start=0"),
        ({"max_seconds": -1}, "max_seconds=-1"),
        ({"n_winners": 0}, "n_winners=0"),
        ({"start": [[9]]}, "start has"),
        ({"scoring": "accuracy"}, "scoring='accuracy'"),
        ({"sampling": (2, 3)}, "sampling="),
        ({"test": "anova"}, "test='anova'"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, words):
    X, y = friedman_pair(60, 6, 0)
    with pytest.raises(BadInputError, match=words):
        RaceFeatureSelector(**{**QUICK, **settings}).fit(X, y)


# --- RacedRegressor -------------------------------------------------------------------


def test_the_average_is_that_of_the_winners():
    X, y = friedman_pair(200, 8, 0)
    model = RacedRegressor(RaceFeatureSelector(**QUICK)).fit(X[:150], y[:150])
    winners = model.selector_.winners_
    assert len(winners) > 1
    predicted = [
        LazyLearningRegressor().fit(X[:150][:, w], y[:150]).predict(X[150:][:, w])
        for w in winners
    ]
    assert np.allclose(model.predict(X[150:]), np.mean(predicted, axis=0))
    best = RacedRegressor(RaceFeatureSelector(**QUICK), combine="best")
    assert np.allclose(best.fit(X[:150], y[:150]).predict(X[150:]), predicted[0])


def test_a_raced_regressor_takes_frames_pipelines_and_pickles():
    X, y = friedman_pair(150, 6, 0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = RacedRegressor(RaceFeatureSelector(**QUICK)).fit(frame, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))
    line = make_pipeline(RaceFeatureSelector(**QUICK), LinearRegression())
    assert cross_val_score(clone(line), X, y, cv=3).min() > 0.3


def test_a_raced_regressor_needs_a_race():
    X, y = friedman_pair(60, 6, 0)
    with pytest.raises(BadInputError, match="combine='median'"):
        RacedRegressor(combine="median").fit(X, y)
    with pytest.raises(BadInputError, match="RaceFeatureSelector"):
        RacedRegressor(LinearRegression()).fit(X, y)


# --- the search as the paper's text has it --------------------------------------------


def test_all_sets_of_few_attributes_race_once():
    X, y = friedman_pair(120, 6, 0)
    selector = RaceFeatureSelector(start="all", last_race=False, random_state=0)
    selector.fit(X, y)
    assert [step.n_candidates for step in selector.history_] == [63]
    assert selector.n_candidates_ == 63
    with pytest.raises(BadInputError, match="start='all' races every set of 13"):
        RaceFeatureSelector(start="all").fit(np.ones((20, 13)), np.arange(20.0))


def test_without_a_last_race_the_winners_are_those_of_the_last_exploration():
    X, y = friedman_pair(120, 8, 0)
    selector = RaceFeatureSelector(last_race=False, **QUICK).fit(X, y)
    assert {step.phase for step in selector.history_} == {"explore"}
    last = selector.search_.last_race
    winners = [selector.search_.last_candidates[i] for i in last.winners]
    assert list(selector.search_.winners) == winners[: len(selector.winners_)]
    assert len(selector.winners_) <= 5


@pytest.mark.parametrize("test_size", [30, 0.25])
def test_a_test_set_is_never_trained_on(monkeypatch, test_size):
    X, y = friedman_pair(120, 5, 0)
    pairs = []
    predict = SubsetPredictor.predict

    def spy(self, sets, row, training):
        pairs.append((row, set(training.tolist())))
        return predict(self, sets, row, training)

    monkeypatch.setattr(SubsetPredictor, "predict", spy)
    RaceFeatureSelector.paper(test_size=test_size, random_state=0).fit(X, y)
    tested = {row for row, _ in pairs}
    trained = set().union(*(training for _, training in pairs))
    assert len(tested) <= 30
    assert not tested & trained
    assert len(trained) == 90


@pytest.mark.parametrize("test_size", [0, 119, 1.5, 0.0])
def test_a_test_set_leaves_rows_to_train_on(test_size):
    X, y = friedman_pair(120, 5, 0)
    with pytest.raises(BadInputError, match="test_size="):
        RaceFeatureSelector.paper(test_size=test_size).fit(X, y)


def test_the_set_of_least_absolute_error_is_selected():
    X, y = friedman_pair(150, 6, 1)
    selector = RaceFeatureSelector.paper(random_state=0, max_candidates=60).fit(X, y)
    errors = np.sqrt(selector.search_.losses).mean(axis=0)
    best = selector.winners_[errors.argmin()]
    assert selector.support_.tolist() == best.tolist()
    alone = RacedRegressor(selector, combine="selected").fit(X, y)
    assert len(alone.estimators_) == 1
    learner = clone(selector.estimator).fit(X[:, best], y)
    assert alone.predict(X[:5]) == pytest.approx(learner.predict(X[:5, best]))


def test_a_race_of_the_paper_goes_on_to_the_last_test_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    selector = RaceFeatureSelector.paper(n_winners=1, random_state=0)
    selector.fit(X, rng.normal(size=200))  # nothing to find: equals race to the end
    assert max(step.n_blocks for step in selector.history_) == 100
