"""How far a query is from all cases: equal to plain sums. The laws hold it, too."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris

import oracle
import sklazy
from lawful import few, fitted
from odd_rows import make_rows
from oracle.audit import unlike as unlike_cases
from sklazy.answer import novelty
from sklazy.estimators.audit.alike import compare_rows
from sklazy.report.progress import Progress
from strategies import split_problems

ONE = sklazy.LazyKNeighborsClassifier()


def slow_novelty(cases, order, queries, n_compared):
    """Distances, shares and who is unlike, one difference after the other."""
    every, codes = range(len(cases.numeric)), cases.codes[:, : cases.n_rows]
    numbers = [
        None if place < 0 else cases.numbers[place, : cases.n_rows].tolist()
        for place in cases.numeric
    ]

    def nearest(own_numbers, own_codes, left_out=None):
        squares = oracle.heom_squares(numbers, codes, own_numbers, own_codes, every)
        others = [s for row, s in enumerate(squares) if row != left_out]
        lacking = sum(
            own_codes[j] == -1 if numbers[j] is None else math.isnan(own_numbers[j])
            for j in every
        )
        return math.sqrt(max(min(others, default=math.inf) - lacking, 0.0))

    def of_case(row):
        own = [math.nan if column is None else column[row] for column in numbers]
        return nearest(own, codes[:, row].tolist(), row)

    some = [order[i * len(order) // n_compared] for i in range(n_compared)]
    known = [of_case(row) for row in some] if len(order) > 1 else []
    asked = zip(queries.values.tolist(), queries.codes.tolist(), strict=True)
    found = [nearest(*query) for query in asked]
    shares = [
        sum(k < d for k in known) / len(known) if known else math.nan for d in found
    ]
    return found, shares, unlike_cases(found, shares, known)


@pytest.mark.parametrize("most", [256, 3])
@few
@given(split_problems(max_rows=20, max_queries=4))
def test_novelty_equals_its_slow_twin(most, problem):
    cases, queries = problem
    model = fitted(ONE, cases)
    base = model.cases_
    coded = base.encode(model._query_table(queries.frame))
    few_cells = {"_FEWEST_COMPARED": most, "_MOST_CELLS": 0 if most == 3 else 10**8}
    with mock.patch.multiple(novelty, **few_cells):
        found = novelty.find_novelty(base, coded)
    n_compared = min(most, base.n_rows)
    slow = slow_novelty(base.cases, base.order.tolist(), coded, n_compared)
    distances, shares, unlike = slow
    assert found.distances.tolist() == pytest.approx(distances)
    near = np.abs(np.subtract(found.shares, shares)) if base.n_rows > 1 else np.zeros(1)
    assert (near < 1e-12).all()
    assert found.unlike.tolist() == unlike
    assert found.n_compared == (n_compared if base.n_rows > 1 else 0)
    receipts = model.explain(queries.frame, reasons=False)
    for receipt, distance in zip(receipts, found.distances.tolist(), strict=True):
        assert receipt["novelty"]["distance"] == distance


@few
@given(split_problems(max_rows=20, max_queries=1))
def test_an_audit_means_the_same_by_it(problem):
    base = fitted(ONE, problem[0]).cases_
    assume(base.n_rows > 1)
    alike = compare_rows(base, 100, Progress("auditing", total=1))
    by_row = dict(zip(alike.distinct.tolist(), alike.known.tolist(), strict=True))
    of_rows = [by_row[group] for group in alike.groups[base.order].tolist()]
    of_cases = novelty._distances_of_cases(base).tolist()
    assert of_rows == pytest.approx(of_cases, abs=1e-7)


def test_a_class_never_shown_is_unlike_all_cases():
    X, y = load_iris(return_X_y=True)
    model = sklazy.LazyKernelClassifier().fit(X[y > 0], y[y > 0])
    assert model.novelty(X[y == 0]).min() == 1.0
    assert model.unlike(X[y == 0]).mean() > 0.9
    assert "This row is unlike all cases" in str(model.explain(X[:1], reasons=False)[0])
    assert model.novelty(X[y > 0]).max() == 0.0  # each is its own nearest case
    assert "unlike all cases" not in str(model.explain(X[60:61], reasons=False)[0])


def test_new_rows_like_the_cases_are_seldom_unlike_them():
    rng = np.random.default_rng(0)
    X, new = rng.random((2000, 3)), rng.random((1000, 3))
    model = sklazy.LazyLearningRegressor().fit(X, X[:, 0])
    shares = model.novelty(new)
    assert 0 < (shares >= 0.99).mean() < 0.03  # 1 % is expected
    assert model.unlike(new).mean() < 0.005  # and hardly any of these is far out
    assert 0.4 < np.median(shares) < 0.6


def test_one_case_is_no_measure():
    model = sklazy.LazyKNeighborsClassifier().fit([[1.0]], ["a"])
    assert np.isnan(model.novelty([[1.0], [3.0]])).all()
    receipt = model.explain([[3.0]], reasons=False)[0]
    assert receipt["novelty"] == {
        **{"distance": 1.0, "farther_than": None, "unlike": False, "n_compared": 0}
    }
    assert "Novelty: nearest case at distance 1" in str(receipt)
    assert model.verify(receipt)


@given(st.sampled_from([-1e308, 1e308, 5e-324, 0.0]))
def test_extreme_numbers_have_a_novelty(number):
    model = sklazy.LazyKNeighborsClassifier()
    model.fit([[-1e308], [1e308], [0.0]], [0, 1, 1])
    assert 0 <= model.novelty([[number]])[0] <= 1


@pytest.mark.parametrize("compared", [7, 256])
def test_novelty_follows_the_rows(compared, monkeypatch):
    monkeypatch.setattr(novelty, "_FEWEST_COMPARED", compared)
    monkeypatch.setattr(novelty, "_MOST_CELLS", 0)
    measured, nearest = [], novelty._nearest_in

    def count(part, queries, excluded):
        measured.append(len(excluded))
        return nearest(part, queries, excluded)

    monkeypatch.setattr(novelty, "_nearest_in", count)
    rng = np.random.default_rng(0)
    X, y = make_rows(rng, 200)
    left = list(range(100))
    model = ONE.fit(X[:100], y[:100], ids=left)
    for row in range(100, 200):
        if rng.random() < 0.6:
            model.partial_fit(X[row : row + 1], y[row : row + 1], ids=[row])
            left.append(row)
        if rng.random() < 0.5:
            gone = int(rng.choice(left))
            model.forget([gone])
            left.remove(gone)
        found = model.novelty(X[:3])
        n_measured, measured[:] = sum(measured), []
        fresh = clone(model).fit(X.iloc[left], y[left])
        np.testing.assert_array_equal(found, fresh.novelty(X[:3]))
        assert n_measured <= sum(measured)
        measured.clear()


def test_a_change_of_many_rows_is_not_followed():
    X, y = make_rows(np.random.default_rng(0), 400)
    model = clone(ONE).fit(X[:200], y[:200])
    model.novelty(X[:1])
    assert model.cases_.find_follower(novelty.FollowedSquares) is not None
    model.partial_fit(X[200:], y[200:])
    assert model.cases_.find_follower(novelty.FollowedSquares) is None
    fresh = clone(ONE).fit(X, y)
    assert np.array_equal(model.novelty(X[:5]), fresh.novelty(X[:5]))
