"""Advice: the comparison is fair, the recommendation follows from it."""

import collections
import contextlib
import json
import re
import time
from typing import ClassVar

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification

import sklazy
from harmless import check_harmless
from sklazy.errors import BadInputError
from sklazy.estimators.advice import comparison
from sklazy.estimators.advice.advice import _fit_best
from sklazy.estimators.advice.candidates import Candidate, list_candidates
from sklazy.estimators.advice.comparison import Clock, CommonRows, cross_validate
from sklazy.estimators.advice.measuring import assign_folds
from sklazy.estimators.advice.recommend import (
    Score,
    clearly_better,
    lack_time,
    recommend,
)
from sklazy.estimators.folds import stratified_folds, stratified_sample
from sklazy.report.advice import duration
from sklazy.report.progress import Progress
from sklazy.report.words import wide
from sklazy.tables import Table, as_table

CLASSES = st.lists(st.integers(0, 4), min_size=4, max_size=60).map(
    lambda labels: np.array(labels, np.int32)
)


def shuffle(n_rows):
    return np.random.default_rng(0).permutation(n_rows)


@given(CLASSES, st.integers(2, 10))
def test_folds_hold_every_row_once_and_classes_evenly(classes, n_folds):
    folds = stratified_folds(classes, n_folds, shuffle(len(classes)))
    for label in np.unique(classes):
        sizes = np.bincount(folds[classes == label], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1


@given(CLASSES, st.integers(4, 60))
def test_a_sample_gives_each_class_its_share(classes, n_rows):
    rows = stratified_sample(classes, n_rows, shuffle(len(classes)))
    assert len(np.unique(rows)) == len(rows) == min(n_rows, len(classes))
    share = np.bincount(classes, minlength=5) / len(classes)
    got = np.bincount(classes[rows], minlength=5) / len(rows)
    assert np.abs(share - got).max() <= 2 / len(rows)


class Spy:
    """Notes what it is fitted on and asked; class 0 has a half, 2 the rest."""

    seen: ClassVar[list] = []

    def fit(self, table, classes):
        self.rows = set(table.columns[0].data.tolist())
        self.classes_ = np.array([0, 2])
        return self

    def predict_proba(self, table):
        queried = table.columns[0].data.tolist()
        Spy.seen.append((self.rows, queried))
        return np.full((len(queried), 2), 0.5)


def test_no_row_is_predicted_by_a_model_that_saw_it():
    table = as_table(np.arange(30.0)[:, None])
    classes = np.arange(30, dtype=np.int32) % 3
    Spy.seen = []
    one = Candidate("Spy()", "eager model", "spy", Spy)
    folds = stratified_folds(classes, 5, shuffle(30))
    outcome = cross_validate([one], table, classes, folds, Clock(60.0), Progress(""))
    assert (outcome.n_folds, outcome.stopped) == (5, "finished")
    assert len(Spy.seen) == 10  # one row of each fold is asked first, to prepare
    assert sorted(outcome.rows) == list(range(30))
    for fitted, queried in Spy.seen:
        assert not fitted.intersection(queried)
        assert len(queried) in (1, 30 - len(fitted))
    right = 0.999 * 0.5 + 0.001 / 3  # 0.001 is shared by three classes
    expected = -np.log(np.where(classes[outcome.rows] == 1, 0.001 / 3, right))
    assert outcome.losses[0] == pytest.approx(expected)


class Ticks(Clock):
    """A clock on which so many steps fit."""

    def __init__(self, n_steps):
        self.n_asked, self.n_steps = 0, n_steps

    spent = 6.0

    def is_up(self):
        self.n_asked += 1
        return self.n_asked >= self.n_steps

    @contextlib.contextmanager
    def paused(self):
        yield


@pytest.mark.parametrize(
    ("n_steps", "n_folds", "measured", "lacks"),
    [
        (
            1,
            1,
            [0],
            6 * 1.2 * 6 / 1,
        ),  # 3 candidates on 2 folds, of which 1 step is done
        (2, 1, [0, 1], 6 * 1.2 * 6 / 2),
        (5, 1, [0, 1, 2], 6 * 1.2 * 6 / 5),
        (6, 2, [0, 1, 2], 0.0),
        (7, 2, [0, 1, 2], 0.0),  # the fourth on one fold of two is dropped
        (8, 2, [0, 1, 2, 3], 0.0),
        (11, 2, [0, 1, 2, 3], 0.0),  # and so is a third fold that not all have
        (12, 3, [0, 1, 2, 3], 0.0),
    ],
)
def test_time_ends_a_comparison(n_steps, n_folds, measured, lacks):
    table = as_table(np.arange(30.0)[:, None])
    classes = np.arange(30, dtype=np.int32) % 3
    one = Candidate("Spy()", "eager model", "spy", Spy)
    folds, clock = stratified_folds(classes, 5, shuffle(30)), Ticks(n_steps)
    outcome = cross_validate([one] * 4, table, classes, folds, clock, Progress(""), 12)
    assert (outcome.n_folds, outcome.measured) == (n_folds, measured)
    assert outcome.stopped == "time"
    assert outcome.lacks == pytest.approx(lacks)
    assert outcome.losses.shape == (len(measured), 6 * n_folds)


def test_compiling_does_not_eat_the_time():
    clock = Clock(0.02)
    with clock.paused():
        time.sleep(0.05)
    assert not clock.is_up()
    time.sleep(0.03)
    assert clock.is_up()


class Stops(Spy):
    """Presses Ctrl-C when it is asked so often."""

    left = 0

    def predict_proba(self, table):
        Stops.left -= 1
        if Stops.left < 0:
            raise KeyboardInterrupt
        return super().predict_proba(table)


@pytest.mark.parametrize(
    ("n_calls", "n_folds", "measured"), [(1, 1, [0]), (2, 1, [0, 1]), (5, 2, [0, 1])]
)
def test_ctrl_c_keeps_what_is_measured(n_calls, n_folds, measured):
    table = as_table(np.arange(30.0)[:, None])
    classes = np.arange(30, dtype=np.int32) % 3
    spy = Candidate("Spy()", "eager model", "spy", Spy)
    stops = Candidate("Stops()", "eager model", "stops", Stops)
    folds, clock = stratified_folds(classes, 5, shuffle(30)), Clock(60.0)
    Stops.left = n_calls
    outcome = cross_validate([spy, stops], table, classes, folds, clock, Progress(""))
    assert outcome.stopped == "interrupted"
    assert (outcome.n_folds, outcome.measured) == (n_folds, measured)
    assert outcome.lacks > 0  # it is no verdict
    Stops.left = 0
    with pytest.raises(KeyboardInterrupt):  # nothing is measured yet
        cross_validate([stops], table, classes, folds, clock, Progress(""))


def test_ctrl_c_before_the_first_fold_is_no_other_error(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "_Fold", stop)
    table, folds = as_table(np.zeros((4, 1))), np.arange(4) % 2
    with pytest.raises(KeyboardInterrupt):
        cross_validate([], table, np.zeros(4, int), folds, Clock(60.0), Progress(""))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_methods_that_share_their_cases_predict_as_by_themselves(task):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame["d"] = rng.choice(["x", "y", "z"], 60)
    frame.loc[::9, "a"] = np.nan
    y = frame["b"].to_numpy() + (frame["d"] == "x")
    table, queries = as_table(frame[:50]), as_table(frame[50:])
    y = y[:50] if task == "regression" else (y[:50] > 0.3).astype(np.int32)
    shared = CommonRows(table, np.asarray(y))
    for one in list_candidates(table.kinds, 0, task):
        together = shared.fit(one).predict(queries)
        alone = one.make().fit(table, np.asarray(y)).predict(queries)
        assert np.array_equal(together, alone), one.name


def test_candidates_are_what_their_names_say():
    everything = {name: getattr(sklazy, name) for name in sklazy.__all__}
    counts = {}
    for task in ("classification", "regression"):
        candidates = list_candidates(["numeric"], 0, task)
        counts[task] = collections.Counter(one.family for one in candidates)
        for one in candidates:
            if one.family != "eager model":
                written = eval(one.name, everything)
                assert written.get_params() == one.make().get_params()
    assert counts["classification"] == {
        **{"lazy selection": 2, "eager selection": 2, "no selection": 2},
        **{"local models": 1, "kernel and blend": 2, "ensembles": 2},
        **{"trees and rules": 3, "eager model": 3},
    }
    assert counts["regression"] == {
        **{"lazy selection": 1, "eager selection": 1, "no selection": 1},
        **{"local models": 1, "kernel and blend": 2, "ensembles": 2, "eager model": 3},
    }
    wide = list_candidates(["numeric"] * 30, 0, "regression")
    (pls,) = [one for one in wide if one.host == "local PLS"]
    assert pls.make().get_params() == eval(pls.name, everything).get_params()


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_accurate_ones_come_first(task):
    hosts = [one.host for one in list_candidates(["numeric"], 0, task)]
    assert hosts[:3] == ["blend", "random forest", "gradient boosting"]


FAMILIES = ("kernel and blend", "eager model", "eager model", "lazy selection")


def verdict_of(*shares, guess=0.4, n=1000, of_numbers=False):
    """The verdict where the losses of each candidate are 0 in a share of the rows."""
    losses = np.array([wrong(share, n) for share in shares])
    figures = {} if of_numbers else {"accuracy": 0.5, "auc": 0.5}
    scores = [
        Score(f"{i}()", family, f"host {i}", losses[i].mean(), 0.01, 1e-6, **figures)
        for i, family in zip(range(len(shares)), FAMILIES, strict=False)
    ]
    return recommend(scores, losses, wrong(guess, n))


def wrong(share, n=1000):
    """Losses that are 0 in the first share of the rows, else 1."""
    return (np.arange(n) >= round(share * n)).astype(float)


@pytest.mark.parametrize(
    ("shares", "best", "words"),
    [
        ((0.9, 0.8, 0.8, 0.8), "0()", "clearly better than host 1 (0.200), host 2"),
        ((0.8, 0.8, 0.8, 0.8), "0()", "level, within chance, with host 1"),
        ((0.8, 0.803, 0.8, 0.8), "0()", "level"),  # three rows of 1000 are chance
        (
            (0.8, 0.9, 0.8, 0.8),
            "1()",
            "Use host 1, 1(): log loss 0.100 (AUC 0.50, right in",
        ),
        ((0.8, 0.8, 0.8, 0.9), "3()", "clearly better than host 0 (0.200)"),
        ((0.8, 0.7, 0.9, 0.95), "3()", "host 2 (0.100), host 0 (0.200) and host 1"),
        ((0.8,), "0()", "Use host 0, 0()"),
        ((0.402, 0.4, 0.4, 0.4), "0()", "hardly better than always predicting the"),
        ((0.4, 0.4, 0.4, 0.4), None, "Nothing learned here: on 1000 rows no method"),
    ],
)
def test_the_verdict_follows_from_the_figures(shares, best, words):
    verdict = verdict_of(*shares)
    assert (verdict.best and verdict.best.name) == best
    assert words in verdict.sentence
    family = "nothing" if best is None else FAMILIES[int(best[0])]
    assert verdict.recommendation == family


def test_numbers_are_judged_by_their_error():
    verdict = verdict_of(0.9, 0.8, of_numbers=True)
    assert "it is off by 0.1 on average, clearly better than host 1 (0.2)" in (
        verdict.sentence
    )
    verdict = verdict_of(0.4, 0.4, of_numbers=True)
    assert "the median, which is off by 0.6 on average" in verdict.sentence


@given(st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
def test_what_is_recommended_is_never_clearly_beaten(shares):
    verdict = verdict_of(*shares)
    if verdict.best is not None:
        for share in shares:
            assert not clearly_better(wrong(share), wrong(1 - verdict.best.loss))


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, 1), (7.3, 8), (41.2, 42), (138, 140)]
)
def test_the_time_that_would_do_is_stated(seconds, shown):
    verdict = lack_time(100, 200, seconds)
    assert f"about {shown} s would do" in verdict.sentence
    assert "needs 200 rows" in verdict.sentence
    assert (verdict.recommendation, verdict.best) == ("not enough time", None)


