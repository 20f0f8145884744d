"""Answers of kernel models without cases, against systems solved without them."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import kernel_models as slow
from sklazy import BadInputError, LazyKernelClassifier, LazyKernelRegressor
from sklazy.answer import prepare
from strategies import split_problems

few = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
problems = split_problems(min_rows=4, max_rows=10, max_queries=2, telling=True)
NEAREST = {"max_rows": 0, "n_neighbors": 3, "n_landmarks": 0}
LIMITS = st.sampled_from([{}, NEAREST])


def slow_scores(model, cases, row, gone):
    """Scores of a row without some cases, all settings those of all cases."""
    with model.cases_.snapshot() as state:
        data = prepare(model._learner(), state)
        order = state.ids[state.order].tolist()
    known = cases.rows, cases.kinds, data.columns.weights.tolist()
    left = [i for i in order if i not in gone]
    targets = data.targets[[order.index(i) for i in left]]
    rows = [cases.rows[i] for i in left]
    center = targets.mean(axis=0)
    if data.solution is None:
        far = [slow.distance(row, other, *known) for other in rows]
        near = sorted(range(len(rows)), key=lambda i: (far[i], i))[:3]
        rows, targets = [rows[i] for i in near], targets[near]
    rate = data.settings.rate
    system = slow.similarities(rows, rows, *known, rate)
    side = slow.similarities([row], rows, *known, rate)[0]
    scores = slow.solve_for(system, side, data.settings.ridge, targets, center)
    return scores, data


@few
@given(problems, LIMITS)
def test_numbers_without_a_case_are_those_of_a_system_without_it(problem, limits):
    cases, queries = problem
    model = LazyKernelRegressor(**limits).fit(cases.frame, cases.targets)
    found = model.influence(queries.frame)
    assert found.answer == pytest.approx(model.predict(queries.frame))
    scale = max(1.0, np.abs(cases.targets).max())
    for i, row in enumerate(queries.rows):
        for case in found.ids:
            scores, data = slow_scores(model, cases, row, [case])
            assert found.without[i, found.ids.index(case)] == pytest.approx(
                scores[0] / data.unit, abs=1e-8 * scale
            )


@few
@given(problems)
def test_blocks_are_left_out_together(problem):
    cases, queries = problem
    model = LazyKernelRegressor().fit(cases.frame, cases.targets)
    found = model.influence(queries.frame, ids=[[0, 2], 1])
    scale = max(1.0, np.abs(cases.targets).max())
    for i, row in enumerate(queries.rows):
        scores, data = slow_scores(model, cases, row, [0, 2])
        expected = scores[0] / data.unit
        assert found.without[i, 0] == pytest.approx(expected, abs=1e-8 * scale)


@few
@given(problems, LIMITS)
def test_classes_without_a_case(problem, limits):
    cases, queries = problem
    model = LazyKernelClassifier(**limits).fit(cases.frame, cases.classes)
    found, labels = model.influence(queries.frame), model.classes_.tolist()
    for i, row in enumerate(queries.rows):
        for at, case in enumerate(found.ids):
            scores, data = slow_scores(model, cases, row, [case])
            others = np.delete(cases.classes, case).tolist()
            seen = [label in others for label in labels]
            seen_scores = [s if there else -1e9 for s, there in zip(scores, seen)]  # noqa: B905
            shares = slow.probabilities(seen_scores, data.settings.temperature, seen)
            expected = shares[labels.index(found.of[i])]
            assert found.without[i, at] == pytest.approx(expected, abs=1e-8)


@few
@given(problems)
def test_sums_over_landmarks_lose_what_a_block_added(problem):
    cases, queries = problem
    model = LazyKernelRegressor(max_rows=2, n_landmarks=3)
    model.fit(cases.frame, cases.targets)
    blocks = [[0, 2], 1, 3]
    found = model.influence(queries.frame, ids=blocks)
    scale = max(1.0, np.abs(cases.targets).max())
    for i, row in enumerate(queries.rows):
        for at, block in enumerate(blocks):
            gone = block if isinstance(block, list) else [block]
            expected = landmark_score(model, cases, row, gone)
            assert found.without[i, at] == pytest.approx(expected, abs=1e-5 * scale)


def landmark_score(model, cases, row, gone):
    """Ridge regression on similarities to landmarks, without some rows."""
    with model.cases_.snapshot() as state:
        data = prepare(model._learner(), state)
        order = state.ids[state.order].tolist()
    known = cases.rows, cases.kinds, data.columns.weights.tolist(), data.settings.rate
    marks = [cases.rows[order[p]] for p in data.solution.places.tolist()]
    left = [i for i in order if i not in gone]
    targets = data.targets[[order.index(i) for i in left], 0]
    near = slow.similarities([cases.rows[i] for i in left], marks, *known)
    among = slow.similarities(marks, marks, *known)
    jitter = 1e-10 * len(order) * np.eye(len(marks))  # of about this size
    system = near.T @ near + data.settings.ridge * among + jitter
    center = targets.mean()
    solved = np.linalg.solve(system, near.T @ (targets - center))
    side = slow.similarities([row], marks, *known)[0]
    return (center + side @ solved) / data.unit


def test_blocks_need_a_system_of_all_rows():
    model = LazyKernelRegressor(max_rows=2, n_landmarks=0).fit(
        [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    )
    with pytest.raises(BadInputError, match="several rows as one block"):
        model.influence([[1.0]], ids=[[0, 1]])


def test_ids_must_be_a_list():
    model = LazyKernelRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    with pytest.raises(BadInputError, match="expected a list of ids"):
        model.influence([[1.0]], ids=1)


def test_a_block_is_printed_as_its_ids():
    table = [[float(i)] for i in range(8)]
    ids = [f"P{i}" for i in range(8)]
    model = LazyKernelRegressor().fit(table, [0.0] * 4 + [1.0] * 4, ids=ids)
    text = str(model.influence([[7.0]], ids=[["P0", "P6"], ["P5"]]))
    assert "P0 and P6" in text
    assert re.search(r"\bP5 +[+-]", text)
    assert "[" not in text
