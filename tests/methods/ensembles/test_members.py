"""Members on bags against plain models on weighted rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from coded import coded_tables
from sklazy.flow import Bags, Neighbors, Queries
from sklazy.measures import to_shares
from sklazy.methods.ensembles.member_models import (
    answer_by_bayes,
    answer_by_linear,
    answer_by_neighbors,
    answer_by_rule,
    build_bin_table,
    make_linear,
    mean_by_neighbors,
    mean_by_rule,
    place_linear,
)
from sklazy.methods.paths.bags import beta_neighbors, draw_weights, plan_bags

seeds = st.integers(0, 2**32 - 1)


def bags_of(table, seed, n_bags=3):
    """Bags for the queries of a coded table, with random rows as neighbors."""
    rng = np.random.default_rng(seed)
    n_queries, n_rows = len(table.queries), table.n_rows
    near = np.array(
        [rng.permutation(n_rows)[: (n_rows + 2) // 3] for _ in range(n_queries)]
    )
    queries = Queries(table.queries, np.full(table.queries.shape, np.nan))
    numeric = np.zeros(table.n_attributes, bool)
    return plan_bags(queries, numeric, near, n_bags, seed)


def each_bag(table, bags):
    """Query, bag and the bag's weights."""
    for query in range(len(table.queries)):
        for bag, weights in enumerate(draw_weights(bags, query, table.n_rows)):
            yield query, bag, weights.tolist()


@settings(max_examples=50)
@given(
    coded_tables(most_rows=40, most_attributes=5), seeds, st.sampled_from([0.5, 1.0])
)
def test_bayes_is_that_of_weighted_counts(table, seed, alpha):
    bags, widths = bags_of(table, seed), np.diff(table.offsets)
    bins = build_bin_table(table.codes, widths, table.classes)
    answers = answer_by_bayes(bins, table.n_classes, table.queries, bags, alpha=alpha)
    for query, bag, weights in each_bag(table, bags):
        expected = oracle.bayes_answer(
            table.codes,
            widths,
            table.classes,
            table.n_classes,
            weights,
            table.queries[query],
            alpha,
        )
        np.testing.assert_allclose(answers[query, bag], expected, atol=1e-12)


@settings(max_examples=50)
@given(coded_tables(most_rows=40, most_attributes=5), seeds)
def test_the_rule_is_that_of_the_best_attribute(table, seed):
    bags = bags_of(table, seed)
    bins = build_bin_table(table.codes, np.diff(table.offsets), table.classes)
    answers = answer_by_rule(bins, table.n_classes, table.queries, bags)
    for query, bag, weights in each_bag(table, bags):
        expected = oracle.rule_answer(
            table.codes.tolist(),
            table.classes,
            table.n_classes,
            weights,
            table.queries[query].tolist(),
        )
        np.testing.assert_allclose(answers[query, bag], expected, atol=1e-12)


