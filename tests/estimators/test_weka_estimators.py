"""The classifiers without selection against Weka's IBk and NaiveBayes, row for row.

Wherever the cases lie: here, in parts, in files, on a cluster.
"""

import numpy as np
import pytest
from sklearn.base import clone

from places import divided, elsewhere, here, with_a_cluster
from sklazy import LazyKNeighborsClassifier, LazyNBClassifier
from weka import SETS
from weka_sets import read_outputs, train_rows, weka_frame

pytestmark = with_a_cluster

HOSTS = {
    "IBk_k1": LazyKNeighborsClassifier.paper(n_neighbors=1, selection="none"),
    "IBk_k3": LazyKNeighborsClassifier.paper(n_neighbors=3, selection="none"),
    "IBk_k5": LazyKNeighborsClassifier.paper(n_neighbors=5, selection="none"),
    "NaiveBayes": LazyNBClassifier.paper(selection="none"),
}

# Where models are fitted anew, classes are found in the rows; glass declares one more.
ELSEWHERE = [
    case
    for case in elsewhere(SETS, few=["iris", "labor", "weather.nominal"])
    if case.values not in [("cluster", "glass"), ("joined", "glass")]
]


def check_host(name, host, place):
    """Compare a model whose cases lie in some place with Weka's, row for row."""
    (frame, labels), (golden, _) = weka_frame(name), read_outputs(name)
    train = train_rows(len(frame))
    test = np.setdiff1d(np.arange(len(frame)), train)
    rows = divided(frame.iloc[train], labels[train])
    model = clone(HOSTS[host]).partial_fit(
        rows.X, rows.y, classes=golden["class_labels"]
    )
    model = place(model, rows)
    expected = np.array(golden["predictions_discretised"][host]["dist"])
    places = [model.classes_.tolist().index(l) for l in golden["class_labels"]]
    probabilities = model.predict_proba(frame.iloc[test])[:, places]
    assert probabilities.shape == expected.shape
    assert np.abs(probabilities - expected).max() < 1e-9


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", SETS)
def test_class_distributions_as_in_weka(name, host):
    check_host(name, host, here)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("place", "name"), ELSEWHERE, indirect=["place"])
def test_class_distributions_as_in_weka_elsewhere(place, name, host):
    check_host(name, host, place)
