"""Receipts of ensembles: what they say is what decided, and they replay."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from ensemble_models import CLASSIFIERS, REGRESSORS, few, fitted, name_of, split
from sklazy import LazyBaggingClassifier, LazyStackingClassifier
from sklazy.errors import ReceiptError
from sklazy.methods.ensembles.data import EnsembleData
from sklazy.receipts import Receipt, sealed

KINDS = ["tree", "bayes", "neighbors", "linear", "rule", DecisionTreeClassifier()]


@pytest.fixture(scope="module")
def frame():
    """Mixed columns with missing cells and strange names, and labels."""
    rng = np.random.default_rng(0)
    n = 60
    y = np.where(rng.random(n) < 0.5, "<b>no</b>", "yes")
    size = np.where(y == "yes", 2.0, 0.0) + rng.normal(size=n)
    size[::9] = np.nan
    color = np.where(y == "yes", "red", rng.choice(["green", "blue"], n))
    columns = {"si\nze": size, "<i>color</i>": color, "level": rng.integers(0, 4, n)}
    return pd.DataFrame(columns), y


@pytest.fixture(scope="module")
def model(frame):
    X, y = frame
    return LazyStackingClassifier(KINDS, 7).fit(X[:40], y[:40])


@few
@given(split)
def test_the_evidence_adds_up_to_the_answers(problems):
    cases, queries = problems
    model = fitted(LazyStackingClassifier(KINDS, 6, n_neighbors=1), cases)
    receipts = model.explain(queries.frame, reasons=False)
    votes, shares = (
        model.member_votes(queries.frame),
        model.predict_proba(queries.frame),
    )
    assert [receipt.answer for receipt in receipts] == list(
        model.predict(queries.frame)
    )
    for i, receipt in enumerate(receipts):
        assert [member["vote"] for member in receipt["members"]] == votes[i].tolist()
        assert [v["probability"] for v in receipt.content["votes"]] == list(shares[i])
        for member in receipt["members"]:
            check_evidence(member, receipt)


def check_evidence(member, receipt):
    evidence, said = member["evidence"], np.array(member["probabilities"])
    labels = [vote["label"] for vote in receipt.content["votes"]]
    if evidence["kind"] == "likelihoods":
        logs = np.array([a["log"] for a in evidence["attributes"]] or [0 * said])
        logs = logs.sum(axis=0) + evidence["prior"]
        shares = np.exp(logs - logs.max())
        np.testing.assert_allclose(shares / shares.sum(), said, atol=1e-9)
    elif evidence["kind"] == "neighbors" and evidence["n_voting"] <= 25:
        times = dict.fromkeys(labels, 0)
        for case in evidence["cases"]:
            times[case["class"]] += case["n_copies"]
        total = sum(times.values())
        np.testing.assert_allclose([t / total for t in times.values()], said)
    elif evidence["kind"] == "terms" and evidence["n_terms"] <= 25:
        adds = np.array(
            [term["contributions"] for term in evidence["terms"]] or [0 * said]
        )
        scores = np.clip(adds.sum(axis=0) + evidence["intercepts"], 0, 1)
        np.testing.assert_allclose(scores / scores.sum(), said, atol=1e-8)
    elif evidence["kind"] == "path":
        leaves = [s["share"] for s in evidence["steps"] if s["attribute"] is None]
        stopped = [s["share"] for s in evidence["steps"] if s["relation"] == "no case"]
        if evidence["n_steps"] <= 25:
            assert sum(leaves) + sum(stopped) == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=name_of)
@few
@given(split)
def test_receipts_replay(model, problems):
    cases, queries = problems
    model = fitted(model, cases)
    for receipt in model.explain(queries.frame, reasons=False):
        assert model.verify(receipt)
        assert model.verify(json.loads(receipt.to_json()))


def test_an_edited_receipt_is_refused(model, frame):
    content = model.explain(frame[0][50:51], reasons=False)[0].to_dict()
    edited = copy.deepcopy(content)
    edited["members"][0]["vote"] = "perhaps"
    with pytest.raises(ReceiptError, match="edited"):
        model.verify(edited)
    with pytest.raises(ReceiptError, match="its members does not fit"):
        model.verify(sealed(edited))
    edited["members"][0]["vote"] = "yes" if content["answer"] != "yes" else "<b>no</b>"
    edited["members"][0]["weight"] = 2.0
    with pytest.raises(ReceiptError, match=r"members\[0\]\.\w+ is .* in the receipt"):
        model.verify(sealed(edited))
    del edited["bags"]
    with pytest.raises(ReceiptError, match="lacks"):
        Receipt.from_dict(sealed(edited))


def test_a_foreign_receipt_is_refused(model, frame):
    X, y = frame
    receipt = model.explain(X[50:51], reasons=False)[0]
    other = clone(model).fit(X[:30], y[:30])
    with pytest.raises(ReceiptError, match="other cases"):
        other.verify(receipt)
    bagging = LazyBaggingClassifier(7).fit(X[:40], y[:40])
    with pytest.raises(ReceiptError, match="does not replay: estimator"):
        bagging.verify(receipt)
    with pytest.raises(ReceiptError, match="not a receipt"):
        model.verify({"answer": 1})
    with pytest.raises(ReceiptError, match="not JSON"):
        Receipt.from_json("{")


def test_receipts_are_shown_safely(model, frame):
    receipts = model.explain(frame[0][50:52], reasons=False)
    page, text, marked = receipts.to_html(), str(receipts), receipts.to_markdown()
    assert "<b>no</b>" not in page
    assert "&lt;b&gt;no&lt;/b&gt;" in page
    assert "si\nze" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "<i>color" not in marked
    assert receipts[0].to_html() != receipts[1].to_html()
    assert "sklazy-report" in receipts[0]._repr_html_()
    assert receipts[:1] == type(receipts)([receipts[0]])
    assert json.loads(receipts.to_json()) == receipts.to_dict()


def test_a_receipt_tells_of_missing_and_unseen_values(model):
    strange = pd.DataFrame(
        {"si\nze": [np.nan], "<i>color</i>": ["mauve"], "level": [2]}
    )
    receipt = model.explain(strange, reasons=False)[0]
    assert [cell["known"] for cell in receipt.content["query"]] == [
        "missing",
        "unseen",
        "yes",
    ]
    assert model.verify(receipt)
    assert receipt.to_text()


def test_one_member_has_nobody_to_differ_from(frame):
    X, y = frame
    receipt = LazyBaggingClassifier(1).fit(X, y).explain(X[:1], reasons=False)[0]
    assert receipt.content["diversity"] == {"disagreement": None, "nearby": None}
    assert "The only member votes" in receipt.to_text()


def test_a_row_without_values_sees_all_branches_of_a_tree():
    """A leaf leads nowhere; what a receipt does not list is counted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 2, 150)
    (few,) = (
        LazyBaggingClassifier.paper()
        .fit(X[:9], y[:9])
        .explain([[np.nan] * 3], reasons=False)
    )
    page = "".join(few.to_html().split())
    assert "leaf</bdi>" in page
    for after in page.split("leaf</bdi>")[1:]:
        assert "→" not in after.split("<bdi>")[0]
    (many,) = (
        LazyBaggingClassifier.paper().fit(X, y).explain([[np.nan] * 3], reasons=False)
    )
    evidence = many["members"][0]["evidence"]
    more = evidence["n_steps"] - len(evidence["steps"])
    assert more > 0
    assert f"and {more} more</small>" in many.to_html()


def test_the_nearest_cases_are_searched_once(frame, monkeypatch):
    X, y = frame
    model = LazyBaggingClassifier(n_estimators=3, n_neighbors=5).fit(X, y)
    searches, nearest = [], EnsembleData.nearest

    def count(data, queries, n_nearest):
        searches.append(n_nearest)
        return nearest(data, queries, n_nearest)

    monkeypatch.setattr(EnsembleData, "nearest", count)
    receipt = model.explain(X[:2], reasons=False)[0]
    assert receipt["neighbors"]["listed"]
    assert len(searches) == 1
