"""The outermost numbers follow the rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy.casebase import CaseBase
from sklazy.neighbors.edges import edges_of, find_edges
from sklazy.tables import as_table, as_target


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 5, 1000]))
@settings(max_examples=30, deadline=None)
def test_edges_after_changes(seed, grid):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, grid, (40, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0] = 1.0
    y = rng.integers(0, 2, 40)
    base = CaseBase(as_table(X[:8]), as_target(y[:8], "nominal"))
    for row in range(8, 40):
        with base.snapshot() as state:
            for found, expected in zip(
                edges_of(state), find_edges(state.cases), strict=True
            ):
                np.testing.assert_array_equal(found, expected)
        if rng.random() < 0.6:
            target = as_target(y[row : row + 1], "nominal")
            base.add(as_table(X[row : row + 1]), target)
        if rng.random() < 0.6 and base.n_rows > 3:
            base.forget(rng.choice(base.ids, 1))
