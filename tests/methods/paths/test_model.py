"""Paths of regression trees against whole regression trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

import oracle
from path_tables import make_mixed, mixed_tables
from sklazy.flow import Queries
from sklazy.kernels.paths.table import build_path_table
from sklazy.methods.paths.bags import draw_weights, plan_bags
from sklazy.methods.paths.model import (
    RegressionRules,
    answer_by_given_bags,
    answer_by_paths,
    make_regression_paths,
    trace_paths,
)

rules_of_trees = st.builds(
    RegressionRules,
    min_branch_weight=st.sampled_from([1.0, 2.0, 5.0]),
    penalize_nominal_splits=st.booleans(),
    inspect=st.sampled_from([0, 0, 1, 2]),
)


def targets_of(table, rng, kind):
    """Numbers that follow the first column: few levels, continuous, or far from 0."""
    n_rows = table.classes.size
    if kind == "levels":
        return rng.integers(0, 4, n_rows).astype(float)
    first = np.nan_to_num(table.values[0]) + table.codes[0]
    smooth = first + rng.normal(0, 0.5, n_rows)
    return smooth + 1e6 if kind == "far" else smooth


def tree_means(table, targets, rules, weights, key):
    """What the whole tree says, by the slow twin."""
    tree = oracle.grow_regression_tree(
        table.columns(),
        table.sizes(),
        targets.tolist(),
        [int(w) for w in weights],
        {
            "min_weight": rules.min_branch_weight,
            "chance": rules.penalize_nominal_splits,
            "inspect": rules.inspect,
        },
        int(key),
    )
    return [oracle.regression_tree_answer(tree, query) for query in table.queries()]


def path_means(table, targets, rules, weights, key, few_values=64):
    paths = make_regression_paths(
        table.codes, table.values, table.n_categories, targets
    )
    alike = np.zeros(targets.size, np.int32)
    listed = build_path_table(
        table.codes, table.values, table.n_categories, alike, 1, few_values
    )
    none = paths.table.bits
    paths = paths._replace(table=listed._replace(bits=none, class_bits=none))
    queries = Queries(table.query_codes, table.query_values)
    bag, keys = np.asarray(weights, np.int32)[None], np.array([key], np.uint64)
    return answer_by_given_bags(paths, queries, bag, keys, rules)[:, 0, 0]


@pytest.mark.parametrize("few_values", [64, 0])
@settings(max_examples=120)
@given(
    mixed_tables(),
    rules_of_trees,
    st.sampled_from(["levels", "smooth", "far"]),
    st.integers(0, 2**64 - 1),
)
def test_a_path_answers_like_the_whole_tree(few_values, table, rules, kind, key):
    rng = np.random.default_rng(key)
    targets, n_rows = targets_of(table, rng, kind), table.classes.size
    weights = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows)
    expected = tree_means(table, targets, rules, weights, key)
    answers = path_means(table, targets, rules, weights, key, few_values)
    np.testing.assert_allclose(answers, expected, rtol=1e-11, atol=1e-9)


def test_paths_on_numbers_are_those_of_scikit_learn():
    """Asked about rows of the bag: there splits that tie divide the rows alike."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(250, 4)).astype(np.float32)
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=250)
    nothing, numbers = np.full((250, 4), -1, np.int32), X.astype(float)
    sizes = np.zeros(4, np.int64)
    paths = make_regression_paths(nothing.T.copy(), numbers.T.copy(), sizes, y)
    queries = Queries(nothing[:50], numbers[:50])
    near = np.arange(50)[:, None]  # a bag holds each neighbor of a single one
    bags = plan_bags(queries, sizes == 0, near, 2, 0)
    answers = answer_by_paths(paths, queries, bags, RegressionRules(3.0))
    for query in range(50):
        for bag, weights in enumerate(draw_weights(bags, query, 250)):
            rows = np.repeat(np.arange(250), weights)
            tree = DecisionTreeRegressor(min_samples_leaf=3).fit(X[rows], y[rows])
            expected = tree.predict(X[query, None])[0]
            assert answers[query, bag, 0] == pytest.approx(expected)


def test_a_trace_leads_to_the_leaf_that_answers():
    rng = np.random.default_rng(8)
    table = make_mixed(rng, 80, [0, 3, 0, 2], 3, 6, 0.1, 1000)
    targets = targets_of(table, rng, "smooth")
    paths = make_regression_paths(
        table.codes, table.values, table.n_categories, targets
    )
    queries = Queries(table.query_codes, table.query_values)
    near = np.tile(np.arange(5), (6, 1))
    bags = plan_bags(queries, table.n_categories == 0, near, 2, 1)
    for query in trace_paths(paths, queries, bags, RegressionRules()):
        for way in query:
            leaves = [step for step in way if step.attribute < 0]
            assert way[0].weight == 80
            assert sum(leaf.share for leaf in leaves) == pytest.approx(1.0)
