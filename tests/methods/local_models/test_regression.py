"""Local models against explicit refits without each neighbor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import LocalCases
from sklazy.methods.local_models.alike import AlikeCases, fill_pools, start_pools
from sklazy.methods.local_models.plans import make_plan, neighbor_range
from sklazy.methods.local_models.regression import fit_models

VALUES = st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0])


@st.composite
def problems(draw):
    """Few values, so that columns are constant or collinear; some cells missing."""
    seed, n_rows = draw(st.integers(0, 10**6)), draw(st.integers(4, 14))
    d, n_targets = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    rng = np.random.default_rng(seed)
    rows = rng.choice([0.0, 0.5, 1.0, 2.0, -1.0], (n_rows, d))
    if draw(st.booleans()):
        rows = rows + 0.1 * rng.standard_normal(rows.shape)
    if draw(st.booleans()):
        rows[rng.random(rows.shape) < 0.2] = np.nan
    query = rng.choice([0.0, 1.0, np.nan], d, p=[0.4, 0.4, 0.2])
    targets = rng.choice([0.0, 1.0, 3.0], (n_rows, n_targets))
    weights = (
        rng.choice([0.5, 1.0, 2.0], n_rows) if draw(st.booleans()) else np.ones(n_rows)
    )
    return rows, targets, weights, query


SPANS = st.sampled_from([(2, 5, 0), (3, 9, 0), (4, 14, 0), (3, 8, 4), (4, 4, 0)])
RANGES = st.dictionaries(st.integers(0, 2), SPANS, min_size=1)
N_BEST = st.sampled_from([1, 2, 5, (2, 1, 1), (1, 1, 2)])


@settings(max_examples=150)
@given(problems(), RANGES, N_BEST, st.sampled_from([1e-3, 0.1, 1.0]), st.booleans())
def test_equals_fits_without_each_neighbor(problem, ranges, n_best, ridge, as_in_r):
    rows, targets, weights, query = problem
    if as_in_r:
        weights = np.ones(len(rows))
    most = min(max(span[1] for span in ranges.values()), len(rows))
    neighbors = np.full((1, most + 2), -1)
    neighbors[0, :most] = np.random.default_rng(0).permutation(len(rows))[:most]
    plan = make_plan(ranges, n_best, ridge, as_in_r=as_in_r)
    cases = LocalCases(rows, targets, weights)
    fitted = fit_models(cases, plan, query[None], neighbors, curves=True)
    near = neighbors[0, :most]
    for t in range(targets.shape[1]):
        models = oracle.fit_models(
            rows[near], targets[near, t], weights[near], query, ranges, ridge, as_in_r
        )
        check_target(models, fitted, t, n_best)


@settings(max_examples=100)
@given(problems(), RANGES, N_BEST, st.integers(1, 6))
def test_rows_alike_count_by_their_shares(problem, ranges, n_best, n_different):
    """Against fits to all of them, each with a part of its weight and left out."""
    rows, targets, weights, query = problem
    numbers = np.arange(len(rows)) % n_different
    rows = rows[numbers]
    most = min(max(span[1] for span in ranges.values()), len(rows))
    near = np.random.default_rng(1).permutation(len(rows))[:most]
    cases, plan = LocalCases(rows, targets, weights), make_plan(ranges, n_best, 0.1)
    pools, groups = start_pools(cases, near[None]), numbers[near][None]
    many, alike = np.ones(groups.shape, bool), AlikeCases(numbers, cases)
    fill_pools(pools, np.zeros(1, np.int64), groups, many, alike.summarize)
    fitted = fit_models(cases, plan, query[None], near[None], pools=pools, curves=True)
    for t in range(targets.shape[1]):
        pairs = list(zip(targets[:, t], weights, strict=True))
        members = [
            (g, [pairs[i] for i in np.flatnonzero(numbers == g)]) for g in numbers[near]
        ]
        models = oracle.fit_models(
            rows[near], targets[near, t], weights, query, ranges, 0.1, alike=members
        )
        check_target(models, fitted, t, n_best)


def check_target(models, fitted, t, n_best):
    """Scores agree; the choice is the best by them; so is the combination."""
    scores = {key: fitted.curves[0, t, key[0], key[1] - 1] for key in models}
    for key, (score, _) in models.items():
        assert scores[key] == pytest.approx(score, rel=1e-6, abs=1e-9)
    chosen = [tuple(model) for model in fitted.models[0, t].tolist() if model[0] >= 0]
    assert chosen == oracle.choose_models(scores, n_best)
    own = {key: (scores[key], theta) for key, (_, theta) in models.items()}
    coefficients = fitted.coefficients[0, t]
    if chosen:
        combined = oracle.combine_models(own, chosen, len(coefficients))
        np.testing.assert_allclose(coefficients, combined, rtol=1e-6, atol=1e-7)
        kept = fitted.scores[0, t][: len(chosen)]
        assert kept.tolist() == [scores[key] for key in chosen]


def test_a_case_of_weight_one_is_a_case_without_weights():
    rng = np.random.default_rng(1)
    rows, targets = rng.random((30, 2)), rng.random((30, 1))
    queries, neighbors = rng.random((5, 2)), np.tile(np.arange(30), (5, 1))
    plan = make_plan({0: (3, 9, 0), 1: (9, 30, 0)}, 3, 1e-6)
    with_ones = LocalCases(rows, targets, np.ones(30))
    without = LocalCases(rows, targets, np.zeros(0))
    fits = [fit_models(c, plan, queries, neighbors) for c in (with_ones, without)]
    assert (fits[0].coefficients == fits[1].coefficients).all()


def test_a_constant_target_is_met_exactly():
    rng = np.random.default_rng(2)
    cases = LocalCases(rng.random((30, 3)), np.full((30, 1), 0.1), np.zeros(0))
    plan = make_plan({0: (3, 9, 0), 1: (12, 30, 0)}, 1, 1e-6)
    fitted = fit_models(cases, plan, rng.random((4, 3)), np.tile(np.arange(30), (4, 1)))
    assert (fitted.coefficients[:, 0, 0] == 0.1).all()
    assert (fitted.errors == 0).all()
    assert (fitted.models[:, 0, 0] == [0, 3]).all()


def test_a_column_constant_around_the_query_leaves_the_mean_alone():
    """R's ridge on the intercept would halve this prediction."""
    rng = np.random.default_rng(3)
    rows = np.column_stack([np.zeros(20), rng.random(20)])
    cases = LocalCases(rows, np.full((20, 1), 8.0), np.zeros(0))
    query, neighbors = np.array([[1.0, 0.5]]), np.arange(20)[None]
    free = fit_models(cases, make_plan({1: (9, 20, 0)}, 1, 1e-6), query, neighbors)
    assert free.coefficients[0, 0, 0] == pytest.approx(8.0, rel=1e-6)
    as_in_r = make_plan({1: (9, 20, 0)}, 1, 1e-6, as_in_r=True)
    held = fit_models(cases, as_in_r, query, neighbors)
    assert held.coefficients[0, 0, 0] == pytest.approx(4.0, rel=1e-3)


