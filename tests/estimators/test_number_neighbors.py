"""LazyKNeighborsRegressor equals its slow twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.number_selection import LazyNumbers
from sklazy import BadInputError, LazyKNeighborsRegressor
from sklazy.errors import DataWarning
from strategies import split_problems

some = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)

SETTINGS = st.fixed_dictionaries(
    {
        "n_neighbors": st.integers(1, 6),
        "n_attributes": st.sampled_from([1, 0.3, 0.5, 1.0, "auto", "vote"]),
        "selection": st.sampled_from(["lazy", "eager", "none"]),
        "measure": st.sampled_from(["rank_variance", "variance"]),
        "discretize": st.booleans(),
        "weights": st.sampled_from(["uniform", "distance"]),
        "ties": st.sampled_from(["share", "all"]),
        "discount_rare_values": st.booleans(),
    }
)


def agree(actual, wanted):
    assert actual == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@some
@given(split_problems(max_rows=30, max_queries=4, telling=True), SETTINGS)
def test_predictions_are_those_of_the_twin(split, how):
    cases, queries = split
    twin = LazyNumbers(cases.rows, cases.kinds, cases.targets.tolist(), how)
    model = LazyKNeighborsRegressor(**how).fit(cases.frame, cases.targets)
    predicted = model.predict(queries.frame)
    agree(predicted.tolist(), [twin.predict(row) for row in queries.rows])


@some
@given(split_problems(min_rows=2, max_rows=20, max_queries=1, telling=True), SETTINGS)
def test_left_out_answers_are_those_of_the_twin(split, how):
    """Cuts and ranks of all rows, everything else without the row."""
    cases, _ = split
    how = {**how, "n_attributes": 0.5}
    twin = LazyNumbers(cases.rows, cases.kinds, cases.targets.tolist(), how)
    model = LazyKNeighborsRegressor(**how).fit(cases.frame, cases.targets)
    everything = range(len(cases.rows))
    wanted = [
        twin.predict(row, [other for other in everything if other != i])
        for i, row in enumerate(cases.rows)
    ]
    agree(model.loo_predict().tolist(), wanted)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e307])
def test_huge_and_tiny_targets_have_means(size):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    plain = LazyKNeighborsRegressor(3, 2).fit(X, y).predict(X[:5] + 0.1)
    predicted = LazyKNeighborsRegressor(3, 2).fit(X, y * size).predict(X[:5] + 0.1)
    assert predicted == pytest.approx(plain * size, rel=1e-9)


def test_equal_targets_are_their_own_mean():
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = LazyKNeighborsRegressor().fit(X, np.full(30, 0.1))
    assert (model.predict(X + 0.3) == 0.1).all()


def many(n_rows=3000, n_columns=12, seed=0):
    """Enough rows for the kernels, with ties, labels and missing cells."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)).round(1))
    X.columns = [f"x{j}" for j in range(n_columns)]
    y = X["x0"].to_numpy() * 3 + rng.normal(size=n_rows)
    X["label"] = rng.choice(list("abcde"), n_rows)
    y = y + 2 * (X["label"] == "a")
    return X.mask(rng.random(X.shape) < 0.02), y.to_numpy()


KERNELS = ("mean_of_nearest", "mean_of_agreeing", "mean_nested")


def use_kernels(monkeypatch, use):
    for kernel in KERNELS:
        path = f"sklazy.neighbors.means.{kernel}.is_due"
        monkeypatch.setattr(path, lambda share: use)


