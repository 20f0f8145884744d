"""Dates in receipts: numbers of days in the data, dates in what is shown."""

import json

import numpy as np
import pandas as pd
import pytest

from sklazy import (
    LazyBaggingClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    Receipt,
)
from sklazy.report.blocks import Grid, to_text


def problem():
    rng = np.random.default_rng(0)
    sold = pd.date_range("2024-01-01", periods=40, freq="9D")
    X = pd.DataFrame({"sold": sold, "size": rng.normal(50, 10, 40).round()})
    return X, (sold.month < 7).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        LazyKNeighborsClassifier(3),
        LazyKNeighborsClassifier.paper(n_attributes=1.0),
        LazyLearningRegressor(),
        LazyBaggingClassifier(3, random_state=0),
    ],
)
def test_days_are_shown_as_dates(model):
    X, y = problem()
    model.fit(X[:-1], y[:-1])
    receipt = model.explain(X[-1:], reasons=False)[0]
    assert receipt["query"][0]["value"] == 20065.0 + 9
    assert receipt["dates"] == ["sold"]
    for text in (str(receipt), receipt.to_html()):
        assert "2024-12-17" in text
        assert "20074" not in text
    model.verify(Receipt.from_json(json.dumps(receipt.to_dict())))


def test_receipts_without_dates_have_no_such_field():
    X, y = problem()
    receipt = (
        LazyKNeighborsClassifier(3)
        .fit(X[["size"]], y)
        .explain(X[["size"]], reasons=False)[0]
    )
    assert "dates" not in receipt.to_dict()


def test_text_leaves_columns_out_before_it_cuts_words():
    words = "hardly informative"
    grid = Grid(["name", "bin", "score", ""], "lLRl", [["hue", "(1, 2]", "0.1", words]])
    assert words in to_text([grid], 30)
    assert "0.1" not in to_text([grid], 34)
    assert "(1, 2]" in to_text([grid], 37)
    assert "0.1" in to_text([grid], 80)
