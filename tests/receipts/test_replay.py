"""Law 5: receipts say what was computed, replay, and cannot be edited unnoticed."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import sklazy
from harmless import check_harmless
from lazy_models import CLASSIFIERS, NEIGHBORS, name_of
from made_receipts import SCALARS, at, leaves, replaced
from sklazy.errors import ReceiptError
from sklazy.receipts import Receipt, Receipts, sealed
from strategies import split_problems

few = settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
any_classifier = st.sampled_from(CLASSIFIERS)

# It says something of the batch, not of the query: alone it is another.
OF_THE_BATCH = ("model", "n_models_in_batch")

# Rows are forgotten on purpose here; that frozen cuts stay is said elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore:cuts='frozen'")


def fitted(model, problem):
    model = clone(model)
    if isinstance(model.n_attributes, int):
        model.set_params(n_attributes=min(model.n_attributes, len(problem.kinds)))
    return model.fit(problem.frame, np.array(["x", "y", "zz"])[problem.classes % 3])


@every_classifier
@few
@given(split_problems(max_rows=20))
def test_a_receipt_is_what_was_answered_and_replays(model, problems):
    cases, queries = problems
    model = fitted(model, cases)
    receipts = model.explain(queries.frame, reasons=False)
    assert [r.answer for r in receipts] == model.predict(queries.frame).tolist()
    told = [[v["probability"] for v in r.to_dict()["votes"]] for r in receipts]
    assert told == model.predict_proba(queries.frame).tolist()
    mask = model.select_attributes(queries.frame)
    for i, receipt in enumerate(receipts):
        content = receipt.to_dict()
        attributes = content["selection"]["attributes"]
        assert [item["used"] for item in attributes] == mask[i].tolist()
        assert content["selection"]["n_attributes"] == mask[i].sum()
        assert [item["value"] for item in content["query"]] == queries.rows[i]
        assert sorted(a["rank"] for a in attributes) == [
            j + 1 for j in range(len(attributes))
        ]
        assert content["cases"]["digest"] == model.digest()
        assert content["cases"]["n_rows"] == len(cases.rows)
        assert model.verify(receipt) is True
        assert model.verify(Receipt.from_json(receipt.to_json())) is True
    assert Receipts.from_json(receipts.to_json()) == receipts


@few
@given(any_classifier, split_problems(max_rows=20))
def test_every_receipt_can_be_shown(model, problems):
    cases, queries = problems
    receipts = fitted(model, cases).explain(queries.frame, reasons=False)
    check_harmless(receipts.to_html())
    assert receipts.to_text()


@settings(few, max_examples=100)
@given(any_classifier, split_problems(min_rows=2, max_rows=12), st.data())
def test_whatever_is_edited_is_refused(model, problems, data):
    cases, queries = problems
    model = fitted(model, cases)
    content = model.explain(queries.frame, reasons=False)[0].to_dict()
    path = data.draw(st.sampled_from(leaves(content)))
    old, new = at(content, path), data.draw(SCALARS)
    assume(not (old == new and isinstance(old, bool) == isinstance(new, bool)))
    edited = replaced(content, path, new)
    with pytest.raises(ReceiptError):
        model.verify(edited)
    assume(path not in {OF_THE_BATCH, ("seal",)})
    try:
        forged = sealed(edited)
    except ValueError:  # NaN and infinity cannot be sealed
        return
    with pytest.raises(ReceiptError):
        model.verify(forged)


@few
@given(any_classifier, split_problems(min_rows=2, max_rows=12))
def test_other_cases_do_not_vouch_for_a_receipt(model, problems):
    cases, queries = problems
    model = fitted(model, cases)
    receipt = model.explain(queries.frame, reasons=False)[0]
    model.partial_fit(cases.frame[:1], ["zz"])
    with pytest.raises(ReceiptError, match="other cases"):
        model.verify(receipt)
    model.forget([len(cases.rows)])
    assert model.verify(receipt)


@pytest.mark.parametrize("model", NEIGHBORS, ids=name_of)
@few
@given(split_problems(max_rows=20))
def test_the_cases_named_are_the_cases(model, problems):
    cases, queries = problems
    model = fitted(model, cases)
    labels = np.array(["x", "y", "zz"])[cases.classes % 3].tolist()
    for receipt in model.explain(queries.frame, reasons=False):
        content = receipt.to_dict()
        found = content["neighbors"]
        used = [a["name"] for a in content["selection"]["attributes"] if a["used"]]
        rows = [*found["listed"], found["nearest_other_class"]]
        for case in filter(None, rows):
            own = dict(zip(cases.names, cases.rows[case["id"]], strict=True))
            assert case["values"] == {name: own[name] for name in case["values"]}
            assert sorted(case["agree"] + case["differ"]) == sorted(used)
            assert case["class"] == labels[case["id"]]
        distances = [case["distance"] for case in found["listed"]]
        assert distances == sorted(distances)
        assert len({case["id"] for case in found["listed"]}) == len(distances)
        assert len(distances) == min(25, found["n_voting"])
        if found["n_voting"] <= 25:
            last = found["distance_of_last"]
            assert last == distances[-1]
            assert found["n_tied"] == distances.count(last)
            assert found["n_voting"] >= min(found["k"], len(cases.rows))
            assert sum(d < last for d in distances) < found["k"]
        opposing = found["nearest_other_class"]
        others = [la for la in labels if la != receipt.answer]
        assert (opposing is None) == (not others)
        for case in found["listed"]:
            if case["class"] != receipt.answer:
                assert opposing["distance"] <= case["distance"]


WAYS_TO_VOTE = [
    sklazy.LazyKNeighborsClassifier.paper(n_neighbors=3),
    sklazy.LazyKNeighborsClassifier(3, 0.3, discretize=True),
    sklazy.LazyKNeighborsClassifier(3, discretize=True, weights="uniform"),
    sklazy.LazyKNeighborsClassifier(3, ties="all"),
]


@few
@given(split_problems(max_rows=20), st.sampled_from(WAYS_TO_VOTE))
def test_votes_of_cases_are_counted(problems, model):
    cases, queries = problems
    model = fitted(model, cases)
    for receipt in model.explain(queries.frame, reasons=False):
        content = receipt.to_dict()
        listed = content["neighbors"]["listed"]
        if content["neighbors"]["n_voting"] <= 25:
            for vote in content["votes"]:
                own = [c["vote"] for c in listed if c["class"] == vote["label"]]
                assert vote["votes"] == pytest.approx(sum(own))
                assert (
                    model.ties == "share"
                    or model.weights != "uniform"
                    or (vote["votes"] == len(own))
                )
            if model.ties == "share" and model.weights == "uniform":
                cast = sum(vote["votes"] for vote in content["votes"])
                assert cast == pytest.approx(min(3, len(cases.rows)))
        for case in listed:
            assert 0 <= case["vote"] <= 1
            assert case["distance"] == len(case["differ"]) or not model.discretize
        for item in content["selection"]["attributes"]:
            scores = item["value_score"], item["attribute_score"]
            known = [score for score in scores if score is not None]
            assert item["lazy_score"] == (min(known) if known else None)


@few
@given(split_problems(max_rows=20))
def test_likelihoods_add_up(problems):
    cases, queries = problems
    model = fitted(sklazy.LazyNBClassifier(0.5), cases)
    for receipt in model.explain(queries.frame, reasons=False):
        content = receipt.to_dict()
        told = content["likelihoods"]
        total = np.array([item["log"] for item in told["prior"]])
        for item in told["attributes"]:
            total += item["log"]
        share = np.exp(total - total.max())
        share /= share.sum()
        expected = [vote["probability"] for vote in content["votes"]]
        assert np.abs(share - expected).max() < 1e-12


def test_labels_stay_what_they_are():
    X, y = [[1, "a"], [2, "b"], [1, "b"], [2, "a"]], [True, False, True, False]
    model = sklazy.LazyKNeighborsClassifier(1).fit(X, y)
    content = model.explain([[2, "never seen"]], reasons=False)[0].to_dict()
    assert content["answer"] is False
    assert content["query"][1] == {
        "name": "x1",
        "value": "never seen",
        "known": "unseen",
    }
    assert content["votes"][1]["label"] is True
    assert model.verify(content)


def test_ids_are_the_users_own():
    model = sklazy.LazyKNeighborsClassifier(1)
    model.fit([["a"], ["b"]], [1, 2], ids=["first", "second"])
    receipt = model.explain([["a"]], reasons=False)[0]
    assert receipt.to_dict()["neighbors"]["listed"][0]["id"] == "first"
    other = sklazy.LazyKNeighborsClassifier(1).fit([["a"], ["b"]], [1, 2])
    assert other.digest() == model.digest()
    with pytest.raises(ReceiptError, match="under other ids"):
        other.verify(receipt)


def test_the_models_of_a_batch_are_counted():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    model = sklazy.LazySelectionClassifier(LogisticRegression(), 2).fit(X, y)
    receipts = model.explain(X, reasons=False)
    sets = {tuple(_used(receipt)) for receipt in receipts}
    for receipt in receipts:
        told = receipt["model"]
        assert told["n_models_in_batch"] == len(sets)
        assert sorted(told["attributes"]) == _used(receipt)
        assert "LogisticRegression" in told["estimator"]


def _used(receipt):
    """The names of the attributes in use, in column order."""
    attributes = receipt["selection"]["attributes"]
    return [item["name"] for item in attributes if item["used"]]


def test_a_receipt_of_frozen_cuts_and_weights_replays():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), rng.integers(0, 3, 40)
    model = sklazy.LazyKNeighborsClassifier(cuts="frozen", n_jobs=2)
    model.fit(X, y, sample_weight=rng.integers(0, 3, 40))
    for receipt in model.explain(X[:5], reasons=False):
        assert model.verify(json.loads(receipt.to_json()))
