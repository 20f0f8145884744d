"""Lazy Bayesian rules against Weka 3.6.14's LBR, row for row."""

import numpy as np
import pytest

import oracle
from sklazy import LazyBayesRulesClassifier
from weka import SETS, load_discretized
from weka_sets import read_outputs, train_rows, weka_frame

# Weka was too slow on two sets; on three it counts missing cells as the first value.
SLOW = ["credit-g", "soybean"]
MISSING = ["breast-cancer", "labor", "vote"]
DONE = [name for name in SETS if name not in SLOW]


def weka_says(folder, name):
    """Weka's class distributions of the test rows, in the order of its classes."""
    golden, old = read_outputs(folder, name)
    return golden["class_labels"], np.array(old["LBR_discretised"]["dist"])


@pytest.mark.parametrize("name", DONE)
def test_class_distributions_as_in_weka(golden_folder, name):
    labels, expected = weka_says(golden_folder, name)
    frame, y = weka_frame(golden_folder, name)
    train = train_rows(len(frame))
    test = np.setdiff1d(np.arange(len(frame)), train)
    model = LazyBayesRulesClassifier(min_support=1)  # Weka asks for no support
    model.partial_fit(frame.iloc[train], y[train], classes=labels)
    places = [model.classes_.tolist().index(label) for label in labels]
    found = model.predict_proba(frame.iloc[test])[:, places]
    assert found.shape == expected.shape
    if name in MISSING:  # what that changes: the twin below has all of it
        assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.98
    else:
        assert np.abs(found - expected).max() < 1e-9


@pytest.mark.parametrize("name", MISSING)
def test_nothing_but_missing_cells_differs_from_weka(golden_folder, name):
    """The slow twin has Weka's rules where it counts missing cells as Weka does."""
    table, _ = load_discretized(golden_folder, name)
    _, expected = weka_says(golden_folder, name)
    assert (table.codes < 0).any()
    slow = oracle.LazyBayesRules(
        table.codes.tolist(),
        np.diff(table.offsets).tolist(),
        table.classes.tolist(),
        table.n_classes,
        min_support=1,
        missing_is_first=True,
    )
    shares = np.exp([slow.joint(query) for query in table.queries.tolist()])
    shares /= shares.sum(axis=1, keepdims=True)
    assert np.abs(shares - expected).max() < 1e-9


def test_rules_of_weka_are_among_those_compared(golden_folder):
    """On `vote` most rows have a rule: their distributions are not naive Bayes's."""
    table, _ = load_discretized(golden_folder, "vote")
    slow = oracle.LazyBayesRules(
        table.codes.tolist(),
        np.diff(table.offsets).tolist(),
        table.classes.tolist(),
        table.n_classes,
        min_support=1,
        missing_is_first=True,
    )
    ruled = [len(slow.rule(query)[0]) for query in table.queries.tolist()]
    assert sum(n > 0 for n in ruled) > 100
