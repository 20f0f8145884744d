"""Shapley values on arrays against all orders, and against many small steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import contributions as slow
from sklazy.measures.shapley import (
    _draw_orders,
    find_slopes,
    keep_scores,
    plan_subsets,
    share_rest,
    share_subsets,
    share_terms,
    soften,
)

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(st.integers(0, 5), SEEDS)
def test_subsets_give_the_values_of_all_orders(n_features, seed):
    plan = plan_subsets(n_features)
    answers = np.random.default_rng(seed).normal(size=len(plan.masks))
    worth = {
        frozenset(np.flatnonzero(mask).tolist()): answer
        for mask, answer in zip(plan.masks, answers, strict=True)
    }
    values, errors = share_subsets(plan, answers)
    expected = slow.shapley(worth.__getitem__, range(n_features))
    assert values == pytest.approx([expected[j] for j in range(n_features)], abs=1e-12)
    assert not errors.any()


@settings(max_examples=20)
@given(st.integers(2, 6), SEEDS)
def test_sampled_orders_add_up_and_state_their_error(n_features, seed):
    plan, rng = _draw_orders(n_features), np.random.default_rng(seed)
    assert not plan.masks[0].any()
    assert plan.masks[-1].all()
    assert plan.shares.sum(axis=0) == pytest.approx(np.ones(n_features))
    alone, both = rng.normal(size=n_features), rng.normal(size=(n_features,) * 2)
    answers = np.array([alone[m].sum() + both[m][:, m].sum() for m in plan.masks])
    values, errors = share_subsets(plan, answers)
    assert values.sum() == pytest.approx(answers[-1] - answers[0])
    # An order and its reverse are exact for pairs of features.
    expected = alone + 0.5 * (both.sum(axis=0) + both.sum(axis=1))
    assert values == pytest.approx(expected)
    assert errors == pytest.approx(np.zeros(n_features), abs=1e-12)


def test_sampled_values_are_within_their_errors():
    rng, n_features = np.random.default_rng(3), 8
    exact, drawn = plan_subsets(n_features), _draw_orders(n_features)
    answers = rng.normal(size=len(exact.masks))
    place = {mask.tobytes(): answer for mask, answer in zip(exact.masks, answers)}  # noqa: B905
    expected, _ = share_subsets(exact, answers)
    sampled = np.array([place[mask.tobytes()] for mask in drawn.masks])
    values, errors = share_subsets(drawn, sampled)
    assert (errors > 0).all()
    assert (np.abs(values - expected) < 5 * errors).all()


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.sampled_from([None, 0.6, 2.0]), st.integers(1, 3))
def test_terms_through_softmax_equal_many_steps(seed, power, n_scores):
    rng = np.random.default_rng(seed)
    terms, start = rng.normal(size=(4, n_scores)), rng.normal(size=n_scores)
    values, base = share_terms(terms, start, lambda s: soften(s, 3.0), 0, power)

    def output_of(scores):
        shares = slow.softmax(scores, 3.0)
        return (shares if power is None else slow.tempered(shares, power))[0]

    expected = slow.along_diagonal(lambda t: start + t @ terms, output_of, 4)
    assert values == pytest.approx(expected, abs=1e-4)
    assert base == pytest.approx(output_of(start))
    assert base + values.sum() == pytest.approx(
        output_of(start + terms.sum(axis=0)), abs=1e-12
    )


def test_steep_links_still_add_up():
    terms = np.array([[400.0, 0.0], [-100.0, 3.0], [0.0, 0.0]])
    values, base = share_terms(terms, np.zeros(2), lambda s: soften(s, 60.0), 0)
    assert base + values.sum() == pytest.approx(1.0, abs=1e-12)
    assert values[2] == 0.0


@settings(max_examples=20)
@given(SEEDS, st.floats(0.5, 2.5))
def test_slopes_are_those_of_differences(seed, power):
    scores = np.random.default_rng(seed).normal(size=(1, 3))
    _, slopes = find_slopes(lambda s: soften(s, 2.0), scores, 1, power)
    for c in range(3):
        shift = np.eye(3)[c] * 1e-6
        ends = [
            slow.tempered(slow.softmax((scores[0] + s).tolist(), 2.0), power)[1]
            for s in (shift, -shift)
        ]
        assert slopes[0, c] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_identity_is_its_own_link():
    values, base = share_terms(
        np.array([[1.0], [2.5]]), np.array([4.0]), keep_scores, 0
    )
    assert (values.tolist(), base) == ([1.0, 2.5], 4.0)


def test_rest_is_shared_by_size():
    assert share_rest(np.zeros(2), 1.0).tolist() == [0.0, 0.0]
