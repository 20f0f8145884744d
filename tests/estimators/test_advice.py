"""Advice: the comparison is fair, the recommendation follows from it."""

import collections
import json
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
from sklazy.estimators.advice.candidates import Candidate, list_candidates
from sklazy.estimators.advice.comparison import Clock, CommonRows, cross_validate
from sklazy.estimators.advice.recommend import Score, clearly_better, recommend
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
    """Notes what it is fitted on and asked; says class 0."""

    seen: ClassVar[list] = []

    def fit(self, table, classes):
        self.rows = set(table.columns[0].data.tolist())
        return self

    def predict(self, table):
        queried = table.columns[0].data.tolist()
        Spy.seen.append((self.rows, queried))
        return np.zeros(len(queried), int)


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
    assert (outcome.losses[0] == (classes[outcome.rows] != 0)).all()


def test_time_ends_a_comparison_after_a_whole_fold():
    table = as_table(np.arange(30.0)[:, None])
    classes = np.arange(30, dtype=np.int32) % 3
    one = Candidate("Spy()", "eager model", "spy", Spy)
    folds = stratified_folds(classes, 5, shuffle(30))
    slow = one._replace(family="ensembles")
    three, clock = [one, slow, one], Clock(0.0)
    outcome = cross_validate(three, table, classes, folds, clock, Progress(""))
    assert (outcome.n_folds, outcome.stopped) == (1, "time")
    assert outcome.losses.shape == (3, 6)
    assert outcome.measured == [0, 2]


class Stops(Spy):
    """Presses Ctrl-C when it is asked so often."""

    left = 0

    def predict(self, table):
        Stops.left -= 1
        if Stops.left < 0:
            raise KeyboardInterrupt
        return super().predict(table)


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
    comparison = cross_validate(
        [spy, stops], table, classes, folds, clock, Progress("")
    )
    assert comparison.stopped == "interrupted"
    assert (comparison.n_folds, comparison.measured) == (n_folds, measured)
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
    for one in list_candidates(table.kinds, 3, 2, 0, task):
        together = shared.fit(one).predict(queries)
        alone = one.make().fit(table, np.asarray(y)).predict(queries)
        assert np.array_equal(together, alone), one.name


def test_candidates_are_what_their_names_say():
    everything = {name: getattr(sklazy, name) for name in sklazy.__all__}
    counts = {}
    for task in ("classification", "regression"):
        candidates = list_candidates(["numeric"], 3, 2, 0, task)
        counts[task] = collections.Counter(one.family for one in candidates)
        for one in candidates:
            if one.family != "eager model":
                written = eval(one.name, everything)
                assert written.get_params() == one.make().get_params()
    assert counts["classification"] == {
        **{"lazy selection": 2, "eager selection": 2, "no selection": 2},
        **{"local models": 1, "kernel and blend": 2, "ensembles": 2},
        **{"trees and rules": 3, "eager model": 2},
    }
    assert counts["regression"] == {
        **{"lazy selection": 1, "eager selection": 1, "no selection": 1},
        **{"local models": 1, "kernel and blend": 2, "ensembles": 2, "eager model": 2},
    }
    wide = list_candidates(["numeric"] * 30, 3, 2, 0, "regression")
    assert wide[1].make().get_params() == eval(wide[1].name, everything).get_params()
    assert wide[1].host == "local PLS"


FAMILIES = (
    *("lazy selection", "eager selection", "no selection", "eager model"),
    *("kernel and blend", "ensembles"),
)


def verdict_of(*shares, guess=0.4, n=1000):
    """The verdict where each family is right in a share of the rows."""
    losses = np.array([wrong(share, n) for share in shares])
    scores = [
        Score(f"{family}()", family, "host", 1 - losses[i].mean(), 0.01, None, 1e-6)
        for i, family in zip(range(len(shares)), FAMILIES, strict=False)
    ]
    return recommend(scores, losses, wrong(guess, n))


