"""Naive Bayes on numbers: one normal distribution per class and attribute."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.sums import ExactSums, add_sums, nearest_float, sum_exactly

Floats = NDArray[np.float64]

_LEAST = 1e-9  # of the whole variance: a class is not narrower
_FARTHEST = 1e130  # in terms of the scale; squares of more would be no numbers
_CONSTANT = 1e-10  # of the variance: what is left without a case's own value is noise


class Moments(NamedTuple):
    """Sums over the cases that know an attribute, about a center.

    Attributes
    ----------
    centers, scales : float64 arrays of shape (n_numeric,)
        Deviations are counted from the center and in terms of the largest of them.
    sums : float64 array of shape (n_numeric, 3, n_classes)
        Of weights, of deviations and of their squares.
    constant : bool array of shape (n_numeric,)
        Whether there is at most one value.
    """

    centers: Floats
    scales: Floats
    sums: Floats
    constant: NDArray[np.bool_]


class NumberSums(NamedTuple):
    """Sums and ranges of numeric attributes over cases, or a part of them.

    Attributes
    ----------
    n_known : int64 array of shape (n_numeric,)
        Cases that count and know the attribute.
    totals : ExactSums of n_numeric cells
    lows, highs : float64 arrays of shape (n_numeric,), infinite without a number
    """

    n_known: NDArray[np.int64]
    totals: ExactSums
    lows: Floats
    highs: Floats


class PlacedNumbers(NamedTuple):
    """Where deviations are counted from, and in terms of what; see `Moments`."""

    centers: Floats
    scales: Floats
    constant: NDArray[np.bool_]


def survey_numbers(numbers: Floats, weights: Floats) -> NumberSums:
    """Add up numbers of shape (n_numeric, n_rows), NaN where missing."""
    counting = np.where(weights > 0, numbers, np.nan)
    known = ~np.isnan(counting)
    attributes = np.broadcast_to(np.arange(len(numbers))[:, None], known.shape)
    totals = sum_exactly(counting[known], attributes[known], len(numbers))
    return NumberSums(
        known.sum(axis=1),
        totals,
        np.where(known, counting, np.inf).min(axis=1, initial=np.inf),
        np.where(known, counting, -np.inf).max(axis=1, initial=-np.inf),
    )


def place_numbers(parts: Sequence[NumberSums]) -> PlacedNumbers:
    """Find where deviations are counted from."""
    n_known = np.sum([part.n_known for part in parts], axis=0)
    lows = np.min([part.lows for part in parts], axis=0)
    highs = np.max([part.highs for part in parts], axis=0)
    centers, scales = np.zeros(len(lows)), np.ones(len(lows))
    totals = add_sums(part.totals for part in parts).whole()
    for j in np.flatnonzero(n_known):
        mean = nearest_float(totals[j] / int(n_known[j]))
        centers[j] = np.clip(mean, lows[j], highs[j])
        scales[j] = max(highs[j] - centers[j], centers[j] - lows[j]) or 1.0
    return PlacedNumbers(centers, scales, lows >= highs)


def sum_powers(
    numbers: Floats,
    classes: NDArray[np.int32],
    weights: Floats,
    placed: PlacedNumbers,
    n_classes: int,
) -> ExactSums:
    """Weights, deviations and their squares by attribute, power and class."""
    known = ~np.isnan(numbers) & (weights > 0)
    attributes, rows = np.nonzero(known)
    away = numbers[known] - placed.centers[attributes]
    away /= placed.scales[attributes]
    cells = attributes * 3 * n_classes + classes[rows]
    terms = [weights[rows] * away**power for power in range(3)]
    return sum_exactly(
        np.concatenate(terms),
        np.concatenate([cells + power * n_classes for power in range(3)]),
        len(numbers) * 3 * n_classes,
    )


def find_moments(
    placed: PlacedNumbers, sums: Sequence[ExactSums], n_classes: int
) -> Moments:
    """The moments of all cases from what parts of them add up to.

    Parameters
    ----------
    placed : PlacedNumbers
    sums : sequence of ExactSums
        As `sum_powers` finds them, one for each part.
    n_classes : int
    """
    totals = add_sums(sums).rounded().reshape(-1, 3, n_classes)
    return Moments(placed.centers, placed.scales, totals, placed.constant)


def normal_terms(
    moments: Moments,
    attribute: int,
    values: Floats,
    alpha: float,
    left_out: tuple[NDArray[np.int32], Floats] | None = None,
) -> Floats:
    """Return log-densities of values of one attribute under each class.

    Each class is given `alpha` cases more, spread like those of all classes: a class
    with few cases leans on the whole, one without any is like it. A missing value, and
    any value of an attribute that is constant, is uninformative: zeros.

    Parameters
    ----------
    moments : Moments
    attribute : int
        Counted among the numeric ones.
    values : float64 array of shape (n_values,)
    alpha : float
    left_out : pair of arrays of shape (n_values,), optional
        Class and weight of the case that has the value, if it is to be left out.

    Returns
    -------
    float64 array of shape (n_values, n_classes)

    Examples
    --------
    >>> numbers, classes = np.array([[0.0, 2.0, 5.0, 7.0]]), np.array([0, 0, 1, 1])
    >>> placed = place_numbers([survey_numbers(numbers, np.ones(4))])
    >>> sums = sum_powers(numbers, classes, np.ones(4), placed, 2)
    >>> moments = find_moments(placed, [sums], 2)
    >>> terms = normal_terms(moments, 0, np.array([1.0, np.nan]), 1.0)
    >>> bool(terms[0, 0] > terms[0, 1]), terms[1].tolist()
    (True, [0.0, 0.0])
    """
    away = _place(values, moments.centers[attribute], moments.scales[attribute])
    sums = np.repeat(moments.sums[attribute][None], len(values), axis=0)
    whole = _variance(sums.sum(axis=2))
    usable = ~np.isnan(values) & (not moments.constant[attribute])
    if left_out is not None:
        rows = np.flatnonzero(usable)
        for power in range(3):
            sums[rows, power, left_out[0][rows]] -= (
                left_out[1][rows] * away[rows] ** power
            )
        usable &= _variance(sums.sum(axis=2)) > _CONSTANT * whole
    terms = np.zeros((len(values), sums.shape[2]))
    terms[usable] = _log_densities(away[usable], sums[usable], alpha)
    return terms


def _place(values: Floats, center: float, scale: float) -> Floats:
    """How far values are from the center, in terms of the scale, and not too far."""
    with np.errstate(over="ignore"):
        return np.clip((values - center) / scale, -_FARTHEST, _FARTHEST)


def _variance(sums: Floats) -> Floats:
    """Variance from sums of weights, deviations and squares, shape (n, 3)."""
    n = np.maximum(sums[:, 0], np.finfo(float).tiny)
    return np.maximum(sums[:, 2] / n - (sums[:, 1] / n) ** 2, 0.0)


def _log_densities(away: Floats, sums: Floats, alpha: float) -> Floats:
    """Log-densities with the whole column as `alpha` cases more, (n, n_classes)."""
    whole = sums.sum(axis=2)
    middle = (whole[:, 1] / whole[:, 0])[:, None]
    square = (whole[:, 2] / whole[:, 0])[:, None]
    n = sums[:, 0] + alpha
    means = (sums[:, 1] + alpha * middle) / n
    variances = (sums[:, 2] + alpha * square) / n - means**2
    variances = np.maximum(variances, _LEAST * _variance(whole)[:, None])
    squares = (away[:, None] - means) ** 2 / variances
    return -0.5 * (np.log(2 * np.pi * variances) + squares)
