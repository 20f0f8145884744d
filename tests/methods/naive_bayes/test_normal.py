"""Moments of numbers: rows that weigh nothing are as good as absent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import sklazy
from sklazy.methods.naive_bayes.normal import (
    find_moments,
    place_numbers,
    sum_powers,
    survey_numbers,
)


def moments_of(numbers, classes, weights, n_classes):
    """The moments of rows that lie in one part."""
    placed = place_numbers([survey_numbers(numbers, weights)])
    sums = sum_powers(numbers, classes, weights, placed, n_classes)
    return find_moments(placed, [sums], n_classes)


@given(st.integers(0, 10_000))
def test_rows_without_weight_are_not_there(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 9))
    numbers = rng.choice([0.0, 1.0, 5.0, np.nan], (2, n_rows))
    classes = rng.integers(0, 2, n_rows).astype(np.int32)
    weights = rng.choice([0.0, 0.5, 2.0], n_rows)
    seen = weights > 0
    found = moments_of(numbers, classes, weights, 2)
    expected = moments_of(numbers[:, seen], classes[seen], weights[seen], 2)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tolist() == theirs.tolist()


@given(st.integers(0, 10_000))
def test_moments_are_those_of_plain_sums(seed):
    rng = np.random.default_rng(seed)
    numbers, classes = rng.normal(size=(1, 9)), rng.integers(0, 2, 9).astype(np.int32)
    weights = rng.choice([0.5, 1.0, 2.0], 9)
    found = moments_of(numbers, classes, weights, 2)
    center, scale = found.centers[0], found.scales[0]
    assert center == pytest.approx(sum(numbers[0]) / 9)
    assert scale == pytest.approx(max(abs(x - center) for x in numbers[0]))
    for power in range(3):
        for label in range(2):
            own = [i for i in range(9) if classes[i] == label]
            terms = [
                weights[i] * ((numbers[0, i] - center) / scale) ** power for i in own
            ]
            assert found.sums[0, power, label] == pytest.approx(sum(terms))


@pytest.mark.parametrize("far", [1e160, 1e300, -1.7e308])
def test_values_beyond_all_others_give_numbers(far):
    X = np.array([[0.0], [1.0], [2.0], [3.0], [50.0], [-40.0]])
    model = sklazy.LazyNBClassifier(1.0, discretize=False).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.predict_proba([[far]]).tolist() == [[0.0, 1.0]]  # the wider class


def test_a_far_case_without_weight_is_left_out_as_if_it_were_not_there():
    X = np.array([[0.0], [1.0], [2.0], [7.0], [9.0], [1e300]])
    y, weights = [0, 0, 0, 1, 1, 1], [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    model = sklazy.LazyNBClassifier(1.0, discretize=False)
    others = clone(model).fit(X[:5], y[:5]).predict_proba(X[5:])
    found = model.fit(X, y, sample_weight=weights).loo_predict_proba()
    assert found[5].tolist() == others[0].tolist()
