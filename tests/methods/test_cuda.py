"""Local models on a device, emulated, against those on the CPU."""

import numpy as np
import pytest

from emulated import EmulatedDevice, needs_compiler
from sklazy.flow import KernelColumns, LocalCases
from sklazy.kernels.kernel_models import sum_similarities, weigh_nearest
from sklazy.methods.kernel_models import cuda as similar
from sklazy.methods.kernel_models.cuda import put_kernel_cases
from sklazy.methods.local_models.alike import AlikeCases, fill_pools, start_pools
from sklazy.methods.local_models.cuda import fit_models_on, put_local_cases
from sklazy.methods.local_models.plans import find_ranges, make_plan
from sklazy.methods.local_models.regression import fit_models

pytestmark = needs_compiler


def make_problem(rng, n_rows, d, n_targets, weighted, n_queries=15):
    regressors = rng.standard_normal((n_rows, d))
    targets = regressors @ rng.standard_normal((d, n_targets))
    targets += np.sin(3 * targets) + 0.3 * rng.standard_normal(targets.shape)
    regressors[rng.random(regressors.shape) < 0.05] = np.nan
    weights = rng.choice([0.5, 1.0, 3.0], n_rows) if weighted else np.zeros(0)
    return LocalCases(regressors, targets, weights), rng.standard_normal((n_queries, d))


def draw_neighbors(rng, n_rows, n_queries, n_nearest):
    """Any rows will do; some queries have fewer than they ask for, one has none."""
    rows = np.array([rng.permutation(n_rows)[:n_nearest] for _ in range(n_queries)])
    for query, fewer in enumerate((0, 1, 2, 5)):
        rows[query, fewer:] = -1
    return np.ascontiguousarray(rows)


@pytest.mark.parametrize("degrees", [0, 1, 2, (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("as_in_r", [False, True])
@pytest.mark.parametrize(("n_best", "scored"), [(1, 0), ((2, 3, 1), 4)])
def test_models_agree_with_the_cpu(degrees, weighted, as_in_r, n_best, scored):
    rng = np.random.default_rng(0)
    n_rows, d, n_targets = 60, 2, 2
    cases, queries = make_problem(rng, n_rows, d, n_targets, weighted)
    spans = "auto" if not scored else (3, 25, scored)
    ranges = find_ranges(degrees, spans, d, n_rows)
    plan = make_plan(ranges, n_best, 0.1, as_in_r=as_in_r)
    n_nearest = int(plan.ranges[:, 1].max())
    rows = draw_neighbors(rng, n_rows, len(queries), n_nearest)
    expected = fit_models(cases, plan, queries, rows)
    for shared_bytes in (0, 1 << 20):
        device = EmulatedDevice(shared_bytes=shared_bytes)
        found = fit_models_on(put_local_cases(device, cases), plan, queries, rows)
        np.testing.assert_array_equal(found.models, expected.models)
        close = {"rtol": 1e-8, "atol": 1e-9}
        np.testing.assert_allclose(found.coefficients, expected.coefficients, **close)
        np.testing.assert_allclose(found.errors, expected.errors, **close)
        np.testing.assert_allclose(found.scores, expected.scores, **close)
        assert not len(found.curves)
        assert not len(found.leverages)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scored", [0, 4])
def test_rows_alike_are_pooled_as_on_the_cpu(weighted, scored):
    rng = np.random.default_rng(3)
    n_rows, d, n_targets = 60, 2, 2
    cases, queries = make_problem(rng, n_rows, d, n_targets, weighted)
    groups = rng.integers(0, 12, n_rows)
    cases = cases._replace(regressors=cases.regressors[groups])
    alike = AlikeCases(groups, cases)
    plan = make_plan(find_ranges((0, 1, 2), (3, 25, scored), d, n_rows), 4, 0.1)
    rows = draw_neighbors(rng, n_rows, len(queries), 25)
    pools, own = start_pools(cases, rows), np.where(rows < 0, -1, groups[rows])
    fill_pools(pools, np.arange(len(rows)), own, own >= 0, alike.summarize)
    expected = fit_models(cases, plan, queries, rows, pools=pools)
    assert not np.array_equal(
        expected.coefficients, fit_models(cases, plan, queries, rows).coefficients
    )
    for shared_bytes in (0, 1 << 20):
        there = put_local_cases(EmulatedDevice(shared_bytes=shared_bytes), cases)
        found = fit_models_on(there, plan, queries, rows, pools)
        np.testing.assert_array_equal(found.models, expected.models)
        close = {"rtol": 1e-8, "atol": 1e-9}
        np.testing.assert_allclose(found.coefficients, expected.coefficients, **close)
        np.testing.assert_allclose(found.errors, expected.errors, **close)


# --- kernel models --------------------------------------------------------------------


def make_similar(rng, n_rows, d, n_queries, ties):
    """Cases by column, mixed; a column without weight; cells missing on both sides."""
    both = rng.standard_normal((n_rows + n_queries, d))
    both[:, ::2] = rng.integers(0, 3, both[:, ::2].shape)
    both = np.round(both) if ties else both
    both[rng.random(both.shape) < 0.1] = np.nan
    weights = rng.random(d)
    weights[-1] = 0.0
    columns = KernelColumns(
        np.ascontiguousarray(both[:n_rows].T),
        np.arange(d) % 2 == 0,
        rng.random(d),
        weights,
    )
    return columns, both[n_rows:]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_near", [1, 7, 40])
@pytest.mark.parametrize("shared_bytes", [0, 1 << 20])
def test_systems_of_the_nearest_agree_with_the_cpu(
    ties, n_near, shared_bytes, monkeypatch
):
    rng = np.random.default_rng(n_near)
    columns, queries = make_similar(rng, 41, 5, 12, ties)
    hidden = np.where(np.arange(12) % 3 == 0, np.arange(12), -1)
    targets, centers = rng.standard_normal((41, 3)), rng.standard_normal((12, 3))
    near, influences = np.empty((12, n_near), np.int64), np.empty((12, n_near))
    weigh_nearest(columns, queries, hidden, 0.7, 0.1, near, influences)
    own = targets[near] - centers[:, None]
    expected = centers + (influences[:, :, None] * own).sum(axis=1)
    monkeypatch.setattr(similar, "_MOST_BYTES", 8 * 41 * 5)  # five queries at once
    cases = put_kernel_cases(
        EmulatedDevice(shared_bytes=shared_bytes), columns, targets
    )
    found = similar.score_by_nearest_on(
        cases, queries, hidden, centers, n_near=n_near, rate=0.7, ridge=0.1
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_sums_over_all_cases_agree_with_the_cpu():
    rng = np.random.default_rng(0)
    columns, queries = make_similar(rng, 41, 5, 12, False)
    coefficients, expected = rng.standard_normal((3, 41)), np.empty((12, 3))
    sum_similarities(columns, queries, 0.7, coefficients, expected)
    cases = put_kernel_cases(EmulatedDevice(), columns, np.zeros((41, 3)))
    found = similar.sum_similarities_on(cases, queries, 0.7, coefficients)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