@pytest.mark.parametrize("kind", ["numbers", "bins", "labels"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["share", "all"])
@pytest.mark.filterwarnings("ignore:.*text that writes numbers")
def test_kernels_equal_measuring_every_row(ties, weights, kind, monkeypatch):
    X, y = many(6000, 8)
    if kind == "labels":  # more of them than have bit sets kept
        X = X[["x0", "x1", "label"]].astype({"x0": str, "x1": "category"})
    how = {"ties": ties, "weights": weights, "discretize": kind == "bins"}
    model = LazyKNeighborsRegressor(5, 3, **how).fit(X, y)
    answers = []
    for use in (True, False):
        use_kernels(monkeypatch, use)
        model.set_params(n_attributes=3)
        answers += [model.predict(X[:70]), model.loo_predict(range(70))]
        answers.append(model.set_params(n_attributes="vote").predict(X[:20]))
    for quick, slow in zip(answers[:3], answers[3:], strict=True):
        assert quick.tolist() == slow.tolist()


def test_few_rows_are_all_counted(monkeypatch):
    """As many neighbors as there are rows, one of them left out."""
    X, y = many(7, 3)
    for kind in (X, X[["label"]]):
        model = LazyKNeighborsRegressor(7, 1).fit(kind, y)
        use_kernels(monkeypatch, True)
        quick = model.predict(kind), model.loo_predict()
        use_kernels(monkeypatch, False)
        assert quick[0].tolist() == model.predict(kind).tolist()
        assert quick[1].tolist() == model.loo_predict().tolist()


def test_noise_does_not_drown_what_tells():
    """Two columns of twenty tell the target; plain k-NN hears the other 18, too."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 20))
    y = 4 * (X[:, 3] > 0.5) + 3 * X[:, 7] + rng.normal(scale=0.2, size=600)
    lazy = LazyKNeighborsRegressor(n_attributes="auto").fit(X[:400], y[:400])
    plain = LazyKNeighborsRegressor(selection="none").fit(X[:400], y[:400])
    assert lazy.score(X[400:], y[400:]) > 0.9 > plain.score(X[400:], y[400:])
    assert lazy.select_attributes(X[400:])[:, [3, 7]].all()


def test_an_attribute_can_matter_for_some_rows_only():
    """Where the switch is 'a', the number tells; elsewhere nothing does."""
    rng = np.random.default_rng(1)
    switch = rng.choice(list("abcdefgh"), 800)
    y = np.where(switch == "a", 5.0, 3 * rng.normal(size=800))
    X = pd.DataFrame({"x": rng.normal(size=800), "switch": switch})
    model = LazyKNeighborsRegressor(5, 1).fit(X, y)
    chosen = model.select_attributes(X)
    assert (chosen[switch == "a"] == [False, True]).all()
    assert model.predict(X[switch == "a"]).tolist() == [5.0] * (switch == "a").sum()


def test_a_column_that_names_rows_is_said_to_and_says_nothing():
    X, y = many(200, 3)
    X["name"] = pd.Categorical([f"row {i}" for i in range(200)])
    with pytest.warns(DataWarning, match="columns that name rows"):
        model = LazyKNeighborsRegressor(5, 1).fit(X, y)
    assert not model.select_attributes(X)[:, 4].any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measure": "entropy"}, "measure='entropy'"),
        ({"selection": "lazy-cfs"}, "selection='lazy-cfs'"),
        ({"n_attributes": 0}, "n_attributes=0 selects nothing"),
        ({"n_attributes": "many"}, "n_attributes='many'"),
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"weights": "near"}, "weights='near'"),
        ({"ties": "first"}, "ties='first'"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    X, y = many(20, 3)
    with pytest.raises(BadInputError, match=message):
        LazyKNeighborsRegressor(**wrong).fit(X, y)


@pytest.mark.parametrize("ask", ["predict", "explain", "loo_predict"])
def test_rows_none_of_which_counts_are_refused(ask):
    model = LazyKNeighborsRegressor(2).fit(
        [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0], sample_weight=[0, 0, 1]
    )
    arguments = [] if ask == "loo_predict" else [[[0.0]]]
    if arguments:
        model.forget([2])
    with pytest.raises(BadInputError, match="all sample weights are zero"):
        getattr(model, ask)(*arguments)
