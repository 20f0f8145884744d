"""The lazy decision tree against its slow twin."""

import numpy as np
from hypothesis import given, settings

import oracle
from coded import coded_tables
from sklazy.flow import Cases, Narrow
from sklazy.kernels.bits import count_values
from sklazy.methods.trees.model import answer_by_lazy_trees


@settings(max_examples=80)
@given(coded_tables(most_rows=80))
def test_lazy_trees_follow_the_best_test(table):
    cases = cases_of(table)
    left, steps = answer_by_lazy_trees(cases, table.queries)
    for query, counts, tested in zip(table.queries, left, steps, strict=True):
        expected = oracle.lazy_tree_answer(
            table.codes, table.classes, table.n_classes, query.tolist()
        )
        assert counts.tolist() == expected
        tested = tested[tested >= 0]
        agree = np.ones(table.n_rows, bool)
        for j in tested:
            agree &= table.codes[j] == query[j]
        found = np.bincount(table.classes[agree], minlength=table.n_classes)
        assert found.tolist() == expected


def cases_of(table):
    """As much of a case base as lazy trees need."""
    nothing = np.zeros((0, table.n_rows))
    return Cases(
        n_rows=table.n_rows,
        codes=Narrow(table.codes),
        offsets=table.offsets,
        counts=count_values(table.codes, table.offsets, table.classes, table.n_classes),
        class_counts=np.bincount(table.classes, minlength=table.n_classes),
        classes=Narrow(table.classes),
        starts=np.zeros(0, np.int64),
        value_bits=np.zeros((1, 8), np.uint64),
        class_bits=np.zeros((1, 8), np.uint64),
        numeric=np.full(table.n_attributes, -1),
        numbers=nothing,
        ranges=nothing[:, :2],
        targets=nothing,
        weights=np.ones(table.n_rows),
    )
