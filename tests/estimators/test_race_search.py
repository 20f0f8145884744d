"""RaceSearchCV beside scikit-learn's own searches."""

import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklazy import (
    LazyKNeighborsClassifier,
    LazyLearningClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    RaceSearchCV,
)
from sklazy.errors import AllFailedError, BadInputError, DataWarning, SklazyWarning
from sklazy.estimators.search import evaluators
from sklazy.estimators.search.sampling import NearbySampler

WINE = load_wine(return_X_y=True)
NEIGHBORS = {"n_neighbors": [1, 3, 10, 40, 100], "p": [1, 2]}
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


def search(grid=NEIGHBORS, **settings):
    return RaceSearchCV(KNeighborsClassifier(), grid, **{"cv": FOLDS, **settings})


# --- the same as GridSearchCV, less what was not run ----------------------------------


def same_columns(ours, theirs, rows=slice(None)):
    for name, column in theirs.items():
        if "time" in name or name == "params":
            continue
        if name.startswith("param_"):
            assert ours[name].dtype == column.dtype
            assert ours[name].tolist() == column.tolist()
        else:
            np.testing.assert_allclose(
                ours[name][rows], column[rows], rtol=1e-12, err_msg=name
            )
    assert ours["params"] == theirs["params"]


@pytest.mark.parametrize("return_train_score", [False, True])
def test_without_a_test_it_is_a_grid_search(return_train_score):
    settings = {"cv": FOLDS, "return_train_score": return_train_score}
    theirs = GridSearchCV(KNeighborsClassifier(), NEIGHBORS, **settings).fit(*WINE)
    ours = search(alpha=1e-300, **settings).fit(*WINE)
    same_columns(ours.cv_results_, theirs.cv_results_)
    extra = {"n_splits_run", "eliminated_at"}
    assert set(ours.cv_results_) - set(theirs.cv_results_) == extra
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    for name in ("best_index_", "best_params_", "n_splits_", "multimetric_"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
    assert ours.score(*WINE) == theirs.score(*WINE)
    assert np.array_equal(ours.predict(WINE[0]), theirs.predict(WINE[0]))


def test_survivors_have_all_scores_and_the_dropped_have_gaps():
    theirs = GridSearchCV(KNeighborsClassifier(), NEIGHBORS, cv=FOLDS).fit(*WINE)
    ours = search().fit(*WINE)
    results = ours.cv_results_
    out = results["eliminated_at"]
    assert 0 < np.sum(out > 0) < len(out)
    n_run = len(ours.race_history_)
    for split in range(10):
        name = f"split{split}_test_score"
        run = np.where(out == 0, n_run, out) > split
        assert np.array_equal(np.isfinite(results[name]), run)
        assert np.array_equal(results[name][run], theirs.cv_results_[name][run])
    assert np.array_equal(results["n_splits_run"], np.where(out == 0, n_run, out))
    scores = np.array([results[f"split{i}_test_score"] for i in range(n_run)])
    assert np.allclose(results["mean_test_score"], np.nanmean(scores, axis=0))
    assert np.allclose(results["std_test_score"], np.nanstd(scores, axis=0))
    assert out[ours.best_index_] == 0
    assert results["rank_test_score"][ours.best_index_] == 1
    assert ours.best_score_ == results["mean_test_score"][out == 0].max()


def test_ranks_put_survivors_first_and_then_who_was_out_later():
    results = search().fit(*WINE).cv_results_
    out, ranks = results["eliminated_at"], results["rank_test_score"]
    means = results["mean_test_score"]
    stages = np.where(out == 0, 99, out)
    for a in range(len(out)):
        for b in range(len(out)):
            ahead = (stages[a], means[a]) > (stages[b], means[b])
            assert (ranks[a] < ranks[b]) == ahead


def test_distributions_draw_what_randomized_search_draws():
    space = {"n_neighbors": stats.randint(1, 60), "p": [1, 2]}
    shared = {"n_iter": 12, "random_state": 3, "cv": FOLDS}
    theirs = RandomizedSearchCV(KNeighborsClassifier(), space, **shared).fit(*WINE)
    ours = RaceSearchCV(KNeighborsClassifier(), space, **shared).fit(*WINE)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert len(search(space, random_state=0).fit(*WINE).cv_results_["params"]) == 10


def test_a_list_of_grids_masks_what_is_not_set():
    grids = [{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [1e-3, 1e-2]}]
    shared = {"cv": FOLDS, "refit": False}
    theirs = GridSearchCV(SVC(), grids, **shared).fit(*WINE)
    ours = RaceSearchCV(SVC(), grids, **shared).fit(*WINE)
    for name in ("param_kernel", "param_gamma"):
        assert ours.cv_results_[name].tolist() == theirs.cv_results_[name].tolist()


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_backends_give_the_same(backend):
    X, y = load_iris(return_X_y=True)
    alone = search().fit(X, y)
    with joblib.parallel_config(backend, n_jobs=2):
        together = search().fit(X, y)
    assert together.race_.winners == alone.race_.winners
    assert np.array_equal(together.race_.losses, alone.race_.losses, equal_nan=True)


def test_frames_and_pipelines():
    data = load_wine(as_frame=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    grid = {
        "kneighborsclassifier__n_neighbors": [1, 5, 60],
        "standardscaler": [StandardScaler(), "passthrough"],
    }
    ours = RaceSearchCV(model, grid, cv=FOLDS).fit(data.data, data.target)
    assert ours.feature_names_in_.tolist() == list(data.data.columns)
    assert ours.n_features_in_ == 13
    assert ours.classes_.tolist() == [0, 1, 2]
    assert ours.predict_proba(data.data).shape == (178, 3)
    assert ours.best_params_["standardscaler"] != "passthrough"


def test_it_can_be_nested_cloned_and_pickled():
    ours = search()
    assert cross_val_score(ours, *WINE, cv=3).shape == (3,)
    fitted = clone(ours).fit(*WINE)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(WINE[0]), fitted.predict(WINE[0]))


def test_precomputed_kernels_are_split_both_ways():
    X, y = WINE
    kernel = X @ X.T / 1e4
    theirs = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.01, 1]}, cv=FOLDS)
    ours = RaceSearchCV(SVC(kernel="precomputed"), {"C": [0.01, 1]}, cv=FOLDS)
    theirs, ours = theirs.fit(kernel, y), ours.fit(kernel, y)
    first = "split0_test_score"
    assert np.array_equal(ours.cv_results_[first], theirs.cv_results_[first])


