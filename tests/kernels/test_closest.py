"""The nearest row in one sweep is that of measuring every row."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.kernels import closest as kernel

NUMBERS = [0.0, 1.0, 1.0 + 2**-52, -3.5, 1e-320, 1e300, -1.7e308, math.nan]


def square_slowly(query, row, numeric, widths):
    total = 0.0
    for j, (one, other) in enumerate(zip(query, row, strict=True)):
        if not numeric[j]:
            difference = 0.0 if one >= 0 and one == other else 1.0
        elif widths[j] > 0:
            scaled = (np.float64(other) - one) / widths[j]
            difference = 1.0 if math.isnan(scaled) else scaled
        else:
            difference = 0.0 if one == other else 1.0
        total += difference * difference
    return total


def find_all(rows, queries, excluded, numeric, widths):
    n_numeric = int(numeric.sum())
    places = np.where(numeric, np.cumsum(numeric) - 1, -1).astype(np.int64)
    codes, values = queries.copy(), np.where(numeric, queries, np.nan)
    codes[:, numeric] = -1
    case_codes = rows.T.copy()
    case_codes[numeric] = -1
    found = np.empty(len(queries))
    kernel.find_closest(
        len(rows),
        codes.astype(np.int32),
        values,
        excluded,
        case_codes.astype(np.int32),
        places,
        np.ascontiguousarray(rows.T[numeric]).reshape(n_numeric, len(rows)),
        widths,
        found,
    )
    return found


@given(st.data())
def test_it_is_the_least_of_all_distances(data):
    numeric = np.array(data.draw(st.lists(st.booleans(), min_size=1, max_size=4)))
    cell = [
        st.sampled_from(NUMBERS if is_number else [-1.0, 0.0, 1.0, 2.0])
        for is_number in numeric
    ]
    table = st.lists(st.tuples(*cell), min_size=1, max_size=9)
    rows, queries = (np.array(data.draw(table)) for _ in range(2))
    drawn = st.sampled_from([0.0, 1e-320, 0.3, 1e300, math.inf])
    widths = np.array([data.draw(drawn) for _ in numeric])
    excluded = np.array([data.draw(st.integers(-1, len(rows) - 1)) for _ in queries])
    with np.errstate(all="ignore"):
        expected = [
            min(
                (
                    square_slowly(query, row, numeric, widths)
                    for i, row in enumerate(rows)
                    if i != hidden
                ),
                default=math.inf,
            )
            for query, hidden in zip(queries, excluded, strict=True)
        ]
    found = find_all(rows, queries, excluded, numeric, widths)
    assert found.tolist() == expected


@pytest.mark.parametrize("n_rows", [1, kernel.BLOCK, 2 * kernel.BLOCK + 3])
def test_blocks_hide_no_row(n_rows):
    rng = np.random.default_rng(n_rows)
    rows = np.stack([rng.normal(size=n_rows), rng.integers(3, size=n_rows)], axis=1)
    numeric, widths = np.array([True, False]), np.array([0.7, np.nan])
    queries, excluded = rows[-5:], np.arange(n_rows)[-5:]
    found = find_all(rows, queries, excluded, numeric, widths)
    for query, hidden, square in zip(queries, excluded, found, strict=True):
        others = np.delete(rows, hidden, axis=0)
        squares = [square_slowly(query, row, numeric, widths) for row in others]
        assert square == min(squares, default=math.inf)
