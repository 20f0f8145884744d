"""Lazy associative classification: what it says, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import code_nominal
from lawful import few
from sklazy import LazyAssociativeClassifier
from sklazy.errors import BadInputError
from strategies import split_problems

nominal = split_problems(max_rows=30, kinds=("nominal",), max_classes=3)


@few
@given(
    nominal,
    st.one_of(st.integers(1, 6), st.sampled_from([0.05, 0.1, 0.5, 1.0])),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.integers(1, 4),
    st.sampled_from(["equal", "support"]),
)
def test_the_mean_confidence_decides(problems, support, confidence, length, weights):
    cases, queries = problems
    model = LazyAssociativeClassifier(support, confidence, length, weights)
    model.fit(cases.frame, cases.classes)
    labels = model.classes_.tolist()
    classes = [labels.index(c) for c in cases.classes]
    codes, _, query_codes = code_nominal(cases, queries)
    shares = support * len(classes) if isinstance(support, float) else support
    least = max(1, int(np.ceil(shares - 1e-9)))
    receipts = model.explain(queries.frame, reasons=False)
    for row, query, receipt in zip(queries.rows, query_codes, receipts, strict=True):
        rules = oracle.association_rules(
            codes, classes, len(labels), query, least, confidence, length
        )
        scores = oracle.association_scores(rules, len(labels), weights == "support")
        sizes = np.bincount(classes, minlength=len(labels))
        if not rules:
            scores = (sizes / len(classes)).tolist()
            assert "No rule applies" in receipt.to_text().replace("\n", " ")
        votes = [vote["votes"] for vote in receipt["votes"]]
        np.testing.assert_allclose(votes, scores, rtol=1e-12)
        shown = [vote["probability"] for vote in receipt["votes"]]
        np.testing.assert_allclose(shown, np.array(scores) / sum(scores))
        check_listed(receipt["rules"], rules, labels, row, least)


def check_listed(listed, rules, labels, row, least):
    assert listed["min_count"] == least
    n_rules = [sum(c == k for _, k, _, _ in rules) for c in range(len(labels))]
    assert listed["n_rules"] == n_rules
    surest = sorted(rules, key=lambda r: (-r[2] / r[3], -r[2]))[:25]
    assert [(r["support"], r["covered"]) for r in listed["listed"]] == [
        (support, covered) for _, _, support, covered in surest
    ]
    known = {(attributes, labels[c]): figures for attributes, c, *figures in rules}
    for rule in listed["listed"]:
        attributes = tuple(int(value["attribute"][1:]) for value in rule["values"])
        assert [value["value"] for value in rule["values"]] == [
            row[j] for j in attributes
        ]
        figures = [rule["support"], rule["covered"]]
        assert known[attributes, rule["class"]] == figures
        assert rule["confidence"] == figures[0] / figures[1]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    y = rng.choice(["no", "yes"], 80)
    size = np.where(y == "yes", 3.0, 0.0) + rng.normal(size=80)
    color = rng.choice(["red", "<green>"], 80)
    X = pd.DataFrame({"size": size, "color": color})
    return LazyAssociativeClassifier().fit(X, y)


def test_a_receipt_shows_the_rules(model):
    query = pd.DataFrame({"size": [3.1, np.nan], "color": ["red", "<green>"]})
    receipts = model.explain(query, reasons=False)
    for receipt in receipts:
        assert model.verify(receipt)
        assert max(map(len, receipt.to_text().splitlines())) <= 80
    first = receipts[0]["rules"]["listed"][0]
    assert first["values"][0]["attribute"] == "size"
    assert first["values"][0]["bin"].endswith("inf)")
    assert first["class"] == "yes"
    text = receipts[0].to_text().replace("\n", " ")
    assert "The best rule: if size in " in text
    assert "then yes" in text
    page = receipts.to_html()
    assert "&lt;green&gt;" in page
    assert "<green>" not in page


def test_without_a_rule_the_classes_answer(model):
    query = pd.DataFrame({"size": [np.nan], "color": ["mauve"]})
    receipt = model.explain(query, reasons=False)[0]
    assert receipt["rules"]["n_rules"] == [0, 0]
    counts = [item["rows"] for item in receipt["cases"]["class_counts"]]
    votes = [vote["votes"] for vote in receipt["votes"]]
    assert votes == [n / 80 for n in counts]
    text = receipt.to_text().replace("\n", " ")
    assert "The answer is the class with the most cases" in text
    assert model.verify(receipt)


def test_a_share_is_rounded_up_and_follows_the_rows():
    X, y = [["a"]] * 7 + [["b"]] * 3, ["x"] * 7 + ["y"] * 3
    model = LazyAssociativeClassifier(0.3).fit(X, y)
    assert model.explain([["b"]], reasons=False)[0]["rules"]["min_count"] == 3
    assert model.predict([["b"]]).tolist() == ["y"]
    assert model.loo_predict([9]).tolist() == ["x"]  # two of nine are not enough
    model.partial_fit([["a"]], ["x"])
    assert model.explain([["b"]], reasons=False)[0]["rules"]["min_count"] == 4
    assert model.predict([["b"]]).tolist() == ["x"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_support": 0}, "min_support=0; expected a whole number of at least 1"),
        ({"min_support": 0.0}, r"min_support=0.0 would allow .* fraction in \(0, 1\]"),
        ({"min_support": 1.5}, r"min_support=1.5; expected a number in \[0, 1\]"),
        ({"min_support": True}, "min_support=True"),
        ({"min_confidence": -1}, "min_confidence=-1"),
        ({"max_length": 0}, "max_length=0; expected a whole number of at least 1"),
        ({"rule_weights": "gain"}, "rule_weights='gain' is not known"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(BadInputError, match=message):
        LazyAssociativeClassifier(**parameters).fit([[1], [2]], [0, 1])