def test_without_targets():
    X = WINE[0]
    grid = {"bandwidth": [1.0, 30.0, 1000.0]}
    theirs = GridSearchCV(KernelDensity(), grid, cv=KFold(10)).fit(X)
    ours = RaceSearchCV(KernelDensity(), grid, cv=KFold(10)).fit(X)
    assert ours.best_params_ == theirs.best_params_
    assert ours.score(X) == theirs.score(X)
    assert ours.score_samples(X).shape == (178,)


# --- metrics and refit ----------------------------------------------------------------


def test_one_of_several_metrics_is_raced():
    metrics = ["accuracy", "f1_macro"]
    both = search(scoring=metrics, refit="f1_macro").fit(*WINE)
    alone = search(scoring="f1_macro").fit(*WINE)
    assert both.multimetric_
    assert both.race_.winners == alone.race_.winners
    assert both.best_index_ == alone.best_index_
    assert both.best_score_ == alone.best_score_
    assert both.score(*WINE) == alone.score(*WINE)
    assert "split0_test_accuracy" in both.cv_results_
    assert both.cv_results_["rank_test_accuracy"].min() == 1
    raced = search(scoring=metrics, refit="accuracy", raced_metric="f1_macro")
    assert raced.fit(*WINE).race_.winners == alone.race_.winners


def test_a_callable_may_give_several_metrics():
    def scores(model, X, y):
        hits = accuracy_score(y, model.predict(X))
        return {"hits": hits, "misses": hits - 1}

    ours = search(scoring=scores, refit="misses").fit(*WINE)
    alone = search(scoring="accuracy").fit(*WINE)
    assert ours.best_index_ == alone.best_index_
    assert ours.score(*WINE) == pytest.approx(alone.score(*WINE) - 1)


@pytest.mark.parametrize("refit", [True, False, "recall"])
def test_several_metrics_need_a_name(refit):
    with pytest.raises(BadInputError, match="raced_metric"):
        search(scoring=["accuracy", "f1_macro"], refit=refit).fit(*WINE)


