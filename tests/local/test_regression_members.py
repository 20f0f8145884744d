"""Members of numbers on bags against plain models on weighted rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from coded import coded_tables
from sklazy.flow import Neighbors, Queries
from sklazy.local.bags import draw_weights, plan_bags
from sklazy.local.members import build_bin_table, make_linear, place_linear
from sklazy.local.regression_members import (
    mean_by_linear,
    mean_by_neighbors,
    mean_by_rule,
)

seeds = st.integers(0, 2**32 - 1)


def bags_of(table, rng, seed):
    """Two bags for each query of a coded table, with random rows as neighbors."""
    n_near = (table.n_rows + 2) // 3
    near = np.array([rng.permutation(table.n_rows)[:n_near] for _ in table.queries])
    queries = Queries(table.queries, np.full(table.queries.shape, np.nan))
    return plan_bags(queries, np.zeros(table.n_attributes, bool), near, 2, seed)


def each_bag(table, bags):
    """Query, bag and the bag's weights."""
    for query in range(len(table.queries)):
        for bag, weights in enumerate(draw_weights(bags, query, table.n_rows)):
            yield query, bag, weights.tolist()


@settings(max_examples=50)
@given(coded_tables(most_rows=40, most_attributes=5), seeds, st.booleans())
def test_the_rule_is_that_of_the_best_attribute(table, seed, few):
    rng = np.random.default_rng(seed)
    bags = bags_of(table, rng, seed)
    targets = rng.normal(1e3, 1.0, table.n_rows)
    targets = np.round(targets) if few else targets
    bins = build_bin_table(table.codes, np.diff(table.offsets), table.classes)
    answers = mean_by_rule(bins, targets, table.queries, bags)
    for query, bag, weights in each_bag(table, bags):
        expected = naive.rule_mean(
            table.codes.tolist(), targets, weights, table.queries[query].tolist()
        )
        np.testing.assert_allclose(answers[query, bag], expected, rtol=1e-12)


@settings(max_examples=50)
@given(coded_tables(most_rows=40), seeds, st.integers(1, 7))
def test_neighbors_are_averaged_by_weight_with_all_ties(table, seed, n_neighbors):
    rng = np.random.default_rng(seed)
    bags, shape = bags_of(table, rng, seed), (len(table.queries), table.n_rows)
    distances = np.sort(rng.integers(0, 6, shape), axis=1).astype(float)
    near = Neighbors(
        np.array([rng.permutation(table.n_rows) for _ in table.queries]), distances
    )
    targets = rng.normal(size=table.n_rows)
    answers, complete = mean_by_neighbors(targets, near, bags, n_neighbors=n_neighbors)
    assert complete.all()
    n_few = max(1, table.n_rows // 2)
    few = Neighbors(*(np.ascontiguousarray(part[:, :n_few]) for part in near))
    some, enough = mean_by_neighbors(targets, few, bags, n_neighbors=n_neighbors)
    for query, bag, weights in each_bag(table, bags):
        expected = naive.neighbors_mean(
            near.rows[query], distances[query], targets, weights, n_neighbors
        )
        np.testing.assert_allclose(answers[query, bag], expected, atol=1e-12)
        if enough[query]:
            assert some[query, bag] == answers[query, bag]


def test_the_linear_member_is_a_ridge_regression():
    rng = np.random.default_rng(4)
    raw, targets = rng.normal(2.0, 3.0, (34, 3)), rng.normal(5.0, 1.0, (30, 1))
    cases = make_linear(raw[:30], targets)
    placed = place_linear(cases, raw[30:])
    near = np.tile(np.arange(6), (4, 1))
    queries = Queries(np.zeros((4, 3), np.int32), raw[30:])
    bags = plan_bags(queries, np.ones(3, bool), near, 2, 0)
    answers = mean_by_linear(cases, placed, bags, ridge=2.0)
    for query in range(4):
        for bag, weights in enumerate(draw_weights(bags, query, 30)):
            (expected,) = naive.ridge_answer(
                cases.rows, targets, weights, placed[query], 2.0
            )
            np.testing.assert_allclose(answers[query, bag], expected)
