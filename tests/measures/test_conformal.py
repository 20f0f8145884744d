"""Quantiles, ranks and curves against their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle.conformal import covers, rank_of
from sklazy.measures.abstention import lower_bounds, trace_curve
from sklazy.measures.conformal import (
    find_rank,
    jackknife_minmax,
    jackknife_plus,
    rank_among,
    rank_by_weight,
    rows_needed,
    score_quantile,
    weigh_by_nearness,
)

scores = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 1e300])
shares = st.sampled_from([0.05, 0.1, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99])
lists = st.lists(scores, min_size=1, max_size=30)


@given(lists, scores, shares)
def test_an_outcome_is_covered_as_the_definition_says(known, own, coverage):
    zeros = np.zeros(len(known), np.int64)
    ranks = rank_among(np.array(known), zeros, np.array([own]), zeros[:1])
    assert ranks.cover(coverage)[0] == covers(known, own, coverage)
    at_least = 1 + sum(score >= own for score in known)
    assert np.isclose(ranks.credibility[0], at_least / (len(known) + 1))
    quantile = score_quantile(np.array(known), coverage)
    assert (own <= quantile) == covers(known, own, coverage)


@given(shares, st.integers(1, 200))
def test_so_many_rows_are_needed(coverage, n):
    assert (n >= rows_needed(coverage)) == (rank_of(n, coverage) <= n)
    assert find_rank(n, coverage) == max(1, rank_of(n, coverage))


@given(lists, st.lists(scores, min_size=1, max_size=4))
def test_equal_weights_are_counts(known, asked):
    known, asked = np.array(known), np.array(asked)
    weighed = rank_by_weight(known, np.ones(len(known)), asked)
    kinds = np.zeros(len(known), np.int64), np.zeros(len(asked), np.int64)
    counted = rank_among(known, kinds[0], asked, kinds[1])
    assert np.allclose(weighed.below, counted.below)
    assert np.allclose(weighed.totals, counted.totals)


@given(st.lists(st.tuples(scores, st.integers(0, 2)), min_size=1, max_size=30))
def test_kinds_do_not_mix(pairs):
    known, kinds = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    ranks = rank_among(known, kinds, np.full(3, 0.3), np.arange(3))
    for kind in range(3):
        own = known[kinds == kind]
        assert ranks.totals[kind] == len(own)
        assert ranks.below[kind] == (own < 0.3).sum()


@given(st.lists(scores, min_size=1, max_size=40))
def test_nearer_cases_weigh_more_and_equals_the_same(distances):
    distances = np.array(distances)
    weights = weigh_by_nearness(distances)
    order = np.argsort(distances)
    assert (np.diff(weights[order]) <= 0).all()
    assert all(len(set(weights[distances == d])) == 1 for d in distances)
    assert weights[order[0]] == 1.0
    assert weights.sum() >= 0.25 * len(distances)


@given(st.lists(st.tuples(scores, scores), min_size=9, max_size=20))
def test_minmax_holds_jackknife_plus(pairs):
    values, errors = np.array(pairs).T[:, :, None]
    ones = np.ones(values.shape)
    plus = jackknife_plus(values - errors, values + errors, 0.9)
    widest = jackknife_minmax(values, ones, errors[:, 0], 0.9)
    assert widest[0, 0] <= plus[0, 0]
    assert plus[0, 1] <= widest[0, 1]


@given(st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=20))
def test_the_curve_counts_answers_that_are_given(pairs):
    sure = np.array([min(pair[0], 1.0) for pair in pairs])
    right = np.array([pair[1] for pair in pairs])
    thresholds, n_answered, n_right = trace_curve(sure, right)
    assert thresholds[-1] == 0.0
    for limit, n, good in zip(thresholds, n_answered, n_right, strict=True):
        assert n == (sure >= limit).sum()
        assert good == right[sure >= limit].sum()
    assert len(thresholds) == len(set(sure.tolist()))


def test_bounds_are_those_of_the_binomial():
    # 0.95 ** (1 / n) is the bound of n of n; none right promises nothing.
    assert np.isclose(lower_bounds(np.array([20]), np.array([20]), 0.95), 0.05**0.05)
    assert lower_bounds(np.array([0]), np.array([9]), 0.95)[0] == 0.0
