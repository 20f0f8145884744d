"""Receipts with the reasons of their row: verified, short, and in plain words."""

import copy
import html
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from discovery import one_keeper_of_each
from lawful import fewer, fitted, quiet, splits, truth
from sklazy import (
    BadInputError,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKernelRegressor,
    Receipt,
    ReceiptError,
)
from sklazy.estimators.reasons import choose_cases
from sklazy.receipts.seal import sealed
from sklazy.report.amounts import format_output
from sklazy.report.letter import write_letter
from sklazy.report.reasons import draw_reasons, write_summary
from strategies import split_problems

pytestmark = quiet


@one_keeper_of_each
@fewer
@given(st.data())
def test_reasons_are_replayed(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=14))
    model = fitted(setting.model, cases)
    found = model.contributions(queries.frame[:1])
    for detail in ("brief", "full"):
        receipt = model.explain(queries.frame[:1], detail=detail)[0]
        assert model.verify(Receipt.from_json(receipt.to_json()))
        assert model.verify(receipt.to_json())
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
    receipt = model.explain(X[:1])[0]
    assert len(receipt.to_json()) < 20_000
    assert len(receipt.to_html()) < 30_000
    whole = model.explain(X[:1], detail="full")[0]
    assert len(whole.to_json()) > len(receipt.to_json())
    assert whole["members"][0]["receipt"] is not None


def test_rows_have_reasons_of_their_own(blend):
    model, X = blend
    receipts = model.explain(X[:20])
    leading = {tuple(f["name"] for f in r["reasons"]["features"][:3]) for r in receipts}
    assert len(leading) > 3


def test_words_are_those_of_the_table(blend):
    model, X = blend
    for receipt in model.explain(X[:10]):
        text = receipt.to_text().split("How the answer was found")[0]
        assert text.count("Predicted: ") == 1
        assert "e+0" not in text
        base = format_output(receipt.content, receipt["reasons"]["base"])
        assert f"({base} with nothing known of the row" in receipt["summary"][0]
        assert f"({base} with nothing known)" in receipt.for_customer()
        (start,) = [x for x in text.splitlines() if x.startswith("  with nothing")]
        assert start.split("known")[1].strip() == base
    first = model.explain(X[:1])[0].to_text(width=120)
    assert str(X["joined"].iloc[0].date()) in first
    assert " $" in first


def made_reasons(*contributions):
    features = [
        {"name": f"x{i}", "value": 1.0, "unit": "", "contribution": value, "error": 0.0}
        for i, value in enumerate(contributions)
    ]
    reasons = {"of": "yes", "base": 0.75, "answer": 0.75 + sum(contributions)}
    nothing = {"cases": None, "change": None, "enough": None}
    return {
        "answer": "yes",
        "cases": {"target": "y"},
        "votes": [
            {"label": "no", "probability": 1.0 - reasons["answer"]},
            {"label": "yes", "probability": reasons["answer"]},
        ],
        "query": [],
        "reasons": {**reasons, "features": features, **nothing},
    }


def test_an_answer_that_features_speak_against_admits_it():
    against = made_reasons(-0.2, 0.1)
    assert write_summary(against) == [
        "Predicted: yes, 65 % (75 % with nothing known of the row).",
        "All features together take 10.0 points from these 75 %, and yes stays ahead "
        "of no (35 %). Against it: x0 is 1 (-20.0 points). For it: x1 is 1 (+10.0 "
        "points).",
    ]
    assert "not enough to change it: x0 is 1. These speak for it: x1 is 1." in (
        write_letter(against)
    )
    behind = made_reasons(-0.3, 0.01)
    assert "these 75 %, and yes is still the prediction." in write_summary(behind)[1]
    assert write_summary(behind)[0].endswith("known of the row).")
    named = made_reasons(-0.2, 0.05, 0.04, 0.04, 0.04, 0.04, 0.04)
    assert write_summary(named)[1].startswith(
        "The features named here speak against it together (-7.0 points), but the "
        "others outweigh them. Against it: x0 is 1 (-20.0 points)."
    )
    assert write_summary(named)[1].endswith("3 other features: +12.0 points in all.")
    agreed = made_reasons(0.2, -0.1)
    assert write_summary(agreed)[1].startswith("Mainly because: x0 is 1")
    assert "The principal reasons are: x0 is 1." in write_letter(agreed)