def test_refit_by_a_callable():
    def third(results):
        assert "n_splits_run" in results
        return 2

    ours = search(refit=third).fit(*WINE)
    assert ours.best_index_ == 2
    assert ours.best_params_ == ours.cv_results_["params"][2]
    assert not hasattr(ours, "best_score_")
    with pytest.raises(TypeError, match="index"):
        search(refit=lambda results: "best").fit(*WINE)
    with pytest.raises(IndexError, match="10"):
        search(refit=lambda results: 10).fit(*WINE)


def test_without_refit_there_is_no_estimator():
    ours = search(refit=False).fit(*WINE)
    assert ours.best_params_ in ours.cv_results_["params"]
    assert not hasattr(ours, "best_estimator_")
    with pytest.raises(AttributeError, match="predict"):
        ours.predict(WINE[0])
    with pytest.raises(AttributeError, match="refit=False"):
        ours.score(*WINE)


# --- groups and metadata --------------------------------------------------------------


def test_groups_reach_the_splitter():
    X, y = WINE
    groups = np.arange(len(y)) % 12
    cv = GroupKFold(6)
    theirs = GridSearchCV(KNeighborsClassifier(), NEIGHBORS, cv=cv)
    theirs.fit(X, y, groups=groups)
    ours = search(cv=cv).fit(X, y, groups=groups)
    for split in range(3):
        name = f"split{split}_test_score"
        assert np.array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    with pytest.raises(ValueError, match="groups"):
        search(cv=cv).fit(X, y)


def test_sample_weights_are_split_like_the_rows():
    X, y = WINE
    weight = np.random.default_rng(0).uniform(0.1, 5, len(y))
    shared = {"param_grid": {"C": [1e-4, 1.0]}, "cv": FOLDS}
    model = make_pipeline(StandardScaler(), LogisticRegression())[-1]
    X = StandardScaler().fit_transform(X)
    theirs = GridSearchCV(model, **shared).fit(X, y, sample_weight=weight)
    ours = RaceSearchCV(model, **shared).fit(X, y, sample_weight=weight)
    for split in range(3):
        name = f"split{split}_test_score"
        assert np.array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    assert np.allclose(ours.best_estimator_.coef_, theirs.best_estimator_.coef_)


def test_metadata_goes_where_it_was_asked_for():
    X, y = WINE
    rng = np.random.default_rng(0)
    weight, groups = rng.uniform(0.1, 5, len(y)), np.arange(len(y)) % 9
    X = StandardScaler().fit_transform(X)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight="heft")
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight="heft")
        shared = {
            "param_grid": {"C": [1e-4, 1.0]},
            "cv": GroupKFold(9),
            "scoring": scorer,
        }
        theirs = GridSearchCV(model, **shared).fit(X, y, heft=weight, groups=groups)
        ours = RaceSearchCV(model, **shared).fit(X, y, heft=weight, groups=groups)
        assert ours.score(X, y, heft=weight) == theirs.score(X, y, heft=weight)
        with pytest.raises(TypeError, match="unasked"):
            RaceSearchCV(model, **shared).fit(X, y, unasked=weight, groups=groups)
    for split in range(3):
        name = f"split{split}_test_score"
        assert np.array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    with pytest.raises(BadInputError, match="metadata routing"):
        ours.score(X, y, heft=weight)


# --- failures, interrupts and budgets -------------------------------------------------


class Moody(ClassifierMixin, BaseEstimator):
    """Predicts the first class, unless its mood is bad."""

    def __init__(self, mood=0, patience=99):
        self.mood = mood
        self.patience = patience

    def fit(self, X, y):
        if self.mood == 1:
            raise RuntimeError("not today")
        if self.mood == 2 and Moody.calls >= self.patience:
            raise KeyboardInterrupt
        Moody.calls += 1
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(autouse=True)
def fresh_mood():
    Moody.calls = 0


def test_a_fit_that_fails_puts_the_candidate_out():
    with pytest.warns(FitFailedWarning, match="1 times RuntimeError: not today"):
        ours = RaceSearchCV(Moody(), {"mood": [0, 1, 0]}, cv=FOLDS).fit(*WINE)
    assert ours.failures_ == {1: "RuntimeError: not today"}
    assert ours.cv_results_["eliminated_at"].tolist()[1] == 1
    assert np.isnan(ours.cv_results_["mean_test_score"][1])
    assert ours.cv_results_["rank_test_score"].tolist() == [1, 3, 1]


