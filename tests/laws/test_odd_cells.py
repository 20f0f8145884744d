"""Laws 1 and 3 for odd cells: labels that numpy would merge, columns without values."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

import sklazy
from discovery import keeps_cases, settings_of
from lawful import quiet

pytestmark = quiet

NULS = ["a", "a\0", "a\0\0", "\0", ""]
one_classifier_of_each = pytest.mark.parametrize(
    "setting",
    settings_of(lambda s: keeps_cases(s) and not is_regressor(s.model), most=1),
)


def problem_of_nuls(n_rows=40):
    """Labels and cells that differ in the NULs at their end alone."""
    labels = [NULS[i % len(NULS)] for i in range(n_rows)]
    return pd.DataFrame({"cell": labels, "n": np.arange(float(n_rows)) % 7}), labels


@one_classifier_of_each
def test_labels_that_end_in_nul_stay_distinct(setting, tmp_path):
    X, y = problem_of_nuls()
    model = clone(setting.model).fit(X, y)
    assert model.classes_.tolist() == sorted(NULS)
    assert model.cases_.categories(0) == sorted(NULS)
    assert model.predict_proba(X).shape == (len(y), len(NULS))
    assert set(model.predict(X)) <= set(NULS)
    grown = clone(setting.model).fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert grown.digest() == model.digest()
    assert grown.classes_.tolist() == model.classes_.tolist()
    receipt = model.explain(X[:1])[0]
    assert model.verify(sklazy.Receipt.from_json(receipt.to_json()))
    model.save(tmp_path / "model")
    loaded = sklazy.load(tmp_path / "model")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.classes_.tolist() == model.classes_.tolist()


def test_every_class_that_ends_in_nul_can_be_answered():
    X, y = problem_of_nuls()
    model = sklazy.LazyNBClassifier(1.0).fit(X[["cell"]], y)
    assert model.predict(X[["cell"]]).tolist() == y
    assert model.predict_both(X[["cell"]])[0].tolist() == y


def test_declared_classes_and_ids_and_names_that_end_in_nul():
    model = sklazy.LazyNBClassifier().partial_fit(
        [[1.0], [2.0]], ["a", "a\0"], classes=["a", "a\0", "b"], ids=["r", "r\0"]
    )
    assert model.classes_.tolist() == ["a", "a\0", "b"]
    assert model.forget(["r\0"]).ids_.tolist() == ["r"]
    frame = pd.DataFrame({"p": [1, 2], "p\0": [3, 4]})
    table = sklazy.Table.from_any(frame, categorical_features=["p\0"])
    assert table.kinds == ["numeric", "nominal"]


def test_classes_of_a_list_keep_their_types():
    X = [["u"], ["v"], ["u"], ["w"]]
    whole = sklazy.LazyNBClassifier().fit(X, ["a", 1, "1", 1])
    assert whole.classes_.tolist() == [1, "1", "a"]
    parts = sklazy.LazyNBClassifier().fit(X[:1], ["a"])
    parts.partial_fit(X[1:2], [1]).partial_fit(X[2:], ["1", 1])
    assert parts.digest() == whole.digest()