@settings(max_examples=50)
@given(coded_tables(most_rows=40), seeds, st.integers(1, 7))
def test_neighbors_vote_by_weight_with_all_ties(table, seed, n_neighbors):
    rng = np.random.default_rng(seed)
    bags, shape = bags_of(table, seed), (len(table.queries), table.n_rows)
    distances = np.sort(rng.integers(0, 6, shape), axis=1).astype(float)
    rows = np.array([rng.permutation(table.n_rows) for _ in table.queries])
    near = Neighbors(rows, distances)
    answers, complete = answer_by_neighbors(
        table.classes, table.n_classes, near, bags, n_neighbors=n_neighbors
    )
    assert complete.all()
    n_few = max(1, table.n_rows // 2)
    few = Neighbors(*(np.ascontiguousarray(part[:, :n_few]) for part in near))
    some, enough = answer_by_neighbors(
        table.classes, table.n_classes, few, bags, n_neighbors=n_neighbors
    )
    for query, bag, weights in each_bag(table, bags):
        expected = oracle.neighbors_answer(
            rows[query],
            distances[query],
            table.classes,
            table.n_classes,
            weights,
            n_neighbors,
        )
        np.testing.assert_allclose(answers[query, bag], expected, atol=1e-12)
        if enough[query]:
            np.testing.assert_array_equal(some[query, bag], answers[query, bag])


@settings(max_examples=40)
@given(seeds, st.integers(1, 40), st.integers(1, 6), st.sampled_from([0.1, 1.0, 30.0]))
def test_the_linear_member_is_a_ridge_regression(seed, n_rows, n_columns, ridge):
    rng = np.random.default_rng(seed)
    raw = rng.normal(2.0, 3.0, (n_rows + 4, n_columns))
    raw[rng.random(raw.shape) < 0.1] = np.nan
    raw[:, 0] = 1.5
    targets = np.eye(3)[rng.integers(0, 3, n_rows)]
    cases = make_linear(raw[:n_rows], targets)
    queries = place_linear(cases, raw[n_rows:])
    near = np.array([rng.permutation(n_rows)[: (n_rows + 1) // 2] for _ in range(4)])
    bags = plan_bags(
        Queries(np.zeros((4, n_columns), np.int32), raw[n_rows:]),
        np.ones(n_columns, bool),
        near,
        2,
        seed,
    )
    answers = answer_by_linear(cases, queries, bags, ridge=ridge)
    for query in range(4):
        for bag, weights in enumerate(draw_weights(bags, query, n_rows)):
            expected = oracle.ridge_answer(
                cases.rows, targets, weights, queries[query], ridge
            )
            np.testing.assert_allclose(answers[query, bag], expected, atol=1e-9)
    np.testing.assert_allclose(to_shares(answers).sum(axis=2), 1.0)


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_the_number_of_neighbors_is_that_of_beta_similarity(n_rows, beta):
    assert beta_neighbors(n_rows, beta) == oracle.beta_neighbors(n_rows, beta)


def test_beta_is_a_share():
    with pytest.raises(ValueError, match=r"beta=1\.5; expected a number in \[0, 1\]"):
        beta_neighbors(10, 1.5)


def test_bags_depend_on_content_alone():
    codes = np.array([[0, -1], [1, 2]], np.int32)
    values = np.array([[np.nan, 0.0], [np.nan, -0.0]])
    numeric, near = np.array([False, True]), np.zeros((2, 1), np.int32)
    both = plan_bags(Queries(codes, values), numeric, near, 3, 5)
    second = plan_bags(Queries(codes[1:], values[1:] + 0.0), numeric, near[1:], 3, 5)
    np.testing.assert_array_equal(both.seeds[:, 1], second.seeds[:, 0])
    other = plan_bags(Queries(codes, values), numeric, near, 3, 6)
    assert not np.intersect1d(both.seeds, other.seeds).size
    shared = plan_bags(Queries(codes, values), numeric, near, 3, 5, share=True)
    np.testing.assert_array_equal(shared.seeds[0], both.seeds[0])
    assert (shared.seeds[1, 0] == shared.seeds[1, 1]).all()
    assert isinstance(shared.choose(np.array([0, 2])), Bags)


def test_linear_cases_do_not_mind_the_unit_of_numbers():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    rows[3, 1] = np.nan
    small, large = (make_linear(rows * u, np.ones((30, 1))) for u in (1.0, 2.0**900))
    assert small.rows.tolist() == large.rows.tolist()
    placed = place_linear(large, rows * 2.0**900)
    assert placed.tolist() == place_linear(small, rows).tolist()


# --- numbers --------------------------------------------------------------------------


@settings(max_examples=50)
@given(coded_tables(most_rows=40, most_attributes=5), seeds, st.booleans())
def test_the_rule_for_numbers_is_that_of_the_best_attribute(table, seed, few):
    rng = np.random.default_rng(seed)
    bags = bags_of(table, seed, 2)
    targets = rng.normal(1e3, 1.0, table.n_rows)
    targets = np.round(targets) if few else targets
    bins = build_bin_table(table.codes, np.diff(table.offsets), table.classes)
    answers = mean_by_rule(bins, targets, table.queries, bags)[:, :, 0]
    for query, bag, weights in each_bag(table, bags):
        expected = oracle.rule_mean(
            table.codes.tolist(), targets, weights, table.queries[query].tolist()
        )
        np.testing.assert_allclose(answers[query, bag], expected, rtol=1e-12)


@settings(max_examples=50)
@given(coded_tables(most_rows=40), seeds, st.integers(1, 7))
def test_neighbors_are_averaged_by_weight_with_all_ties(table, seed, n_neighbors):
    rng = np.random.default_rng(seed)
    bags, shape = bags_of(table, seed, 2), (len(table.queries), table.n_rows)
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
        expected = oracle.neighbors_mean(
            near.rows[query], distances[query], targets, weights, n_neighbors
        )
        np.testing.assert_allclose(answers[query, bag], expected, atol=1e-12)
        if enough[query]:
            assert some[query, bag] == answers[query, bag]


def test_the_linear_member_for_numbers_is_a_ridge_regression():
    rng = np.random.default_rng(4)
    raw, targets = rng.normal(2.0, 3.0, (34, 3)), rng.normal(5.0, 1.0, (30, 1))
    cases = make_linear(raw[:30], targets)
    placed = place_linear(cases, raw[30:])
    near = np.tile(np.arange(6), (4, 1))
    queries = Queries(np.zeros((4, 3), np.int32), raw[30:])
    bags = plan_bags(queries, np.ones(3, bool), near, 2, 0)
    answers = answer_by_linear(cases, placed, bags, ridge=2.0)[:, :, 0]
    for query in range(4):
        for bag, weights in enumerate(draw_weights(bags, query, 30)):
            (expected,) = oracle.ridge_answer(
                cases.rows, targets, weights, placed[query], 2.0
            )
            np.testing.assert_allclose(answers[query, bag], expected)


@settings(max_examples=30)
@given(coded_tables(most_rows=30, most_attributes=4), seeds)
def test_queries_of_the_same_bags_are_answered_as_if_each_were_alone(table, seed):
    """A bag's model is built once for all cases that it is tried on."""
    bags, widths = bags_of(table, seed), np.diff(table.offsets)
    n_queries, n_tried = len(table.queries), 3
    again = bags.take(np.repeat(np.arange(n_queries), n_tried))
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, table.n_rows, n_queries * n_tried)
    codes = np.ascontiguousarray(table.codes[:, rows].T)
    bins = build_bin_table(table.codes, widths, table.classes)
    inputs = rng.normal(size=(table.n_rows, 2))
    numbers = inputs[:, 0] ** 2
    cases = make_linear(inputs, numbers[:, None])
    placed = place_linear(cases, inputs[rows])
    distances = np.sort(rng.integers(0, 4, (len(rows), table.n_rows)), axis=1) * 1.0
    orders = [rng.permutation(table.n_rows) for _ in rows]
    near = Neighbors(np.array(orders, np.int64), distances)
    shape = bins, table.n_classes

    def answer(part, bags):
        few = Neighbors(near.rows[part], near.distances[part])
        by_class = answer_by_neighbors(table.classes, table.n_classes, few, bags)
        return (
            answer_by_bayes(*shape, codes[part], bags),
            answer_by_rule(*shape, codes[part], bags),
            mean_by_rule(bins, numbers, codes[part], bags),
            answer_by_linear(cases, placed[part], bags),
            *by_class,
            *mean_by_neighbors(numbers, few, bags),
        )

    together = answer(slice(None), again)
    for query in range(len(rows)):
        alone = answer(slice(query, query + 1), again.part(query, query + 1))
        for both, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(both[query : query + 1], one)
