"""Contributions to kernel models against all orders of products, written out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import contributions as slow
from oracle import kernel_models as slow_kernel
from sklazy import LazyKernelClassifier, LazyKernelRegressor
from sklazy.answer import prepare
from strategies import split_problems

few = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
problems = split_problems(
    min_rows=2, max_rows=10, max_queries=3, max_columns=4, telling=True
)
NEAREST = {"max_rows": 0, "n_landmarks": 0, "n_neighbors": 4}
LANDMARKS = {"max_rows": 0, "n_landmarks": 3}
SETTINGS = st.sampled_from([{}, NEAREST, LANDMARKS])


class Twin:
    """The products behind the answer to one query, written out."""

    def __init__(self, model, cases, row):
        with model.cases_.snapshot() as state:
            data = prepare(model._learner(), state)
            order = state.ids[state.order].tolist()
        rate, weights = data.settings.rate, data.columns.weights.tolist()
        rows = [cases.rows[i] for i in order]
        columns, self.unit = list(zip(*rows, strict=True)), data.unit
        near = list(range(len(rows)))
        if data.solution is None:
            far = [
                slow_kernel.distance(row, r, rows, cases.kinds, weights) for r in rows
            ]
            near = sorted(sorted(near, key=lambda i: (far[i], i))[:4])
        elif data.anchor_places is not None:
            near = data.anchor_places.tolist()

        def factor(j, one, other):
            apart = slow_kernel.difference(one, other, columns[j], cases.kinds[j])
            return np.exp(-rate * weights[j] * apart)

        n_columns = len(columns)
        self.factors = [
            [factor(j, row[j], rows[i][j]) for i in near] for j in range(n_columns)
        ]
        self.means = [
            [
                np.mean([factor(j, cell, rows[i][j]) for cell in columns[j]])
                for i in near
            ]
            for j in range(n_columns)
        ]
        for j, cell in enumerate(row):
            if cell is None:  # it is as it is
                self.means[j] = self.factors[j]
        chosen = [rows[i] for i in near]
        system = slow_kernel.similarities(
            chosen, chosen, rows, cases.kinds, weights, rate
        )
        ridge = data.settings.ridge
        self.center = data.targets.mean(axis=0)
        sides = data.targets[near] - self.center
        solved = np.linalg.solve(system + ridge * np.eye(len(near)), sides)
        if data.anchor_places is not None:
            every = slow_kernel.similarities(
                rows, chosen, rows, cases.kinds, weights, rate
            )
            solved = slow_kernel.fit_landmarks(
                every, system, ridge, data.targets, self.center
            )
        self.coefficients, self.settings = solved.T, data.settings

    def score(self, c, known):
        own = self.coefficients[c]
        return slow.product_score(own, self.factors, self.means, known) + self.center[c]

    def scores_at(self, places):
        return [
            slow.partly_known(own, self.factors, self.means, places) + self.center[c]
            for c, own in enumerate(self.coefficients)
        ]


@few
@given(problems, SETTINGS)
def test_numbers_equal_all_orders(problem, parameters):
    cases, queries = problem
    model = LazyKernelRegressor(**parameters).fit(cases.frame, cases.targets)
    found = model.contributions(queries.frame)
    for i, row in enumerate(queries.rows):
        twin = Twin(model, cases, row)
        players = range(len(row))
        expected = slow.shapley(lambda s, t=twin: t.score(0, s) / t.unit, players)
        scale = 1e-9 * max(np.abs(cases.targets).max(), 1.0)
        assert found.values[i] == pytest.approx(
            [expected[j] for j in players], abs=scale
        )
        assert found.base[i] == pytest.approx(twin.score(0, ()) / twin.unit, abs=scale)


@few
@given(problems, SETTINGS)
def test_classes_equal_many_steps(problem, parameters):
    cases, queries = problem
    model = LazyKernelClassifier(**parameters).fit(cases.frame, cases.classes)
    found = model.contributions(queries.frame)
    present = model.classes_.tolist()
    for i, row in enumerate(queries.rows[:1]):
        twin, at = Twin(model, cases, row), present.index(found.of[i])
        steep = twin.settings.temperature

        def output(scores, steep=steep, at=at):
            return slow.softmax(list(scores), steep)[at]

        expected = slow.along_diagonal(twin.scores_at, output, len(row), n_steps=200)
        assert found.values[i] == pytest.approx(expected, abs=2e-3)
        assert found.base[i] == pytest.approx(
            output(twin.scores_at(np.zeros(len(row)))), abs=1e-9
        )


@few
@given(problems)
def test_equal_columns_have_equal_values(problem):
    cases, queries = problem
    frames = [p.frame.assign(again=p.frame["a0"]) for p in (cases, queries)]
    model = LazyKernelRegressor().fit(frames[0], cases.targets)
    with model.cases_.snapshot() as state:
        weights = prepare(model._learner(), state).columns.weights
    values = model.contributions(frames[1]).values
    if weights[0] == weights[-1]:
        assert np.array_equal(values[:, 0], values[:, -1])


def test_a_date_is_one_feature():
    days = pd.date_range("2024-01-01", periods=60, freq="3D")
    X = pd.DataFrame({"day": days, "size": np.arange(60.0) % 7})
    y = days.month.to_numpy() + X["size"].to_numpy()
    model = LazyKernelRegressor().fit(X, y)
    found = model.contributions(X[:5])
    assert found.names == ["day", "size"]
    assert found.base + found.values.sum(axis=1) == pytest.approx(model.predict(X[:5]))


def test_a_thousand_columns_do_not_underflow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 1000))
    y = X[:, 0] + X[:, 1]
    model = LazyKernelRegressor().fit(X, y)
    found = model.contributions(X[:2])
    assert np.isfinite(found.values).all()
    assert found.base + found.values.sum(axis=1) == pytest.approx(
        found.answer, abs=1e-9
    )


@pytest.mark.parametrize("kind", [LazyKernelClassifier, LazyKernelRegressor])
def test_a_brief_receipt_has_no_table_without_cases(kind):
    table = np.arange(60.0).reshape(-1, 1)
    model = kind().fit(table, np.repeat([0, 1], 30))
    brief, full = (
        model.explain([[31.5]], detail=detail)[0] for detail in ("brief", "full")
    )
    for text in (brief.to_text(), brief.to_html()):
        assert "Cases with the most influence" not in text
    for text in (full.to_text(), full.to_html()):
        assert "Cases with the most influence" in text
