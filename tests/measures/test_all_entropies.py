"""Scores by entropy found all at once, against those found table by table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy.kernels.compiling import every_job_due
from sklazy.measures import (
    CountTable,
    discount_rare_values,
    find_all_entropies,
    find_measure,
)


def score(counts, offsets, discounts):
    """Scores of values and attributes by the measure itself."""
    table, rule = CountTable(counts, offsets), find_measure("entropy")
    table = discount_rare_values(table) if discounts else table
    return rule.values(table), rule.attributes(table)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 7),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.sampled_from([1, 2, 5, 1000]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_scores_without_each_row(seed, n_classes, sizes, most, discounts):
    rng, offsets = np.random.default_rng(seed), np.cumsum([0, *sizes])
    counts = rng.integers(0, most + 1, (offsets[-1], n_classes))
    with every_job_due():
        found = find_all_entropies(counts, offsets, discounts=discounts)
    values, attributes = score(counts, offsets, discounts)
    np.testing.assert_array_equal(found.values, values)
    np.testing.assert_array_equal(found.attributes, attributes)
    for value, c in np.ndindex(*counts.shape):
        if counts[value, c] == 0:
            assert found.own[value, c] == found.whole[value, c] == 0
            continue
        counts[value, c] -= 1
        values, attributes = score(counts, offsets, discounts)
        counts[value, c] += 1
        attribute = np.searchsorted(offsets, value, "right") - 1
        assert found.own[value, c] == values[value]
        assert found.whole[value, c] == attributes[attribute]


def test_tables_of_many_values_are_left_to_numpy():
    counts = np.ones((65, 2), np.int64)
    with every_job_due():
        assert find_all_entropies(counts, np.array([0, 65]), discounts=True) is None
