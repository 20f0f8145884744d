"""What is measured of predictions on test rows."""

import numpy as np
from numpy.typing import NDArray

from sklazy_studies.harness.unit import Plain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FLOOR = 1e-3  # shared by all classes, so that a zero costs a finite logarithm
_N_BINS = 15


def keep_off_zero(probabilities: Floats) -> Floats:
    """Probabilities of which 0.001 is shared equally by all classes.

    Forests and boosting answer 0 at times, which would cost them an infinite loss.

    Examples
    --------
    >>> keep_off_zero(np.array([[1.0, 0.0]]))
    array([[9.995e-01, 5.000e-04]])
    """
    totals = probabilities.sum(axis=1, keepdims=True)
    n_classes = probabilities.shape[1]
    shares = np.divide(
        probabilities,
        totals,
        out=np.full(probabilities.shape, 1.0 / n_classes),
        where=totals > 0,
    )
    return (1.0 - _FLOOR) * shares + _FLOOR / n_classes


def score_classes(probabilities: Floats, classes: Ints) -> Plain:
    """Sums over the rows: right answers, log loss, Brier score; bins of confidence.

    Examples
    --------
    >>> found = score_classes(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1]))
    >>> found["n"], found["right"], round(found["brier"], 3)
    (2, 1, 0.5)
    """
    off_zero = keep_off_zero(probabilities)
    rows = np.arange(len(classes))
    truth = np.zeros(probabilities.shape)
    truth[rows, classes] = 1.0
    right = probabilities.argmax(axis=1) == classes
    return {
        "n": len(classes),
        "right": int(right.sum()),
        "log_loss": float(-np.log(off_zero[rows, classes]).sum()),
        "brier": float(((off_zero - truth) ** 2).sum()),
        "bins": _bin_confidence(off_zero.max(axis=1), right),
    }


def _bin_confidence(confidence: Floats, right: NDArray[np.bool_]) -> list[list[float]]:
    """For each bin of equal width: rows, confidence added up, right answers."""
    places = np.minimum((confidence * _N_BINS).astype(np.int64), _N_BINS - 1)
    columns = [np.ones(len(right)), confidence, right.astype(np.float64)]
    return [np.bincount(places, column, _N_BINS).tolist() for column in columns]


def calibration_error(bins: Floats) -> float:
    """The mean distance of confidence from the share of right answers (ECE).

    Parameters
    ----------
    bins : array of shape (3, n_bins)
        Rows, confidence, right answers, each added up in every bin.

    Examples
    --------
    >>> calibration_error(np.array([[2.0, 2.0], [0.6, 1.8], [1.0, 2.0]]))
    0.15
    """
    rows, confidence, right = bins
    return float(np.abs(confidence - right).sum() / rows.sum())


def score_numbers(predicted: Floats, targets: Floats) -> Plain:
    """Squared errors, added up."""
    errors = np.asarray(predicted, np.float64) - targets
    return {"n": len(targets), "squared": float(errors @ errors)}
