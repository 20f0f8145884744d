"""Gain of abstaining on the least sure answers: accuracy against answers given."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Curve(NamedTuple):
    """Answers given, and their accuracy, from the surest answers on to all.

    Attributes
    ----------
    thresholds : float64 array of shape (n_points,)
        How sure an answer must be: halfway between two cases, the last one 0.
    n_answered, n_right : int64 arrays of shape (n_points,)
        The cases that are answered then, and rightly so.
    """

    thresholds: Floats
    n_answered: Ints
    n_right: Ints


def trace_curve(confidences: Floats, right: NDArray[np.bool_]) -> Curve:
    """Follow the cases from the surest to the least sure, equally sure ones at once.

    Examples
    --------
    >>> sure, right = np.array([0.9, 0.7, 0.7]), np.array([True, True, False])
    >>> [part.tolist() for part in trace_curve(sure, right)]
    [[0.8, 0.0], [1, 3], [1, 2]]
    """
    levels, places = np.unique(-confidences, return_inverse=True)
    n_answered = np.cumsum(np.bincount(places, minlength=len(levels)))
    n_right = np.cumsum(np.bincount(places[right], minlength=len(levels)))
    below = np.append(-levels[1:], levels[-1:])  # so that the last one is 0
    return Curve(0.5 * (below - levels), n_answered, n_right)


def lower_bounds(n_right: Ints, n_answered: Ints, confidence: float) -> Floats:
    """The accuracy that this many right answers promise (Clopper and Pearson).

    Examples
    --------
    >>> lower_bounds(np.array([0, 50]), np.array([5, 50]), 0.95).round(3)
    array([0.   , 0.942])
    """
    wrong = n_answered - n_right
    bounds = stats.beta.ppf(1.0 - confidence, np.maximum(n_right, 1), wrong + 1)
    return np.where(n_right > 0, bounds, 0.0)
