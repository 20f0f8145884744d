"""Linear models of all cases: mixed tables, odd columns, receipts that add up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from oracle import linear_models as slow
from sklazy import LazyLogisticClassifier, LazyRidgeRegressor
from sklazy.errors import BadInputError
from sklazy.methods.linear_models import columns
from strategies import Problem, split_problems

few = settings(max_examples=20, deadline=None)
problems = split_problems(min_rows=3, max_rows=20, max_queries=4)


def chosen_ridge(model, frame):
    return model.explain(frame, reasons=False)[0]["linear_model"]["ridge"]


def centered(cases, queries):
    placed = slow.linear_columns(cases.rows, cases.kinds, queries.rows)
    placed = np.array(placed).reshape(len(placed), -1)
    placed -= placed[: len(cases.rows)].mean(axis=0)
    return placed[: len(cases.rows)], placed[len(cases.rows) :]


@few
@given(problems)
def test_numbers_of_mixed_tables(split):
    cases, queries = split
    model = LazyRidgeRegressor().fit(cases.frame, cases.targets)
    rows, points = centered(cases, queries)
    ridge = chosen_ridge(model, queries.frame)
    beta = slow.ridge_line(rows, cases.targets, ridge)
    expected = beta[0] + points @ beta[1:]
    np.testing.assert_allclose(model.predict(queries.frame), expected, atol=1e-6)


@few
@given(problems)
def test_classes_of_mixed_tables(split):
    cases, queries = split
    model = LazyLogisticClassifier().fit(cases.frame, cases.classes)
    rows, points = centered(cases, queries)
    ridge = chosen_ridge(model, queries.frame)
    scores = []
    for label in model.classes_:
        beta = slow.logistic(rows, cases.classes == label, ridge)
        scores.append(beta[0] + points @ beta[1:])
    expected = [
        slow.one_against_rest(row_scores) for row_scores in np.transpose(scores)
    ]
    np.testing.assert_allclose(model.predict_proba(queries.frame), expected, atol=1e-3)


@few
@given(problems)
def test_the_terms_of_a_receipt_add_up(split):
    cases, queries = split
    for kind, truth in (
        (LazyRidgeRegressor, cases.targets),
        (LazyLogisticClassifier, cases.classes),
    ):
        model = kind().fit(cases.frame, truth)
        for receipt in model.explain(queries.frame, reasons=False):
            line = receipt["linear_model"]
            sums = np.array(line["intercepts"])
            for term in line["terms"]:
                sums = sums + term["contributions"]
            if "votes" in receipt.content:
                totals = [item["votes"] for item in receipt["votes"]]
                shares = slow.one_against_rest(totals)
                probabilities = [item["probability"] for item in receipt["votes"]]
                np.testing.assert_allclose(probabilities, shares, atol=1e-12)
            else:
                totals = [receipt.answer]
            np.testing.assert_allclose(sums, totals, atol=1e-9)


def test_left_out_answers_are_near_to_forgetting():
    # Given scales and ridge they are exact (`tests/local`); these move a little, and
    # the ridge of a few rows is another one.
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(15, 2)), 2, axis=0)
    y = X[:, 0] + rng.normal(size=30)
    model = LazyRidgeRegressor().fit(X, y)
    quick, exact = model.loo_predict(), model.loo_predict(approximate=False)
    assert np.median(np.abs(quick - exact)) < 0.01
    assert np.abs(quick - y).mean() == pytest.approx(np.abs(exact - y).mean(), rel=0.05)


def test_attributes_of_many_categories_do_not_count():
    n = columns.MOST_CATEGORIES + 10
    ids = pd.Categorical([f"row {i}" for i in range(n)])
    names = pd.DataFrame({"id": ids, "x": np.arange(n) % 2})
    y = np.arange(n) % 2
    model = LazyLogisticClassifier().fit(names, y)
    receipt = model.explain(names[:1], reasons=False)[0]
    assert [term["name"] for term in receipt["linear_model"]["terms"]] == ["x"]


def test_far_away_a_line_is_level():
    X = np.arange(20.0)[:, None]
    model = LazyRidgeRegressor().fit(X, X[:, 0])
    far = model.predict([[1e3], [1e6], [-1e6]])
    assert far[0] == far[1] > 19
    assert far[2] < 0


@pytest.mark.parametrize("kind", [LazyLogisticClassifier, LazyRidgeRegressor])
def test_columns_that_tell_nothing(kind):
    X = np.column_stack([np.full(6, 7.0), np.full(6, np.nan)])
    y = [0, 0, 1, 1, 1, 1]
    model = kind().fit(X, y)
    assert model.explain(X[:1], reasons=False)[0]["linear_model"]["n_terms"] == 0
    assert "constant" in model.explain(X[:1], reasons=False).to_text()
    if kind is LazyLogisticClassifier:
        assert model.predict_proba(X[:1])[0, 1] == pytest.approx(2 / 3, abs=0.01)
    else:
        assert model.predict(X[:1])[0] == pytest.approx(2 / 3)


def test_one_class_and_one_row():
    model = LazyLogisticClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]
    assert LazyRidgeRegressor().fit([[1.0]], [5.0]).predict([[9.0]]).tolist() == [5.0]
    with pytest.raises(BadInputError, match="second row"):
        LazyRidgeRegressor().fit([[1.0]], [5.0]).loo_predict()


def wide(n_rows, n_columns):
    """More columns than rows, the first of which tells; and queries."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows + 5, n_columns))
    y = 2 * X[:, 0] + rng.normal(size=len(X))
    cases = Problem(X.tolist(), ["numeric"] * n_columns, (y > 0).astype(int), y)
    return cases.take(range(n_rows)), cases.take(range(n_rows, n_rows + 5))


@pytest.mark.parametrize("n_columns", [60, 1100])
def test_numbers_of_more_columns_than_rows(n_columns):
    cases, queries = wide(20, n_columns)
    model = LazyRidgeRegressor().fit(cases.frame, cases.targets)
    rows, points = centered(cases, queries)
    ridge = chosen_ridge(model, queries.frame)
    beta = slow.ridge_line(rows, cases.targets, ridge)
    expected = beta[0] + points @ beta[1:]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(model.predict(queries.frame), expected, atol=1e-9)
    left_out = []
    for row in range(3):
        others = np.arange(20) != row
        beta = slow.ridge_line(rows[others], cases.targets[others], ridge)
        left_out.append(beta[0] + rows[row] @ beta[1:])
    np.testing.assert_allclose(model.loo_predict(rows=[0, 1, 2]), left_out, atol=1e-9)


def test_classes_of_more_columns_than_rows():
    cases, queries = wide(30, 90)
    model = LazyLogisticClassifier().fit(cases.frame, cases.classes)
    rows, points = centered(cases, queries)
    ridge = chosen_ridge(model, queries.frame)
    beta = slow.logistic(rows, cases.classes == 1, ridge)
    expected = 1 / (1 + np.exp(-(beta[0] + points @ beta[1:])))
    assert np.ptp(expected) > 0.1
    probabilities = model.predict_proba(queries.frame)
    np.testing.assert_allclose(probabilities[:, 1], expected, atol=1e-3)
    assert np.isfinite(model.loo_predict_proba()).all()
