"""What to measure next: the estimator's own answers, lawful, with clear refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine

from discovery import one_keeper_of_each
from lawful import fewer, fitted, quiet, smallest_slices, splits
from oracle import next_attribute as slow
from sklazy import (
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyNBClassifier,
    Receipt,
)
from sklazy.errors import BadInputError, ReceiptError
from sklazy.receipts.seal import sealed

pytestmark = quiet


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y, LazyNBClassifier(selection="none").fit(X, y)


def incomplete(frame, names):
    """Rows of which only these columns are known."""
    frame = frame.copy()
    frame[[name for name in frame if name not in names]] = np.nan
    return frame


def colors():
    """Red is a; blue is b or c, which the shape tells; the noise tells nothing."""
    rows = [("red", s, n, "a") for s in "xy" for n in "pq"] * 4
    rows += [("blue", "x", n, "b") for n in "pq"] * 4
    rows += [("blue", "y", n, "c") for n in "pq"] * 4
    return pd.DataFrame(rows, columns=["color", "shape", "noise", "y"])


def test_what_tells_most_among_the_cases_alike_comes_first():
    frame = colors()
    model = LazyNBClassifier(selection="none").fit(frame.drop(columns="y"), frame.y)
    queries = pd.DataFrame(
        {
            "color": [None, "blue", "red"],
            "shape": [None, None, None],
            "noise": [None, None, None],
        },
        dtype="str",
    )
    nothing, blue, red = model.suggest_attribute(queries)
    assert nothing.attribute == "color"
    assert blue.attribute == "shape"
    gains = {item["attribute"]: item["gain"] for item in blue.content["ranked"]}
    assert gains["shape"] > 0.5 > 0.05 > gains["noise"]
    gains = {item["attribute"]: item["gain"] for item in red.content["ranked"]}
    assert gains["shape"] < 0.2
    assert {one["value"]: one["answer"] for one in blue.outcomes} == {
        "x": "b",
        "y": "c",
    }
    assert sum(one["chance"] for one in blue.outcomes) == pytest.approx(1.0)


def test_answers_are_the_estimators_own(wine):
    X, _, model = wine
    query = incomplete(X.iloc[[0]], ["alcohol", "hue"])
    (one,) = model.suggest_attribute(query)
    assert one.answer == model.predict(query)[0]
    assert one.content["probability"] == model.predict_proba(query).max()
    low = model.cases_.cuts[list(X).index(one.attribute)][0]
    numbers = X[one.attribute]
    typical = np.sort(numbers[numbers <= low])[((numbers <= low).sum() - 1) // 2]
    query[one.attribute] = typical
    outcome = one.outcomes[0]
    assert outcome["value"] == f"(-inf, {low:.6g}]"
    assert outcome["answer"] == model.predict(query)[0]
    assert outcome["probability"] == model.predict_proba(query).max()


def test_gains_of_a_model_equal_the_slow_twin(wine):
    X, _, model = wine
    query = incomplete(X.iloc[[60]], ["alcohol", "hue", "ash"])
    (one,) = model.suggest_attribute(query)
    cases = model.cases_.cases
    codes, classes = cases.codes[:, :178].T.tolist(), cases.classes[:178].tolist()
    query_codes = model.cases_.encode(model._query_table(query)).codes[0].tolist()
    weights = slow.alike(codes, query_codes)
    shares = (178 * model.predict_proba(query)[0] + cases.class_counts / 178) / 179
    for item in one.content["ranked"]:
        j = list(X).index(item["attribute"])
        size = int(cases.offsets[j + 1] - cases.offsets[j])
        column = [row[j] for row in codes]
        gain, _ = slow.class_gain(column, size, classes, weights, shares.tolist())
        assert item["gain"] == pytest.approx(gain, abs=1e-9)


def test_gains_of_a_regressor_equal_the_slow_twin(wine):
    X, y = wine[0].drop(columns="proline"), wine[0]["proline"]
    names, model = list(X), LazyKernelRegressor().fit(X, y)
    query = incomplete(X.iloc[[60]], ["alcohol", "hue"])
    (one,) = model.suggest_attribute(query)
    codes = np.array([slow.quarter_codes(X[name].tolist()) for name in names]).T
    known = [name in ("alcohol", "hue") for name in names]
    query_codes = np.where(known, codes[60], -1).tolist()
    weights = slow.alike(codes.tolist(), query_codes)
    for item in one.content["ranked"]:
        j = names.index(item["attribute"])
        column = codes[:, j].tolist()
        gain = slow.number_gain(column, max(column) + 1, y.tolist(), weights)
        assert item["gain"] == pytest.approx(gain, abs=1e-9)
    assert one.content["unit"] == "share of variance"
    assert one.content["probability"] is None
    assert "may become" in one.statement


def test_costs_decide_among_gains(wine):
    X, _, model = wine
    query = incomplete(X.iloc[[0]], ["alcohol"])
    (free,) = model.suggest_attribute(query)
    costs = dict.fromkeys(X.columns, 1.0)
    (dear,) = model.suggest_attribute(query, costs={**costs, free.attribute: 1e6})
    assert dear.attribute == free.content["ranked"][1]["attribute"]
    (same,) = model.suggest_attribute(query, costs=[2.0] * 13)
    assert same.attribute == free.attribute
    first = same.content["ranked"][0]
    assert first["gain_per_cost"] == first["gain"] / 2.0


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ({"alcohol": 1.0}, "costs lacks 12 attributes, the first of them 'malic_acid'"),
        (
            {"alcool": 1.0},
            "'alcool', which is not an attribute. Did you mean 'alcohol'",
        ),
        ([1.0] * 12, "12 numbers for 13 attributes"),
        ([-1.0] * 13, "costs\\['alcohol'\\]=-1.0; expected a number above 0"),
        ([0.0] * 13, "expected a number above 0"),
        ([np.nan] * 13, "expected a number above 0"),
        (["a"] * 13, "expected a number above 0"),
        ([None] * 13, "expected a number above 0"),
    ],
)
def test_wrong_costs_are_refused(wine, costs, says):
    X, _, model = wine
    before = model.digest()
    for ask in (model.suggest_attribute, model.acquire):
        with pytest.raises(BadInputError, match=says):
            ask(X.iloc[:1], costs=costs)
    with pytest.raises(BadInputError, match=says):
        model.explain(X.iloc[:1], suggest=True, costs=costs, reasons=False)
    assert model.digest() == before


def test_a_query_without_missing_cells_is_told_so(wine):
    X, _, model = wine
    (one,) = model.suggest_attribute(X.iloc[[0]])
    assert one.attribute is None
    assert one.outcomes == []
    assert one.statement.startswith("Nothing is missing: the answer is 0")
    assert "Nothing is missing" in one.to_text()


def test_attributes_that_tell_nothing_are_not_suggested():
    X = pd.DataFrame({"a": [1.0] * 6, "b": [1.0, 2.0] * 3})
    model = LazyKNeighborsClassifier(1).fit(X, ["u", "v", "v", "u", "u", "v"])
    (one,) = model.suggest_attribute(pd.DataFrame({"a": [np.nan], "b": [1.0]}))
    assert one.attribute is None
    assert "No missing attribute matters" in one.statement


def test_a_value_no_case_has_is_not_missing():
    frame = colors()
    model = LazyNBClassifier(selection="none").fit(frame.drop(columns="y"), frame.y)
    query = pd.DataFrame({"color": ["green"], "shape": [None], "noise": ["p"]})
    (one,) = model.suggest_attribute(query.astype("str").where(query.notna(), None))
    assert [item["attribute"] for item in one.content["ranked"]] == ["shape"]


def test_parts_of_a_date_cost_what_it_costs():
    days = pd.date_range("2024-01-01", periods=30, freq="D")
    X = pd.DataFrame({"day": days, "x": np.arange(30.0)})
    model = LazyNBClassifier(selection="none").fit(X, ["a", "b"] * 15)
    query = pd.DataFrame({"day": [pd.NaT], "x": [1.0]}).astype({"day": days.dtype})
    (one,) = model.suggest_attribute(query, costs={"day": 7.0, "x": 1.0})
    assert {item["cost"] for item in one.content["ranked"]} == {7.0}


def test_suggestions_are_plain_data(wine):
    X, _, model = wine
    (one,) = model.suggest_attribute(incomplete(X.iloc[[0]], ["alcohol"]))
    assert json.loads(json.dumps(one.to_dict())) == one.to_dict()
    assert one.attribute in str(one)
    assert one.attribute in one._repr_html_()
    assert repr(one) == f"Suggestion({one.statement})"
    assert all(len(line) <= 60 for line in one.to_text(60).splitlines())


def test_receipts_carry_it_where_asked_for(wine):
    X, _, model = wine
    query = incomplete(X.iloc[[0, 60]], ["alcohol", "hue"])
    costs = {name: 1.0 + i for i, name in enumerate(X)}
    receipts = model.explain(query, suggest=True, costs=costs, reasons=False)
    suggestions = model.suggest_attribute(query, costs)
    assert [r["next_attribute"] for r in receipts] == [
        one.to_dict() for one in suggestions
    ]
    assert "next_attribute" not in model.explain(query, reasons=False)[0].content
    for receipt in receipts:
        again = Receipt.from_json(receipt.to_json())
        assert model.verify(again)
        assert "What to measure next" in again.to_text()
        assert "What to measure next" in again.to_html()


def test_a_receipt_with_another_suggestion_is_refused(wine):
    X, _, model = wine
    query = incomplete(X.iloc[[0]], ["alcohol", "hue"])
    content = model.explain(query, suggest=True, reasons=False)[0].to_dict()
    del content["seal"]
    forged = json.loads(json.dumps(content))
    forged["next_attribute"]["ranked"][0]["gain"] *= 2
    with pytest.raises(ReceiptError, match=r"next_attribute\.ranked"):
        model.verify(sealed(forged))
    forged = json.loads(json.dumps(content))
    forged["next_attribute"]["ranked"].pop()
    with pytest.raises(ReceiptError, match="contradicts itself"):
        model.verify(sealed(forged))
    forged["next_attribute"] = "hue"
    with pytest.raises(ReceiptError, match="next_attribute"):
        model.verify(sealed(forged))


def test_a_game_buys_what_is_suggested(wine):
    X, y, model = wine
    queries = X.iloc[[0, 70, 150]]
    game = model.acquire(queries, budget=3)
    assert game.attributes.shape == (3, 3)
    assert game.spent.tolist() == [[0.0, 1.0, 2.0, 3.0]] * 3
    for row in range(3):
        query = incomplete(queries.iloc[[row]], [])
        for step in range(3):
            (one,) = model.suggest_attribute(query)
            assert one.attribute == game.names[game.attributes[row, step]]
            assert game.answers[row, step] == one.answer
            query[one.attribute] = queries[one.attribute].iloc[row]
        assert game.answers[row, 3] == model.predict(query)[0]
    assert game.score(y.iloc[[0, 70, 150]]).shape == (4,)
    with pytest.raises(BadInputError, match="y has the shape"):
        game.score([1])


def test_a_budget_is_kept_and_missing_cells_are_not_sold(wine):
    X, _, model = wine
    queries = incomplete(X.iloc[[0]], ["alcohol", "hue", "flavanoids"])
    game = model.acquire(queries)
    bought = {game.names[j] for j in game.attributes[0] if j >= 0}
    assert bought <= {"alcohol", "hue", "flavanoids"}
    costs = {name: 3.0 if name == "flavanoids" else 2.0 for name in X}
    spent = model.acquire(X.iloc[:4], budget=5.0, costs=costs).spent
    assert spent.max() <= 5.0
    assert model.acquire(X.iloc[:2], budget=1.0, costs=costs).attributes.shape == (2, 0)
    for wrong in (0, -1.0, "much", np.nan):
        with pytest.raises(BadInputError, match="budget="):
            model.acquire(X.iloc[:1], budget=wrong)


def test_numbers_get_better_with_what_is_bought():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])
    y = 3 * X["a"] + X["b"]
    model = LazyKernelRegressor().fit(X.iloc[:120], y[:120])
    game = model.acquire(X.iloc[120:])
    scores = game.score(y[120:])
    assert scores[-1] > scores[1] > scores[0]
    assert (game.attributes[:, 0] == 0).all()


def test_several_targets_are_answered_together():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    Y = np.column_stack([X["a"], 2 * X["a"]])
    model = LazyLearningRegressor().fit(X.iloc[:50], Y[:50])
    game = model.acquire(X.iloc[50:])
    assert game.answers.shape == (10, 4, 2)
    expected = -np.abs(game.answers[:, 3] - Y[50:]).mean()
    assert game.score(Y[50:])[3] == pytest.approx(expected)
    (one,) = model.suggest_attribute(incomplete(X.iloc[[50]], ["b"]))
    assert (one.attribute, len(one.answer)) == ("a", 2)


def test_a_budget_of_three_tenths_buys_three_tenths(wine):
    X, _, model = wine
    game = model.acquire(X.iloc[:1], budget=0.3, costs=[0.1] * 13)
    assert game.attributes.shape == (1, 3)


def said(model, problem):
    return [one.to_dict() for one in model.suggest_attribute(problem.frame)]


@one_keeper_of_each
@fewer
@given(st.data(), st.randoms(use_true_random=False))
def test_suggestions_are_lawful(setting, data, random):
    cases, queries = data.draw(splits(setting, more=1, max_rows=14))
    model = fitted(setting.model, cases)
    expected = said(model, queries)
    with smallest_slices():
        for i in range(len(queries.rows)):
            assert said(model, queries.take([i])) == expected[i : i + 1]
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    assert said(fitted(setting.model, cases.take(order)), queries) == expected


@pytest.mark.parametrize("model", [LazyNBClassifier(), LazyKernelRegressor()])
def test_rows_that_came_and_went_leave_no_trace(wine, model):
    X, y, _ = wine
    query = incomplete(X.iloc[[0, 60]], ["alcohol", "hue"])
    plain = clone(model).fit(X.iloc[:120], y[:120] + 0.0)
    moved = clone(model).fit(X.iloc[:60], y[:60] + 0.0)
    moved.partial_fit(X.iloc[60:], y[60:] + 0.0).forget(list(range(120, 178)))
    expected = [one.to_dict() for one in plain.suggest_attribute(query)]
    assert [one.to_dict() for one in moved.suggest_attribute(query)] == expected