def test_a_failure_may_have_a_score():
    with pytest.warns(FitFailedWarning, match=r"score of 0\.25"):
        ours = RaceSearchCV(
            Moody(), {"mood": [0, 1]}, cv=FOLDS, error_score=0.25, first_test=10
        ).fit(*WINE)
    assert ours.cv_results_["split3_test_score"][1] == 0.25


def test_a_failure_may_be_raised():
    with pytest.raises(RuntimeError, match="not today"):
        RaceSearchCV(Moody(), {"mood": [0, 1]}, error_score="raise").fit(*WINE)


def test_if_all_fail_the_reason_is_told():
    with pytest.raises(AllFailedError, match="RuntimeError: not today"):
        RaceSearchCV(Moody(), {"mood": [1, 1]}).fit(*WINE)


def test_a_metric_that_fails_leaves_the_others():
    def broken(model, X, y):
        raise ZeroDivisionError("empty")

    with pytest.warns(FitFailedWarning, match="broken: ZeroDivisionError: empty"):
        ours = search(scoring={"good": "accuracy", "broken": broken}, refit="good").fit(
            *WINE
        )
    assert np.isnan(ours.cv_results_["mean_test_broken"]).all()
    assert ours.best_score_ > 0.6


def test_an_interrupt_keeps_what_is_known():
    # Two candidates: the sixth fit is the last but one of the third split.
    grid = {"mood": [0, 2], "patience": [5]}
    with pytest.warns(SklazyWarning, match="after 2 of 10 folds"):
        ours = RaceSearchCV(Moody(), grid, cv=FOLDS).fit(*WINE)
    assert ours.race_.stopped == "interrupted"
    assert ours.cv_results_["n_splits_run"].tolist() == [2, 2]
    assert ours.predict(WINE[0][:2]).tolist() == [0, 0]


def test_an_interrupted_refit_keeps_the_results():
    grid = {"mood": [2], "patience": [20]}
    ours = RaceSearchCV(Moody(), grid, cv=20, first_test=20)
    with pytest.raises(KeyboardInterrupt):
        ours.fit(*WINE)
    assert ours.best_params_ == {"mood": 2, "patience": 20}
    assert not hasattr(ours, "best_estimator_")


def test_a_failed_fit_leaves_the_search_as_it_was():
    ours = search().fit(*WINE)
    before = vars(ours).copy()
    ours.param_grid = {"n_neighbors": [-1]}
    with pytest.raises(AllFailedError):
        ours.fit(*WINE)
    assert all(vars(ours)[k] is v for k, v in before.items() if k != "param_grid")


def test_budgets():
    some = search(max_evaluations=25, first_test=5).fit(*WINE)
    assert some.cv_results_["n_splits_run"].sum() <= 25
    assert search(max_seconds=0).fit(*WINE).race_.stopped == "seconds"


# --- iterated races -------------------------------------------------------------------

SPACE = {"svc__C": stats.loguniform(1e-2, 1e3), "svc__gamma": stats.loguniform(1e-4, 1)}


def iterated(space=SPACE, **settings):
    model = make_pipeline(StandardScaler(), SVC())
    options = {"n_iter": 6, "n_rounds": 3, "cv": FOLDS, "random_state": 0}
    return RaceSearchCV(model, space, **{**options, **settings})


def test_later_races_have_new_candidates_and_no_fit_twice():
    ours = iterated().fit(*WINE)
    table = ours.cv_results_
    assert len(table["params"]) == 6 + 2 * (6 - 3)
    assert len({repr(sorted(params.items())) for params in table["params"]}) == 12
    run = np.isfinite([table[f"split{i}_test_score"] for i in range(10)])
    assert run.sum(axis=0).tolist() == table["n_splits_run"].tolist()
    assert ours.race_.n_evaluations == run.sum()
    assert ours.best_index_ == ours.race_.best or (
        table["mean_test_score"][ours.best_index_]
        == table["mean_test_score"][ours.race_.best]
    )
    for i in (0, ours.best_index_, 11):  # scores are those of scikit-learn
        model = clone(ours.estimator).set_params(**table["params"][i])
        scores = cross_val_score(model, *WINE, cv=FOLDS)
        for split in range(table["n_splits_run"][i]):
            assert table[f"split{split}_test_score"][i] == scores[split]


