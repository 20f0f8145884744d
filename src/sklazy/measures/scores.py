"""How good predictions are: log loss, area under the curve, calibration, errors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]

_FLOOR = 1e-3  # shared by all classes, so that a zero costs a finite logarithm
_N_BINS = 15


class ClassScores(NamedTuple):
    """How good probabilities of classes are; see the functions of these names."""

    log_loss: float
    auc: float | None
    calibration_error: float
    accuracy: float


class NumberScores(NamedTuple):
    """How good predicted numbers are."""

    mean_absolute_error: float
    root_mean_squared_error: float
    r2: float | None


def score_classes(probabilities: Floats, classes: Codes) -> ClassScores:
    """Score probabilities of shape (n_rows, n_classes) against codes of classes.

    Examples
    --------
    >>> found = score_classes(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 1]))
    >>> found.accuracy, found.auc, round(found.log_loss, 2)
    (1.0, 1.0, 0.31)
    """
    return ClassScores(
        float(find_log_losses(probabilities, classes).mean()),
        find_auc(probabilities, classes),
        find_calibration_error(probabilities, classes),
        float((probabilities.argmax(axis=1) == classes).mean()),
    )


def score_numbers(predicted: Floats, truth: Floats) -> NumberScores:
    """Score predicted numbers; R2 is None where the truth does not vary.

    Examples
    --------
    >>> score_numbers(np.array([1.0, 3.0]), np.array([1.0, 2.0])).r2
    -1.0
    """
    off = np.asarray(predicted, np.float64) - truth
    spread = float(((truth - truth.mean()) ** 2).sum())
    squares = float((off**2).sum())
    return NumberScores(
        float(np.abs(off).mean()),
        float(np.sqrt(squares / len(off))),
        1.0 - squares / spread if spread > 0 else None,
    )


def find_log_losses(probabilities: Floats, classes: Codes) -> Floats:
    """Find the log loss of each row; see `keep_off_zero`.

    Examples
    --------
    >>> find_log_losses(np.array([[1.0, 0.0]]), np.array([1])).round(2)
    array([7.6])
    """
    off_zero = keep_off_zero(probabilities)
    return np.asarray(-np.log(off_zero[np.arange(len(classes)), classes]))


def keep_off_zero(probabilities: Floats) -> Floats:
    """Probabilities of which 0.001 is shared equally by all classes.

    Forests and boosting answer 0 at times, which would cost them an infinite loss.

    Examples
    --------
    >>> keep_off_zero(np.array([[1.0, 0.0]]))
    array([[9.995e-01, 5.000e-04]])
    """
    n_classes = probabilities.shape[1]
    totals = probabilities.sum(axis=1, keepdims=True)
    even = np.full(probabilities.shape, 1.0 / n_classes)
    shares = np.divide(probabilities, totals, out=even, where=totals > 0)
    return (1.0 - _FLOOR) * shares + _FLOOR / n_classes


def find_auc(probabilities: Floats, classes: Codes) -> float | None:
    """Find the area under the ROC curve, the mean of each class against the rest.

    Classes that none or all of the rows have are left out; None if there is no other.

    Examples
    --------
    >>> find_auc(np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3]]), np.array([0, 1, 0]))
    1.0
    """
    areas = []
    for label in range(probabilities.shape[1]):
        positive = classes == label
        n_positive = int(positive.sum())
        n_pairs = n_positive * (len(classes) - n_positive)
        if n_pairs:
            ranks = stats.rankdata(probabilities[:, label])[positive].sum()
            areas.append((ranks - n_positive * (n_positive + 1) / 2) / n_pairs)
    return float(np.mean(areas)) if areas else None


def find_calibration_error(probabilities: Floats, classes: Codes) -> float:
    """Find the mean distance of confidence from the share of right answers.

    Confidence is the highest probability of a row, in 15 bins of equal width.

    Examples
    --------
    >>> find_calibration_error(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0, 1]))
    0.0
    """
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == classes
    places = np.minimum((confidence * _N_BINS).astype(np.int64), _N_BINS - 1)
    off = np.bincount(places, confidence - right, _N_BINS)
    return float(np.abs(off).sum() / len(classes))


def count_confusions(
    truth: Codes, predicted: Codes, n_classes: int
) -> NDArray[np.int64]:
    """Count the rows of each true class (down) by the predicted one (across).

    Examples
    --------
    >>> count_confusions(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    cells = np.asarray(truth, np.int64) * n_classes + predicted
    counts = np.bincount(cells, minlength=n_classes * n_classes)
    return counts.reshape(n_classes, n_classes)
