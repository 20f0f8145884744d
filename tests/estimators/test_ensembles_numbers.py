"""Lazy bagging and stacking of numbers against their slow twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import naive
from sklazy import LazyBaggingRegressor, LazyStackingRegressor
from sklazy.errors import BadInputError, ReceiptError
from sklazy.estimators.ensembles.stacking_regressor import DEFAULT_KINDS
from strategies import split_problems

split = split_problems(min_rows=1, max_rows=24, max_queries=4, telling=True)
some = settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)

TARGETS = st.lists(
    st.sampled_from([-2.0, 0.0, 0.5, 3.0, 7.0]), min_size=40, max_size=40
)


def plain(numbers):
    return [None if np.isnan(x) else float(x) for x in numbers]


def bin_of(cell, cuts):
    return -1 if cell is None else sum(cut < cell for cut in cuts)


def slow_twin(model, kinds):
    """The slow ensemble of a fitted model, and the cuts into tenths."""
    base = model.cases_
    order, cases = base.order, base.cases
    numeric = cases.numeric >= 0
    columns, codes, cuts = [], [], []
    for j in range(len(numeric)):
        if numeric[j]:
            columns.append(plain(cases.numbers[cases.numeric[j], order]))
            known = any(cell is not None for cell in columns[j])
            cuts.append(naive.tenths(columns[j]) if known else [])
            codes.append([bin_of(cell, cuts[j]) for cell in columns[j]])
        else:
            codes.append(cases.codes[j, order].tolist())
            columns.append([None if c < 0 else c for c in codes[j]])
            cuts.append([])
    widths = np.diff(cases.offsets).tolist()
    sizes = [None if numeric[j] else widths[j] for j in range(len(numeric))]
    return naive.LazyNumberEnsemble(
        columns,
        sizes,
        codes,
        widths,
        cases.targets[0, order].tolist(),
        1,
        kinds=kinds,
        rules={"min_weight": float(model.min_weight), "inspect": 0},
        n_estimators=model.n_estimators,
        n_near=naive.beta_neighbors(len(order), model.beta),
        combine=model.combine,
        seed=model.seed_,
    ), cuts


def check_answers(model, queries, kinds):
    twin, cuts = slow_twin(model, kinds)
    coded = model.cases_.encode(queries.table)
    values, found = model.member_values(queries.frame), model.predict(queries.frame)
    for i, codes in enumerate(coded.codes.tolist()):
        numbers = plain(coded.values[i])
        query = [
            numbers[j] if size is None else (None if codes[j] == -1 else codes[j])
            for j, size in enumerate(twin.sizes)
        ]
        binned = [
            bin_of(query[j], cuts[j]) if size is None else codes[j]
            for j, size in enumerate(twin.sizes)
        ]
        expected, answer = twin.answer(query, binned)
        np.testing.assert_allclose(values[i], expected, atol=1e-8)
        assert found[i] == pytest.approx(answer, abs=1e-8)


@some
@given(split, TARGETS, st.sampled_from([0.99, 0.5]), st.sampled_from([1, 2]))
def test_bagging_predicts_like_whole_trees_on_its_bags(problems, y, beta, least):
    cases, queries = problems
    model = LazyBaggingRegressor(3, beta, min_weight=least)
    model.fit(cases.frame, y[: len(cases.rows)])
    check_answers(model, queries, ["tree"])


@some
@given(split, TARGETS, st.sampled_from(["mean", "median"]))
def test_stacking_predicts_like_plain_models_on_its_bags(problems, y, combine):
    cases, queries = problems
    model = LazyStackingRegressor(n_estimators=6, beta=0.8, combine=combine)
    model.fit(cases.frame, y[: len(cases.rows)])
    check_answers(model, queries, DEFAULT_KINDS)


def noisy_rows():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.normal(size=60), "word": rng.choice(["a", "b"], 60)})
    y = X["x"].to_numpy() ** 2 + (X["word"] == "a") + 0.1 * rng.normal(size=60)
    X.loc[::11, "x"] = np.nan
    return X, y


def test_error_weighs_members_by_cases_that_their_bags_lack():
    X, y = noisy_rows()
    model = LazyStackingRegressor(combine="error", n_estimators=8).fit(X, y)
    values, found = model.member_values(X[:5]), model.predict(X[:5])
    for i, receipt in enumerate(model.explain(X[:5])):
        weights = np.array([member["weight"] for member in receipt.members])
        assert weights.sum() == pytest.approx(1.0)
        assert len(set(weights)) > 1
        assert found[i] == pytest.approx(weights @ values[i])


def test_members_without_any_error_count_alike():
    model = LazyBaggingRegressor(3, combine="error").fit([[0.0], [1.0], [2.0]], [4] * 3)
    assert model.predict([[1.0]]).tolist() == [4.0]


def test_any_regressor_may_be_a_member():
    X, y = noisy_rows()
    members = [Ridge(), ("near", KNeighborsRegressor(2)), "tree"]
    model = LazyStackingRegressor(members, 6).fit(X, y)
    assert model.score(X, y) > 0.3
    names = [member["name"] for member in model.explain(X[:1])[0].members]
    assert names == ["ridge", "near", "tree"] * 2


def test_evidence_adds_up_to_the_predictions():
    X, y = noisy_rows()
    model = LazyStackingRegressor(n_estimators=4).fit(X, y, ids=range(100, 160))
    targets = dict(zip(model.ids_.tolist(), y, strict=True))
    for receipt in model.explain(X[:6]):
        _, near, linear, _ = receipt.members
        cases = near["evidence"]["cases"]
        mean = np.average(
            [targets[case["id"]] for case in cases],
            weights=[case["times"] for case in cases],
        )
        assert near["value"] == pytest.approx(mean)
        adds = sum(term["adds"][0] for term in linear["evidence"]["terms"])
        start = linear["evidence"]["intercepts"][0]
        assert linear["value"] == pytest.approx(start + adds)


def test_receipts_are_shown_and_edited_ones_refused():
    X, y = noisy_rows()
    model = LazyStackingRegressor().fit(X, y)
    receipts = model.explain(X[:2])
    assert max(map(len, receipts.to_text().splitlines())) <= 80
    assert receipts.to_markdown().count("# Answer") == 2
    assert receipts.to_html().startswith("<!DOCTYPE html>")
    edited = {**receipts[0].to_dict(), "answer": 3.0}
    with pytest.raises(ReceiptError, match="edited"):
        model.verify(edited)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"combine": "vote"}, r"combine='vote' is not known"),
        ({"estimators": ["bayes"]}, r"names 'bayes', which is no member of ours"),
        ({"ridge": 0}, r"ridge=0; expected a number above 0"),
        ({"n_estimators": 0}, r"n_estimators=0; expected a whole"),
    ],
    ids=str,
)
def test_senseless_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LazyStackingRegressor(**parameters).fit(*noisy_rows())


def test_one_number_a_row():
    with pytest.raises(ValueError, match="1d"):
        LazyBaggingRegressor().fit([[0.0], [1.0]], [[0.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize("width", [1e308, 1e120, 1.0, 1e-300])
def test_numbers_of_any_size_are_predicted_from(width):
    X = np.array([[-width], [0.0], [0.1 * width], [0.2 * width], [width]] * 3)
    y = (X[:, 0] > 0.15 * width).astype(float)
    asked = [[width], [-width], [1e308], [-1e308], [np.nan]]
    for model in (LazyBaggingRegressor(), LazyStackingRegressor(combine="error")):
        model.fit(X, y)
        values = model.predict(asked)
        assert np.isfinite(values).all()
        assert values[0] > values[1]
        assert model.verify(model.explain(asked)[0])


def test_targets_whose_squares_overflow_are_refused():
    model = LazyBaggingRegressor().fit([[1.0], [2.0]], [1e140, -1e140])
    assert np.isfinite(model.predict([[1.0]])).all()
    with pytest.raises(BadInputError, match=r"y holds numbers as large as 1e\+308"):
        model.partial_fit([[3.0]], [-1e308])
    assert len(model.ids_) == 2
