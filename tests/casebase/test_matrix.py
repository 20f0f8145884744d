"""Matrices of numbers are coded as the tables made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy import LazyKNeighborsClassifier
from sklazy.casebase import CaseBase, matrix
from sklazy.tables import as_table, as_target

CELLS = [np.nan, -3.0, 0.0, 0.5, 1.0, 2.0, 7.0, 2.0**53, np.inf, 900.0]


@st.composite
def matrices(draw):
    """Cases and queries of numbers, some columns nominal; queries hold odd cells."""
    n_rows, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = [[-3.0, 0.0, 1.0, 7.0, np.nan], [0.0, 0.5, 1.0], [0.0, 1.0, 5000.0]]
    columns = [
        rng.choice(draw(st.sampled_from(labels)), n_rows) for _ in range(n_columns)
    ]
    nominal = [bool(flag) for flag in rng.integers(0, 2, n_columns)]
    queries = rng.choice(draw(st.sampled_from([CELLS, CELLS[:7]])), (6, n_columns))
    return np.stack(columns, axis=1), queries, nominal, rng.integers(0, 2, n_rows)


@given(matrices(), st.sampled_from(["float64", "float32", "int64"]))
def test_a_matrix_is_coded_as_its_table(drawn, dtype):
    cases, queries, nominal, classes = drawn
    table = as_table(cases, categorical_features=nominal)
    base = CaseBase(table, as_target(classes.tolist(), "nominal"))
    if dtype == "int64":
        queries = np.where(np.isfinite(queries), queries, 1)
    queries = queries.astype(dtype)
    found = matrix.encode_matrix(base, queries)
    odd = np.abs(np.nan_to_num(queries, nan=0.0)) >= 2**53
    whole = [
        all(isinstance(label, int) for label in base.categories(j))
        and base.categories(j)
        for j in np.flatnonzero(nominal & ~np.isnan(cases).all(axis=0))
    ]
    if found is None:
        wide = any(labels and max(labels) == 5000 for labels in whole if labels)
        assert odd.any() or not all(whole) or wide
        return
    expected = base.encode(as_table(queries, categorical_features=nominal))
    assert np.array_equal(found.codes, expected.codes)
    assert np.array_equal(found.values, expected.values, equal_nan=True)


@given(st.integers(1, 400), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_labels_that_lie_one_by_one_are_coded_in_one_pass(n_queries, n_columns, seed):
    rng = np.random.default_rng(seed)
    lows, nominal = rng.integers(-5, 6, n_columns), [True] * n_columns
    cases = np.tile(np.arange(4)[:, None], n_columns) + lows
    base = CaseBase(
        as_table(cases, categorical_features=nominal),
        as_target([0, 1, 0, 1], "nominal"),
    )
    queries = rng.integers(0, 4, (n_queries, n_columns)) + lows
    strange = rng.random(queries.shape) < rng.choice([0.0, 0.01])
    queries[strange] = rng.choice([-(2**53), -9, 9, 2**53 - 1], queries.shape)[strange]
    found = matrix.encode_matrix(base, queries)
    if found is None:
        assert (np.abs(queries) >= 2**53).any()
        return
    expected = base.encode(as_table(queries, categorical_features=nominal))
    assert np.array_equal(found.codes, expected.codes)


def test_what_a_matrix_cannot_say_is_for_the_table_to_refuse():
    model = LazyKNeighborsClassifier().fit(np.eye(3), [0, 1, 1])
    for wrong, message in (
        (np.ones((2, 4)), "4 features"),
        (np.full((1, 3), np.inf), "infinity"),
        (np.ones(3), "2D"),
        (np.ones((0, 3)), "0 sample"),
        (np.array([["a", "b", "c"]]), "string 'a'"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(wrong)
