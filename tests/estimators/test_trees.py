"""The lazy decision tree against its slow twin, and what it tells."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import oracle
from lawful import few
from sklazy import LazyDecisionTreeClassifier, Receipt
from sklazy.errors import ReceiptError
from strategies import split_problems

nominal = split_problems(max_rows=30, kinds=("nominal",), max_classes=3)


@few
@given(nominal)
def test_the_majority_of_those_left_answers(problems):
    cases, queries = problems
    model = LazyDecisionTreeClassifier().fit(cases.frame, cases.classes)
    labels = sorted(set(cases.classes.tolist()))
    classes = [labels.index(c) for c in cases.classes]
    columns = list(zip(*cases.rows, strict=True))
    words = [sorted({c for c in column if c is not None}) for column in columns]
    codes = [_code(column, names) for column, names in zip(columns, words, strict=True)]
    sizes = np.bincount(classes)
    for query, shares, answer in zip(
        queries.rows,
        model.predict_proba(queries.frame),
        model.predict(queries.frame),
        strict=True,
    ):
        query_codes = [
            _code([c], names)[0] for c, names in zip(query, words, strict=True)
        ]
        left = oracle.lazy_tree_answer(codes, classes, len(labels), query_codes)
        np.testing.assert_allclose(shares, np.array(left) / sum(left))
        best = max(range(len(labels)), key=lambda c: (left[c], sizes[c], -c))
        assert answer == labels[best]


def _code(cells, words):
    return [words.index(cell) if cell in words else -1 for cell in cells]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    y = rng.choice(["no", "yes"], 80)
    size = np.where(y == "yes", 3.0, 0.0) + rng.normal(size=80)
    color = rng.choice(["red", "<green>"], 80)
    X = pd.DataFrame({"size": size, "color": color})
    return LazyDecisionTreeClassifier().fit(X, y)


def test_a_receipt_tells_who_was_left(model):
    query = pd.DataFrame({"size": [3.1, np.nan], "color": ["red", "<green>"]})
    receipts = model.explain(query, reasons=False)
    for receipt in receipts:
        assert isinstance(receipt, Receipt)
        assert model.verify(receipt)
        last = (
            receipt["steps"][-1]["remaining_per_class"]
            if receipt["steps"]
            else [40, 40]
        )
        assert [vote["votes"] for vote in receipt.content["votes"]] == last
        assert max(map(len, receipt.to_text().splitlines())) <= 80
    assert receipts[0]["steps"][0]["attribute"] == "size"
    page = receipts.to_html()
    assert "&lt;green&gt;" in page
    assert "<green>" not in page
    assert "sklazy-report" in receipts._repr_html_()
    assert receipts.to_markdown().count("# Answer") == 2


def test_an_edited_receipt_is_refused(model):
    content = model.explain(
        pd.DataFrame({"size": [0.0], "color": ["red"]}), reasons=False
    )[0]
    edited = {**content.to_dict(), "answer": "perhaps"}
    with pytest.raises(ReceiptError, match="edited"):
        model.verify(edited)
