"""Rows that leave the cuts as they are, against removing each of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.casebase.cuts import criterion_code, sorted_cuts
from sklazy.kernels.cuts import log_terms
from sklazy.kernels.steady_cuts import mark_steady_rows


def mark(values, classes, n_classes, criterion):
    """Steady rows, and those that are: by removing each of them."""
    cuts = sorted_cuts(values, classes, n_classes, criterion)
    ends = np.searchsorted(values, cuts, side="right").astype(np.int64)
    steady = np.ones(len(values), bool)
    rule = n_classes, criterion_code(criterion), log_terms(len(values))
    mark_steady_rows(values, classes, *rule, ends, steady)
    stay = [
        np.array_equal(
            cuts,
            sorted_cuts(
                np.delete(values, i), np.delete(classes, i), n_classes, criterion
            ),
        )
        for i in range(len(values))
    ]
    return steady, np.array(stay, bool), len(cuts)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 120),
    st.integers(1, 4),
    st.sampled_from(["fayyad", "kononenko"]),
    st.sampled_from([0, 1, 6]),
)
def test_no_row_that_moves_a_cut_is_steady(seed, n_rows, n_classes, criterion, digits):
    rng = np.random.default_rng(seed)
    values = np.sort(
        rng.normal(size=n_rows).round(digits) * 10.0 ** rng.integers(-9, 9)
    )
    steps = np.searchsorted(np.quantile(values, rng.random(n_classes)), values)
    noise = rng.integers(0, n_classes, n_rows)
    is_noise = rng.random(n_rows) < rng.choice([0.0, 0.1, 0.5])
    classes = np.where(is_noise, noise, steps % n_classes).astype(np.int32)
    steady, stay, _ = mark(values, classes, n_classes, criterion)
    assert not (steady & ~stay).any()


@pytest.mark.parametrize("criterion", ["fayyad", "kononenko"])
def test_most_rows_are_steady(criterion):
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=600))
    for rule in (values > 0.3, np.abs(values) > 1, rng.random(600) < 0.5):
        flipped = rule ^ (rng.random(600) < 0.05)
        classes = flipped.astype(np.int32)
        steady, stay, _ = mark(values, classes, 2, criterion)
        assert not (steady & ~stay).any()
        assert steady.sum() > 0.8 * stay.sum() or stay.sum() < 300
