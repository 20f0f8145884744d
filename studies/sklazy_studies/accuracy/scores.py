"""What is measured of predictions on test rows."""

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.scores import keep_off_zero
from sklazy_studies.harness.unit import Plain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_N_BINS = 15


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
