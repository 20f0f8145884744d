"""Receipts with the reasons of their row: verified, short, and in plain words."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery import one_keeper_of_each
from lawful import fewer, fitted, quiet, splits
from sklazy import (
    BadInputError,
    LazyBlendClassifier,
    LazyKernelRegressor,
    Receipt,
    ReceiptError,
)
from sklazy.receipts.seal import sealed

pytestmark = quiet


@one_keeper_of_each
@fewer
@given(st.data())
def test_reasons_are_replayed(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=14))
    model = fitted(setting.model, cases)
    found = model.contributions(queries.frame[:1])
    for detail in ("brief", "full"):
        receipt = model.explain(queries.frame[:1], reasons=True, detail=detail)[0]
        assert model.verify(Receipt.from_json(receipt.to_json()))
        values = {f["name"]: f["contribution"] for f in receipt["reasons"]["features"]}
        assert [values[name] for name in found.names] == found.values[0].tolist()
        assert receipt.to_text()


def customers(n_rows=200):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "contract": rng.choice(["monthly", "one year", "two years"], n_rows),
            "months": rng.integers(1, 72, n_rows),
            "income": [f"$ {value:.0f}" for value in rng.normal(140_000, 9e3, n_rows)],
            "joined": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
            **{f"x{i}": rng.normal(size=n_rows) for i in range(16)},
        },
        index=[f"customer-{i}" for i in range(n_rows)],
    )
    y = np.where((X["contract"] == "monthly") & (X["months"] < 40), "leaves", "stays")
    return X, y


@pytest.fixture(scope="module")
def blend():
    X, y = customers()
    with pytest.warns(UserWarning, match="income"):
        return LazyBlendClassifier().fit(X, y), X


def test_receipts_are_short(blend):
    model, X = blend
    receipt = model.explain(X[:1], reasons=True)[0]
    assert len(receipt.to_json()) < 20_000
    assert len(receipt.to_html()) < 30_000
    whole = model.explain(X[:1], reasons=True, detail="full")[0]
    assert len(whole.to_json()) > len(receipt.to_json())
    assert whole["members"][0]["receipt"] is not None


def test_rows_have_reasons_of_their_own(blend):
    model, X = blend
    receipts = model.explain(X[:20], reasons=True)
    leading = {tuple(f["name"] for f in r["reasons"]["features"][:3]) for r in receipts}
    assert len(leading) > 3


def test_words_are_those_of_the_table(blend):
    model, X = blend
    for receipt in model.explain(X[:10], reasons=True):
        text = receipt.to_text().split("How the answer was found")[0]
        assert text.count("Predicted: ") == 1
        assert "e+0" not in text
        assert "nothing known" in text
    first = model.explain(X[:1], reasons=True)[0].to_text(width=120)
    assert str(X["joined"].iloc[0].date()) in first
    assert " $" in first


def test_a_customer_reads_of_no_other(blend):
    model, X = blend
    for receipt in model.explain(X[:10], reasons=True):
        letter = receipt.for_customer(hide=["months"])
        assert letter.startswith(f"The result is {receipt.answer}")
        assert "customer-" not in letter
        assert "months is" not in letter


def test_a_frame_has_a_row_per_feature(blend):
    model, X = blend
    frame = model.explain(X[:1], reasons=True)[0].to_frame()
    assert set(frame["name"]) == set(X.columns)
    assert frame["contribution"].abs().is_monotonic_decreasing


def test_a_waterfall_ends_at_the_answer(blend):
    plt = pytest.importorskip("matplotlib.pyplot")
    model, X = blend
    receipt = model.explain(X[:1], reasons=True)[0]
    axes = plt.subplots()[1]
    assert receipt.plot(axes) is axes
    ends = [line.get_xdata()[0] for line in axes.lines]
    assert ends == [receipt["reasons"]["base"], receipt["reasons"]["answer"]]
    plt.close("all")


def test_cases_are_listed_by_what_they_move():
    X, _ = customers()
    y = X["months"].to_numpy() * 1000.0
    with pytest.warns(UserWarning, match="income"):
        model = LazyKernelRegressor().fit(X, y)
    receipt = model.explain(X[:1], reasons=True)[0]
    cases = receipt["reasons"]["cases"]
    influence = model.influence(X[:1])
    moved = dict(zip(influence.ids, influence.values[0].tolist(), strict=True))
    for item in [*cases["listed_for"], *cases["listed_against"]]:
        assert item["influence"] == pytest.approx(moved[item["id"]])
    sums = (
        sum(v for v in moved.values() if v > 0),
        sum(v for v in moved.values() if v < 0),
    )
    assert (cases["for"], cases["against"]) == pytest.approx(sums)


def test_reasons_that_do_not_add_up_are_refused(blend):
    model, X = blend
    content = copy.deepcopy(model.explain(X[:1], reasons=True)[0].to_dict())
    content["reasons"]["base"] += 0.1
    content.pop("seal")
    with pytest.raises(ReceiptError, match="its reasons does not fit"):
        Receipt.from_dict(json.loads(json.dumps(dict(sealed(content)))))


def test_reasons_must_be_asked_for(blend):
    model, X = blend
    plain = model.explain(X[:1], reasons=False)[0]
    for method in ("to_frame", "for_customer", "plot"):
        with pytest.raises(ReceiptError, match="reasons=True"):
            getattr(plain, method)()


def test_a_detail_that_is_none_is_refused(blend):
    model, X = blend
    with pytest.raises(BadInputError, match="detail='long'"):
        model.explain(X[:1], detail="long")