def test_clearly_is_beyond_chance():
    rng = np.random.default_rng(0)
    verdicts = [
        clearly_better(1.0 * (rng.random(500) < 0.8), 1.0 * (rng.random(500) < 0.8))
        for _ in range(1000)
    ]
    assert 0.005 < np.mean(verdicts) < 0.05  # one side of two standard errors: 0.023


@pytest.fixture(scope="module")
def iris_advice():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return sklazy.advise(X, np.array(["a", "b", "c"])[y], n_folds=3, max_seconds=600)


def test_advice_is_plain_data(iris_advice):
    plain = iris_advice.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["n_rows"] == plain["n_sampled"] == plain["n_tested"] == 150
    assert len(plain["scores"]) == 17
    assert (plain["stopped"], plain["skipped"]) == ("finished", [])
    expected = sklazy.lazy_advantage(*load_iris(return_X_y=True)).top(30)
    assert plain["advantage"]["top"] == expected
    assert plain["guess"] == pytest.approx(np.log(3))
    assert (plain["n_needed"], plain["seconds_needed"]) == (150, 0.0)
    for score in plain["scores"]:
        assert score["accuracy"] > 0.85  # every one of them learns iris
        assert score["auc"] > 0.9
        assert 0 <= score["calibration_error"] < 0.2


