"""The classifiers without selection against Weka's IBk and NaiveBayes, row for row.

Wherever the cases lie: here, in parts, in files, on a cluster.
"""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from places import divided, elsewhere, here, with_a_cluster
from sklazy import LazyKNeighborsClassifier, LazyNBClassifier
from weka import SETS
from weka_sets import read_columns, train_rows

pytestmark = with_a_cluster

HOSTS = {
    "IBk_k1": LazyKNeighborsClassifier.paper(n_neighbors=1, selection="none"),
    "IBk_k3": LazyKNeighborsClassifier.paper(n_neighbors=3, selection="none"),
    "IBk_k5": LazyKNeighborsClassifier.paper(n_neighbors=5, selection="none"),
    "NaiveBayes": LazyNBClassifier.paper(selection="none"),
}

# Where models are fitted anew, classes are found in the rows; glass declares one more.
ELSEWHERE = [
    own
    for own in elsewhere(SETS, few=["iris", "labor", "weather.nominal"])
    if own.values not in [("cluster", "glass"), ("joined", "glass")]
]


def read_frame(folder, name):
    """Inputs with the categories that the file declares, labels, Weka's outputs."""
    schema, columns = read_columns(folder, name)
    frame = pd.DataFrame(
        {
            field["name"]: column
            if field["type"] == "numeric"
            else pd.Categorical(column, categories=field["values"])
            for field, column in zip(schema[:-1], columns[:-1], strict=True)
        }
    )
    path = folder / "weka" / "outputs" / f"{name}.json"
    return frame, np.array(columns[-1]), json.loads(path.read_text())


def check_host(folder, name, host, place):
    """Compare a model whose cases lie in some place with Weka's, row for row."""
    frame, labels, golden = read_frame(folder, name)
    train = train_rows(len(frame))
    test = np.setdiff1d(np.arange(len(frame)), train)
    rows = divided(frame.iloc[train], labels[train])
    model = clone(HOSTS[host]).partial_fit(
        rows.X, rows.y, classes=golden["class_labels"]
    )
    model = place(model, rows)
    expected = np.array(golden["predictions_discretised"][host]["dist"])
    places = [model.classes_.tolist().index(l) for l in golden["class_labels"]]
    found = model.predict_proba(frame.iloc[test])[:, places]
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-9


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", SETS)
def test_class_distributions_as_in_weka(golden_folder, name, host):
    check_host(golden_folder, name, host, here)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("place", "name"), ELSEWHERE, indirect=["place"])
def test_class_distributions_as_in_weka_elsewhere(golden_folder, place, name, host):
    check_host(golden_folder, name, host, place)
