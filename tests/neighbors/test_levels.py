"""Votes of all rows from those of parts, against plain lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.neighbors import NOBODY, levels
from sklazy.neighbors.levels import (
    Near,
    Tallies,
    Weighed,
    merge,
)
from sklazy.neighbors.voting import Voting, list_weighed, vote_by_weight

N_CLASSES = 3
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=9)
parts = st.lists(rows, min_size=1, max_size=4)


@pytest.fixture(params=["kernel", "numpy"], autouse=True, scope="module")
def way(request):
    """Both ways to merge; small jobs do not wait for the compiler."""
    by_kernel = request.param == "kernel"
    with pytest.MonkeyPatch.context() as patch:
        for kernel in (levels.merge_listed, levels.merge_tallied):
            patch.setattr(kernel, "is_due", lambda _: by_kernel)
        yield


def kth_of(distances, k):
    """The k-th smallest distance, infinite where there are fewer."""
    return sorted(distances)[k - 1] if len(distances) >= k else np.inf


def count(chosen):
    return np.bincount([c for _, c in chosen], minlength=N_CLASSES).tolist()


def weigh(nearer, nearest, n_attributes=None):
    """The weight of each class, row by row from near to far."""
    sums = [0.0] * N_CLASSES
    for distance, c in sorted(nearer):
        sums[c] += 1.0 if distance == nearest else nearest**0.5 / distance**0.5
    return sums


@given(parts, st.integers(1, 12))
def test_agreements_of_parts_add_up(lists, k):
    n_levels = 5
    found = []
    for own in lists:
        agreements = [n_levels - 1 - d for d, _ in own]
        least = sorted(agreements)[-k] if len(own) >= k else 0
        tallies = np.zeros((1, n_levels, N_CLASSES), np.int32)
        for (_, c), level in zip(own, agreements, strict=True):
            tallies[0, level, c] += level >= least
        found.append(Tallies(np.array([least]), tallies))
    votes = merge(found, np.array([4], np.int32), Voting(k, False, True))
    everything = [row for own in lists for row in own]
    kth = min(kth_of([d for d, _ in everything], k), 4)
    assert votes.votes[0].tolist() == count([r for r in everything if r[0] <= kth])
    assert votes.tied[0].tolist() == count([r for r in everything if r[0] == kth])
    nearer = [r for r in everything if r[0] < kth]
    nearest = min([d for d, _ in nearer], default=kth)
    np.testing.assert_allclose(votes.weighted[0, :-1], weigh(nearer, nearest))


@given(parts, st.integers(1, 12))
def test_distances_of_parts_are_merged(lists, k):
    found = []
    for own in lists:
        kth = kth_of([d for d, _ in own], k)
        nearer = [row for row in own if row[0] < kth]
        near = np.full((1, min(k, len(own)), 2), NOBODY)
        near[0, : len(nearer)] = np.reshape(nearer, (-1, 2))
        tied = count([row for row in own if row[0] == kth])
        found.append(Near(near, np.array([float(kth)]), np.array([tied])))
    votes = merge(found, np.array([4], np.int32), Voting(k, False, True))
    everything = [row for own in lists for row in own]
    kth = kth_of([d for d, _ in everything], k)
    assert votes.votes[0].tolist() == count([r for r in everything if r[0] <= kth])
    assert votes.tied[0].tolist() == count([r for r in everything if r[0] == kth])
    nearer = [r for r in everything if r[0] < kth]
    nearest = min([d for d, _ in nearer], default=kth)
    np.testing.assert_allclose(votes.weighted[0, :-1], weigh(nearer, nearest))


@given(parts, st.integers(1, 12), st.randoms(use_true_random=False), st.booleans())
def test_weights_of_parts_are_merged(lists, k, random, shares):
    weights = [[random.choice([0.0, 0.1, 0.5, 1.0, 3.0]) for _ in own] for own in lists]
    found = []
    for own, heavy in zip(lists, weights, strict=True):
        measured = np.array([float(d) for d, _ in own])
        classes = np.array([c for _, c in own], np.int32)
        listed = list_weighed(measured, np.array(heavy), k)
        owners = np.zeros(listed.sum(), np.int64)
        given = measured[listed], classes[listed], np.array(heavy)[listed]
        found.append(Weighed(owners, *given, N_CLASSES))
    voting = Voting(k, shares, True)
    votes = merge(found, np.array([4], np.int32), voting)
    everything = [row for own in lists for row in own]
    whole = vote_by_weight(
        np.array([float(d) for d, _ in everything]),
        np.array([c for _, c in everything], np.int32),
        np.concatenate(weights),
        N_CLASSES,
        voting,
    )
    assert votes.votes[0].tolist() == whole[0].tolist()
    assert votes.lasts[0] == whole[1]
    assert not votes.tied.any()