def test_iterated_races_follow_the_seed():
    first = iterated(n_jobs=1).fit(*WINE).cv_results_
    second = iterated(n_jobs=2).fit(*WINE).cv_results_
    assert first["params"] == second["params"]
    assert first["eliminated_at"].tolist() == second["eliminated_at"].tolist()
    other = iterated(random_state=1).fit(*WINE).cv_results_
    assert first["params"] != other["params"]


def test_iterated_races_over_rows():
    space = {"n_neighbors": stats.randint(1, 40), "n_attributes": [0.3, 0.6, 1.0]}
    model = LazyKNeighborsClassifier(selection="none")
    ours = RaceSearchCV(
        model, space, n_iter=5, n_rounds=2, blocks="rows", first_test=5, random_state=0
    ).fit(WINE[0][::3], WINE[1][::3])
    table = ours.cv_results_
    assert len(table["params"]) == 5 + 2
    assert all(isinstance(p["n_neighbors"], (int, np.integer)) for p in table["params"])
    assert np.isfinite(table["mean_test_score"]).all()


def test_what_is_drawn_is_in_the_space_and_ever_nearer():
    space = [
        {"a": stats.loguniform(1, 1e4), "b": stats.randint(3, 9), "c": ["x", "y"]},
        {"d": stats.uniform(-1, 2)},
    ]
    rng = np.random.default_rng(0)
    parent = {"a": 1e4, "b": 8, "c": "y"}
    widths = []
    for number in (1, 2, 3):
        sampler = NearbySampler(space, 10, 4, rng)
        drawn = sampler.draw([parent], 300, number)
        assert all(1 <= one["a"] <= 1e4 * (1 + 1e-9) for one in drawn)
        assert {one["b"] for one in drawn} <= set(range(3, 9))
        assert all(type(one["b"]) is int and one["c"] in "xy" for one in drawn)
        widths.append(np.mean([4 - np.log10(one["a"]) for one in drawn]))
        kept = np.mean([one["c"] == "y" for one in drawn])
        assert kept == pytest.approx(number / 4 + (1 - number / 4) / 2, abs=0.1)
    assert widths[0] > 1.5 * widths[1] > 2 * widths[2]
    (other,) = NearbySampler(space, 10, 4, rng).draw([{"d": 0.0}], 1, 1)
    assert -1 <= other["d"] <= 1


def test_quantiles_are_drawn_from_a_normal_that_is_cut_off():
    sampler = NearbySampler({"a": stats.uniform()}, 8, 3, np.random.default_rng(1))
    drawn = [one["a"] for one in sampler.draw([{"a": 0.9}], 2000, 1)]
    spread = 0.5 / 8
    cut = stats.truncnorm(-0.9 / spread, 0.1 / spread, loc=0.9, scale=spread)
    assert stats.kstest(drawn, cut.cdf).pvalue > 0.01


def test_a_space_without_anything_new_ends_the_races():
    ours = search({"n_neighbors": [1, 5], "p": [1, 2]}, n_iter=4, n_rounds=3).fit(*WINE)
    assert len(ours.cv_results_["params"]) == 4


@pytest.mark.parametrize("n_rounds", [0, -1, 1.5, "3"])
def test_a_number_of_races_that_cannot_be(n_rounds):
    with pytest.raises(BadInputError, match="n_rounds="):
        search(n_iter=4, n_rounds=n_rounds).fit(*WINE)


def test_a_whole_grid_has_no_second_race():
    with pytest.raises(BadInputError, match=r"n_rounds=2 .* Set n_iter"):
        search(n_rounds=2).fit(*WINE)
    assert len(search(n_rounds=2, n_iter=6).fit(*WINE).cv_results_["params"]) > 6


def test_equals_end_the_search():
    grid = {"leaf_size": [10, 20, 30, 40]}
    ours = search(grid, min_effect=0.01).fit(*WINE)
    assert ours.race_.stopped == "equal"
    assert ours.cv_results_["n_splits_run"].tolist() == [3, 3, 3, 3]


