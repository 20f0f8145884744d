"""Contributions to a lazy tree against counts of the rows that pass its tests."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy import LazyDecisionTreeClassifier
from strategies import split_problems


def passes(cell, step):
    """Whether a row has the value of a test, or a number in its bin."""
    if step["bin"] is None:
        return cell == step["value"]
    if cell is None:
        return False
    low, high = (float(end) for end in step["bin"][1:-1].split(","))
    return low < cell <= high


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_each_test_changes_the_share_of_the_class(data):
    cases, queries = data.draw(split_problems(min_rows=3, max_rows=24, max_queries=3))
    model = LazyDecisionTreeClassifier().fit(cases.frame, cases.classes)
    found = model.contributions(queries.frame)
    receipts = model.explain(queries.frame, reasons=False)
    names = list(cases.frame.columns)
    for query, receipt in enumerate(receipts):
        left = list(zip(cases.rows, cases.classes.tolist(), strict=True))
        level = Counter(label for _, label in left)[receipt.answer] / len(left)
        assert found.base[query] == pytest.approx(level)
        expected = dict.fromkeys(names, 0.0)
        for step in receipt["steps"]:
            j = names.index(step["attribute"])
            left = [(row, label) for row, label in left if passes(row[j], step)]
            share = Counter(label for _, label in left)[receipt.answer] / len(left)
            expected[step["attribute"]] += share - level
            level = share
        assert found.values[query].tolist() == pytest.approx(list(expected.values()))
