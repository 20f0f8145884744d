"""Leaving a row out, selection and vote together, against a case base without it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import as_cases, coded_tables
from sklazy import measures, neighbors
from sklazy.measures import argmax_with_ties


def score(counts, offsets):
    lazy = measures.lazy_scores(counts, offsets)
    return lazy, measures.attribute_scores(counts, offsets)


@given(coded_tables(most_rows=40), st.integers(1, 6), st.data())
def test_a_row_never_votes_for_itself_nor_chooses(table, k, data):
    n_selected = data.draw(st.integers(1, table.n_attributes))
    cases = as_cases(table)
    rows = np.ascontiguousarray(table.codes.T)
    ranks = measures.rank_without_own_row(cases.counts, cases.offsets, score)
    selected = measures.select_without_own_row(rows, table.classes, ranks, n_selected)
    search = neighbors.NominalSearch(cases, rows, selected, k, np.arange(table.n_rows))
    search.run(0, table.n_rows)
    own = np.eye(table.n_classes, dtype=np.int64)[table.classes]
    answers = argmax_with_ties(search.votes, cases.class_counts - own)

    row = data.draw(st.integers(0, table.n_rows - 1))
    others = np.delete(np.arange(table.n_rows), row)
    codes, classes = table.codes[:, others], table.classes[others]
    counts = oracle.count_values(codes, table.offsets, classes, table.n_classes)
    counts = np.array(counts, np.int64).reshape(-1, table.n_classes)
    chosen = oracle.select(
        rows[row], *score(counts, table.offsets), table.offsets, n_selected
    )
    assert selected.attributes[row].tolist() == chosen
    nearest = oracle.nearest_with_ties(
        oracle.disagreements(codes, rows[row], chosen), k
    )
    votes = oracle.count_classes(nearest, classes, table.n_classes)
    assert search.votes[row].tolist() == votes
    priors = np.bincount(classes, minlength=table.n_classes)
    assert answers[row] == oracle.decide(votes, priors)


@given(coded_tables(most_rows=40), st.integers(1, 6), st.data())
def test_its_own_class_cannot_leak_into_its_answer(table, k, data):
    """Whatever class a row is given, its attributes and votes stay the same."""
    row = data.draw(st.integers(0, table.n_rows - 1))
    n_selected = data.draw(st.integers(1, table.n_attributes))
    found = set()
    for own in range(table.n_classes):
        classes = table.classes.copy()
        classes[row] = own
        relabeled = table._replace(classes=classes)
        cases = as_cases(relabeled)
        ranks = measures.rank_without_own_row(cases.counts, cases.offsets, score)
        codes = np.ascontiguousarray(table.codes.T[[row]])
        selected = measures.select_without_own_row(
            codes, classes[[row]], ranks, n_selected
        )
        search = neighbors.NominalSearch(cases, codes, selected, k, np.array([row]))
        search.run(0, 1)
        found.add((*selected.attributes[0].tolist(), *search.votes[0].tolist()))
    assert len(found) == 1