# --- lazy learners race over single rows ----------------------------------------------


def test_rows_are_scored_by_leave_one_out():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:120], y[:120]
    grid = {"n_neighbors": [(3, 5), (10, 20), (60, 80)], "degrees": [0, 1]}
    ours = RaceSearchCV(
        LazyLearningRegressor(),
        grid,
        blocks="rows",
        first_test=10,
        scoring="neg_mean_absolute_error",
        random_state=0,
    ).fit(X, y)
    results = ours.cv_results_
    out = results["eliminated_at"]
    assert 0 < np.sum(out > 0) < 6
    assert ours.n_splits_ == 120
    rows = np.random.default_rng(0).permutation(120)
    for i, params in enumerate(results["params"]):
        predicted = (
            LazyLearningRegressor(**params).fit(X, y).loo_predict(approximate=True)
        )
        run = rows[: results["n_splits_run"][i]]
        score = -np.mean(np.abs(predicted - y)[run])
        assert results["mean_test_score"][i] == pytest.approx(score)
    assert ours.best_estimator_.degrees == ours.best_params_["degrees"]
    assert ours.score(X, y) < 0


def test_rows_of_a_learner_that_selects_by_log_loss():
    X, y = load_iris(return_X_y=True)
    ours = RaceSearchCV(
        LazyNBClassifier(),
        {"n_attributes": [1, 2], "selection": ["lazy", "none"]},
        blocks="rows",
        first_test=10,
        alpha=1e-9,
        scoring="neg_log_loss",
        random_state=0,
    ).fit(X[::3], y[::3])
    best = LazyNBClassifier(**ours.best_params_).fit(X[::3], y[::3])
    chances = best.loo_predict_proba()[np.arange(50), y[::3]]
    assert ours.best_score_ == pytest.approx(np.log(chances).mean())


@pytest.mark.parametrize("scoring", [None, "accuracy", "neg_log_loss"])
def test_rows_of_classes(scoring):
    X, y = load_iris(return_X_y=True)
    grid = {"n_neighbors": [(3, 5), (60, 80)], "degrees": [0]}
    ours = RaceSearchCV(
        LazyLearningClassifier(), grid, blocks="rows", first_test=20, scoring=scoring
    ).fit(X, y)
    assert ours.best_params_["n_neighbors"] == (3, 5)
    assert "split0_test_score" not in ours.cv_results_


def test_rows_of_one_group_do_not_see_each_other():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(30, 3)), 4, axis=0)
    y, groups = np.repeat(rng.normal(size=30), 4), np.repeat(np.arange(30), 4)
    search_rows = RaceSearchCV(
        LazyLearningRegressor(degrees=0),
        {"n_neighbors": [(2, 3), (4, 9)]},
        blocks="rows",
        first_test=10,
        random_state=0,
    )
    copied = search_rows.fit(X, y).best_score_
    honest = search_rows.fit(X, y, groups=groups).best_score_
    assert copied == pytest.approx(0)
    assert honest < -0.1


class AllAtOnce(LazyKNeighborsClassifier):
    """It cannot be asked for some rows only."""

    def loo_predict(self):
        return super().loo_predict()


@pytest.mark.parametrize("learner", [LazyKNeighborsClassifier, AllAtOnce])
def test_rows_of_a_learner_that_selects(learner):
    X, y = load_iris(return_X_y=True)
    ours = RaceSearchCV(
        learner(),
        {"n_neighbors": [3, 120], "n_attributes": [2]},
        blocks="rows",
        first_test=20,
        random_state=0,
    ).fit(X, y)
    fitted = LazyKNeighborsClassifier(n_neighbors=3, n_attributes=2).fit(X, y)
    rows = np.random.default_rng(0).permutation(150)[: len(ours.race_history_)]
    assert ours.best_params_["n_neighbors"] == 3
    assert ours.best_score_ == pytest.approx(
        np.mean(fitted.loo_predict()[rows] == y[rows])
    )


