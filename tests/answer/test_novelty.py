"""How far a query is from all cases: equal to plain sums. The laws hold it, too."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import oracle
import sklazy
from lawful import few, fitted
from sklazy.answer import novelty
from strategies import split_problems

ONE = sklazy.LazyKNeighborsClassifier()


def slow_novelty(cases, order, queries, n_compared):
    """Distances and shares, one difference after the other."""
    every, codes = range(len(cases.numeric)), cases.codes[:, : cases.n_rows]
    numbers = [
        None if place < 0 else cases.numbers[place, : cases.n_rows].tolist()
        for place in cases.numeric
    ]

    def nearest(own_numbers, own_codes, left_out=None):
        squares = oracle.heom_squares(numbers, codes, own_numbers, own_codes, every)
        others = [s for row, s in enumerate(squares) if row != left_out]
        return math.sqrt(min(others, default=math.inf))

    def of_case(row):
        own = [None if column is None else column[row] for column in numbers]
        return nearest(own, codes[:, row].tolist(), row)

    some = [order[i * len(order) // n_compared] for i in range(n_compared)]
    known = [of_case(row) for row in some] if len(order) > 1 else []
    asked = zip(queries.values.tolist(), queries.codes.tolist(), strict=True)
    found = [nearest(*query) for query in asked]
    return found, [
        sum(k < d for k in known) / len(known) if known else math.nan for d in found
    ]


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
    distances, shares = slow_novelty(base.cases, base.order.tolist(), coded, n_compared)
    assert found.distances.tolist() == pytest.approx(distances)
    near = np.abs(np.subtract(found.shares, shares)) if base.n_rows > 1 else np.zeros(1)
    assert (near < 1e-12).all()
    assert found.n_compared == (n_compared if base.n_rows > 1 else 0)
    receipts = model.explain(queries.frame)
    for receipt, distance in zip(receipts, found.distances.tolist(), strict=True):
        assert receipt["novelty"]["distance"] == distance


def test_a_class_never_shown_is_unlike_all_cases():
    X, y = load_iris(return_X_y=True)
    model = sklazy.LazyKernelClassifier().fit(X[y > 0], y[y > 0])
    assert (model.novelty(X[y == 0]) >= novelty.UNLIKE).all()
    assert "This row is unlike all cases" in str(model.explain(X[:1])[0])
    assert model.novelty(X[y > 0]).max() == 0.0  # each is its own nearest case
    assert "unlike all cases" not in str(model.explain(X[60:61])[0])


def test_new_rows_like_the_cases_are_seldom_unlike_them():
    rng = np.random.default_rng(0)
    X, new = rng.random((2000, 3)), rng.random((1000, 3))
    model = sklazy.LazyLearningRegressor().fit(X, X[:, 0])
    shares = model.novelty(new)
    assert (shares >= novelty.UNLIKE).mean() < 0.03  # 1 % is expected
    assert 0.4 < np.median(shares) < 0.6


def test_one_case_is_no_measure():
    model = sklazy.LazyKNeighborsClassifier().fit([[1.0]], ["a"])
    assert np.isnan(model.novelty([[1.0], [3.0]])).all()
    receipt = model.explain([[3.0]])[0]
    assert receipt["novelty"] == {
        **{"distance": 1.0, "farther_than": None, "n_compared": 0}
    }
    assert "Novelty: nearest case at distance 1" in str(receipt)
    assert model.verify(receipt)


@given(st.sampled_from([-1e308, 1e308, 5e-324, 0.0]))
def test_extreme_numbers_have_a_novelty(number):
    model = sklazy.LazyKNeighborsClassifier()
    model.fit([[-1e308], [1e308], [0.0]], [0, 1, 1])
    assert 0 <= model.novelty([[number]])[0] <= 1
