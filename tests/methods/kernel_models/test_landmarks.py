"""Landmarks against systems that are solved anew for every row left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import kernel_models as slow
from sklazy import LazyKernelClassifier, LazyKernelRegressor
from sklazy.answer.learner import prepare
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models import descent, landmarks
from sklazy.methods.kernel_models.choice import (
    ClassJudge,
    KernelSettings,
    NumberJudge,
)
from sklazy.methods.kernel_models.first_rows import FirstRows, round_down
from strategies import split_problems

KINDS = [LazyKernelClassifier, LazyKernelRegressor]
problems = split_problems(min_rows=4, max_rows=14, max_queries=4, telling=True)


def prepared(model):
    with model.cases_.snapshot() as base:
        data = prepare(model._learner(), base)
        return data, base.ids[base.order].tolist()


def fit(kind, cases, n_landmarks):
    is_class = kind is LazyKernelClassifier
    outcome = cases.classes if is_class else cases.targets
    model = kind(max_rows=0, n_landmarks=n_landmarks, max_loo_rows=20)
    return model.fit(cases.frame, outcome)


def twin_of(data, order, cases):
    """Similarities of rows in canonical order to landmarks, and among these."""
    rows = [cases.rows[i] for i in order]
    marks = [rows[i] for i in data.solution.places]
    known = cases.rows, cases.kinds, data.settings.weights, data.settings.rate
    near = slow.similarities(rows, marks, *known)
    return near, slow.similarities(marks, marks, *known), marks, known


@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems, n_landmarks=st.integers(1, 16))
def test_answers_are_those_of_all_rows_by_landmarks(kind, problem, n_landmarks):
    cases, queries = problem
    model = fit(kind, cases, n_landmarks)
    data, order = prepared(model)
    near, among, marks, known = twin_of(data, order, cases)
    sides = slow.similarities(queries.rows, marks, *known)
    ridge, targets = data.settings.ridge, data.targets
    expected = slow.answer_by_landmarks(near, among, sides, ridge, targets)
    if kind is LazyKernelRegressor:
        answers = model.predict(queries.frame)[:, None] * data.unit
    else:
        expected = [
            slow.probabilities(s, data.settings.temperature, [True] * len(s))
            for s in expected
        ]
        answers = model.predict_proba(queries.frame)
    size = np.abs(targets).max()
    np.testing.assert_allclose(answers, expected, rtol=1e-5, atol=1e-5 * size)


@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems, n_landmarks=st.integers(1, 16))
def test_left_out_answers_are_those_of_the_other_rows(kind, problem, n_landmarks):
    cases, _ = problem
    data, order = prepared(fit(kind, cases, n_landmarks))
    near, among, _, _ = twin_of(data, order, cases)
    ridge, targets = data.settings.ridge, data.targets
    expected = slow.left_out_of_landmarks(near, among, ridge, targets)
    places = np.arange(len(targets))[::-1]
    left_out = data.solution.left_out[places]
    size = np.abs(targets).max()
    np.testing.assert_allclose(left_out, expected[places], rtol=1e-5, atol=1e-5 * size)


@pytest.mark.parametrize("n_rows", [1, 100, 4000])
@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems, n_landmarks=st.integers(1, 16))
def test_estimated_leverages_count_the_row_itself_once(
    kind, problem, n_landmarks, n_rows
):
    cases, _ = problem
    data, order = prepared(fit(kind, cases, n_landmarks))
    rows = [cases.rows[i] for i in order]
    _, among, marks, known = twin_of(data, order, cases)
    near = slow.similarities(rows, marks, *known)
    values = data.columns
    first = FirstRows(values, data.solution.columns, data.settings)
    about = round_down(n_rows)
    expected = slow.estimate_leverages(near, among, data.settings.ridge, about)
    found = first.estimate_leverages(n_rows)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_estimated_answers_are_nearly_those_without_the_row(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * random.normal(size=3000)
    y = y > 0 if kind is LazyKernelClassifier else y
    model = kind(max_rows=0, n_landmarks=100, max_loo_rows=100).fit(X, y)
    data, _ = prepared(model)
    exact = data.solution.left_out[np.arange(300)]
    found = data.solution.estimate(300)
    with_row = data.center + data.solution.near(slice(0, 300)) @ (
        data.solution.coefficients.T
    )
    assert np.abs(found - exact).mean() < 0.3 * np.abs(with_row - exact).mean()
    assert data.solution.estimate(600) is None  # 500 are drawn


@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems)
def test_landmarks_at_all_rows_answer_as_the_system_of_all_rows(kind, problem):
    cases, _ = problem
    data, order = prepared(fit(kind, cases, len(cases.rows)))
    rows = [cases.rows[i] for i in order]
    known = cases.rows, cases.kinds, data.settings.weights, data.settings.rate
    system = slow.similarities(rows, rows, *known)
    ridge, targets = data.settings.ridge, data.targets
    center = targets.mean(axis=0)
    expected = center + system @ np.linalg.solve(
        system + ridge * np.eye(len(rows)), targets - center
    )
    near, _, _, _ = twin_of(data, order, cases)
    answers = center + near @ data.solution.coefficients.T
    size = np.abs(targets).max()
    np.testing.assert_allclose(answers, expected, rtol=1e-4, atol=1e-4 * size)


@given(problem=problems, n_landmarks=st.integers(1, 20))
def test_landmarks_are_the_first_different_rows(problem, n_landmarks):
    cases, _ = problem
    data, order = prepared(fit(LazyKernelRegressor, cases, n_landmarks))
    weighed = np.flatnonzero(data.settings.weights > 0)
    seen, first = set(), []
    for place, i in enumerate(order):
        content = tuple(cases.rows[i][j] for j in weighed)
        if content not in seen:
            seen.add(content)
            first.append(place)
    assert data.solution.places.tolist() == first[:n_landmarks]


def make_columns(random, n_rows):
    values = random.normal(size=(4, n_rows))
    values[1] = random.integers(0, 3, n_rows)
    values[0, ::7] = np.nan
    nominal = np.array([False, True, False, False])
    return KernelColumns(values, nominal, np.full(4, 1.2), np.ones(4))


@pytest.mark.parametrize("is_class", [False, True])
def test_the_slopes_of_the_left_out_loss_are_its_differences(is_class):
    random, n_rows = np.random.default_rng(0), 60
    columns = make_columns(random, n_rows)
    truth = np.nan_to_num(columns.values[0]) + columns.values[2] ** 2
    classes = (truth > 0.7).astype(np.int64)
    targets = np.eye(2)[classes] if is_class else truth[:, None]
    judge = ClassJudge(classes) if is_class else NumberJudge(targets)
    rows = descent.DescentRows(columns, np.arange(0, 60, 4), targets, judge)
    weights = np.array([1.0, 0.5, 2.0, 0.7])
    settings = KernelSettings(1.0, weights, 0.8, 3.0, 0.3, 1.0, np.nan)
    state = descent.solve_rows(rows, settings)

    def loss(change):
        moved = settings._replace(
            weights=weights * np.exp(change[:-1]), ridge=0.3 * np.exp(change[-1])
        )
        left_out = descent.solve_rows(rows, moved).left_out
        if not is_class:
            return np.mean((left_out - targets) ** 2)
        shares = np.exp(state.settings.temperature * left_out)
        own = shares[np.arange(n_rows), classes] / shares.sum(axis=1)
        return -np.log(own).mean()

    slopes = descent.find_slopes(rows, state)
    for place in range(5):
        step = np.zeros(5)
        step[place] = 1e-5
        expected = (loss(step) - loss(-step)) / 2e-5
        assert slopes[place] == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_weights_descend_to_the_columns_that_matter():
    random = np.random.default_rng(1)
    columns = make_columns(random, 400)
    targets = np.sin(2 * columns.values[2])[:, None] + 0.1 * random.normal(
        size=(400, 1)
    )
    start = KernelSettings(0.0, np.ones(4), 1.0, 3.0, 0.1, 1.0, np.nan)
    found = descent.descend(columns, start, targets, NumberJudge(targets), 100)
    assert found.weights.argmax() == 2
    assert found.weights[2] > 5 * found.weights[3]


def test_few_rows_do_not_move_weights():
    columns = make_columns(np.random.default_rng(2), 299)
    targets = columns.values[2][:, None]
    start = KernelSettings(0.0, np.ones(4), 1.0, 3.0, 0.1, 1.0, np.nan)
    judge = NumberJudge(targets)
    assert descent.descend(columns, start, targets, judge, 50) is start


def test_blocks_have_the_same_digits_in_any_order():
    random, n_rows = np.random.default_rng(3), 3 * landmarks.BLOCK // 2
    X = random.normal(size=(n_rows, 3))
    model = LazyKernelRegressor(max_rows=50, n_landmarks=40, max_loo_rows=60)
    data, _ = prepared(model.fit(X, X[:, 0]))
    again, _ = prepared(model.fit(X[::-1], X[::-1, 0]))
    places = random.permutation(n_rows)
    whole = data.solution.left_out[places]
    singles = [again.solution.left_out[np.array([place])][0] for place in places]
    np.testing.assert_array_equal(whole, singles)