def test_rows_need_an_estimator_that_leaves_out():
    with pytest.raises(BadInputError, match="loo_predict"):
        search(blocks="rows").fit(*WINE)
    with pytest.raises(BadInputError, match="scoring='roc_auc_ovr'"):
        RaceSearchCV(
            LazyLearningClassifier(),
            {"degrees": [0]},
            blocks="rows",
            scoring="roc_auc_ovr",
        ).fit(*WINE)
    with pytest.raises(BadInputError, match="blocks='columns'"):
        search(blocks="columns").fit(*WINE)


def test_rows_keep_the_reason_of_a_failure():
    grid = {"n_neighbors": [(3, 5), (500, 600)], "degrees": [0]}
    with pytest.warns(FitFailedWarning, match="1 of 2 candidates failed"):
        ours = RaceSearchCV(LazyLearningClassifier(), grid, blocks="rows").fit(*WINE)
    assert "500" in ours.failures_[1]
    assert ours.cv_results_["eliminated_at"].tolist() == [0, 1]


def test_rows_are_predicted_many_at_a_time():
    """A call for each row of each candidate took thirty times as long as the folds."""
    sizes = []

    class Counting(LazyLearningRegressor):
        def loo_predict(self, rows=None, *, approximate=False):
            sizes.append(len(rows))
            return super().loo_predict(rows, approximate=approximate)

    X, y = load_diabetes(return_X_y=True)
    grid = {"n_neighbors": [(3, 5), (10, 20)]}
    rules = {"blocks": "rows", "alpha": 1e-9, "random_state": 0, "refit": False}
    ours = RaceSearchCV(Counting(degrees=0), grid, **rules).fit(X, y)
    assert sum(sizes) == 2 * len(y)
    assert sizes[::2] == sizes[1::2] == [8, 16, 32, 64, 128, 194]
    plain = RaceSearchCV(LazyLearningRegressor(degrees=0), grid, **rules).fit(X, y)
    assert (ours.race_.losses == plain.race_.losses).all()


def test_rows_that_do_not_pay_say_so(monkeypatch):
    monkeypatch.setattr(evaluators, "WORTH_SAYING", 0.0)
    X, y = load_wine(return_X_y=True)
    grid = {"n_attributes": ["auto"], "n_neighbors": [3, 5]}  # rows must be forgotten
    rows = RaceSearchCV(
        LazyKNeighborsClassifier(), grid, blocks="rows", max_evaluations=20
    )
    with pytest.warns(DataWarning, match="Use blocks='folds', or set max_seconds"):
        rows.fit(X, y)


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"error_score": "ignore"}, "error_score='ignore'"),
        ({"scoring": 3}, "scoring=3"),
        ({"scoring": []}, r"scoring=\[\]; expected"),
        ({"test": "anova"}, "test='anova'"),
        ({"n_winners": 11}, "n_winners=11"),
        ({"max_evaluations": 3}, "max_evaluations=3"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, words):
    with pytest.raises(BadInputError, match=words):
        search(**settings).fit(*WINE)


def test_too_few_splits_for_a_test_are_warned_about():
    with pytest.warns(DataWarning, match="first_test=3"):
        search({"p": [1, 2]}, cv=2).fit(*WINE)


def test_one_candidate_is_scored_and_wins():
    ours = search({"p": [2]}).fit(*WINE)
    assert ours.best_params_ == {"p": 2}
    assert 0 < ours.best_score_ < 1


# --- what is shown --------------------------------------------------------------------


def test_the_race_is_drawn_from_what_was_run():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    ours = search().fit(*WINE)
    assert ours.plot_race(ax) is ax
    out = ours.cv_results_["eliminated_at"]
    lengths = sorted(len(line.get_xdata()) for line in ax.lines)
    expected = [1] * np.sum(out > 0) + ours.cv_results_["n_splits_run"].tolist()
    assert lengths == sorted(expected)
    pyplot.close(figure)


def test_verbose_writes_a_line_a_fold(capsys):
    ours = search(verbose=1).fit(*WINE)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(ours.race_history_)
    assert lines[0].startswith("fold 1 of 10: 10 of 10 candidates left")


def test_regression_scores_are_maximized():
    X, y = load_diabetes(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = RaceSearchCV(
            Ridge(), {"alpha": [0.01, 0.1, 1e5]}, scoring="neg_mean_absolute_error"
        ).fit(X, y)
    assert ours.cv_results_["eliminated_at"][2] > 0
    assert ours.best_params_["alpha"] < 1
