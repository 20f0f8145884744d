"""Lazy CFS, lazy consistency, and selection for a row that is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import as_cases, coded_tables
from sklazy import measures
from sklazy.measures import leave_one_out

MEASURES = ["entropy", "gini", "gain_ratio", "chi_square"]


def scorer(measure, lazy=True):
    def score(counts, offsets):
        by_attribute = measures.attribute_scores(counts, offsets, measure)
        if lazy:
            return measures.lazy_scores(counts, offsets, measure), by_attribute
        return np.repeat(by_attribute, np.diff(offsets)), by_attribute

    return score


@given(
    coded_tables(most_rows=30),
    st.sampled_from(MEASURES),
    st.booleans(),
    st.data(),
)
def test_a_row_left_out_is_as_good_as_gone(table, measure, lazy, data):
    score = scorer(measure, lazy)
    cases = as_cases(table)
    tables = measures.rank_without_own_row(cases.counts, table.offsets, score)
    rows = np.ascontiguousarray(table.codes.T)
    n_selected = data.draw(st.integers(1, table.n_attributes))
    selected = measures.select_without_own_row(rows, table.classes, tables, n_selected)
    row = data.draw(st.integers(0, table.n_rows - 1))
    others = np.delete(np.arange(table.n_rows), row)
    counts = oracle.count_values(
        table.codes[:, others], table.offsets, table.classes[others], table.n_classes
    )
    counts = np.array(counts, np.int64).reshape(-1, table.n_classes)
    scores = score(counts, table.offsets)
    expected = oracle.select(rows[row], *scores, table.offsets, n_selected)
    assert selected.attributes[row].tolist() == expected


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_lazy_cfs_finds_the_set_of_the_plain_search(n_attributes, n_queries, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 17, (n_queries, n_attributes)) / 8  # exact in binary
    upper = np.triu(rng.integers(0, 9, (n_attributes, n_attributes)) / 8, 1)
    correlations = upper + upper.T + np.eye(n_attributes)
    selected = measures.select_by_correlation(scores, 2.0, correlations)
    for query in range(n_queries):
        relevances = 1 - scores[query] / 2
        expected, _ = oracle.best_first(
            lambda subset, rc=relevances: oracle.lazy_merit(subset, rc, correlations),
            n_attributes,
            5,
        )
        chosen = selected.attributes[query, : selected.counts[query]].tolist()
        assert chosen == sorted(expected, key=lambda j: (scores[query, j], j))


def test_lazy_cfs_without_anything_to_tell_chooses_nothing():
    selected = measures.select_by_correlation(np.full((2, 3), np.inf), 1.0, np.eye(3))
    assert selected.attributes.shape == (2, 0)
    assert selected.counts.tolist() == [0, 0]
    selected = measures.select_by_correlation(np.zeros((2, 3)), 0.0, np.eye(3))
    assert selected.counts.tolist() == [0, 0]


@given(
    coded_tables(),
    st.sampled_from([1, 2, 10]),
    st.sampled_from([64, 2]),
    st.integers(0, 2**32 - 1),
)
def test_conjunctions_grow_as_in_plain_loops(table, min_support, most_sets, seed):
    rng = np.random.default_rng(seed)
    excluded = rng.integers(-1, table.n_rows, len(table.queries))
    selected = measures.select_by_consistency(
        as_cases(table, most_sets), table.queries, min_support, excluded
    )
    for query, codes in enumerate(table.queries):
        expected = oracle.grow_conjunction(
            table.codes,
            table.classes,
            table.n_classes,
            codes,
            min_support,
            excluded[query],
        )
        chosen = selected.attributes[query]
        assert chosen[: selected.counts[query]].tolist() == expected
        assert (chosen[selected.counts[query] :] == -1).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_removals_from_a_column_of_many_values(measure):
    """Values with equal counts are scored once; the result is that of each alone."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 2, (3000, 3))
    counts[0] = [5, 9, 2]
    offsets = np.array([0, 3000])
    score = scorer(measure)
    values, attributes = leave_one_out._score_without(counts, offsets, score)
    for value, of_class in [(0, 1), *np.argwhere(counts > 0)[100:4000:500].tolist()]:
        reduced = counts.copy()
        reduced[value, of_class] -= 1
        of_values, of_attribute = score(reduced, offsets)
        assert values[value, of_class] == of_values[value]
        assert attributes[value, of_class] == of_attribute[0]
