"""The nearest rows, in order, against a plain sort."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.flow import Columns
from sklazy.kernels.columns import METRICS, NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.neighbors import find_nearest

NUMBERS = st.sampled_from([0.0, 0.1, 0.25, 1.0, 2.0, -1.5, 1e6])


@st.composite
def searches(draw):
    """Rows with ties, missing cells, codes, weights of 0, and groups to hide."""
    n_columns = draw(st.integers(1, 6))
    kinds = draw(
        st.lists(
            st.sampled_from(["numeric", "full", "nominal"]),
            min_size=n_columns,
            max_size=n_columns,
        )
    )
    n_rows, n_queries = draw(st.integers(1, 40)), draw(st.integers(1, 4))

    def cell(kind):
        values = st.integers(0, 2).map(float) if kind == "nominal" else NUMBERS
        return values if kind == "full" else st.one_of(values, values, st.none())

    def table(n):
        return [[draw(cell(kind)) for kind in kinds] for _ in range(n)]

    weights = draw(
        st.lists(
            st.sampled_from([0.0, 0.5, 1.0, 3.0]),
            min_size=n_columns,
            max_size=n_columns,
        )
    )
    groups = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    return kinds, table(n_rows), table(n_queries), weights, groups


def as_columns(kinds, rows, weights, absents, metric):
    codes = {"numeric": NUMERIC_MISSING, "full": NUMERIC, "nominal": NOMINAL}
    return Columns(
        np.ascontiguousarray(np.array(rows, float).T),
        np.array([codes[kind] for kind in kinds]),
        np.array(weights),
        np.array(absents),
        METRICS[metric].code,
    )


@given(searches(), st.sampled_from(sorted(METRICS)), st.integers(1, 12))
def test_equals_a_plain_sort(search, metric, n_nearest):
    kinds, rows, queries, weights, groups = search
    absents = [1.0 + j for j in range(len(kinds))]
    columns = as_columns(kinds, rows, weights, absents, metric)
    seen = np.array(queries, float)
    hidden = np.arange(len(queries))
    for masks in (None, (np.array(groups), hidden)):
        found = find_nearest(columns, seen, n_nearest, groups=masks)
        for q, query in enumerate(queries):
            out = [i for i, g in enumerate(groups) if g == q] if masks else []
            expected = oracle.nearest(
                rows, query, n_nearest, kinds, weights, absents, metric, out
            )
            filled = expected + [-1] * (n_nearest - len(expected))
            assert found.rows[q].tolist() == filled
            assert found.distances[q, : len(expected)].tolist() == [
                oracle.distance(rows[i], query, kinds, weights, absents, metric)
                for i in expected
            ]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["random", "far first", "few values"]))
def test_many_rows_in_any_order(seed, order):
    """More rows than a block, so that the buffer is cut back more than once."""
    rng = np.random.default_rng(seed)
    n_rows, n_nearest = int(rng.integers(600, 3000)), int(rng.integers(1, 90))
    rows = rng.random((n_rows, 5))
    if order == "few values":
        rows = np.round(rows)
    if order == "far first":
        rows = rows[np.argsort(-rows.sum(axis=1))]
    queries = np.zeros((3, 5)) if order == "far first" else rng.random((3, 5))
    columns = as_columns(["full"] * 5, rows, np.ones(5), np.ones(5), "euclidean")
    found = find_nearest(columns, queries, n_nearest)
    for q in range(3):
        squares = (rows - queries[q]) ** 2
        summed = squares[:, 0]
        for j in range(1, 5):
            summed = summed + squares[:, j]
        expected = np.argsort(summed, kind="stable")[:n_nearest]
        assert found.rows[q].tolist() == expected.tolist()
        assert (found.distances[q] == summed[expected]).all()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans())
def test_a_bound_hides_nothing_that_is_as_near(seed, ties):
    rng = np.random.default_rng(seed)
    rows = rng.random((int(rng.integers(1, 900)), 3)).round(1 if ties else 9)
    columns = as_columns(["full"] * 3, rows, np.ones(3), np.ones(3), "euclidean")
    queries, k = rows[:4] + 0.1, int(rng.integers(1, 40))
    whole = find_nearest(columns, queries, k)
    bounds = np.where(np.isinf(own := whole.distances[:, k // 2]), 1.0, own)
    bounds[0] = np.inf
    found = find_nearest(columns, queries, k, bounds=bounds)
    within = whole.distances <= bounds[:, None]
    assert (found.rows == np.where(within, whole.rows, -1)).all()
    assert (found.distances == np.where(within, whole.distances, np.inf)).all()


def test_other_queries_do_not_matter():
    rng = np.random.default_rng(0)
    columns = as_columns(
        ["full"] * 3, rng.random((700, 3)), np.ones(3), np.ones(3), "manhattan"
    )
    queries = rng.random((75, 3))
    whole = find_nearest(columns, queries, 20)

    parts = [find_nearest(columns, queries[q : q + 1], 20) for q in range(75)]
    assert (whole.rows == np.vstack([part.rows for part in parts])).all()
    assert (whole.distances == np.vstack([part.distances for part in parts])).all()
