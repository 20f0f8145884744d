"""Class distributions of the hosts without selection, against Weka, row for row."""

import numpy as np
import pytest

import oracle
import weka
from coded import as_cases, select_all
from sklazy import neighbors
from sklazy.methods.naive_bayes import model as naive_bayes


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("name", weka.SETS)
def test_nearest_neighbors_as_in_ibk(name, k):
    table, golden = weka.load_discretized(name)
    search = neighbors.NominalSearch(
        as_cases(table), table.queries, select_all(table), k
    )
    search.run(0, len(table.queries))
    probabilities = neighbors.to_probabilities(search.votes, table.n_rows)
    expected = np.array(golden["predictions_discretised"][f"IBk_k{k}"]["dist"])
    assert probabilities.shape == expected.shape
    assert np.abs(probabilities - expected).max() < 1e-9


@pytest.mark.parametrize("name", weka.SETS)
def test_naive_bayes_as_in_weka(name):
    table, golden = weka.load_discretized(name)
    counts = oracle.count_values(
        table.codes, table.offsets, table.classes, table.n_classes
    )
    class_counts = np.bincount(table.classes, minlength=table.n_classes)
    likelihoods = naive_bayes.estimate_likelihoods(
        np.array(counts), class_counts, table.offsets
    )
    joint = np.empty((len(table.queries), table.n_classes))
    naive_bayes.add_likelihoods(
        likelihoods, table.queries, select_all(table), joint, 0, len(joint)
    )
    probabilities = naive_bayes.to_probabilities(joint)
    expected = np.array(golden["predictions_discretised"]["NaiveBayes"]["dist"])
    assert np.abs(probabilities - expected).max() < 1e-9