def wrong(share, n=1000):
    """The losses of who is right in the first share of the rows."""
    return (np.arange(n) >= round(share * n)).astype(float)


@pytest.mark.parametrize(
    ("shares", "recommendation", "words"),
    [
        ((0.9, 0.8, 0.8, 0.8, 0.8), "lazy selection", "Use lazy selection"),
        ((0.9, 0.8, 0.9, 0.8, 0.8), "lazy selection", "within chance, with no sel"),
        ((0.8, 0.8, 0.8, 0.9, 0.8), "eager model", "Use an eager model"),
        ((0.8, 0.9, 0.8, 0.9, 0.8), "eager selection", "Select once for all rows"),
        ((0.8, 0.8, 0.9, 0.9, 0.8), "no selection", "Do without selection"),
        ((0.8, 0.8, 0.8, 0.9, 0.9), "kernel and blend", "level, within chance, with"),
        ((0.8, 0.8, 0.8, 0.8, 0.9), "kernel and blend", "more than the best eager"),
        ((0.8, 0.8, 0.8, 0.8, 0.8, 0.9), "ensembles", "Use ensembles()"),
        ((0.8,), "either", "Take what suits you"),
        ((0.8, 0.8, 0.8, 0.8, 0.8), "either", "Take what suits you"),
        ((0.8, 0.8, 0.8, 0.802, 0.8), "either", "does not buy accuracy"),
        ((0.4, 0.4, 0.401, 0.4, 0.4), "nothing", "Nothing learned"),
    ],
)
def test_the_verdict_follows_from_the_figures(shares, recommendation, words):
    verdict = verdict_of(*shares)
    assert verdict.recommendation == recommendation
    assert words in verdict.sentence


@given(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5))
def test_what_is_recommended_is_never_clearly_beaten(shares):
    verdict = verdict_of(*shares)
    if verdict.best is not None:
        for share in shares:
            assert not clearly_better(wrong(share), wrong(verdict.best.accuracy))


@pytest.mark.parametrize(
    ("errors", "recommendation", "words"),
    [
        ((3.0, 3.0, 2.0), "eager model", "clearly less than the best lazy method"),
        ((3.0, 2.0, 2.0), "ensembles", "off by 2 on average, clearly less than with l"),
        ((2.0, 3.0, 3.0), "local models", "Use local models"),
        ((3.0, 3.0, 3.0), "either", "they do not buy accuracy"),
        ((9.0, 9.0, 9.0), "nothing", "the median, which is off by 9 on average"),
    ],
)
def test_the_verdict_on_numbers_follows_from_their_errors(
    errors, recommendation, words
):
    families = ("local models", "ensembles", "eager model")
    noise = np.random.default_rng(0).normal(scale=0.1, size=(len(errors), 300))
    losses = np.array(errors)[:, None] + noise - noise.mean(axis=1, keepdims=True)
    rows = zip(families, losses.mean(axis=1).tolist(), strict=True)
    scores = [Score(f"{f}()", f, "host", None, 0.1, None, 1e-6, e) for f, e in rows]
    verdict = recommend(scores, losses, np.full(300, 9.0))
    assert verdict.recommendation == recommendation
    assert words in verdict.sentence


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
    assert len(plain["scores"]) == 16
    assert (plain["stopped"], plain["skipped"]) == ("finished", [])
    expected = sklazy.lazy_advantage(*load_iris(return_X_y=True)).top(30)
    assert plain["advantage"]["top"] == expected
    assert abs(plain["guess"] - 1 / 3) < 1e-12
    for score in plain["scores"]:
        assert score["accuracy"] > 0.85  # every one of them learns iris
        selects = "selection" in score["family"]
        assert (score["leave_one_out"] is not None) == selects


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
    advice = sklazy.advise(X, X.sum(axis=1) > 0, n_folds=3)
    assert advice.recommendation == "kernel and blend"
    assert advice.best.host == "blend"
    assert "level, within chance, with the best eager model" in advice.verdict


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
        pandas.DataFrame(codes).astype(str), y, n_attributes=1, n_neighbors=1, n_folds=3
    )
    assert advice.recommendation == "lazy selection"
    assert advice.best.accuracy > 0.95


