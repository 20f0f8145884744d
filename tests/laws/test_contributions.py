"""Contributions of every estimator that keeps cases: they add up, and change nothing.

They add up to the answer less the base; missing cells and constant columns have exactly
0, equal columns the same; row order and batches do not matter.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

from discovery import every_keeper, one_keeper_of_each
from lawful import fewer, fitted, quiet, splits, truth
from places import cut
from sklazy import (
    BadInputError,
    LazyKernelRegressor,
    LazyLogisticClassifier,
    LazyRidgeRegressor,
)

pytestmark = quiet


def told(found):
    """Contributions such that equal means identical, bit for bit."""
    arrays = found.values, found.base, found.answer, found.errors
    return [array.tobytes() for array in arrays], found.of.tolist(), found.names


def answers_of(model, frame, of):
    """What contributions must come to."""
    if is_regressor(model):
        predicted = model.predict(frame)
        return predicted if predicted.ndim == 1 else predicted[:, 0]
    classes = model.classes_.tolist()
    shares = model.predict_proba(frame)
    return shares[np.arange(len(shares)), [classes.index(label) for label in of]]


@every_keeper
@fewer
@given(st.data())
def test_contributions_add_up_to_the_answer(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=16))
    model = fitted(setting.model, cases)
    found = model.contributions(queries.frame)
    expected = answers_of(model, queries.frame, found.of)
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert found.answer == pytest.approx(expected, abs=1e-9 * scale)
    sums = found.base + found.values.sum(axis=1)
    assert sums == pytest.approx(found.answer, abs=1e-9 * scale)
    if not is_regressor(model):
        assert found.of.tolist() == model.predict(queries.frame).tolist()
    missing = np.array([[cell is None for cell in row] for row in queries.rows])
    assert not found.values[missing].any()


@every_keeper
@fewer
@given(st.data())
def test_contributions_know_neither_order_nor_batch(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=16))
    order = data.draw(st.permutations(range(len(cases.rows))))
    model = fitted(setting.model, cases)
    found = model.contributions(queries.frame)
    again = fitted(setting.model, cases.take(order)).contributions(queries.frame)
    assert told(again) == told(found)
    alone = model.contributions(queries.frame[:1])
    assert alone.values.tobytes() == found.values[:1].tobytes()
    assert alone.base.tobytes() == found.base[:1].tobytes()


@every_keeper
@fewer
@given(st.data())
def test_a_constant_column_contributes_nothing(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=16))
    frames = [problem.frame.assign(flat=3.0) for problem in (cases, queries)]
    targets = truth(setting.model, cases)
    model = clone(setting.model).fit(frames[0], targets)
    assert not model.contributions(frames[1]).values[:, -1].any()


@pytest.mark.parametrize(
    "model",
    [
        LazyKernelRegressor(),
        LazyLogisticClassifier(),
        LazyRidgeRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_equal_columns_contribute_the_same(model):
    """Of models that treat them alike; others may choose one of them."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0]])
    y = X[:, 0] + X[:, 1] ** 2
    model.fit(X, y if is_regressor(model) else y > 1.0)
    values = model.contributions(X[:8] + 0.1).values
    assert values[:, 0] == pytest.approx(values[:, 3], abs=1e-9)
    assert values[:, 0].any()


@one_keeper_of_each
def test_a_class_that_is_none_is_refused(setting):
    X, y = np.arange(12.0)[:, None] % 5, np.arange(12) % 3
    model = clone(setting.model)
    if isinstance(getattr(model, "n_attributes", None), int):
        model.set_params(n_attributes=1)
    model.fit(X, y.astype(float) if is_regressor(model) else y)
    with pytest.raises(BadInputError, match="of='nobody' is not a"):
        model.contributions(X[:1], of="nobody")


@one_keeper_of_each
@fewer
@given(st.data())
def test_contributions_are_the_same_in_parts(setting, data):
    cases, queries = data.draw(splits(setting, max_rows=16))
    model = fitted(setting.model, cases)
    parted = cut(model, np.arange(len(cases.rows)) % 3, 3)
    expected = model.contributions(queries.frame)
    assert told(parted.contributions(queries.frame)) == told(expected)
