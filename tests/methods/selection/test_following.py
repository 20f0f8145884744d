"""Scores of left-out cases that follow the rows, against votes found from nothing."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy import LazyKNeighborsClassifier
from sklazy.kernels.compiling import every_job_due
from sklazy.methods.selection import amounts

N_STEPS = 12


@contextlib.contextmanager
def compared_scores():
    """Compare all scores with those of votes found anew; how often that was done."""
    times, add_up = [], amounts._add_up

    def compare(base, recipe, host, n_most, judge, follow=lambda _: False):
        found = add_up(base, recipe, host, n_most, judge, follow)

        def judge_anew(tried, order, first):
            return amounts._judge_pairs(tried, host.candidates, order, first)

        anew = add_up(base, recipe, host, n_most, judge_anew)
        np.testing.assert_array_equal(found, anew)
        times.append(judge)
        return found

    with pytest.MonkeyPatch.context() as patch, every_job_due():
        patch.setattr(amounts, "_add_up", compare)
        yield times


@pytest.fixture
def compared():
    """Compare all scores in a test."""
    with compared_scores() as times:
        yield times


def make_table(rng, n_rows, n_numeric, n_nominal, n_classes, grid, missing):
    """A mixed table: numbers on a grid, so that rows tie and repeat, cells missing."""
    scale = 10.0 ** rng.integers(-200, 200, n_numeric) if rng.random() < 0.1 else 1.0
    numbers = rng.integers(0, grid, (n_rows, n_numeric)) / grid * scale
    X = pd.DataFrame(numbers, columns=[f"n{j}" for j in range(n_numeric)])
    X = X.mask(rng.random(X.shape) < missing)
    for j in range(n_nominal):
        labels = rng.choice(list("abc"), n_rows).astype(object)
        labels[rng.random(n_rows) < missing] = None
        X[f"c{j}"] = pd.Series(labels, dtype="object")
    return X, rng.integers(0, n_classes, n_rows).astype(str)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([1, 2, 3, 9]),
    st.sampled_from([1, 3, 20, 10**6]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([3, 12, 40, 90]),
)
@settings(max_examples=25, deadline=None)
def test_scores_after_changes(
    seed, n_numeric, n_nominal, n_classes, grid, missing, n_first
):
    rng = np.random.default_rng(seed)
    n_rows = n_first + 5 * N_STEPS
    X, y = make_table(rng, n_rows, n_numeric, n_nominal, n_classes, grid, missing)
    X.iloc[rng.integers(n_rows, size=n_rows // 4)] = X.iloc[rng.integers(n_rows)]
    X.loc[0] = [1.0] * n_numeric + ["a"] * n_nominal  # every column has a value
    model = LazyKNeighborsClassifier(
        weights=rng.choice(["distance", "uniform"]), ties=rng.choice(["share", "all"])
    )
    model.fit(X[:n_first], y[:n_first])
    with compared_scores() as compared:
        change_and_ask(model, X, y, rng, n_first)
    assert compared


def change_and_ask(model, X, y, rng, n_first):
    """Learn some rows, forget some, ask for one, and so on."""
    left, following = list(range(n_first)), n_first
    for _ in range(N_STEPS):
        n_new = int(rng.choice([0, 1, 1, 2, 5]))
        if n_new:
            new = slice(following, following + n_new)
            model.partial_fit(X[new], y[new], ids=list(range(new.start, new.stop)))
            left, following = [*left, *range(new.start, new.stop)], new.stop
        n_gone = int(rng.choice([0, 1, 1, 3]))
        if n_gone and len(left) > n_gone + 2:
            gone = rng.choice(left, n_gone, replace=False).tolist()
            model.forget(gone)
            left = [name for name in left if name not in gone]
        if rng.random() < 0.8:
            model.predict(X[:1])


def test_cases_of_a_sample(compared):
    rng = np.random.default_rng(1)
    X, y = make_table(rng, 400, 3, 2, 2, 10**6, 0.1)
    model = LazyKNeighborsClassifier(max_loo_rows=60).fit(X[:200], y[:200])
    for row in range(200, 400, 2):
        model.predict(X[:1])
        model.partial_fit(X[row : row + 2], y[row : row + 2])
        model.forget([row - 200])
    assert len(compared) == 100


def test_an_id_that_comes_again(compared):
    rng = np.random.default_rng(2)
    X, y = make_table(rng, 60, 2, 1, 2, 10**6, 0.0)
    model = LazyKNeighborsClassifier().fit(X[:40], y[:40], ids=list(range(40)))
    for row in range(40, 60):
        model.predict(X[:1])
        model.forget([row - 40])
        model.partial_fit(X[row : row + 1], y[row : row + 1], ids=[row - 40])
    assert len(compared) == 20


def test_questions_that_overlap_a_change(compared):
    rng = np.random.default_rng(3)
    X, y = make_table(rng, 60, 2, 1, 2, 10**6, 0.0)
    model = LazyKNeighborsClassifier().fit(X[:40], y[:40])
    model.predict(X[:1])
    for row in range(40, 60):
        with model.cases_.snapshot() as before:
            model.partial_fit(X[row : row + 1], y[row : row + 1])
            model._answer_by(before, X[:1], "decisions")  # of the state that is past
        model.predict(X[:1])
    assert len(compared) > 20
