"""Values of cases against the enumeration of all sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.case_values import shapley, worth_of_means, worth_of_votes
from sklazy.measures.case_values import value_means, value_votes

NUMBERS = st.integers(-4, 4).map(lambda i: i / 2)


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=7),
    st.integers(1, 9),
)
def test_votes(shares, k):
    expected = shapley(len(shares), lambda chosen: worth_of_votes(shares, chosen, k))
    assert value_votes(np.array(shares), k) == pytest.approx(expected, abs=1e-12)


@given(st.lists(NUMBERS, min_size=1, max_size=7), NUMBERS, st.integers(1, 9))
def test_means(numbers, target, k):
    expected = shapley(
        len(numbers), lambda chosen: worth_of_means(numbers, target, chosen, k)
    )
    assert value_means(np.array(numbers), target, k) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_ten_cases(seed):
    rng = np.random.default_rng(seed)
    numbers, target, k = rng.normal(size=10), rng.normal(), int(rng.integers(1, 12))
    expected = shapley(10, lambda chosen: worth_of_means(numbers, target, chosen, k))
    assert value_means(numbers, target, k) == pytest.approx(expected, abs=1e-10)
    shares = rng.random(10)
    expected = shapley(10, lambda chosen: worth_of_votes(shares, chosen, k))
    assert value_votes(shares, k) == pytest.approx(expected, abs=1e-12)
