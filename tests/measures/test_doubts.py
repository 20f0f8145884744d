"""Doubts about targets and leaks of columns: the fast way equals the slow one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import audit as slow
from sklazy.measures.doubts import compare_classes, doubt_labels, doubt_numbers
from sklazy.measures.leaks import (
    explained_by_label,
    explained_errors,
    explained_variance,
)

NUMBERS = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 2.0, 3.0])


@settings(max_examples=80)
@given(st.data(), st.integers(1, 10), st.integers(1, 4))
def test_doubts_about_labels_equal_the_slow_twin(data, n_rows, n_classes):
    cells = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    row = st.lists(cells, min_size=n_classes, max_size=n_classes)
    shares = data.draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    label = st.integers(0, n_classes - 1)
    classes = data.draw(st.lists(label, min_size=n_rows, max_size=n_rows))
    doubts, suggested, found = slow.doubt_labels(shares, classes)
    fast = doubt_labels(np.array(shares), np.array(classes))
    assert fast.doubts.tolist() == doubts
    assert fast.suggested.tolist() == suggested
    assert fast.suspicious.tolist() == found
    assert fast.learned == slow.beats_guess(shares, classes)


@settings(max_examples=80)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12))
def test_doubts_about_numbers_equal_the_slow_twin(pairs):
    targets, left_out = map(np.array, zip(*pairs, strict=True))
    expected = slow.doubt_numbers(targets.tolist(), left_out.tolist())
    found = doubt_numbers(targets, left_out)
    np.testing.assert_allclose(found.doubts, expected, atol=1e-12)
    assert found.suspicious.tolist() == [doubt > 3.5 for doubt in found.doubts.tolist()]


def test_huge_residuals_stay_numbers():
    found = doubt_numbers(np.array([1e308, 0.0, 1.0]), np.array([-1e308, 0.5, 1.5]))
    assert np.isfinite(found.doubts).all()
    assert found.suspicious.tolist() == [True, False, False]


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(st.sampled_from([None, 0, 1, 2]), st.integers(0, 2)),
        min_size=1,
        max_size=14,
    )
)
def test_what_a_column_tells_of_a_class_equals_the_slow_twin(pairs):
    column, classes = map(list, zip(*pairs, strict=True))
    counts = np.zeros((3, 3), np.int64)
    for cell, label in pairs:
        if cell is not None:
            counts[cell, label] += 1
    class_counts = np.bincount(classes, minlength=3)
    assert explained_errors(counts, class_counts) == slow.tell_class(column, classes)


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(st.sampled_from([None, 0.0, 0.5, 2.0, 7.0]), NUMBERS),
        min_size=2,
        max_size=14,
    )
)
def test_what_a_column_tells_of_a_number_equals_the_slow_twin(pairs):
    column, targets = map(list, zip(*pairs, strict=True))
    numbers = np.array([np.nan if cell is None else cell for cell in column])
    codes = np.where(np.isnan(numbers), -1, np.searchsorted([0.0, 0.5, 2.0], numbers))
    own = np.array(targets)
    expected = slow.tell_number(column, targets, nominal=False)
    assert explained_variance(numbers, own) == pytest.approx(expected, abs=1e-9)
    expected = slow.tell_number(column, targets, nominal=True)
    assert explained_by_label(codes, own) == pytest.approx(expected, abs=1e-9)


def test_a_value_of_the_other_class_speaks_for_it():
    counts = np.array([[8, 1], [0, 7]])
    assert compare_classes(counts, 0, label=1, other=0) == pytest.approx(
        np.log2((9 / 10) / (1 / 9))
    )
    assert compare_classes(counts, 1, label=1, other=0) < 0