def test_more_features_are_named_where_the_others_outweigh_them():
    spread = made_reasons(0.03, *[0.02] * 8)
    named = write_summary(spread)[1]
    assert named.count(" is 1 (") == 5
    assert named.endswith("4 other features: +8.0 points in all.")
    few = made_reasons(0.1, *[0.02] * 4)
    assert write_summary(few)[1].count(" is 1 (") == 3


def test_an_answer_below_one_half_names_the_next_class():
    close = made_reasons(-0.3, 0.0)
    close["votes"][0]["probability"] = 0.4
    assert write_summary(close)[0] == (
        "Predicted: yes, 45 % (75 % with nothing known of the row; next: no, 40 %)."
    )


def test_contributions_to_a_number_have_as_many_decimals():
    receipt = made_reasons(10515.0, -969.31, 0.21)
    del receipt["votes"]
    receipt["cases"] = {"targets": [{"name": "y"}]}
    waterfall = draw_reasons(receipt)[1]
    adds = [row[2] for row in waterfall.rows[1:-1]]
    assert adds == ["+10515", "-969", "+0.2"]


def test_a_number_that_is_lowered_names_what_lowers_it_first():
    receipt = made_reasons(0.1, -0.2)
    del receipt["votes"]
    receipt["cases"] = {"targets": [{"name": "rent"}]}
    assert (
        write_summary(receipt)[1]
        == "Lowered by: x1 is 1 (-0.2000). Raised by: x0 is 1 (+0.1000)."
    )
    why = "The principal reasons why it is lower are: x1 is 1."
    assert write_letter(receipt).endswith(why)


def test_a_letter_on_a_number_leaves_out_no_larger_reason_of_the_other_side():
    receipt = made_reasons(-0.4, -0.3, 0.2, -0.1, 0.05)
    del receipt["votes"]
    receipt["cases"] = {"targets": [{"name": "rent"}]}
    assert write_letter(receipt).endswith(
        "The principal reasons why it is lower are: x0 is 1, x1 is 1 and x3 is 1. "
        "These raise it: x2 is 1."
    )
    hidden = write_letter(receipt, hide=["x0", "x1", "x3"])
    assert hidden.endswith("nothing known). These raise it: x2 is 1 and x4 is 1.")


def test_a_letter_names_no_feature_that_hardly_matters():
    receipt = made_reasons(0.2, 0.001, -0.0001)
    assert write_letter(receipt).endswith("principal reasons are: x0 is 1.")


@pytest.mark.parametrize(
    ("labels", "opening"),
    [
        ([0, 1], "The result is fraud: 0, "),
        ([False, True], "The result is fraud: no, "),
        (["honest", "fraudulent"], "The result is fraud: honest, "),
    ],
)
def test_a_letter_on_a_class_names_what_was_predicted(labels, opening):
    table = pd.DataFrame({"amount": np.arange(40.0)})
    table["fraud"] = [labels[0]] * 30 + [labels[1]] * 10
    model = LazyKernelClassifier().fit(table, "fraud")
    letter = model.explain(table[["amount"]][:1])[0].for_customer()
    assert letter.startswith(opening)
    assert "reasons are: amount is 0." in letter
    nameless = LazyKernelClassifier().fit(table[["amount"]], table["fraud"].tolist())
    letter = nameless.explain(table[["amount"]][:1])[0].for_customer()
    assert letter.startswith(f"The result is {labels[0]}, ")