def test_details_are_those_of_the_model_chosen():
    rng = np.random.default_rng(4)
    rows, targets = rng.random((40, 2)), rng.random((40, 1))
    cases = LocalCases(rows, targets, np.zeros(0))
    query, neighbors = rng.random((1, 2)), np.arange(40)[None]
    chosen = fit_models(cases, make_plan({1: (9, 40, 0)}, 1, 1e-6), query, neighbors)
    k = int(chosen.models[0, 0, 0, 1])
    alone = make_plan({1: (k, k, 0)}, 1, 1e-6)
    detailed = fit_models(cases, alone, query, neighbors, details=True)
    assert (detailed.coefficients == chosen.coefficients).all()
    assert (detailed.scores == chosen.scores).all()
    leverages, residuals = detailed.leverages[0, 0, :k], detailed.residuals[0, 0, :k]
    loo = residuals / (1 - leverages)
    assert (loo**2).mean() == pytest.approx(chosen.errors[0, 0], rel=1e-9)
    assert leverages.sum() == pytest.approx(3, abs=1e-4)


def test_the_ridge_means_the_same_at_any_density():
    rng = np.random.default_rng(5)
    rows, targets = rng.random((30, 2)), rng.random((30, 1))
    plan = make_plan({1: (9, 30, 0), 2: (9, 30, 0)}, 2, 0.5)
    neighbors = np.arange(30)[None]
    wide, narrow = (
        fit_models(LocalCases(f * rows, targets, np.zeros(0)), plan, query, neighbors)
        for f, query in ((1.0, np.full((1, 2), 0.5)), (0.01, np.full((1, 2), 0.005)))
    )
    assert narrow.coefficients[0, 0, 0] == pytest.approx(wide.coefficients[0, 0, 0])
    assert narrow.scores == pytest.approx(wide.scores)


