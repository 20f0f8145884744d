"""Scores of predictions agree with scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from sklazy.measures import scores


@st.composite
def predictions(draw):
    """Probabilities with ties, of two or more classes that all occur."""
    n_classes = draw(st.integers(2, 4))
    n = draw(st.integers(n_classes, 40))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    raw = rng.integers(1, 5, (n, n_classes)).astype(float)
    classes = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    return raw / raw.sum(axis=1, keepdims=True), classes


@given(predictions())
def test_classes_are_scored_as_by_scikit_learn(drawn):
    probabilities, classes = drawn
    n_classes = probabilities.shape[1]
    mixed = 0.999 * probabilities + 0.001 / n_classes
    found = scores.score_classes(probabilities, classes)
    assert found.log_loss == pytest.approx(log_loss(classes, mixed))
    of_two = probabilities[:, 1] if n_classes == 2 else probabilities
    options = {} if n_classes == 2 else {"multi_class": "ovr", "average": "macro"}
    assert found.auc == pytest.approx(roc_auc_score(classes, of_two, **options))
    predicted = probabilities.argmax(axis=1)
    assert found.accuracy == (predicted == classes).mean()
    counts = scores.count_confusions(classes, predicted, n_classes)
    assert (counts == confusion_matrix(classes, predicted)).all()


def slow_calibration_error(probabilities, classes):
    """Bin by bin."""
    rows = []
    for row, label in zip(probabilities, classes, strict=True):
        place = min(int(max(row) * 15), 14)
        rows.append((place, max(row), list(row).index(max(row)) == label))
    off = 0.0
    for place in range(15):
        inside = [(p, right) for k, p, right in rows if k == place]
        off += abs(sum(p for p, _ in inside) - sum(right for _, right in inside))
    return off / len(rows)


@given(predictions())
def test_calibration_is_that_of_its_slow_twin(drawn):
    expected = slow_calibration_error(*drawn)
    assert scores.find_calibration_error(*drawn) == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2))
def test_numbers_are_scored_as_by_scikit_learn(pairs):
    predicted, truth = np.array(pairs).T
    found = scores.score_numbers(predicted, truth)
    assert found.mean_absolute_error == pytest.approx(
        mean_absolute_error(truth, predicted)
    )
    squared = root_mean_squared_error(truth, predicted)
    assert found.root_mean_squared_error == pytest.approx(squared)
    if found.r2 is not None and truth.std() > 1e-6:
        assert found.r2 == pytest.approx(r2_score(truth, predicted))


def test_one_class_has_no_area_and_one_number_no_r2():
    assert scores.find_auc(np.array([[1.0, 0.0]]), np.array([0])) is None
    assert scores.score_numbers(np.array([1.0]), np.array([2.0])).r2 is None
    zero = scores.find_log_losses(np.zeros((1, 2)), np.array([1]))
    assert zero == pytest.approx(np.log(2))  # no probability at all: an even share