def test_a_letter_names_no_reasons_that_change_nothing():
    sure = made_reasons(0.003, -0.001, 0.0004)
    sure["reasons"]["base"], sure["reasons"]["answer"] = 0.9955, 0.9979
    said = "(>99 % with nothing known). None of the facts given changes it noticeably."
    assert write_letter(sure).endswith(said)
    assert write_letter(sure, hide=["x0"]).endswith(said)
    level = made_reasons(0.1, -0.1)  # nothing in all, but each of them much
    assert "x0 is 1" in write_letter(level)
    assert "x1 is 1" in write_letter(level)
    hidden = write_letter(made_reasons(0.2), hide=["x0"])
    assert hidden == "The result is yes, 95 % (75 % with nothing known)."
    number = made_reasons(0.003, -0.002)
    number["reasons"]["base"], number["reasons"]["answer"] = 641.0, 641.001
    del number["votes"]
    number["cases"] = {"targets": [{"name": "rent"}]}
    assert write_letter(number).endswith(
        "None of the facts given changes it noticeably."
    )


def test_features_that_are_missing_are_named():
    receipt = made_reasons(0.2, 0.1)
    receipt["query"] = [
        {"name": "x0", "value": 1.0, "known": "yes"},
        {"name": "late", "value": None, "known": "missing"},
    ]
    (text,) = [
        b.text for b in draw_reasons(receipt) if "matter" in getattr(b, "text", "")
    ]
    assert text.endswith(" late is missing in this row.")


@pytest.mark.parametrize(
    ("contributions", "text"),
    [
        ((0.1, -0.1), "All 2 features matter (each adds more than 1 % of all"),
        ((0.1, 0.0), "1 of 2 features hardly matters (it adds at most 1 % of all"),
        ((0.1, 0.0, 0.001), "2 of 3 features hardly matter (each adds at most 1 %"),
    ],
)
def test_features_that_hardly_matter_are_counted(contributions, text):
    receipt = made_reasons(*contributions)
    assert any(getattr(b, "text", "").startswith(text) for b in draw_reasons(receipt))


def test_a_customer_reads_of_no_other(blend):
    model, X = blend
    for receipt in model.explain(X[:10]):
        letter = receipt.for_customer(hide=["months"])
        assert letter.startswith("The result is ")
        assert f"{receipt.answer}, " in letter.split("(")[0]
        assert "customer-" not in letter
        assert "months is" not in letter


def test_a_frame_has_a_row_per_feature(blend):
    model, X = blend
    frame = model.explain(X[:1])[0].to_frame()
    assert set(frame["name"]) == set(X.columns)
    assert frame["contribution"].abs().is_monotonic_decreasing


def test_a_waterfall_ends_at_the_answer(blend):
    plt = pytest.importorskip("matplotlib.pyplot")
    model, X = blend
    receipt = model.explain(X[:1])[0]
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
    receipt = model.explain(X[:1])[0]
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


@given(st.lists(st.floats(-1e300, 1e300), max_size=40), st.sampled_from([1.0, -1.0]))
def test_cases_listed_never_contradict_an_answer(moved, way):
    influence = np.array(moved)
    sides = choose_cases(influence, way)
    ours, others = sides if way > 0 else sides[::-1]
    sums = [math.fsum(np.abs(influence[side])) for side in (ours, others)]
    assert sums[0] >= sums[1]
    assert len(ours) <= 10
    assert len(others) <= 5
    for side, sign in ((ours, way), (others, -way)):
        assert (influence[side] * sign > 0).all()
        strongest = np.sort(-influence * sign)[: len(side)]
        assert (-influence[side] * sign).tolist() == strongest.tolist()
    assert len(ours) >= min((influence * way > 0).sum(), 5)


KERNELS = [
    LazyKernelClassifier(),
    LazyBlendClassifier(),
    LazyKernelRegressor(),
    LazyBlendRegressor(),
]


