"""Equal rows and nearest other rows: the fast way equals the slow one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import audit as slow
from sklazy.casebase import CaseBase
from sklazy.neighbors.copies import (
    differ_by_attribute,
    find_equal_rows,
    find_nearest_others,
    number_equal_rows,
)
from sklazy.tables import as_target
from strategies import mixed_problems


@settings(max_examples=60)
@given(mixed_problems(max_rows=14, max_columns=4))
def test_equal_and_nearest_rows_equal_the_slow_twin(problem):
    base = CaseBase(problem.table, as_target(problem.classes, "nominal"))
    rows = [problem.rows[i] for i in base.arrival.tolist()]  # as they lie
    order = np.arange(base.n_rows)
    groups = find_equal_rows(base.cases, order)
    assert groups.tolist() == slow.first_equal(rows)
    distinct = order[groups == order]
    found = find_nearest_others(base.cases, distinct, distinct)
    for row, other, far in zip(distinct.tolist(), *found, strict=True):
        assert far == pytest.approx(slow.nearest_other(rows, problem.kinds, row))
        if np.isfinite(far):
            assert far == pytest.approx(slow.distance(rows, problem.kinds, row, other))
            (apart,) = differ_by_attribute(base.cases, *np.array([[row], [other]]))
            assert (apart == 0).tolist() == [
                a == b for a, b in zip(rows[row], rows[other], strict=True)
            ]
        else:
            assert other == -1


@settings(max_examples=60)
@given(mixed_problems(max_rows=14, max_columns=4), st.randoms(use_true_random=False))
def test_rows_are_numbered_by_the_attributes_that_are_compared(problem, chance):
    base = CaseBase(problem.table, as_target(problem.classes, "nominal"))
    rows = [problem.rows[i] for i in base.arrival.tolist()]
    known = np.array([chance.random() < 0.6 for _ in problem.kinds])
    seen = [[row[j] for j in np.flatnonzero(known)] for row in rows]
    found = number_equal_rows(base.cases, known)
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    for i, one in enumerate(seen):
        for j, other in enumerate(seen):
            assert (found[i] == found[j]) == (one == other)


def test_the_given_order_says_which_equal_row_is_first():
    base = CaseBase(*_three_equal())
    assert find_equal_rows(base.cases, np.array([2, 0, 1])).tolist() == [2, 2, 2]


def _three_equal():
    from sklazy.tables import as_table

    return as_table(np.ones((3, 1))), as_target(["a", "b", "a"], "nominal")
