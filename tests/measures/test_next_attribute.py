"""What measuring an attribute is worth: the fast way equals the slow one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import next_attribute as slow
from sklazy.measures.next_attribute import (
    gain_of_classes,
    gain_of_numbers,
    to_cells,
    usual_shares,
    weigh_alike,
)


@st.composite
def coded_cases(draw):
    """Codes, a query, classes and targets: missing cells, ties, single rows."""
    n_rows, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    cells = st.integers(-1, 2)
    rows = draw(
        st.lists(
            st.lists(cells, min_size=n_columns, max_size=n_columns),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    query = draw(st.lists(st.integers(-2, 2), min_size=n_columns, max_size=n_columns))
    classes = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    numbers = st.sampled_from([0.0, 1.0, 1.5, -3.0, 1e3])
    targets = draw(st.lists(numbers, min_size=n_rows, max_size=n_rows))
    return np.array(rows), np.array(query), np.array(classes), np.array(targets)


@settings(max_examples=60)
@given(coded_cases(), st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_gains_of_classes_equal_the_slow_twin(cases, shares):
    rows, query, classes, _ = cases
    shares = np.array(shares) + 1e-3
    shares /= shares.sum()
    codes = np.ascontiguousarray(rows.T)
    weights = weigh_alike(codes, query, np.ones(len(rows)))
    np.testing.assert_allclose(weights, slow.alike(rows.tolist(), query.tolist()))
    sizes = codes.max(axis=1) + 1
    ones = np.ones(len(rows))
    usual = [
        usual_shares(own, size, classes, 3, ones)
        for own, size in zip(codes, sizes.tolist(), strict=True)
    ]
    asked = np.arange(len(codes))
    found = gain_of_classes(to_cells(codes, classes, 3), usual, weights, shares, asked)
    for j in asked.tolist():
        gain, chances = slow.class_gain(
            codes[j].tolist(),
            int(sizes[j]),
            classes.tolist(),
            weights.tolist(),
            shares.tolist(),
        )
        assert found.gains[j] == pytest.approx(gain, abs=1e-12)
        np.testing.assert_allclose(found.chances[j], chances, atol=1e-12)


@settings(max_examples=60)
@given(coded_cases())
def test_gains_of_numbers_equal_the_slow_twin(cases):
    rows, query, _, targets = cases
    codes = np.ascontiguousarray(rows.T)
    weights = weigh_alike(codes, query, np.ones(len(rows)))
    sizes, asked = codes.max(axis=1) + 1, np.arange(len(codes))
    found = gain_of_numbers(codes + 1, sizes, weights, targets[None], asked)
    for j in asked.tolist():
        gain = slow.number_gain(
            codes[j].tolist(), int(sizes[j]), targets.tolist(), weights.tolist()
        )
        assert found.gains[j] == pytest.approx(gain, abs=1e-9)
        if found.chances[j].any():
            assert found.chances[j].sum() == pytest.approx(1.0)


def test_a_copy_of_what_is_known_tells_nothing_more():
    # Among all cases the second column tells as much as the third, but not among
    # those that agree with what is known: it repeats the first.
    rng = np.random.default_rng(0)
    first, third = rng.integers(0, 2, (2, 200))
    classes = first + third
    codes = np.array([first, first, third])
    weights = weigh_alike(codes, np.array([1, -1, -1]), np.ones(200))
    usual = [usual_shares(own, 2, classes, 3, np.ones(200)) for own in codes]
    cells, shares = to_cells(codes, classes, 3), np.array([0.01, 0.49, 0.5])
    gains = gain_of_classes(cells, usual, weights, shares, np.array([1, 2])).gains
    assert gains[1] > 5 * gains[0]


def test_far_cases_weigh_next_to_nothing():
    codes = np.zeros((60, 2), int)
    codes[:, 1] = 1
    weights = weigh_alike(codes, np.zeros(60, int), np.array([2.0, 1.0]))
    assert weights[0] == 2.0
    assert 0 < weights[1] <= 0.2**40