@pytest.mark.parametrize("model", KERNELS, ids=lambda model: type(model).__name__)
@fewer
@given(data=st.data())
def test_receipts_never_list_cases_that_contradict_them(model, data):
    cases, queries = data.draw(split_problems(min_rows=2, max_rows=16, max_queries=3))
    fitted_model = clone(model).fit(cases.frame, truth(model, cases))
    for receipt in fitted_model.explain(queries.frame[:3]):
        reasons = receipt["reasons"]
        listed = reasons["cases"]
        if listed is not None:
            sums = [
                math.fsum(abs(item["influence"]) for item in listed[side])
                for side in ("listed_for", "listed_against")
            ]
            off = (
                1.0
                if "votes" in receipt.content
                else reasons["answer"] - reasons["base"]
            )
            assert not off or (sums[0] - sums[1]) * off >= 0


def test_cases_that_contradict_an_answer_are_refused(blend):
    model, X = blend
    content = copy.deepcopy(model.explain(X[:1])[0].to_dict())
    cases = content["reasons"]["cases"]
    cases["listed_for"], cases["listed_against"] = [], cases["listed_for"][:5]
    with pytest.raises(ReceiptError, match="its reasons does not fit"):
        Receipt.from_dict(sealed(content))


def test_reasons_are_those_of_the_state_that_was_asked():
    X, y = customers(60)
    X = X.drop(columns="income")
    model = LazyKernelClassifier().fit(X, y, ids=list(range(60)))
    read, unread = model.explain(X[:2]), model.explain(X[:2])
    before = read.to_dict()
    model.forget([3, 4]).partial_fit(X[:5], y[:5], ids=list(range(100, 105)))
    assert unread.to_dict() == before
    assert model.explain(X[:2]).to_dict() != before


def test_a_receipt_that_is_read_or_dropped_keeps_no_cases():
    X, y = customers(30)
    X = X.drop(columns="income")
    model = LazyKernelClassifier().fit(X, y)
    receipts = model.explain(X[:3])
    state = model.cases_._state
    assert len(state._readers) == 1
    receipts.to_json()
    assert not state._readers
    model.explain(X[:3])
    assert not state._readers


def test_a_receipt_travels_with_its_reasons():
    X, y = customers(30)
    model = LazyKernelClassifier().fit(X[["months", "contract"]], y)
    receipt = model.explain(X[["months", "contract"]][:1])[0]
    assert pickle.loads(pickle.dumps(receipt)) == copy.deepcopy(receipt) == receipt


def test_every_medium_opens_with_the_same_sentences(blend):
    model, X = blend
    receipt = model.explain(X[:1])[0]
    sentences = receipt["summary"]
    assert 2 <= len(sentences) <= 3
    assert next(iter(json.loads(receipt.to_json()))) == "summary"
    flat = " ".join(receipt.to_text().split())
    assert flat.index(sentences[0]) < flat.index("What each feature adds")
    assert " ".join(sentences) in flat
    for page in (receipt.to_html(), receipt._repr_html_()):
        plain = html.unescape(page)
        assert all(sentence in plain for sentence in sentences)
    markdown = receipt.to_markdown().replace("\\", "")
    assert " ".join(sentences) in markdown


def test_a_row_of_missing_cells_has_no_reasons_and_a_receipt_that_states_it():
    X, y = customers(60)
    X = X[["months", "contract", "x1"]]
    for model in (LazyBlendClassifier(), LazyKernelClassifier()):
        empty = pd.DataFrame([[None] * 3], columns=X.columns)
        receipt = model.fit(X, y).explain(empty)[0]
        assert not any(f["contribution"] for f in receipt["reasons"]["features"])
        reasons = receipt["reasons"]
        assert reasons["base"] == pytest.approx(reasons["answer"])
        assert "Every cell of this row is missing" in receipt["summary"][1]


def test_reasons_that_do_not_add_up_are_refused(blend):
    model, X = blend
    content = copy.deepcopy(model.explain(X[:1])[0].to_dict())
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
