"""Sorted columns that follow the rows equal those sorted anew, and keep nothing."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.casebase import CaseBase, sorted_columns
from sklazy.casebase.sorted_columns import SortedColumn
from sklazy.tables import as_table, as_target

NUMBERS = [0.0, 0.1, 1.0, 5e-324, -1e308, 1e308, 2.0, np.nextafter(2.0, 3.0)]
CELLS = st.lists(st.tuples(st.sampled_from(NUMBERS), st.integers(0, 2)), max_size=30)


@pytest.mark.parametrize("room", [4, 2048])
@given(CELLS, CELLS, st.randoms(use_true_random=False))
def test_values_come_and_go(room, first, more, random):
    with mock.patch.multiple(sorted_columns, _ROOM=room, _FILLED=room - 1):
        check_column(first, more, random)


def check_column(first, more, random):
    """Every change leaves the values ascending, and nothing beside them."""
    values = np.array([value for value, _ in first])
    column = SortedColumn(values, np.array([label for _, label in first], np.int8))
    left = list(first)
    for value, label in more:
        column.insert(value, label)
        left.append((value, label))
        if random.random() < 0.7:
            gone = left.pop(random.randrange(len(left)))
            column.remove(*gone)
        room = len(left) + 2
        values, classes = column.write(np.empty(room), np.empty(room, np.int32))
        found = zip(values.tolist(), classes.tolist(), strict=True)
        assert sorted(found) == sorted(left)
        assert (values[1:] >= values[:-1]).all()
        for block in column._blocks:
            assert not block.values[block.size :].any()
            assert not block.classes[block.size :].any()


@given(st.integers(0, 2**32 - 1))
def test_cuts_follow_rows_and_classes(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) > 0, "b", "c")
    y[-3:] = "a"  # a class that comes later, and renumbers the others
    base = CaseBase(as_table(X[:40]), as_target(y[:40], "nominal"))
    assert len(base.cuts) == 2
    left = list(range(40))
    for row in range(40, 80):
        base.add(as_table(X[row : row + 1]), as_target(y[row : row + 1], "nominal"))
        left.append(row)
        assert row > 40 or base.bins.sorted is not None
        if rng.random() < 0.5:
            gone = left.pop(int(rng.integers(len(left) - 1)))
            base.forget([gone])
        if rng.random() < 0.5:
            fresh = CaseBase(as_table(X[left]), as_target(y[left], "nominal"))
            for one, other in zip(base.cuts, fresh.cuts, strict=True):
                assert np.array_equal(one, other)
            assert base.digest() == fresh.digest()