def test_no_neighbors_at_all_answer_nan():
    cases = LocalCases(np.ones((3, 1)), np.ones((3, 1)), np.zeros(0))
    plan = make_plan({0: (2, 3, 0)}, 1, 1e-6)
    fitted = fit_models(cases, plan, np.ones((2, 1)), np.array([[-1, -1], [0, -1]]))
    assert np.isnan(fitted.coefficients[0, 0, 0])
    assert fitted.coefficients[1, 0, 0] == 1.0
    assert np.isnan(fitted.errors).all()


@pytest.mark.parametrize(
    ("span", "degree", "expected"),
    [
        (1.0, 0, (3, 5, 0)),
        (1.0, 1, (18, 30, 0)),
        (1.5, 1, (18, 45, 0)),
        (1.0, 2, (63, 105, 0)),
        (7, 1, (7, 7, 0)),
        ((2, 30), 0, (2, 30, 0)),
        ([10, 40, 15], 1, (10, 40, 15)),
        (np.array([2, 9]), 1, (2, 9, 0)),
    ],
)
def test_ranges_of_neighbors(span, degree, expected):
    assert neighbor_range(span, degree, n_regressors=5, n_rows=200) == expected


@pytest.mark.parametrize(
    "span",
    [
        *[(1, 5), (9, 5), (3, 9, -1), (300, 400), 201, 1, 0, True],
        *[0.0, -1.0, float("nan"), float("inf"), "3", None],
        *[(3,), (3, 4, 5, 6), (3.0, 5.0)],
    ],
)
def test_ranges_that_cannot_be(span):
    with pytest.raises(BadInputError, match="n_neighbors="):
        neighbor_range(span, 1, n_regressors=5, n_rows=200)


def test_a_range_beyond_the_rows_is_cut_with_a_warning():
    with pytest.warns(DataWarning, match="all 20 rows are taken at most"):
        assert neighbor_range((5, 30), 0, 2, 20) == (5, 20, 0)


@pytest.mark.parametrize("n_best", [0, -1, (1, 2), (1, 0, 0), (0, 0, 0), 1.5, "all"])
def test_numbers_of_models_that_cannot_be(n_best):
    with pytest.raises(BadInputError, match="n_best="):
        make_plan({1: (3, 5, 0)}, n_best, 1e-6)


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("inf"), float("nan")])
def test_ridges_that_cannot_be(ridge):
    with pytest.raises(BadInputError, match="ridge="):
        make_plan({1: (3, 5, 0)}, 1, ridge)


def test_a_line_without_regressors_is_a_mean():
    targets = np.array([[1.0], [2.0], [6.0]])
    cases = LocalCases(np.empty((3, 0)), targets, np.zeros(0))
    plan = make_plan({1: (3, 3, 0)}, 1, 1e-6)
    fitted = fit_models(cases, plan, np.empty((1, 0)), np.arange(3)[None])
    assert fitted.coefficients[0, 0, 0] == pytest.approx(3.0)
    assert fitted.errors[0, 0] == pytest.approx(3 / 4 * (4 + 1 + 9))
