"""Exact sums against fractions."""

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.casebase import sums
from sklazy.casebase.sums import deviation, sum_exactly

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.sampled_from(
    [0.0, -0.0, 5e-324, -2.2e-308, 1.7e308, 1.0, -1.0, 0.1]
)
addends = st.lists(st.tuples(numbers, st.integers(0, 2)), max_size=30)


@pytest.fixture(params=["kernel", "python"])
def path(request, monkeypatch):
    if request.param == "kernel":
        monkeypatch.setattr(sums.add_exactly, "is_due", lambda _: True)
    else:
        monkeypatch.setattr(sums.add_exactly, "is_due", lambda _: False)


def exact(rows, squared):
    powers = [(Fraction(value) ** (1 + squared), cell) for value, cell in rows]
    return [
        sum((v for v, own in powers if own == cell), Fraction(0)) for cell in range(3)
    ]


def found(rows, squared):
    values = np.array([value for value, _ in rows], np.float64)
    cells = np.array([cell for _, cell in rows], np.int64)
    return sum_exactly(values, cells, 3, squared=squared)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("squared", [False, True])
def test_sums_are_exact_and_add_up(squared):
    @given(addends, addends)
    def check(left, right):
        one, other = found(left, squared), found(right, squared)
        assert one.whole() == exact(left, squared)
        assert (one + other).whole() == exact(left + right, squared)
        assert (other + one).whole() == exact(left + right, squared)

    check()


@pytest.mark.usefixtures("path")
def test_missing_numbers_are_passed_over():
    assert sum_exactly(np.array([np.nan, 2.0, np.nan])).rounded().tolist() == [2.0]
    assert sum_exactly(np.full(3, np.nan)).rounded().tolist() == [0.0]


def test_a_sum_beyond_the_largest_number_is_infinite():
    huge = np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.7e308])
    assert sum_exactly(huge[:2]).rounded() == np.inf
    assert sum_exactly(huge[2:]).rounded() == -np.inf
    assert sum_exactly(huge).rounded() == -1.7e308


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.randoms())
def test_deviations_do_not_depend_on_the_order(values, random):
    def measure():
        array = np.array(values)
        total, squares = (
            sum_exactly(array, squared=squared).whole()[0] for squared in (False, True)
        )
        return deviation(len(array), total, squares)

    before = measure()
    random.shuffle(values)
    assert measure() == before
    assert before == pytest.approx(statistics.pstdev(map(Fraction, values)), rel=1e-15)
