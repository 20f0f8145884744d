"""Local models on a device, emulated, against those on the CPU."""

import numpy as np
import pytest

from emulated import EmulatedDevice, needs_compiler
from sklazy.flow import LocalCases
from sklazy.local import find_ranges, fit_models, make_plan
from sklazy.local.cuda.regression import fit_models_on, put_local_cases

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
