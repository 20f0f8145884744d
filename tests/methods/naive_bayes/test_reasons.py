"""Contributions to naive Bayes against many small steps along the diagonal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import contributions as slow
from sklazy import LazyNBClassifier
from strategies import split_problems


@settings(max_examples=8, deadline=None)
@given(st.data(), st.sampled_from([0.3, 1.0]), st.booleans())
def test_log_likelihoods_along_the_diagonal(data, n_attributes, discretize):
    cases, queries = data.draw(split_problems(min_rows=3, max_rows=20, max_queries=2))
    model = LazyNBClassifier(n_attributes, discretize=discretize)
    model.fit(cases.frame, cases.classes)
    found = model.contributions(queries.frame)
    receipts = model.explain(queries.frame, reasons=False)
    for query, receipt in enumerate(receipts):
        likelihoods = receipt["likelihoods"]
        priors = np.array([item["log"] for item in likelihoods["prior"]])
        terms = np.array([item["log"] for item in likelihoods["attributes"]])
        names = [item["name"] for item in likelihoods["attributes"]]
        if np.abs(terms).max(initial=0.0) > 20.0:
            continue  # too steep for the steps of the slow way
        output = [item["label"] for item in receipt["votes"]].index(receipt.answer)
        values = slow.along_diagonal(
            lambda places, priors=priors, terms=terms: priors + places @ terms,
            lambda scores, output=output: slow.softmax(list(scores), 1.0)[output],
            len(names),
        )
        at = [found.names.index(name) for name in names]
        assert found.values[query, at] == pytest.approx(values, abs=2e-5)
        assert found.base[query] == pytest.approx(
            slow.softmax(list(priors), 1.0)[output]
        )
        assert not np.delete(found.values[query], at).any()
        assert not found.errors.any()


def test_an_equal_likelihood_adds_exactly_nothing():
    X = [["a", "x"], ["a", "y"], ["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    y = ["m", "n", "m", "n", "m", "n"]
    found = LazyNBClassifier(1.0).fit(X, y).contributions([["b", "x"]])
    assert found.values[0, 0] == 0.0
    assert found.values[0, 1] > 0