def test_noise_teaches_nothing():
    rng = np.random.default_rng(1)
    advice = sklazy.advise(rng.random((200, 3)), rng.random(200) < 0.5, n_folds=3)
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
        sklazy.advise(kind_of_frame, y, n_folds=2, max_rows=60)
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
    assert sklazy.advise(X[:60], y[:60], n_folds=3).n_tested == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_rows": 2}, "max_rows=2"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"max_seconds": -1}, "max_seconds=-1"),
        ({"n_attributes": 0}, "n_attributes=0"),
        ({"n_neighbors": 0}, "n_neighbors=0"),
    ],
)
def test_bad_parameters_are_named(arguments, message):
    with pytest.raises(BadInputError, match=message):
        sklazy.advise(*load_iris(return_X_y=True), **arguments)


def test_nothing_to_compare():
    with pytest.raises(BadInputError, match="1 classes in 5 rows"):
        sklazy.advise(np.ones((5, 1)), np.ones(5, int))
    with pytest.raises(ValueError, match="continuous"):
        X, y = np.ones((5, 1)), np.linspace(0, 1, 5)
        sklazy.advise(X, y, task="classification")
    with pytest.raises(BadInputError, match="y has 2 columns"):
        sklazy.advise(X, np.c_[y, y], task="regression")
    with pytest.raises(BadInputError, match="task='both'"):
        sklazy.advise(X, y, task="both")


def numbers_verdict(**errors):
    """The verdict on numbers where each family is off by so much, give or take."""
    families = [name.replace("_", " ") for name in errors]
    noise = np.random.default_rng(0).normal(scale=0.1, size=500)
    losses = np.array([error + noise * i for i, error in enumerate(errors.values())])
    scores = [
        Score(f"{f}()", f, "host", None, 0.01, None, 1e-6, float(family_losses.mean()))
        for f, family_losses in zip(families, losses, strict=True)
    ]
    return recommend(scores, losses, np.full(500, 9.0) + noise)


@pytest.mark.parametrize(
    ("errors", "recommendation", "words"),
    [
        ((1.0, 1.0, 1.0), "either", "Local models give receipts"),
        ((1.0, 0.5, 1.0), "lazy selection", "clearly less than with local models"),
        ((1.0, 0.8, 0.5), "no selection", "clearly less than with local models"),
        ((0.5, 1.0, 1.0), "local models", "clearly less than lazy selection"),
    ],
)
def test_numbers_begin_with_local_models(errors, recommendation, words):
    names = ("local_models", "lazy_selection", "no_selection")
    verdict = numbers_verdict(**dict(zip(names, errors, strict=True)))
    assert verdict.recommendation == recommendation
    assert words in verdict.sentence


def test_advice_on_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    advice = sklazy.advise(X, X @ [1.0, 2.0, 3.0], n_folds=3)
    assert (advice.task, advice.n_classes, advice.n_tested) == ("regression", 0, 150)
    assert advice.recommendation in ("either", "eager model", "kernel and blend")
    assert advice.best.mean_absolute_error < 0.2 < advice.guess
    assert len(advice.scores) == 10
    plain = advice.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    for text in (advice.to_text(), check_harmless(advice.to_html()).text):
        assert "ridge regression" in "".join(text)
    noise = sklazy.advise(X, rng.normal(size=150), n_folds=2, max_seconds=0)
    assert (noise.recommendation, noise.stopped) == ("nothing", "time")
    assert "LazyRegressor()" in noise.skipped
    assert "not measured: LazyKernelRegressor()" in noise.to_text()


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
