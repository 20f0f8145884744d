"""Linear models against slow twins: the fit, the ridge, and rows left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import linear_models as slow
from sklazy.estimators.audit import indicators
from sklazy.methods.kernel_models.choice import TEMPERATURES
from sklazy.methods.linear_models import logistic, ridge
from sklazy.methods.linear_models.columns import find_directions
from sklazy.methods.linear_models.logistic import fit_logistic, to_probabilities
from sklazy.methods.linear_models.ridge import fit_ridge

few = settings(max_examples=15, deadline=None)


@st.composite
def designs(draw, min_rows=3, max_rows=30):
    """Centered rows with ties, equal columns and constant ones."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows, n_columns = draw(st.integers(min_rows, max_rows)), draw(st.integers(0, 5))
    rows = rng.normal(size=(n_rows, n_columns)).round(draw(st.integers(0, 3)))
    if n_columns > 2:
        rows[:, 1] = rows[:, 0]
    return rows - rows.mean(axis=0), rng


@few
@given(designs())
def test_the_line_and_its_left_out_errors_are_those_of_refitting(design):
    rows, rng = design
    targets = rng.normal(size=len(rows)) + rows.sum(axis=1)
    found, losses = fit_ridge(rows, targets), []
    for penalty in ridge.RIDGES:
        left = []
        for i in range(len(rows)):
            kept = np.arange(len(rows)) != i
            beta = slow.ridge_line(rows[kept], targets[kept], penalty)
            left.append(beta[0] + rows[i] @ beta[1:])
        losses.append(np.mean((np.array(left) - targets) ** 2))
        if penalty == found.ridge:
            np.testing.assert_allclose(found.left_out[:, 0], left, atol=1e-7)
            beta = slow.ridge_line(rows, targets, penalty)
            np.testing.assert_allclose(found.coefficients[0], beta[1:], atol=1e-8)
            np.testing.assert_allclose(found.intercepts, beta[:1], atol=1e-8)
    assert found.loss**2 == pytest.approx(min(losses), rel=1e-6, abs=1e-12)


@few
@given(designs(min_rows=6), st.integers(1, 3))
def test_logistic_coefficients_are_those_of_a_general_search(design, n_classes):
    rows, rng = design
    classes = rng.integers(0, n_classes, len(rows))
    found = fit_logistic(rows, classes, n_classes)
    for c in range(n_classes):
        beta = slow.logistic(rows, classes == c, found.ridge)
        # The search is left to end where the slope is 1e-9, and the ridge of the
        # intercept is 1e-4: of one class alone that is no small distance.
        slack = 1e-4 if n_classes > 1 else 1e-2
        np.testing.assert_allclose(found.intercepts[c], beta[0], atol=slack, rtol=1e-3)
        np.testing.assert_allclose(found.coefficients[c], beta[1:], atol=1e-4)


@pytest.mark.parametrize(("n_rows", "most"), [(40, 0.06), (100, 0.03)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_newton_step_is_near_to_refitting(n_rows, most, n_classes):
    rng = np.random.default_rng(n_rows)
    rows = rng.normal(size=(n_rows, 4))
    rows -= rows.mean(axis=0)
    noise = rng.normal(size=n_rows)
    classes = np.digitize(
        rows[:, 0] + 0.7 * noise, np.linspace(-0.5, 0.5, n_classes - 1)
    )
    found = fit_logistic(rows, classes, n_classes)
    refitted = np.empty((n_rows, n_classes))
    for i in range(n_rows):
        kept = np.arange(n_rows) != i
        for c in range(n_classes):
            beta = slow.logistic(rows[kept], classes[kept] == c, found.ridge)
            refitted[i, c] = beta[0] + rows[i] @ beta[1:]
    exact = np.array([slow.one_against_rest(scores) for scores in refitted])
    by_step = to_probabilities(found.left_out)
    assert np.abs(by_step - exact).max() < most
    seen = to_probabilities(rows @ found.coefficients.T + found.intercepts)
    # A step of Newton's takes away nearly all of what having seen the row does.
    assert np.abs(by_step - exact).mean() < 0.1 * np.abs(seen - exact).mean()


def test_the_ridge_has_the_least_left_out_log_loss(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 6))
    rows -= rows.mean(axis=0)
    classes = (rows[:, 0] + rng.normal(size=50) > 0).astype(int)
    best, losses = fit_logistic(rows, classes, 2), {}
    for penalty in (0.1, 1.0, 5.0, 25.0):
        monkeypatch.setattr(logistic, "RIDGES", (penalty,))
        losses[penalty] = fit_logistic(rows, classes, 2).loss
    assert best.ridge == min(losses, key=losses.get)
    assert best.loss == pytest.approx(min(losses.values()), rel=1e-9)


def test_separable_classes_have_finite_scores():
    half = np.linspace(0.5, 1, 10)
    rows = np.concatenate([-half, half])[:, None]
    found = fit_logistic(rows, (rows[:, 0] > 0).astype(int), 2)
    assert np.isfinite(found.left_out).all()
    assert (to_probabilities(found.left_out).argmax(axis=1) == (rows[:, 0] > 0)).all()


def test_few_rows_of_many_columns_lose_nothing():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(12, 40))
    rows -= rows.mean(axis=0)
    directions = find_directions(rows, 12)
    np.testing.assert_allclose(rows @ directions @ directions.T, rows, atol=1e-9)
    targets = rng.normal(size=12)
    beta = slow.ridge_line(rows, targets, 1.0)
    seen = rows @ directions
    small = slow.ridge_line(seen, targets, 1.0)
    np.testing.assert_allclose(directions @ small[1:], beta[1:], atol=1e-9)


def test_of_many_columns_those_that_vary_most_are_seen(monkeypatch):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(80, 30)) * np.array([3.0] * 3 + [0.01] * 27)
    rows -= rows.mean(axis=0)
    directions = find_directions(rows, 3)
    assert directions.shape == (30, 3)
    assert np.abs(directions[:3]).max() > 0.9 > np.abs(directions[3:]).max()
    monkeypatch.setattr(logistic, "MOST_DIRECTIONS", 3)
    found = fit_logistic(rows, (rows[:, 0] > 0).astype(int), 2)
    assert found.coefficients.shape == (2, 30)
    assert np.abs(found.coefficients[0, 3:]).max() < 0.1


@few
@given(designs(4, 20), st.integers(2, 4))
def test_lines_answer_without_the_row(design, n_classes):
    rows, rng = design
    n_rows = len(rows)
    classes = rng.integers(0, n_classes, n_rows)
    if len(np.unique(classes)) < 2:
        return
    found = indicators.leave_out_lines(rows, classes, n_classes)
    asked = indicators.RIDGES, TEMPERATURES, indicators.N_JUDGED
    expected = slow.lines_left_out(rows, classes.tolist(), n_classes, *asked)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_lines_of_many_rows_are_judged_by_the_first():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3))
    rows -= rows.mean(axis=0)
    classes = (rows[:, 0] > 0).astype(int)
    classes[20:] = 1 - classes[20:]  # the rule turns round, which nobody judges
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indicators, "N_JUDGED", 20)
        found = indicators.leave_out_lines(rows, classes, 2)
    asked = indicators.RIDGES, TEMPERATURES, 20
    expected = slow.lines_left_out(rows, classes.tolist(), 2, *asked)
    np.testing.assert_allclose(found, expected, atol=1e-7)
