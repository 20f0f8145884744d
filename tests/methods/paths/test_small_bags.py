"""Bags of fewer draws than there are rows."""

import numpy as np
import pytest

from sklazy import LazyBaggingClassifier, LazyBaggingRegressor
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.methods.paths.bags import (
    AUTO_DRAWS,
    FEWEST_DRAWS,
    WHOLE_ROWS,
    bag_size,
    draw_weights,
    plan_bags,
)
from sklazy.methods.paths.model import (
    PathRules,
    RegressionRules,
    answer_by_given_bags,
    answer_by_paths,
    make_paths,
    make_regression_paths,
)

SIZES = np.array([0, 0, 0, 4])


def make_columns(rng, n_rows, missing):
    """Continuous, few and constant numbers, and a nominal column."""
    values, codes = np.full((4, n_rows), np.nan), np.full((4, n_rows), -1, np.int32)
    values[0], values[1] = rng.normal(size=n_rows), rng.integers(0, 900, n_rows) / 4
    values[2], codes[3] = rng.integers(0, 5, n_rows), rng.integers(0, 4, n_rows)
    gaps = rng.random((4, n_rows)) < missing
    values[gaps], codes[gaps] = np.nan, -1
    return codes, values


def make_any_paths(codes, values, targets, regresses):
    if regresses:
        return make_regression_paths(codes, values, SIZES, targets)
    return make_paths(codes, values, SIZES, (targets > 0).astype(np.int32), 2)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("regresses", [False, True])
@pytest.mark.parametrize("inspect", [0, 2])
def test_the_other_rows_change_nothing(missing, regresses, inspect):
    """Lists of many rows, of which a bag has few, equal those of a table of the few."""
    rng = np.random.default_rng(int(10 * missing) + 2 * regresses + inspect)
    codes, values = make_columns(rng, 3000, missing)
    targets = np.nan_to_num(values[0]) + (codes[3] > 1) - 0.5
    targets = targets + 0.3 * rng.normal(size=3000)
    paths = make_any_paths(codes, values, targets, regresses)
    asked = Queries(*(np.ascontiguousarray(c.T) for c in make_columns(rng, 6, missing)))
    near = rng.integers(0, 3000, (6, 9))
    bags = plan_bags(asked, SIZES == 0, near, 3, 1, max_draws=70)
    rules = (RegressionRules if regresses else PathRules)(inspect=inspect)
    answers = answer_by_paths(paths, asked, bags, rules)
    for query in range(6):
        one = Queries(asked.codes[query : query + 1], asked.values[query : query + 1])
        for bag, weights in enumerate(draw_weights(bags, query, 3000)):
            rows = np.repeat(np.arange(3000), weights)
            assert rows.size == 70
            few = make_any_paths(
                codes[:, rows], values[:, rows], targets[rows], regresses
            )
            keys, ones = bags.seeds[0, query, bag : bag + 1], np.ones((1, 70), np.int32)
            expected = answer_by_given_bags(few, one, ones, keys, rules)[0, 0]
            np.testing.assert_allclose(answers[query, bag], expected, rtol=1e-12)


def test_how_many_draws():
    assert bag_size(WHOLE_ROWS, "auto") == WHOLE_ROWS
    assert bag_size(WHOLE_ROWS + 1, "auto") == AUTO_DRAWS
    assert bag_size(100, 0.5) == 50
    assert bag_size(100, 1.0) == 100
    assert bag_size(20, 0.1) == FEWEST_DRAWS
    assert bag_size(10**6, None) == 10**6


@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyBaggingRegressor])
def test_small_bags_answer_and_are_explained(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    whole = kind(6, max_samples=None).fit(X, y)
    assert np.array_equal(kind(6).fit(X, y).predict(X), whole.predict(X))
    assert np.array_equal(
        kind(6, max_samples=300).fit(X, y).predict(X), whole.predict(X)
    )
    small = kind(6, max_samples=64).fit(X, y)
    assert np.mean(np.round(small.predict(X)) == y) > 0.9
    (receipt,) = small.explain(X[:1], reasons=False)
    assert receipt["bags"]["n_rows"] == 64
    assert receipt["neighbors"]["k"] == 1  # by beta, of 64 rows
    assert sum(member["n_distinct"] <= 64 for member in receipt["members"]) == 6
    assert small.verify(receipt)
    assert kind.paper().max_samples is None


@pytest.mark.parametrize("wrong", [0, FEWEST_DRAWS - 1, 1.5, 0.0, True, "all"])
def test_bags_that_cannot_be_drawn_are_refused(wrong):
    with pytest.raises(BadInputError, match="max_samples"):
        LazyBaggingClassifier(max_samples=wrong).fit([[0.0], [1.0]], [0, 1])


def test_random_paths_leave_rows_out_of_a_share_by_forgetting_them():
    """A share of fewer rows may be another number of draws."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(13, 2)), rng.integers(0, 2, 13)
    model = LazyBaggingClassifier(4, splits="random", max_samples=0.5).fit(X, y)
    found = model.loo_predict_proba()
    for row in range(13):
        others = np.arange(13) != row
        alone = LazyBaggingClassifier(4, splits="random", max_samples=0.5)
        alone.fit(X[others], y[others])
        np.testing.assert_array_equal(found[row], alone.predict_proba(X[[row]])[0])
