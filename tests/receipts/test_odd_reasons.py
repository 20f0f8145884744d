"""Reasons where there is little to reason from, and wherever the cases are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sklazy
from places import cut

MODELS = [
    sklazy.LazyKernelClassifier(),
    sklazy.LazyBlendClassifier(),
    sklazy.LazyNBClassifier(),
    sklazy.LazyKNeighborsClassifier(3),
    sklazy.LazyDecisionTreeClassifier(),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


def table(n_rows=40):
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "kind": rng.choice(["a", "b"], n_rows),
            "flat": 3.0,
            "same": "always",
        }
    )
    return X, np.where(X["size"] > 0, "yes", "no")


@every_model
def test_constant_columns_add_nothing(model):
    X, y = table()
    receipt = model.fit(X, y).explain(X[:1])[0]
    added = {f["name"]: f["contribution"] for f in receipt["reasons"]["features"]}
    assert added["flat"] == added["same"] == 0.0
    assert model.verify(receipt)


@every_model
def test_a_row_of_missing_cells_is_explained_as_such(model):
    X, y = table()
    nothing = pd.DataFrame([[None] * 4], columns=X.columns, dtype=object)
    receipt = model.fit(X, y).explain(nothing.astype({"size": float}))[0]
    assert not any(f["contribution"] for f in receipt["reasons"]["features"])
    assert receipt["summary"][1].startswith("Every cell of this row is missing")


@every_model
def test_a_class_without_cases_has_contributions_too(model):
    X, y = table()
    model = clone(model).partial_fit(X, y, classes=["maybe", "no", "yes"])
    found = model.contributions(X[:2], of="maybe")
    assert found.base + found.values.sum(axis=1) == pytest.approx(found.answer)
    assert model.verify(model.explain(X[:1])[0])


@every_model
def test_a_single_case_is_explained(model):
    X, y = table()
    receipt = model.fit(X[:1], y[:1]).explain(X[1:2])[0]
    assert receipt["summary"][0].startswith("Predicted: ")


def test_a_thousand_columns_add_up():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 1000))
    y = np.where(X[:, :5].sum(axis=1) > 0, "yes", "no")
    model = sklazy.LazyKernelClassifier().fit(X, y)
    found = model.contributions(X[:2] + 0.1)
    assert np.isfinite(found.values).all()
    assert found.base + found.values.sum(axis=1) == pytest.approx(
        found.answer, abs=1e-9
    )
    assert model.explain(X[:1])[0]["summary"]


@every_model
def test_parts_and_files_have_the_same_reasons(model, tmp_path):
    X, y = table()
    model.fit(X, y)
    expected = model.explain(X[:2]).to_dict()
    parted = cut(model, np.arange(len(X)) % 3, 3)
    assert parted.explain(X[:2]).to_dict() == expected
    model.save(tmp_path / "model.sklazy")
    mapped = sklazy.load(tmp_path / "model.sklazy", mmap_mode="c")
    assert mapped.explain(X[:2]).to_dict() == expected


def test_too_many_cells_to_ask_leave_the_evidence(monkeypatch):
    monkeypatch.setattr("sklazy.estimators.reasons._MOST_CELLS", 10)
    X, y = table()
    receipt = sklazy.LazyKNeighborsClassifier(3).fit(X, y).explain(X[:1])[0]
    assert "reasons" not in receipt.content
    assert "neighbors" in receipt.content
    with pytest.raises(sklazy.ReceiptError, match=r"contributions\(X\)"):
        receipt.to_frame()
    by_formula = sklazy.LazyNBClassifier().fit(X, y).explain(X[:1])[0]
    assert by_formula["summary"]


def test_what_all_cases_share_adds_nothing_to_weighted_votes():
    """A missing cell lies at another distance than a known one, but from all alike."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 20, 30), "D")
    X = pd.DataFrame({"size": rng.normal(size=30), "code": -1.0, "day": days})
    model = sklazy.LazyKNeighborsRegressor(3).fit(X, X["size"] + days.day)
    found = model.contributions(X[:5])
    sizes, codes, of_day = found.values.T
    assert not codes.any()
    assert sizes.all()
    assert of_day.all()
    assert found.base + found.values.sum(axis=1) == pytest.approx(found.answer)
