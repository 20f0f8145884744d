"""Weights and powers of blends against general optimizers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import blends as slow
from sklazy.measures import (
    find_power,
    temper_probabilities,
    weigh_by_likelihood,
    weigh_by_squares,
)

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 10_000)


def drawn_likelihoods(seed, n_rows, n_members):
    """Some members are good, some bad, some alike, some sure and wrong."""
    rng = np.random.default_rng(seed)
    found = rng.beta(rng.uniform(0.3, 4, n_members), 1.0, (n_rows, n_members))
    if n_members > 2:
        found[:, 1] = found[:, 0]
    return np.clip(found, 1e-4, 1.0)


@few
@given(seeds, st.integers(1, 60), st.integers(1, 5), st.sampled_from([0.5, 5.0]))
def test_em_finds_the_weights_of_a_general_optimizer(seed, n_rows, n_members, prior):
    likelihoods = drawn_likelihoods(seed, n_rows, n_members)
    found = weigh_by_likelihood(likelihoods, prior)
    expected = slow.mixture_weights(likelihoods, prior)
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0).all()
    np.testing.assert_allclose(found, expected, atol=2e-3)
    least = slow.mixture_badness(expected, likelihoods, prior)
    assert slow.mixture_badness(found, likelihoods, prior) <= least + 1e-4


@few
@given(seeds, st.integers(1, 40), st.integers(1, 5), st.sampled_from([0.0, 1e3]))
def test_squares_find_the_best_weights_of_sum_1(seed, n_rows, n_members, shift):
    rng = np.random.default_rng(seed)
    targets = rng.normal(size=n_rows) + shift
    sizes = rng.uniform(0.1, 2, n_members)
    members = targets[:, None] + sizes * rng.normal(size=(n_rows, n_members))
    found = weigh_by_squares(members, targets)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0).all()
    least = slow.square_badness(found, members, targets)
    # The error is convex: no step toward a single member, nor toward a mean of some,
    # makes it less.
    others = [*np.eye(n_members), *rng.dirichlet(np.ones(n_members), 50)]
    for other in others:
        near = 0.99 * found + 0.01 * np.asarray(other)
        assert slow.square_badness(near, members, targets) >= least * (1 - 1e-9) - 1e-12


def test_members_without_error_count_alike():
    assert weigh_by_squares(np.ones((3, 2)), np.ones(3)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_weights_have_no_unit(size):
    rng = np.random.default_rng(0)
    targets = rng.normal(size=20)
    members = targets[:, None] + rng.normal(size=(20, 3))
    plain = weigh_by_squares(members, targets)
    np.testing.assert_allclose(weigh_by_squares(members * size, targets * size), plain)


@few
@given(seeds, st.integers(1, 30), st.integers(1, 4))
def test_the_power_has_the_least_loss(seed, n_rows, n_classes):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_classes, 0.5), n_rows)
    classes = rng.integers(0, n_classes, n_rows)
    losses = {p: slow.loss_of_power(shares, classes, p) for p in slow.POWERS}
    assert losses[find_power(shares, classes)] <= min(losses.values()) + 1e-9
    for power in slow.POWERS:
        expected = [slow.tempered(own, power) for own in shares]
        np.testing.assert_allclose(
            temper_probabilities(shares, np.array(power)), expected
        )


def test_one_class_needs_no_power():
    assert find_power(np.ones((4, 1)), np.zeros(4, int)) == 1.0
