"""Random paths against their slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from path_tables import make_mixed
from sklazy.flow import Queries
from sklazy.methods.paths.bags import draw_weights, plan_bags
from sklazy.methods.paths.model import make_paths, make_regression_paths
from sklazy.methods.paths.random_paths import (
    answer_by_random_paths,
    make_random_paths,
    sum_gains,
    trace_changes,
    trace_random_paths,
)

N_BAGS = 3


@st.composite
def problems(draw):
    """Mixed columns with missing and unseen cells, ties, constants, many categories."""
    n_rows = draw(st.one_of(st.integers(1, 8), st.integers(1, 60)))
    kinds = st.sampled_from([0, 0, 1, 2, 3, 4, 63, 64, 150])
    sizes = draw(st.lists(kinds, min_size=1, max_size=6))
    n_classes = draw(st.sampled_from([None, 1, 2, 4]))
    missing = draw(st.sampled_from([0.0, 0.1, 0.5]))
    levels = draw(st.sampled_from([3, 12, 1000]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    table = make_mixed(rng, n_rows, sizes, n_classes or 4, 4, missing, levels)
    scale = draw(st.sampled_from([1.0, 1e-300, 1e300]))
    table = table._replace(
        values=table.values * scale, query_values=table.query_values * scale
    )
    outcomes = table.classes.tolist()
    if n_classes is None and draw(st.booleans()):
        outcomes = (table.classes + rng.normal(0, 0.5, n_rows) + 1e6).tolist()
    n_tried = draw(st.integers(1, len(sizes)))
    return table, [float(o) for o in outcomes], n_classes, n_tried, seed


def ready(table, outcomes, n_classes):
    columns = table.codes, table.values, table.n_categories
    if n_classes is None:
        targets = np.array(outcomes, np.float64)
        return make_random_paths(make_regression_paths(*columns, targets))
    return make_random_paths(make_paths(*columns, table.classes, n_classes))


MOST_DRAWS = st.sampled_from([1, 7, 4000])


def plan(table, seed, n_near=0, left_out=None, max_draws=4000):
    queries = Queries(table.query_codes, table.query_values)
    near = np.zeros((len(queries.codes), n_near), np.int64)
    given = queries, table.n_categories == 0, near, N_BAGS, seed
    return queries, plan_bags(*given, left_out=left_out, max_draws=max_draws)


def plain_outcomes(outcomes, n_classes):
    return outcomes if n_classes is None else [int(o) for o in outcomes]


@settings(max_examples=200)
@given(problems(), st.sampled_from([0, 1]), MOST_DRAWS)
def test_random_paths_equal_their_slow_twin(problem, n_near, most):
    table, outcomes, n_classes, n_tried, seed = problem
    queries, bags = plan(table, seed, n_near, max_draws=most)
    paths = ready(table, outcomes, n_classes)
    answers = answer_by_random_paths(paths, queries, bags, n_tried)
    traces = trace_random_paths(paths, queries, bags, n_tried)
    for q, query in enumerate(table.queries()):
        weights = draw_weights(bags, q, len(outcomes)).tolist()
        for b in range(N_BAGS):
            expected, steps = oracle.random_path(
                table.columns(),
                table.sizes(),
                plain_outcomes(outcomes, n_classes),
                n_classes,
                weights[b],
                n_tried,
                int(bags.seeds[0, q, b]),
                query,
            )
            found = answers[q, b] if n_classes else answers[q, b, 0]
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            check_steps(traces[q][b], steps)


@settings(max_examples=50)
@given(problems(), st.integers(1, 9))
def test_gains_are_those_of_the_steps(problem, least):
    table, outcomes, n_classes, n_tried, seed = problem
    queries, bags = plan(table, seed)
    paths = ready(table, outcomes, n_classes)
    expected = [0.0] * len(table.codes)
    for ways in trace_random_paths(paths, queries, bags, n_tried):
        for step in [step for way in ways for step in way[:-1]]:
            if step.weight >= least:
                expected[step.attribute] += step.gain / step.weight
    found = sum_gains(paths, queries, bags, n_tried, least)
    n_paths = len(queries.codes) * N_BAGS
    np.testing.assert_allclose(found, np.array(expected) / n_paths, rtol=1e-9)


@settings(max_examples=60)
@given(problems())
def test_changes_are_those_between_the_nodes(problem):
    table, outcomes, n_classes, n_tried, seed = problem
    queries, bags = plan(table, seed)
    paths = ready(table, outcomes, n_classes)
    answers = answer_by_random_paths(paths, queries, bags, n_tried)
    _, changes, starts = trace_changes(paths, queries, bags, n_tried)
    scale = max(1.0, float(np.abs(answers).max(initial=0.0)))
    np.testing.assert_allclose(
        starts + changes.sum(axis=2), answers, rtol=0.0, atol=1e-12 * scale
    )
    for q, query in enumerate(table.queries()):
        weights = draw_weights(bags, q, len(outcomes)).tolist()
        for b in range(N_BAGS):
            expected = oracle.random_path_changes(
                table.columns(),
                table.sizes(),
                plain_outcomes(outcomes, n_classes),
                n_classes,
                weights[b],
                n_tried,
                int(bags.seeds[0, q, b]),
                query,
            )
            found = changes[q, b]
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * scale)


def check_steps(found, expected):
    *inner, leaf = found
    assert leaf.attribute == -1
    assert len(inner) == len(expected)
    for depth, (step, slow) in enumerate(zip(inner, expected, strict=True)):
        j, side, cut, weight, gain, by_lot, categories = slow
        assert (step.depth, step.attribute, step.branch) == (depth, j, side)
        assert (step.weight, step.by_lot) == (weight, by_lot)
        assert step.gain == pytest.approx(gain, rel=1e-6, abs=1e-9 * weight)
        assert step.cut == pytest.approx(cut, rel=1e-12, nan_ok=True)
        assert list(step.categories) == categories


@settings(max_examples=100)
@given(problems(), st.data(), MOST_DRAWS)
def test_a_row_left_out_is_a_row_that_never_was(problem, data, most):
    table, outcomes, n_classes, n_tried, seed = problem
    n_rows = len(outcomes)
    if n_rows < 2:
        return
    row = data.draw(st.integers(0, n_rows - 1))
    left_out = np.full(len(table.query_codes), row, np.int64)
    queries, bags = plan(table, seed, left_out=left_out, max_draws=most)
    paths = ready(table, outcomes, n_classes)
    answers = answer_by_random_paths(paths, queries, bags, n_tried)
    others = np.delete(np.arange(n_rows), row)
    fewer = table._replace(
        codes=np.ascontiguousarray(table.codes[:, others]),
        values=np.ascontiguousarray(table.values[:, others]),
        classes=np.ascontiguousarray(table.classes[others]),
    )
    remaining = ready(fewer, [outcomes[i] for i in others], n_classes)
    _, own = plan(fewer, seed, max_draws=most)
    expected = answer_by_random_paths(remaining, queries, own, n_tried)
    np.testing.assert_array_equal(answers, expected)


def test_leaves_are_pure_where_rows_differ():
    rng = np.random.default_rng(3)
    table = make_mixed(rng, 60, [0, 0, 3], 3, 8, levels=1000)
    queries, bags = plan(table, 0)
    paths = ready(table, table.classes.tolist(), 3)
    answers = answer_by_random_paths(paths, queries, bags, 2)
    assert (answers.max(axis=2) == 1.0).all()


def test_cuts_are_spread_evenly():
    """Of two classes far apart the root's cut is uniform between all numbers."""
    values = np.array([[0.0, 1.0]])
    codes, sizes = np.full((1, 2), -1, np.int32), np.array([0])
    paths = make_random_paths(
        make_paths(codes, values, sizes, np.array([0, 1], np.int32), 2)
    )
    asked = np.linspace(0.0, 1.0, 4001)[:, None]
    queries = Queries(np.full(asked.shape, -1, np.int32), asked)
    near = np.zeros((len(asked), 0), np.int64)
    bags = plan_bags(queries, np.array([True]), near, 1, 5)
    steps = trace_random_paths(paths, queries, bags, 1)
    cuts = [way[0].cut for (way,) in steps if way[0].attribute == 0]
    counts, _ = np.histogram(cuts, 10, (0.0, 1.0))
    assert len(cuts) > 1500
    assert (np.abs(counts / len(cuts) - 0.1) < 0.03).all()