def test_the_winner_is_there_fitted_to_all_rows(iris_advice):
    X, _ = load_iris(return_X_y=True, as_frame=True)
    best = iris_advice.best_
    assert best is iris_advice.best_
    assert type(best).__name__ + "()" == iris_advice.best.name
    assert best.cases_.n_rows == 150
    assert best.predict(X[:2]).tolist() == ["a", "a"]


def test_advice_can_be_read_everywhere(iris_advice):
    text = iris_advice.to_text()
    assert max(map(wide, text.split("\n"))) <= 80
    page = "".join(check_harmless(iris_advice.to_html()).text)
    check_harmless(iris_advice._repr_html_())
    for part in (text, page, iris_advice.to_markdown()):
        assert "random forest" in part
        assert "petal length" in page
    assert iris_advice.verdict in page
    assert repr(iris_advice).startswith("Advice(")
    assert "part of the rows" not in text


def test_the_blend_may_win():
    """A sum of many weak numeric inputs: what bins and few attributes lose."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    advice = sklazy.advise(X, X.sum(axis=1) > 0, n_folds=3, max_seconds=600)
    assert advice.recommendation == "kernel and blend"
    assert advice.best.host == "blend"
    assert "clearly better than" in advice.verdict


def test_a_forest_may_win_and_answers_as_its_user_asks():
    """Trees see a parity of four columns that are named as text among noise."""
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.integers(0, 2, (600, 3))).add_prefix("c")
    y = np.array(["no", "yes"])[X.sum(axis=1) % 2]
    frame = X.astype(str).assign(noise=rng.random(600))
    candidates = list_candidates(["nominal"], 0)
    (forest,) = [one for one in candidates if one.host == "random forest"]
    model = _fit_best(forest, frame, y, "from_dtype")
    assert (model.predict(frame[:9]) == y[:9]).all()
    assert model.predict_proba(frame[:9]).shape == (9, 2)
    assert model.classes_.tolist() == ["no", "yes"]


def test_lazy_selection_may_win():
    """One of many nominal columns decides, another for each value of none of them."""
    rng = np.random.default_rng(0)
    n, d = 300, 16
    codes = rng.integers(0, 4, (n, d))
    y = rng.integers(0, 2, n)
    # Each row has one column with the telling value 4 or 5, all else is noise.
    informative = rng.integers(0, d, n)
    codes[np.arange(n), informative] = 4 + y
    advice = sklazy.advise(
        pandas.DataFrame(codes).astype(str), y, n_folds=3, max_seconds=600
    )
    assert advice.best.accuracy > 0.95
    (lazy,) = [s for s in advice.scores if s.name == "LazyNBClassifier()"]
    (eager,) = [s for s in advice.scores if "Bayes" in s.host and "eager" in s.name]
    assert lazy.loss < eager.loss


def test_noise_teaches_nothing():
    rng = np.random.default_rng(1)
    advice = sklazy.advise(
        rng.random((200, 3)), rng.random(200) < 0.5, n_folds=3, max_seconds=600
    )
    assert advice.recommendation == "nothing"
    assert advice.best is None


def test_mixed_tables_of_any_kind_with_missing_cells():
    X, y = make_classification(80, 4, random_state=0)
    frame = pandas.DataFrame(X, columns=["<b>", "b", "c", "d"])
    frame["word"] = np.where(y == 1, "yes", "no")
    frame.loc[::7, "word"] = None
    frame.loc[::5, "<b>"] = np.nan
    frame["empty"] = np.nan
    advices = [
        sklazy.advise(kind_of_frame, y, n_folds=2, max_rows=60, max_seconds=600)
        for kind_of_frame in (frame, polars.from_pandas(frame), Table.from_any(frame))
    ]
    for advice in advices:
        assert advice.n_sampled == 60
        assert advice.n_rows == 80
        assert "Measured on a part of the rows" in advice.to_text()
        assert [s.accuracy for s in advice.scores] == [
            s.accuracy for s in advices[0].scores
        ]
        check_harmless(advice.to_html())
        assert "&lt;b&gt;" in advice.to_html()


def test_a_class_of_one_row_is_no_obstacle():
    X, y = load_iris(return_X_y=True)
    y[0] = 7
    assert sklazy.advise(X[:60], y[:60], n_folds=3, max_seconds=600).n_tested == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_rows": 2}, "max_rows=2"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"max_seconds": -1}, "max_seconds=-1"),
    ],
)
def test_bad_parameters_are_named(arguments, message):
    with pytest.raises(BadInputError, match=message):
        sklazy.advise(*load_iris(return_X_y=True), **arguments)


def test_nothing_to_compare():
    with pytest.raises(BadInputError, match="1 class in 5 rows"):
        sklazy.advise(np.ones((5, 1)), np.ones(5, int))
    with pytest.raises(ValueError, match="continuous"):
        X, y = np.ones((5, 1)), np.linspace(0, 1, 5)
        sklazy.advise(X, y, task="classification")
    with pytest.raises(BadInputError, match="y has 2 columns"):
        sklazy.advise(X, np.c_[y, y], task="regression")
    with pytest.raises(BadInputError, match="task='both'"):
        sklazy.advise(X, y, task="both")


def test_advice_on_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    advice = sklazy.advise(X, X @ [1.0, 2.0, 3.0], n_folds=3, max_seconds=600)
    assert (advice.task, advice.n_classes, advice.n_tested) == ("regression", 0, 150)
    assert advice.best.loss < 0.2 < advice.guess
    assert advice.best.r2 > 0.99
    assert len(advice.scores) == 11
    plain = advice.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    for text in (advice.to_text(), check_harmless(advice.to_html()).text):
        assert "ridge regression" in "".join(text)


def test_no_time_is_no_verdict():
    rng = np.random.default_rng(0)
    noise = sklazy.advise(
        rng.random((150, 3)), rng.random(150), n_folds=2, max_seconds=0
    )
    assert (noise.recommendation, noise.stopped) == ("not enough time", "time")
    assert noise.seconds_needed > 0
    assert noise.verdict.startswith("Not enough time: about")
    text = " ".join(noise.to_text().split())
    assert "not measured: random forest, gradient boosting" in text
    with pytest.raises(BadInputError, match="recommends no estimator"):
        _ = noise.best_
    enough = sklazy.advise(
        rng.random((150, 3)), rng.random(150), n_folds=2, max_seconds=600
    )
    assert enough.recommendation == "nothing"  # the way out is taken


def test_what_y_is_shows_in_its_values():
    X = np.arange(60.0)[:, None]
    for y, task in (
        (np.arange(60), "regression"),
        (np.arange(60) % 12, "classification"),
        (np.arange(60) % 13, "regression"),
        (np.arange(60) / 7, "regression"),
        (np.arange(60) % 2 > 0, "classification"),
        ([f"l{i % 3}" for i in range(60)], "classification"),
    ):
        assert sklazy.advise(X, y, n_folds=2, max_seconds=0).task == task


def test_durations_have_their_unit():
    assert duration(0.00012345) == "120 \N{MICRO SIGN}s"
    assert duration(300.0) == "300 s"


@pytest.mark.parametrize("n_rows", [620, 930, 999])
def test_one_fold_has_the_rows_that_a_verdict_needs(n_rows):
    target = np.repeat([0, 1], [n_rows - n_rows // 10, n_rows // 10])
    folds = assign_folds(target, 5, 0, 200)
    assert np.bincount(folds)[0] == 200
    assert np.bincount(folds).min() > 60
    assert target[folds == 0].sum() == pytest.approx(20, abs=2)
    few = assign_folds(target[-500:], 5, 0, 200)
    assert np.bincount(few).tolist() == [100] * 5


def test_more_folds_than_a_verdict_leaves_room_for_stay_as_they_are():
    target = np.arange(600.0)
    assert np.bincount(assign_folds(target, 600, 0, 200)).tolist() == [1] * 600


def test_figures_of_prices_are_written_out_and_methods_have_one_name():
    """No scientific notation below a million; one name in verdict, table and list."""
    rng = np.random.default_rng(0)
    table = rng.random((200, 3))
    price = 400_000 + 300_000 * table[:, 0] + 20_000 * rng.normal(size=200)
    advice = sklazy.advise(table, price, n_folds=2, max_seconds=1e4, max_rows=200)
    text = " ".join(advice.to_text().split())
    assert not re.search(r"\de[+-]\d", text)
    best = advice.best
    assert f"Advice: use {best.host}, {best.name} " in text
    assert f"Use {best.host}, {best.name}: it is off by {best.loss:.0f} on" in text
    assert f"{best.host} (advised) {best.loss:.0f} " in text
    assert f"± {best.error:.0f} " in text
    assert "k-NN without selection" in text
    assert "k-NN, no selection" not in text
    assert f"The median is off by {advice.guess:.0f} on average" in text


def test_too_little_time_has_sentences_that_agree():
    few = lack_time(168, 200, 45.0).sentence
    assert "boosting; there was time for 168 rows. Raise" in few
    assert "not by all" not in few
    assert "for 300 rows, but not by all of these." in lack_time(300, 200, 9.0).sentence
