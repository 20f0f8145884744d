"""Lazy Bayesian rules: what they say, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import code_nominal
from lawful import few
from sklazy import LazyBayesRulesClassifier, LazyNBClassifier
from sklazy.errors import BadInputError, ReceiptError
from strategies import split_problems

nominal = split_problems(max_rows=40, kinds=("nominal",), max_classes=3)


@few
@given(nominal, st.integers(1, 8), st.sampled_from([0.3, 0.6, 1.0]))
def test_receipts_tell_the_rule_and_its_terms(problems, min_support, significance):
    cases, queries = problems
    model = LazyBayesRulesClassifier(0.5, min_support, significance)
    model.fit(cases.frame, cases.classes)
    labels = model.classes_.tolist()
    codes, widths, query_codes = code_nominal(cases, queries)
    slow = oracle.LazyBayesRules(
        codes,
        widths,
        [labels.index(c) for c in cases.classes],
        len(labels),
        0.5,
        min_support,
        significance,
    )
    receipts = model.explain(queries.frame, reasons=False)
    for row, query, receipt in zip(queries.rows, query_codes, receipts, strict=True):
        antecedent, steps, _ = slow.rule(query)
        listed = receipt["conditions"]
        assert [step["attribute"] for step in listed] == [f"a{j}" for j in antecedent]
        assert [step["value"] for step in listed] == [row[j] for j in antecedent]
        for step, (left, righted, spoiled, p) in zip(listed, steps, strict=True):
            assert step["remaining_per_class"] == left
            assert (step["n_now_right"], step["n_now_wrong"]) == (righted, spoiled)
            assert step["p_value"] == pytest.approx(p)
            assert step["bin"] is None
        priors, logs = slow.terms(query)
        likelihoods = receipt["likelihoods"]
        log_priors = [item["log"] for item in likelihoods["prior"]]
        np.testing.assert_allclose(log_priors, priors, rtol=1e-12)
        others = [j for j in range(len(row)) if j not in antecedent]
        assert [a["name"] for a in likelihoods["attributes"]] == [
            f"a{j}" for j in others
        ]
        for j, item in zip(others, likelihoods["attributes"], strict=True):
            expected = logs.get(j, [0.0] * len(labels))
            np.testing.assert_allclose(item["log"], expected, rtol=1e-12, atol=1e-15)
        votes = [vote["votes"] for vote in receipt["votes"]]
        np.testing.assert_allclose(votes, slow.joint(query), rtol=1e-12)


@pytest.fixture(scope="module")
def berries():
    """Color decides one way above and the other way below, with some noise."""
    rng = np.random.default_rng(3)
    n = 300
    place = rng.choice(["above", "<below>"], n)
    red = rng.random(n) < 0.5
    sweet = (red == (place == "above")) ^ (rng.random(n) < 0.1)
    size = np.where(sweet, 2.0, 0.0) + rng.normal(size=n)
    X = pd.DataFrame(
        {"place": place, "color": np.where(red, "red", "blue"), "size": size}
    )
    return X, np.where(sweet, "sweet", "sour")


def test_a_rule_finds_what_naive_bayes_cannot(berries):
    X, y = berries
    model = LazyBayesRulesClassifier().fit(X[:200], y[:200])
    plain = LazyNBClassifier(selection="none").fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > plain.score(X[200:], y[200:]) + 0.03
    receipts = model.explain(X[200:203], reasons=False)
    for receipt in receipts:
        assert model.verify(receipt)
        (step, *_) = receipt["conditions"]
        assert step["attribute"] in ("place", "color")
        assert step["n_now_right"] > step["n_now_wrong"]
        assert step["p_value"] < 0.05
        text = receipt.to_text()
        n_left = sum(receipt["conditions"][-1]["remaining_per_class"])
        assert f"uses only the {n_left} cases with" in text
        assert "corrected" in text
        assert max(map(len, text.splitlines())) <= 80
    page = receipts.to_html()
    assert "<below>" not in page


def test_without_a_rule_it_is_naive_bayes(berries):
    X, y = berries
    model = LazyBayesRulesClassifier(significance=0.0).fit(X[:200], y[:200])
    plain = LazyNBClassifier(selection="none").fit(X[:200], y[:200])
    assert np.array_equal(model.predict_proba(X), plain.predict_proba(X))
    receipt = model.explain(X[:1], reasons=False)[0]
    assert receipt["conditions"] == []
    assert "no value of this row selects cases" in " ".join(receipt.to_text().split())
    few = LazyBayesRulesClassifier(min_support=201).fit(X[:200], y[:200])
    assert np.array_equal(few.predict_proba(X), plain.predict_proba(X))


def test_an_attribute_of_many_values_may_be_in_a_rule(berries):
    """One of more than 64 values has no bit sets of its own."""
    X, y = berries
    town = [f"town {i % 100}" if i >= 200 else p for i, p in enumerate(X["place"])]
    wide = X.assign(place=town)[["color", "place"]]
    model = LazyBayesRulesClassifier().fit(wide, y)
    assert len(model.cases_.categories(1)) > 64
    steps = model.explain(wide[:40], reasons=False)
    names = [step["attribute"] for r in steps for step in r["conditions"]]
    assert set(names) == {"color", "place"} or set(names) == {"place"}
    assert model.score(wide[:200], y[:200]) > 0.85


def test_an_edited_rule_is_refused(berries):
    X, y = berries
    model = LazyBayesRulesClassifier().fit(X, y)
    content = model.explain(X[:1], reasons=False)[0].to_dict()
    content["conditions"][0]["n_now_right"] += 1
    with pytest.raises(ReceiptError, match="edited"):
        model.verify(content)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0; expected a number above 0"),
        ({"alpha": "much"}, "alpha='much'"),
        ({"min_support": 0}, "min_support=0; expected a whole number of at least 1"),
        ({"min_support": 0.1}, "min_support=0.1"),
        ({"significance": 1.5}, r"significance=1.5; expected a number in \[0, 1\]"),
        ({"discretization": "mdl"}, "discretization='mdl'"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(BadInputError, match=message):
        LazyBayesRulesClassifier(**parameters).fit([[1], [2]], [0, 1])
