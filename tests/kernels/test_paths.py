"""Paths against whole trees, bags against plain draws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from path_tables import make_mixed, mixed_tables, weka_table
from sklazy.flow import Queries
from sklazy.kernels.bags import bag_seeds, bag_weights, query_seeds
from sklazy.kernels.paths.classes import bagged_paths, make_route
from sklazy.kernels.paths.nodes import make_node
from sklazy.kernels.paths.splits import PathRules
from sklazy.kernels.paths.table import build_path_table
from sklazy.methods.paths.bags import plan_bags
from sklazy.methods.paths.model import answer_by_paths, make_paths, trace_paths
from weka_sets import SETS

rules_of_trees = st.builds(
    PathRules,
    min_branch_weight=st.sampled_from([1.0, 2.0, 5.0]),
    c45_min_side=st.booleans(),
    penalize_numeric_splits=st.booleans(),
    penalize_nominal_splits=st.booleans(),
    split_at_values=st.booleans(),
    inspect=st.sampled_from([0, 0, 1, 2]),
)


def tree_answers(table, rules, weights, key):
    """What the whole tree says, by the slow twin."""
    tree = oracle.grow_tree(
        table.columns(),
        table.sizes(),
        [int(c) for c in table.classes],
        table.n_classes,
        [int(w) for w in weights],
        dict(zip(oracle.TREE_RULES, rules, strict=True)),
        int(key),
    )
    return [oracle.tree_answer(tree, q, table.n_classes) for q in table.queries()]


def path_answers(table, rules, weights, key, few_values=64, bits=True, unit=None):
    data = build_path_table(
        table.codes,
        table.values,
        table.n_categories,
        table.classes,
        table.n_classes,
        few_values,
    )
    if not bits:
        data = data._replace(bits=data.bits[:0])
    n_queries, n_rows = len(table.query_codes), table.classes.size
    answers = np.zeros((n_queries, 1, table.n_classes))
    bagged_paths(
        data,
        rules,
        Queries(table.query_codes, table.query_values),
        np.zeros((n_queries, 1), np.int32),
        np.full((2, n_queries, 1), key, np.uint64),
        np.asarray(weights, np.int32)[None],
        make_node(data, table.n_classes, table.unit() if unit is None else unit),
        make_route(n_rows),
        np.zeros((n_queries, 1, 1, 6)),
        answers,
    )
    return answers[:, 0]


@pytest.mark.parametrize(("few_values", "bits"), [(64, True), (64, False), (0, False)])
@settings(max_examples=150)
@given(mixed_tables(), rules_of_trees, st.integers(0, 2**64 - 1))
def test_a_path_answers_like_the_whole_tree(few_values, bits, table, rules, key):
    rng = np.random.default_rng(key)
    n_rows = table.classes.size
    weights = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows)
    expected = tree_answers(table, rules, weights, key)
    answers = path_answers(table, rules, weights, key, few_values, bits)
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(mixed_tables(), st.integers(0, 2**64 - 1))
def test_whole_and_fractional_weights_agree(table, key):
    weights = np.ones(table.classes.size, int)
    if table.unit() is np.int32:
        whole = path_answers(table, PathRules(), weights, key, unit=np.int32)
        fractional = path_answers(table, PathRules(), weights, key, unit=np.float64)
        np.testing.assert_allclose(whole, fractional, rtol=0, atol=1e-12)


def test_a_row_too_heavy_for_the_planes_is_counted():
    table = make_mixed(np.random.default_rng(3), 60, [2, 3, 2], 2, 8)
    weights = np.zeros(60, int)
    weights[:12] = [20, 8, 7, 6, 5, 4, 3, 2, 2, 1, 1, 1]
    expected = tree_answers(table, PathRules(), weights, 0)
    answers = path_answers(table, PathRules(), weights, 0)
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(
    st.integers(1, 40),
    st.integers(0, 2**64 - 1),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4),
    st.integers(1, 50),
)
def test_bags_are_drawn_as_written_down(n_rows, random_state, cells, most):
    seed = query_seeds(np.array([cells], np.uint64), np.uint64(random_state))
    assert seed[0] == oracle.query_seed(cells, random_state)
    seeds = bag_seeds(seed, 3)[0]
    assert seeds.tolist() == [oracle.word64(int(seed[0]), i) for i in range(3)]
    for n_near in {1, (n_rows + 1) // 2, n_rows}:
        near = np.arange(n_near, dtype=np.int32)
        bags = bag_weights(seeds, seeds, near, most, n_rows)
        for bag, own in zip(bags, seeds.tolist(), strict=True):
            slow = oracle.bag_weights(own, n_rows, near.tolist(), most)
            assert bag.tolist() == slow
        assert (bags.sum(axis=1) == max(min(n_rows, most), n_near)).all()


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("discretized", [False, True])
def test_paths_and_trees_against_j48(name, discretized):
    """J48 -U collapses subtrees that err as often as their root; nothing else differs.

    The collapsed slow tree has J48's distribution for every row. Collapsing needs the
    whole tree; the path is that of the tree before it.
    """
    table, expected = weka_table(name, discretized)
    tree = oracle.grow_tree(
        table.columns(),
        table.sizes(),
        table.classes.tolist(),
        table.n_classes,
        [1] * table.classes.size,
        oracle.TREE_RULES,
    )
    open_tree = [oracle.tree_answer(tree, q, table.n_classes) for q in table.queries()]
    collapsed = oracle.collapse_tree(tree)
    closed = [
        oracle.tree_answer(collapsed, q, table.n_classes) for q in table.queries()
    ]
    np.testing.assert_allclose(closed, expected, rtol=0, atol=1e-9)
    answers = path_answers(table, PathRules(), np.ones(table.classes.size), 0)
    np.testing.assert_allclose(answers, open_tree, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 400),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    rules_of_trees,
)
def test_kept_nodes_of_shared_bags_change_no_answer(seed, n_rows, sizes, rules):
    rng = np.random.default_rng(seed)
    table = make_mixed(rng, n_rows, sizes, 3, 5)
    paths = make_paths(*table[:5])
    n_near = int(rng.integers(1, n_rows + 1))
    near = np.array([rng.permutation(n_rows)[:n_near] for _ in table.query_codes])
    queries = Queries(table.query_codes, table.query_values)
    bags = plan_bags(queries, table.n_categories == 0, near, 3, seed, share=True)
    assert paths.can_share
    kept = answer_by_paths(paths, queries, bags, rules, share=True)
    drawn = answer_by_paths(paths, queries, bags, rules)
    np.testing.assert_array_equal(kept, drawn)


def test_a_trace_leads_to_the_leaf_that_answers():
    table = make_mixed(np.random.default_rng(8), 80, [0, 3, 0, 2], 3, 6, 0.1, 1000)
    paths = make_paths(*table[:5])
    queries = Queries(table.query_codes, table.query_values)
    near = np.tile(np.arange(5), (6, 1))
    bags = plan_bags(queries, table.n_categories == 0, near, 2, 1)
    steps = trace_paths(paths, queries, bags, PathRules())
    for query in steps:
        for way in query:
            leaves = [step for step in way if step.attribute < 0]
            assert way[0].weight == 80
            assert sum(leaf.share for leaf in leaves) == pytest.approx(1.0)
            assert all(
                a.weight >= b.weight
                for a, b in itertools.pairwise(way)
                if b.depth > a.depth
            )
