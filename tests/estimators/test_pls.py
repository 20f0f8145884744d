"""Local PLS: what it refuses, what it says, and how it goes with the time."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import oracle
import sklazy
from sklazy import BadInputError, LazyPLSRegressor, Receipt, prequential


def made(n_rows=120, n_columns=60, seed=0):
    """Spectra of three substances; the target bends with the first."""
    rng = np.random.default_rng(seed)
    content = rng.random((n_rows, 3))
    middles = np.linspace(0.2, 0.8, 3)[:, None] * n_columns
    peaks = np.exp(-((np.arange(n_columns) - middles) ** 2) / n_columns)
    X = content @ peaks + 0.003 * rng.standard_normal((n_rows, n_columns))
    return X, content[:, 0] ** 2


def snv(X):
    X = np.asarray(X)
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


@pytest.mark.parametrize("scale", [False, True])
def test_it_is_scikit_learns_pls_on_the_same_neighbors(scale):
    X, y = made()
    model = LazyPLSRegressor(4, 30, localization=0.0, scale=scale).fit(X[20:], y[20:])
    spread = X[20:].std(axis=0) if scale else 1.0
    search = NearestNeighbors(n_neighbors=30).fit(X[20:] / spread)
    near = search.kneighbors(X[:20] / spread, return_distance=False)
    for query, rows, predicted in zip(X[:20], near, model.predict(X[:20]), strict=True):
        peer = PLSRegression(4, scale=scale).fit(X[20:][rows], y[20:][rows])
        assert predicted == pytest.approx(
            peer.predict(query[None])[0], rel=1e-9, abs=1e-10
        )


@pytest.mark.parametrize("combine", ["best", "average"])
def test_the_components_are_those_that_the_neighbors_left_out_choose(combine):
    X, y = made()
    model = LazyPLSRegressor((1, 5), 25, combine, "correlation", localization=1.5)
    model.fit(X[10:], y[10:])
    predicted, errors = model.predict(X[:10], return_std=True)
    seen = np.array([oracle.direction(row, True) for row in X])
    for i in range(10):
        away = np.linalg.norm(seen[10:] - seen[i], axis=1)
        near = np.argsort(away)[:25]
        weights = oracle.localize(away[near], 1.5)
        arguments = X[10:][near], y[10:][near], weights, X[i], 5, False
        path = np.array(oracle.pls_path(*arguments))[1:]
        squares = oracle.pls_left_out_errors(*arguments)[1:]
        shares = 1 / squares / (1 / squares).sum()
        if combine == "best":
            shares = np.eye(5)[np.argmin(squares)]
        assert predicted[i] == pytest.approx(path @ shares, rel=1e-8)
        assert errors[i] == pytest.approx(np.sqrt(squares @ shares), rel=1e-6)


@pytest.mark.parametrize("lacking", [(), (3,)])
def test_cases_alike_that_are_neighbors_in_part_count_by_their_shares(lacking):
    """Against a fit to all of them, each with a part of its weight."""
    X, y = made()
    query, X, y = X[0].copy(), X[1:], y[1:]
    query[list(lacking)] = np.nan
    seen = ~np.isnan(query)
    order = np.argsort(np.linalg.norm((X - query)[:, seen], axis=1))
    nearer, alike = order[:10], np.append(order[10], order[-30:])
    X[alike] = X[alike[0]]
    model = LazyPLSRegressor(3, 25, localization=0.0).fit(X, y)
    rows, weights = np.append(nearer, alike), np.append(np.ones(10), [15 / 31] * 31)
    path = oracle.pls_path(X[rows], y[rows], weights, query, 3, False)
    answer, error = model.predict(query[None], return_std=True)
    assert answer[0] == pytest.approx(path[3], rel=1e-8)
    rows, outcomes = rows[:25], np.append(y[nearer], [y[alike].mean()] * 15)
    squares = oracle.pls_left_out_errors(
        X[rows], outcomes, np.ones(25), query, 3, False
    )
    expected = squares[3] + 15 / 25 * y[alike].var()
    assert error[0] == pytest.approx(np.sqrt(expected), rel=1e-6)
    (receipt,) = model.explain(query[None], reasons=False)
    listed = receipt["neighbors"]["listed"]
    assert [case.get("n_same_inputs") for case in listed] == [None] * 10 + [31] * 15
    assert listed[-1]["mean_target"] == pytest.approx(outcomes[-1])


def test_it_bends_where_a_global_model_cannot():
    X, y = made(300)
    known, tested = slice(0, 200), slice(200, 300)
    local = LazyPLSRegressor().fit(X[known], y[known])
    line = PLSRegression(3, scale=False).fit(X[known], y[known])
    missed = [
        np.sqrt(np.mean((model.predict(X[tested]).ravel() - y[tested]) ** 2))
        for model in (local, line)
    ]
    assert missed[0] < 0.4 * missed[1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_neighbors": 2}, "n_neighbors=2; expected a whole number of at least 3"),
        ({"n_components": 9, "n_neighbors": 8}, "have 7 components at most"),
        ({"n_components": (3, 1)}, r"n_components=\(3, 1\); expected 'auto'"),
        ({"metric": "cosine"}, "metric='cosine' is not known; give one of"),
        ({"localization": -1}, "localization=-1; expected a number of at least 0"),
        ({"combine": "all"}, "combine='all' is not known"),
        ({"scale": "range"}, "scale='range'; expected True or False"),
        ({"n_scores": 0}, "n_scores=0; expected a whole number of at least 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong, words):
    X, y = made(30)
    with pytest.raises(BadInputError, match=words):
        LazyPLSRegressor(**wrong).fit(X, y)


def test_weights_too_unequal_are_refused():
    X, y = made(30)
    with pytest.raises(BadInputError, match="expected ratios of at most 1e\\+12"):
        LazyPLSRegressor().fit(X, y, np.logspace(0, 13, 30))


def test_a_receipt_says_inside_outside_and_far_outside():
    X, y = made()
    model = LazyPLSRegressor(3, 40, metric="correlation").fit(X[10:], y[10:])
    strange = X[:3].copy()
    strange[1] += 0.02 * np.sin(np.arange(60))
    strange[2] += np.sin(np.arange(60))
    receipts = model.explain(strange, reasons=False)
    assert [receipt["trust"]["place"] for receipt in receipts] == [
        *("inside", "far outside", "far outside")
    ]
    assert "lies inside its" in str(receipts[0]).replace("\n", " ")
    assert "Far outside: no case is similar to this row" in str(receipts[2])
    for receipt in receipts:
        assert model.verify(Receipt.from_json(receipt.to_json()))
        assert "<svg" in receipt.to_html()


def test_the_figures_of_a_receipt_are_those_of_the_formulas():
    X, y = made()
    names = [f"{nm} nm" for nm in range(60)]
    frame, target = pd.DataFrame(X, columns=names), pd.Series(y, name="sugar")
    model = LazyPLSRegressor(2, 20, localization=1.0).fit(frame[1:], target[1:])
    receipt = model.explain(frame[:1], reasons=False)[0]
    away = np.linalg.norm(X[1:] - X[0], axis=1)
    near = np.argsort(away)[:20]
    weights = oracle.localize(away[near], 1.0)
    rows, targets = X[1:][near], y[1:][near]
    leverage, q = oracle.pls_judge(rows, weights, targets, X[0], 2, False)
    assert receipt["trust"]["leverage"] == pytest.approx(leverage, rel=1e-8)
    assert receipt["trust"]["q"] == pytest.approx(q, rel=1e-8)
    listed = receipt["neighbors"]["listed"]
    assert [case["id"] for case in listed] == near.tolist()
    figures = [[case[key] for case in listed] for key in ("distance", "weight")]
    np.testing.assert_allclose(figures, [away[near], weights], rtol=1e-9)
    q_of_cases = np.array([case["q"] for case in listed])
    judged = np.delete(np.arange(20), 4)
    _, expected = oracle.pls_judge(
        rows[judged],
        weights[judged] / weights[judged].mean(),
        targets[judged],
        rows[4],
        2,
        False,
    )
    assert q_of_cases[4] == pytest.approx(expected, rel=1e-8)
    assert receipt["trust"]["largest_q"] == q_of_cases.max()
    slopes = np.array([receipt["coefficients"][name] for name in names])
    center = weights @ rows / 20
    predicted = receipt["model"]["mean"] + slopes @ (X[0] - center)
    assert receipt.answer == pytest.approx(predicted, rel=1e-9)
    assert receipt["model"]["n_components"] == 2
    squares = oracle.pls_left_out_errors(rows, targets, weights, X[0], 2, False)
    np.testing.assert_allclose(receipt["model"]["errors"], np.sqrt(squares), rtol=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis", "correlation", "angle"])
def test_missing_wavelengths_are_done_without(metric):
    X, y = made()
    model = LazyPLSRegressor(metric=metric).fit(X[20:], y[20:])
    queries = X[:20].copy()
    queries[:, :6] = np.nan
    part = LazyPLSRegressor(metric=metric).fit(X[20:, 6:], y[20:])
    predicted, expected = model.predict(queries), part.predict(X[:20, 6:])
    rounding = 0.05 if metric == "mahalanobis" else 1e-9  # other principal components
    np.testing.assert_allclose(predicted, expected, atol=rounding)
    receipt = model.explain(queries[:1], reasons=False)[0]
    assert "The row lacks 6 columns" in str(receipt)
    assert receipt["model"]["n_columns"] == 54
    holes = X[20:].copy()
    holes[::7, 3] = np.nan
    filled = LazyPLSRegressor(metric=metric).fit(holes, y[20:])
    np.testing.assert_allclose(filled.predict(X[:20]), model.predict(X[:20]), atol=0.1)
    assert "are filled with the neighbors' mean" in str(
        filled.explain(X[:1], reasons=False)[0]
    )


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis", "correlation", "angle"])
def test_spectra_without_any_variation_are_answered_by_the_mean(metric):
    model = LazyPLSRegressor(metric=metric).fit(np.ones((9, 5)), np.arange(9.0))
    assert model.predict([[1.0] * 5, [2.0] * 5]) == pytest.approx([4.0, 4.0])
    receipts = model.explain([[1.0] * 5, [2.0] * 5], reasons=False)
    assert "the answer is their mean" in str(receipts[0]).replace("\n", " ")
    assert [r["trust"]["place"] for r in receipts] == ["inside", "far outside"]


def test_few_rows_are_all_neighbors():
    X, y = made(6)
    model = LazyPLSRegressor().fit(X[:5], y[:5])
    receipt = model.explain(X[5:], reasons=False)[0]
    assert receipt["neighbors"]["k"] == 5
    assert len(receipt["model"]["errors"]) == 4


def test_thousands_of_wavelengths():
    X, y = made(70, 4000)
    model = LazyPLSRegressor(3, 50, localization=0.0).fit(X[1:], y[1:])
    near = NearestNeighbors(n_neighbors=50).fit(X[1:]).kneighbors(X[:1])[1][0]
    peer = PLSRegression(3, scale=False).fit(X[1:][near], y[1:][near])
    assert model.predict(X[:1]) == pytest.approx(peer.predict(X[:1]).ravel(), rel=1e-9)


def test_treatments_belong_to_a_pipeline():
    X, y = made()
    model = make_pipeline(FunctionTransformer(snv), LazyPLSRegressor())
    predicted = cross_val_predict(model, X, y, cv=3)
    by_hand = cross_val_predict(LazyPLSRegressor(), snv(X), y, cv=3)
    assert predicted.tolist() == by_hand.tolist()


def test_a_window_is_a_fit_to_the_newest_and_a_half_life_weighs():
    X, y = made()
    moving = LazyPLSRegressor(2, 20, window=50)
    for first in range(0, 100, 20):
        moving.partial_fit(X[first : first + 20], y[first : first + 20])
    newest = LazyPLSRegressor(2, 20).fit(X[50:100], y[50:100])
    assert moving.predict(X[100:]).tolist() == newest.predict(X[100:]).tolist()
    fading = LazyPLSRegressor(2, 20, half_life=30.0).fit(X, y, times=np.arange(120.0))
    weights = 0.5 ** (np.arange(119, -1, -1) / 30.0)
    by_weights = LazyPLSRegressor(2, 20).fit(X, y, weights)
    np.testing.assert_allclose(
        fading.predict(X[:9]), by_weights.predict(X[:9]), rtol=1e-12
    )


def test_a_moving_sensor_follows_a_drift():
    X, y = made(200, 30)
    drift = np.linspace(0, 1, 200)
    errors = {}
    for window in (40, None):
        model = LazyPLSRegressor(3, 30, window=window)
        result = prequential(model, X, y + drift, step=10, n_first=40)
        errors[window] = np.sqrt(np.mean(np.square(result.predicted - result.actual)))
    assert errors[40] < 0.7 * errors[None]


def noisy(n_rows, seed=0):
    """Spectra in random order, whose target is measured with an error."""
    X, y = made(n_rows)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_rows)
    return X[order], y[order] + 0.02 * rng.standard_normal(n_rows)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
def test_intervals_cover_as_often_as_asked(coverage):
    """One fit to 100 rows is off by 0.07 (standard deviation), 20 together by 0.016."""
    shares = []
    for seed in range(20):
        X, y = noisy(300, seed)
        model = LazyPLSRegressor(3, 30, metric="mahalanobis").fit(X[:100], y[:100])
        low, high = model.predict_interval(X[100:], coverage=coverage).T
        shares.append(((low <= y[100:]) & (y[100:] <= high)).mean())
    assert np.mean(shares) == pytest.approx(coverage, abs=0.05)


def test_intervals_are_kept_by_a_file(tmp_path):
    X, y = noisy(160)
    model = LazyPLSRegressor(3, 30, metric="mahalanobis").fit(X[:100], y[:100])
    model.save(tmp_path / "model")
    again = sklazy.load(tmp_path / "model")
    for coverage in (0.5, 0.8):
        intervals = again.predict_interval(X[100:], coverage=coverage)
        expected = model.predict_interval(X[100:], coverage=coverage)
        assert intervals.tolist() == expected.tolist()
    assert again.predict(X[100:]).tolist() == model.predict(X[100:]).tolist()
