"""Sets and intervals hold to the laws: they rest on the rows alone, and grow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

from discovery import keeps_cases, one_keeper_of_each, settings_of
from lawful import fewer, fitted, quiet, splits, truth, with_exact_cuts
from sklazy.errors import BadInputError

pytestmark = quiet

few_enough = settings(fewer, max_examples=2)
COVERAGES = (0.2, 0.5, 0.6)  # two rows are enough for these
quick_ones = pytest.mark.parametrize(
    "setting",
    settings_of(
        lambda s: (
            keeps_cases(s)
            and type(s.model).__name__
            in ("LazyNBClassifier", "LazyLearningRegressor", "LazyKernelClassifier")
        ),
        most=1,
    ),
)


def ask(model, frame, coverage=0.5, **how):
    """The sets or intervals of queries."""
    if is_regressor(model):
        return model.predict_interval(frame, coverage, **how)
    return model.predict_set(frame, coverage, **how)


def holds(model, outer, inner):
    """Whether every answer of the one is within that of the other."""
    if not is_regressor(model):
        return bool((outer >= inner).all())
    low, high = outer[..., 0], outer[..., 1]
    return bool(((low <= inner[..., 0]) & (inner[..., 1] <= high)).all())


@one_keeper_of_each
@few_enough
@given(st.data(), st.randoms(use_true_random=False))
def test_neither_order_nor_batches_matter_and_sets_grow(setting, data, random):
    cases, queries = data.draw(splits(setting, more=1, max_rows=10))
    model = fitted(setting.model, cases)
    found = [ask(model, queries.frame, coverage) for coverage in COVERAGES]
    assert holds(model, found[1], found[0])
    assert holds(model, found[2], found[1])
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    other = fitted(setting.model, cases.take(order))
    assert ask(other, queries.frame).tobytes() == found[1].tobytes()
    alone = [
        ask(other, queries.take([i]).frame).tolist() for i in range(len(queries.rows))
    ]
    assert [one[0] for one in alone] == found[1].tolist()


@one_keeper_of_each
@few_enough
@given(st.data())
def test_rows_that_come_and_go_leave_no_trace(setting, data):
    cases, queries = data.draw(splits(setting, more=2, max_rows=10))
    model, n_rows = with_exact_cuts(setting.model), len(cases.rows)
    kept, added = cases.take(range(n_rows - 1)), cases.take([n_rows - 1])
    grown, whole, part = (fitted(model, some) for some in (kept, cases, kept))
    ask(grown, queries.frame)  # what it found must not stay
    grown.partial_fit(added.frame, truth(model, added))
    assert ask(grown, queries.frame).tobytes() == ask(whole, queries.frame).tobytes()
    grown.forget([n_rows - 1])
    assert ask(grown, queries.frame).tobytes() == ask(part, queries.frame).tobytes()


@quick_ones
@pytest.mark.parametrize("method", ["jackknife+", "minmax", "full"])
@few_enough
@given(st.data(), st.randoms(use_true_random=False))
def test_neither_order_nor_batches_matter_to_other_methods(
    setting, method, data, random
):
    if method == "full" and is_regressor(setting.model):
        return
    cases, queries = data.draw(splits(setting, more=1, max_rows=8))
    model = fitted(setting.model, cases)
    found = [ask(model, queries.frame, c, method=method) for c in COVERAGES]
    assert holds(model, found[1], found[0])
    assert holds(model, found[2], found[1])
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    other = fitted(setting.model, cases.take(order))
    one = ask(other, queries.take([0]).frame, method=method)
    assert one.tobytes() == found[1][:1].tobytes()


@quick_ones
@few_enough
@given(st.data(), st.randoms(use_true_random=False))
def test_neither_order_nor_batches_matter_to_nearness(setting, data, random):
    cases, queries = data.draw(splits(setting, more=6, max_rows=16))
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    one, other = fitted(setting.model, cases), fitted(setting.model, cases.take(order))
    found = ask(one, queries.frame, by="nearness")
    assert ask(other, queries.frame, by="nearness").tobytes() == found.tobytes()
    alone = ask(one, queries.take([0]).frame, by="nearness")
    assert alone.tobytes() == found[:1].tobytes()


SUM_SQUARES = {"LazyBaggingRegressor", "LazyStackingRegressor"}  # of y, as it is


def fitted_to(model, size):
    """A copy of a model and the rows it is fitted to, numbers of such a size."""
    X = size * np.array([[0.0], [5.0], [1.0], [6.0], [0.5], [5.5]] * 2)
    y = X[:, 0] if is_regressor(model) else X[:, 0] > 3 * size
    return clone(model).fit(X, y), X


@one_keeper_of_each
def test_numbers_beyond_squares_have_sets_or_are_refused(setting):
    size = 1e200
    if type(setting.model).__name__ in SUM_SQUARES:
        with pytest.raises(BadInputError, match=r"^y holds .* 6e\+200, whose squares"):
            fitted_to(setting.model, size)
        return
    model, X = fitted_to(setting.model, size)
    found, usual = ask(model, X), ask(*fitted_to(setting.model, 1.0))
    assert holds(model, ask(model, X, 0.9), found)
    if is_regressor(model):
        np.testing.assert_allclose(found / size, usual, atol=0.05)
    else:
        assert (found == usual).mean() > 0.8
