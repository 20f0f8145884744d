"""Votes and their ties, and the diversity of members."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracle
from sklazy.kernels.ties import argmax_by_order, argmax_of_counts
from sklazy.measures import (
    average_probabilities,
    cast_votes,
    diversity_measures,
    majority_shares,
    q_statistic,
    to_shares,
    weighted_shares,
)
from sklazy.measures.votes import argmax_with_ties

votes_of_members = arrays(
    np.int64,
    st.tuples(st.integers(1, 6), st.integers(1, 7)),
    elements=st.integers(0, 2),
)


@given(votes_of_members, st.integers(0, 2**32 - 1))
def test_the_majority_decides_and_ties_go_to_the_neighbors(votes, seed):
    rng = np.random.default_rng(seed)
    near, priors = rng.integers(0, 3, (len(votes), 3)), rng.integers(1, 3, 3)
    shares = majority_shares(votes, 3)
    decided = argmax_with_ties(shares, near.astype(float), priors.astype(float))
    for row, around, chosen in zip(votes.tolist(), near.tolist(), decided, strict=True):
        ranks = [(row.count(c), around[c], priors[c], -c) for c in range(3)]
        assert chosen == ranks.index(max(ranks))


@given(votes_of_members)
def test_equal_weights_are_a_majority(votes):
    even = weighted_shares(votes, np.full(votes.shape, 0.7), 3)
    np.testing.assert_allclose(even, majority_shares(votes, 3))
    none = weighted_shares(votes, np.zeros(votes.shape), 3)
    np.testing.assert_allclose(none, majority_shares(votes, 3))


def test_rounding_does_not_decide():
    probabilities = np.array([[[0.1 + 0.2, 0.3, 0.4 - 1e-12]]])
    near, priors = np.array([[0.0, 1.0, 0.0]]), np.ones(3)
    assert cast_votes(probabilities, near, priors).tolist() == [[2]]
    tied = probabilities[:, :, :2]
    assert cast_votes(tied, near[:, :2], priors[:2]).tolist() == [[1]]
    assert average_probabilities(probabilities).shape == (1, 3)


@given(
    arrays(
        np.int64,
        st.tuples(st.integers(1, 12), st.integers(2, 6)),
        elements=st.integers(0, 1),
    )
)
def test_diversity_is_that_of_kuncheva_and_whitaker(right):
    measured = diversity_measures(np.ones(len(right), int), right)
    expected = oracle.diversity([tuple(row) for row in right.tolist()])
    assert measured == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_diversity_needs_two_members():
    with pytest.raises(ValueError, match="at least two members"):
        q_statistic([[1], [0]])
    with pytest.raises(ValueError, match="one row of votes for each label"):
        diversity_measures([0, 1], [[0, 1]])


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_ties_but_for_rounding_are_decided_by_priors(n_queries, n_classes, seed):
    rng = np.random.default_rng(seed)
    votes = rng.choice([0.3, 0.1 + 0.2, -1000.0, 0.5], (n_queries, n_classes))
    shape = (n_queries, n_classes) if rng.random() < 0.5 else n_classes
    priors = rng.integers(1, 4, shape)
    each = np.broadcast_to(priors, votes.shape)
    expected = []
    for row, own in zip(votes.tolist(), each.tolist(), strict=True):
        tied = [c for c, vote in enumerate(row) if max(row) - vote < 1e-9]
        expected.append(max(tied, key=lambda c: (own[c], -c)))
    assert argmax_with_ties(votes, priors).tolist() == expected
    decisions = np.empty(n_queries, np.int64)
    orders = np.atleast_2d(np.argsort(-priors, axis=-1, kind="stable"))
    argmax_by_order(votes, orders, decisions)
    assert decisions.tolist() == expected


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e12])
@pytest.mark.parametrize("breakers", [1, 2])
def test_a_tie_is_relative_to_the_highest_or_to_one(size, breakers):
    step = 1e-9 * max(1.0, size)
    votes = np.array([[size, size + step / 2], [size, size + step * 2]])
    ranks = [np.array([2.0, 1.0])] * breakers
    assert argmax_with_ties(votes, *ranks).tolist() == [0, 1]


def test_scores_are_clipped_and_shared_out():
    scores = np.array([[1.5, 0.5, -1.0], [0.0, -2.0, 0.0]])
    assert to_shares(scores).tolist() == [[2 / 3, 1 / 3, 0.0], [1 / 3] * 3]
    shares = to_shares(scores, np.array([0.5, 0.25, 0.25]))
    assert shares.tolist() == [[2 / 3, 1 / 3, 0.0], [0.5, 0.25, 0.25]]


@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_counts_that_are_equal_are_decided_by_priors(n_queries, n_classes, seed):
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, 3, (n_queries, n_classes))
    priors = rng.integers(1, 4, n_classes)
    expected = [
        max(range(n_classes), key=lambda c: (own[c], priors[c], -c)) for own in votes
    ]
    for is_due in (False, True):
        with mock.patch.object(argmax_of_counts, "is_due", return_value=is_due):
            for kind in (np.int64, np.int32):
                found = argmax_with_ties(votes.astype(kind), priors)
                assert found.tolist() == expected
