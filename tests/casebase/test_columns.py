"""Columns that distances are measured on: queries stand where equal cases stand."""

import numpy as np
import pytest
from hypothesis import given

from mixed import mixed_frames
from sklazy.casebase import CaseBase, columns
from sklazy.casebase.columns import (
    columns_of_cases,
    fill_columns,
    find_metric,
    place_by_range,
    place_by_sums,
    place_cells,
    sum_columns,
)
from sklazy.errors import BadInputError
from sklazy.kernels.columns import NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.tables import as_table, as_target


def base_of(frame, labels):
    return CaseBase(as_table(frame), as_target(labels, "nominal"))


def placements(cases, rows):
    everything = np.arange(len(cases.numeric))
    yield place_by_range(cases, everything)
    yield place_by_range(cases, everything[::2], unit=0.5)
    for scale in ("std", "range", "none"):
        yield place_by_sums(cases.numeric, [sum_columns(cases, rows, scale)], scale)


@given(mixed_frames())
def test_a_query_stands_where_an_equal_case_stands(drawn):
    base = base_of(*drawn)
    cases, queries = base.cases, base.encode(base.to_table())
    rows = np.arange(base.n_rows)[::-1]
    for placement in placements(cases, rows):
        weights = np.ones(len(placement.attributes))
        columns = columns_of_cases(cases, rows, placement, weights, "manhattan")
        placed = place_cells(placement, queries)
        np.testing.assert_array_equal(columns.values, placed[rows].T)
        is_code = columns.kinds == NOMINAL
        gaps = np.isnan(columns.values).any(axis=1)
        assert (is_code >= placement.nominal).all()
        assert (columns.kinds[~is_code & gaps] == NUMERIC_MISSING).all()
        assert (columns.kinds[~is_code & ~gaps] == NUMERIC).all()


def test_numbers_span_the_range_even_if_no_float_holds_it():
    base = base_of(np.array([[-1.5e308, 2.0], [1.5e308, 2.0], [0.0, 2.0]]), list("aba"))
    cases, rows = base.cases, np.argsort(base.arrival)
    placement = place_by_range(cases, np.arange(2), unit=0.5)
    columns = columns_of_cases(cases, rows, placement, np.ones(2), "euclidean")
    assert columns.values.tolist() == [[0.0, 1.0, 0.5], [0.0, 0.0, 0.0]]
    assert columns.kinds.tolist() == [NUMERIC, NOMINAL]  # one number: equal or not


def test_a_metric_has_a_name():
    with pytest.raises(BadInputError, match="expected 'euclidean' or 'manhattan'"):
        find_metric("cosine")


@pytest.mark.parametrize("n_rows", [20, 21, 27])
def test_columns_filled_in_blocks_are_those_filled_at_once(n_rows, monkeypatch):
    random = np.random.default_rng(0)
    numbers = random.normal(size=(n_rows, 3))
    numbers[-1, 1] = np.nan  # in the last block alone
    numbers[:, 2] = 1.5
    words = random.choice(["a", "b", "c"], n_rows)
    rows = [[*row, word] for row, word in zip(numbers.tolist(), words, strict=True)]
    cases = base_of(rows, words).cases
    placement = place_by_range(cases, np.arange(4))
    filled = []
    for at_once in (n_rows, 7):
        monkeypatch.setattr(columns, "_AT_ONCE", at_once)
        out = np.full((4, n_rows), np.inf)
        kinds = fill_columns(cases, slice(n_rows), placement, out)
        filled.append((out, kinds.tolist()))
    assert filled[0][0].tobytes() == filled[1][0].tobytes()
    assert not np.isinf(filled[0][0]).any()
    assert filled[0][1] == filled[1][1] == [NUMERIC, NUMERIC_MISSING, NOMINAL, NOMINAL]
