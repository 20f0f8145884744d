"""Local partial least squares against NIPALS, and against scikit-learn's."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cross_decomposition import PLSRegression

import oracle
from sklazy.errors import BadInputError
from sklazy.methods.pls.model import (
    PLSRows,
    check_components,
    explain_one,
    fit_paths,
    plan_components,
    weigh,
)

cells = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-5, 5).map(lambda x: round(x, 2)),
    st.just(np.nan),
)
NO_WEIGHTS = np.zeros(0)


@st.composite
def neighborhoods(draw, least=3):
    """Rows with ties, constants and missing cells, targets, weights, and a query."""
    k, n = draw(st.integers(least, 12)), draw(st.integers(1, 8))
    rows = draw(arrays(float, (k, n), elements=cells))
    for j in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        rows[:, j] = rows[0, j]
    numbers = st.floats(-9, 9).map(lambda x: round(x, 1))
    targets = draw(arrays(float, k, elements=numbers))
    weights = draw(arrays(float, k, elements=st.sampled_from([1.0, 0.3, 2.0])))
    query = draw(arrays(float, n, elements=cells))
    unit = draw(st.sampled_from([1.0, 1e-150, 2.0**100]))
    return rows * unit, targets, weights / weights.mean(), query * unit


def fit(problem, n_components, scaled, left_out=True):
    rows, targets, weights, query = problem
    near = np.arange(len(rows))[None]
    values, errors = fit_paths(
        PLSRows(rows, targets, NO_WEIGHTS),
        query[None],
        near,
        targets[None],
        weights[None],
        n_components,
        scaled=scaled,
        left_out=left_out,
    )
    return values[0], errors


def is_well_posed(rows, targets, weights, query, n_components, scaled):
    """Whether no component is so weak that rounding decides what it says."""
    seen = ~np.isnan(query)
    fitted = oracle.pls_fit(rows[:, seen], targets, weights, n_components, scaled)
    lengths = [np.sqrt((weights * t * t).sum()) for t in fitted[6]]
    return not lengths or min(lengths) > 1e-4 * max(lengths)


@settings(max_examples=80, deadline=None)
@given(neighborhoods(), st.integers(0, 5), st.booleans())
def test_predictions_are_those_of_nipals(problem, n_components, scaled):
    rows, targets, weights, query = problem
    if not is_well_posed(*problem, n_components, scaled):
        return
    said, _ = fit(problem, n_components, scaled)
    expected = oracle.pls_path(rows, targets, weights, query, n_components, scaled)
    largest = 1e-9 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(said, expected, rtol=1e-9, atol=largest)


@settings(max_examples=50, deadline=None)
@given(neighborhoods(), st.integers(0, 4), st.booleans())
def test_left_out_errors_are_those_of_refits(problem, n_components, scaled):
    rows, targets, weights, query = problem
    for i in range(len(rows)):
        others = np.arange(len(rows)) != i
        part = rows[others], targets[others], weights[others], query
        if not is_well_posed(*part, n_components, scaled):
            return
    _, errors = fit(problem, n_components, scaled)
    expected = oracle.pls_left_out_errors(
        rows, targets, weights, query, n_components, scaled
    )
    largest = 1e-8 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(errors[0], expected, rtol=1e-7, atol=largest)


@settings(max_examples=60, deadline=None)
@given(neighborhoods(), st.integers(1, 4), st.booleans())
def test_leverage_and_q_are_those_of_nipals(problem, n_components, scaled):
    rows, targets, weights, query = problem
    if not is_well_posed(*problem, n_components, scaled):
        return
    shares = np.eye(1 + n_components)[n_components]
    cases = PLSRows(rows, targets, NO_WEIGHTS)
    near = np.arange(len(rows))
    found = explain_one(cases, query, near, targets, weights, shares, scaled=scaled)
    leverage, q = oracle.pls_judge(rows, weights, targets, query, n_components, scaled)
    np.testing.assert_allclose(found.leverages[0], leverage, rtol=1e-8)
    _, whole = oracle.pls_judge(rows, weights, targets, query, 0, scaled)
    np.testing.assert_allclose(found.residuals[0], q, rtol=1e-8, atol=1e-12 * whole)


def spectra(n_rows=80, n_columns=120, seed=0):
    rng = np.random.default_rng(seed)
    parts = rng.random((n_rows, 6)) * np.logspace(0, -2, 6)
    shapes = np.cumsum(rng.standard_normal((6, n_columns)), axis=1)
    X = parts @ shapes + 1e-4 * rng.standard_normal((n_rows, n_columns)) + 3
    return X, parts @ rng.standard_normal(6) + 1e-3 * rng.standard_normal(n_rows)


@pytest.mark.parametrize("scaled", [False, True])
def test_equal_weights_give_what_scikit_learn_gives(scaled):
    X, y = spectra()
    for n_components in (1, 4, 8):
        problem = X[1:], y[1:], np.ones(len(y) - 1), X[0]
        said, _ = fit(problem, n_components, scaled, left_out=False)
        peer = PLSRegression(n_components, scale=scaled).fit(X[1:], y[1:])
        np.testing.assert_allclose(said[-1], peer.predict(X[:1])[0], rtol=1e-9)


def test_slopes_give_the_prediction_and_neighbors_are_judged_by_the_others():
    X, y = spectra(20, 30)
    rng = np.random.default_rng(1)
    weights = rng.random(19) + 0.2
    weights /= weights.mean()
    cases, near = PLSRows(X, y, NO_WEIGHTS), np.arange(1, 20)
    shares = np.array([0.0, 0.2, 0.5, 0.3])
    for scaled in (False, True):
        found = explain_one(cases, X[0], near, y[near], weights, shares, scaled=scaled)
        path, _ = fit((X[1:], y[1:], weights, X[0]), 3, scaled)
        mean, center = weights @ y[1:] / 19, weights @ X[1:] / 19
        said = mean + found.slopes @ (X[0] - center)
        np.testing.assert_allclose(said, path @ shares, rtol=1e-10)
        others = np.arange(19) != 4
        own = weights[others] / weights[others].mean()
        expected = oracle.pls_judge(X[1:][others], own, y[1:][others], X[5], 2, scaled)
        figures = found.leverages[5], found.residuals[5]
        np.testing.assert_allclose(figures, expected, rtol=1e-8)


def test_a_constant_target_has_no_component():
    X, _ = spectra(20, 30)
    said, errors = fit((X[1:], np.full(19, 7.0), np.ones(19), X[0]), 4, False)
    assert said.tolist() == [7.0] * 5
    assert errors.tolist() == [[0.0] * 5]


@pytest.mark.parametrize("scaled", [False, True])
def test_a_column_of_one_number_is_flat_to_the_digit(scaled):
    rows = np.full((10, 2), 0.1)
    rows[0, 0] = np.nan
    said, errors = fit((rows, np.arange(10.0), np.ones(10), np.ones(2)), 2, scaled)
    assert said.tolist() == [4.5] * 3
    assert errors[0, 1:].tolist() == [errors[0, 0]] * 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0, 100), min_size=2, max_size=9),
    st.sampled_from([0.0, 0.5, 2.0]),
)
def test_weights_fall_off_with_the_distance(distances, localization):
    distances = np.sort(np.array(distances))
    rows = np.arange(len(distances))[None]
    said = weigh(distances[None], rows, NO_WEIGHTS, localization)[0]
    expected = oracle.localize(distances, localization)
    if distances.std() > 1e-9 * distances.max():
        np.testing.assert_allclose(said, expected, rtol=1e-6)
    else:
        assert said.mean() == pytest.approx(1.0)


def test_weights_of_rows_count_too():
    rows, distances = np.array([[2, 0]]), np.ones((1, 2))
    said = weigh(distances, rows, np.array([3.0, 9.0, 1.0]), 1.0)
    np.testing.assert_allclose(said, [[0.5, 1.5]])


@pytest.mark.parametrize(
    ("n_components", "expected"),
    [("auto", (1, 10)), (4, (4, 4)), ((2, 30), (2, 10)), (12, (11, 11))],
)
def test_few_rows_have_few_components(n_components, expected):
    assert plan_components(n_components, 60, 12, 99) == (12, *expected)


@pytest.mark.parametrize("wrong", [0, "many", (3, 2), (0, 4), 2.5, True, (1, 2, 3)])
def test_components_that_make_no_sense_are_refused(wrong):
    with pytest.raises(BadInputError, match="n_components="):
        check_components(wrong, 60)


def test_more_components_than_neighbors_are_refused():
    check_components(9, 10)
    check_components((1, 8), 10)
    with pytest.raises(BadInputError, match="9 components at most"):
        check_components(10, 10)
    with pytest.raises(BadInputError, match="8 components at most"):
        check_components((1, 9), 10)


def test_it_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit((np.zeros((4, 3)), np.arange(4.0), np.ones(4), np.ones(3)), 2, True)
