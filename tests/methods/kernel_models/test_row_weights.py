"""Kernel models of rows with weights, against systems that are solved anew."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import weighted as slow
from sklazy import LazyKernelClassifier, LazyKernelRegressor
from sklazy.answer.learner import prepare
from sklazy.errors import BadInputError
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models import descent, refine
from sklazy.methods.kernel_models.choice import (
    ClassJudge,
    KernelSettings,
    NumberJudge,
    find_median,
)
from sklazy.methods.kernel_models.landmarks import similarities_to
from sklazy.methods.row_weights import RowWeights, count_copies, left_out_shares

few = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
some_weights, whole_weights = (
    st.lists(one, min_size=8, max_size=16).filter(lambda all_: sum(map(bool, all_)) > 1)
    for one in (
        st.sampled_from([0.0, 0.25, 1.0, 1.5, 3.0]),
        st.integers(0, 4).map(float),
    )
)


def make_columns(random, n_rows):
    values = random.normal(size=(3, n_rows))
    values[1] = random.integers(0, 3, n_rows)
    values[0, ::5] = np.nan
    nominal = np.array([False, True, False])
    return KernelColumns(values, nominal, np.full(3, 1.2), np.ones(3))


def prepared(model):
    """What a model is solved with, and the ids of its rows in that order."""
    with model.cases_.snapshot() as base:
        return prepare(model._learner(), base), base.ids[base.order].tolist()


def fitted(weights, **limits):
    random = np.random.default_rng(len(weights))
    X = random.normal(size=(len(weights), 2))
    X[::4, 0] = np.nan
    y = np.nan_to_num(X[:, 0]) + random.normal(size=len(X))
    return LazyKernelRegressor(**limits).fit(X, y, sample_weight=weights), X


@few
@given(some_weights | whole_weights, st.sampled_from([2000, 0]))
def test_left_out_answers_are_those_of_a_system_without_the_row(weights, max_rows):
    model, X = fitted(weights, max_rows=max_rows, n_landmarks=5)
    data, ids = prepared(model)
    rate, ridge = data.settings.rate, data.settings.ridge
    near = similarities_to(data.anchors, data.columns, slice(None), rate)
    among = similarities_to(data.anchors, data.anchors, slice(None), rate)
    own, targets = data.weights.values.tolist(), data.targets[:, 0].tolist()
    places = np.arange(len(X))
    close = 1e-6 if max_rows else 2e-4  # landmarks may be all but equal
    for shares, found in [
        (np.ones(len(X)), data.solution.left_out[places]),
        (data.weights.shares, data.solution.in_part[places]),
    ]:
        for row in places:
            left = slow.without(own, row, shares[row])
            if sum(left) > 1e-9:
                expected = slow.kernel_answer(
                    near, among, left, ridge, targets, near[row]
                )
                assert found[row, 0] == pytest.approx(expected, abs=close)
    answers = model.predict(X[ids]) * data.unit
    for row in places:
        expected = slow.kernel_answer(near, among, own, ridge, targets, near[row])
        assert answers[row] == pytest.approx(expected, abs=close)


@few
@given(some_weights, st.sampled_from([2000, 0]))
def test_influence_is_that_of_a_system_without_the_rows(weights, max_rows):
    model, X = fitted(weights, max_rows=max_rows, n_landmarks=5)
    data, ids = prepared(model)
    rate, ridge = data.settings.rate, data.settings.ridge
    near = similarities_to(data.anchors, data.columns, slice(None), rate)
    among = similarities_to(data.anchors, data.anchors, slice(None), rate)
    own, targets = data.weights.values.tolist(), data.targets[:, 0].tolist()
    place = {row: i for i, row in enumerate(ids)}
    blocks = [[0], [1, 2], [5]]
    found = model.influence(X[3:4], ids=blocks).without[0] * data.unit
    for block, answer in zip(blocks, found, strict=True):
        left = own
        for row in block:
            left = slow.without(left, place[row])
        if sum(left) > 1e-9:
            side = near[place[3]]
            expected = slow.kernel_answer(near, among, left, ridge, targets, side)
            assert answer == pytest.approx(expected, abs=1e-6 if max_rows else 2e-4)


class Weighted:
    """Rows with weights, targets, their judge, and settings to start from."""

    def __init__(self, is_class, whole):
        random, n_rows = np.random.default_rng(0), 40
        self.columns, self.is_class = make_columns(random, n_rows), is_class
        truth = np.nan_to_num(self.columns.values[0]) + self.columns.values[2] ** 2
        self.classes = (truth > 0.7).astype(np.int64)
        self.targets = np.eye(2)[self.classes] if is_class else truth[:, None]
        own = random.integers(1, 4, n_rows) if whole else random.uniform(0.2, 2, n_rows)
        self.own = own.astype(float)
        self.weights = RowWeights(self.own, left_out_shares(self.own))
        kind = ClassJudge if is_class else NumberJudge
        self.judge = kind(self.classes if is_class else self.targets, self.weights)
        start = np.array([1.0, 0.5, 2.0])
        self.settings = KernelSettings(1.0, start, 0.8, 3.0, 0.3, 1.0, np.nan)

    def moved(self, change):
        start = self.settings
        return start._replace(
            weights=start.weights * np.exp(change[:3]),
            ridge=start.ridge * np.exp(change[3]),
        )

    def mean_loss(self, left_out, temperature):
        if not self.is_class:
            return self.own @ ((left_out - self.targets) ** 2)[:, 0] / self.own.sum()
        shares = np.exp(temperature * left_out)
        chances = shares[np.arange(len(shares)), self.classes] / shares.sum(axis=1)
        return self.own @ -np.log(chances) / self.own.sum()


weighted_rows = pytest.mark.parametrize(
    "rows", [Weighted(c, w) for c in (False, True) for w in (False, True)]
)
STEPS = 1e-5 * np.eye(4)


@weighted_rows
def test_slopes_of_landmarks_are_differences_of_the_weighted_loss(rows):
    asked = rows.columns, np.arange(0, 40, 4), rows.targets, rows.judge
    left = descent.DescentRows(*asked)
    state = descent.solve_rows(left, rows.settings)

    def loss(change):
        found = descent.solve_rows(left, rows.moved(change))
        return rows.mean_loss(found.left_out, state.settings.temperature)

    expected = [(loss(s) - loss(-s)) / 2e-5 for s in STEPS]
    found = descent.find_slopes(left, state)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-8)


@weighted_rows
def test_slopes_of_all_rows_are_differences_of_the_weighted_loss(rows):
    def solve(settings):
        return refine._solve(rows.columns, settings, rows.targets, rows.weights)

    state = solve(rows.settings)
    warm = rows.judge.measure(state.left_out)[1]
    state = state._replace(settings=rows.settings._replace(temperature=warm))
    plain = np.array(
        [
            rows.mean_loss(solve(rows.moved(s)).left_out, warm)
            - rows.mean_loss(solve(rows.moved(-s)).left_out, warm)
            for s in STEPS[:3]
        ]
    )
    plain -= plain.mean()
    found = refine.find_slopes(rows.columns, state, rows.targets, rows.judge)
    assert found == pytest.approx(plain / abs(plain).max(), rel=1e-4, abs=1e-5)


@few
@given(whole_weights)
def test_the_median_of_distances_is_that_of_copies(weights):
    values = np.array(weights)
    random = np.random.default_rng(3)
    places = random.integers(0, 5, len(values)).astype(float)
    copies = np.repeat(places, values.astype(int))
    used = values > 0
    expected = find_median(abs(copies[:, None] - copies))
    found = find_median(
        abs(places[used, None] - places[used]),
        RowWeights(values[used], left_out_shares(values[used])),
    )
    assert found == expected


@few
@given(some_weights | whole_weights)
def test_copies_are_in_proportion_to_weights(weights):
    values = np.array(weights)
    copies = count_copies(values, most=10**6)
    if (values == values.round()).all():
        assert copies.tolist() == weights
    assert copies.sum() in (values.sum(), (values > 0).sum())
    shares = np.cumsum(copies) / copies.sum() - np.cumsum(values) / values.sum()
    assert abs(shares).max() <= 1 / copies.sum()


def test_systems_of_the_nearest_take_no_weights():
    model = LazyKernelClassifier(max_rows=1, n_landmarks=0)
    model.fit([[1.0], [2.0], [3.0]], ["a", "b", "a"], sample_weight=[1, 2, 1])
    with pytest.raises(BadInputError, match=r"n_landmarks=0 .* takes no weights"):
        model.predict([[1.0]])
    assert model.set_params(n_landmarks=None).predict([[2.0]]).shape == (1,)
