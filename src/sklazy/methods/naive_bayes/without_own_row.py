"""Naive Bayes for a case as if it were not there."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.left_out_bayes import count_right_without_own
from sklazy.methods.naive_bayes.model import (
    Likelihoods,
    estimate_likelihoods,
    find_cells,
    smooth_totals,
)

Counts = NDArray[Any]  # int64, or float64 where cases have weights


class Tallied(NamedTuple):
    """Counts that the likelihoods are estimated from.

    Attributes
    ----------
    counts : array of shape (n_values, n_classes)
    class_counts : array of shape (n_classes,)
    offsets : int64 array of shape (n_attributes + 1,)
    alpha : float
    vanishing : bool array of shape (n_values,)
        Whether a value is unknown without the one case that has it.
    """

    counts: Counts
    class_counts: Counts
    offsets: NDArray[np.int64]
    alpha: float
    vanishing: NDArray[np.bool_]


# Seconds that numpy takes, at a time and for each addition.
_AT_ALL, _PER_ADDITION = 2e-4, 3e-8


class LeftOutTerms(NamedTuple):
    """Terms of cases that weigh 1, each without itself, by value and class.

    Attributes
    ----------
    values : float64 array of shape (n_values + 1, n_classes)
        Log-likelihoods with all cases.
    own : float64 array of shape (n_values, n_classes)
        The same for a case of the value and class, in its class.
    priors : float64 array of shape (n_classes, n_classes)
        Log-priors without a case of each class.
    orders : int64 array of shape (n_classes, n_classes)
        The classes in the order in which they win ties, by the class left out.
    cells : int64 array of shape (n_values + 1,)
        The numbers of the values, -1 for those that vanish and for no value.
    """

    values: NDArray[np.float64]
    own: NDArray[np.float64]
    priors: NDArray[np.float64]
    orders: NDArray[np.int64]
    cells: NDArray[np.int64]


def find_left_out_terms(tallied: Tallied, fitted: Likelihoods) -> LeftOutTerms:
    """Find the terms of cases without themselves; `fitted` are those of all."""
    counts, class_counts, offsets, alpha, vanishing = tallied
    totals = smooth_totals(counts, offsets, alpha)
    left = class_counts - np.eye(class_counts.size, dtype=np.int64)
    cells = np.append(np.where(vanishing, -1, np.arange(vanishing.size)), -1)
    return LeftOutTerms(
        fitted.values,
        _log_without(counts, totals, 1, alpha),
        _log_priors(left, alpha),
        np.argsort(-left, axis=1, kind="stable"),
        cells,
    )


def is_count_due(n_terms: int) -> bool:
    """Whether so many terms are worth the kernel of `count_right`."""
    return bool(count_right_without_own.is_due(_AT_ALL + _PER_ADDITION * n_terms))


def count_right(
    terms: LeftOutTerms,
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    attributes: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Count the cases decided right, each without itself, with one attribute, two, ...

    Equal to adding up `terms_without_own_row` of cases that weigh 1.

    Parameters
    ----------
    terms : LeftOutTerms
    offsets : int64 array of shape (n_attributes + 1,)
    codes, classes
        As in `terms_without_own_row`.
    attributes : int32 array of shape (n_rows, n_most)
        In the order in which they are used.
    """
    cells = terms.cells[np.where(codes >= 0, offsets[:-1] + codes, -1)]
    right = np.zeros(attributes.shape[1], np.int64)
    count_right_without_own(
        *terms[:4],
        cells,
        np.ascontiguousarray(classes, np.int32),
        np.ascontiguousarray(attributes),
        right,
    )
    return right


def terms_without_own_row(
    tallied: Tallied,
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: Counts,
    selected: Selected,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return priors and log-likelihoods of cases, each without itself.

    Equal to estimating again from all other cases. A case's own counts matter only
    in the column of its class.

    Parameters
    ----------
    tallied : Tallied
        Of all cases.
    codes : int32 array of shape (n_rows, n_attributes)
        The cases asked for, as queries.
    classes : int32 array of shape (n_rows,)
        Their classes.
    weights : array of shape (n_rows,)
        The weight of each in `tallied`.
    selected : Selected
        Their attributes.

    Returns
    -------
    priors : float64 array of shape (n_rows, n_classes)
    terms : float64 array of shape (n_rows, n_most, n_classes)
    """
    counts, class_counts, offsets, alpha, vanishing = tallied
    fitted = estimate_likelihoods(counts, class_counts, offsets, alpha)
    totals = smooth_totals(counts, offsets, alpha)
    cells = find_cells(codes, selected, offsets)
    cells[np.append(vanishing, False)[cells]] = offsets[-1]
    terms = fitted.values[cells]
    rows, places = np.nonzero(cells < offsets[-1])
    own = cells[rows, places], classes[rows]
    if weights.dtype.kind == "i":  # rows of one value and class have one term
        without = _log_without(counts, totals, 1, alpha)[own]
    else:
        without = _log_without(counts[own], totals[own], weights[rows], alpha)
    terms[rows, places, own[1]] = without
    remaining = np.repeat(class_counts[None], len(classes), axis=0)
    remaining[np.arange(len(classes)), classes] -= weights
    return _log_priors(remaining, alpha), terms


def _log_priors(remaining: Counts, alpha: float) -> NDArray[np.float64]:
    """Logarithms of the classes' shares, where so many of each are left."""
    smoothed = _at_least(remaining + alpha, alpha)
    return np.log(smoothed / smoothed.sum(axis=1, keepdims=True))


def _log_without(
    counts: Counts, totals: Counts, weights: Counts | int, alpha: float
) -> NDArray[np.float64]:
    """Log-likelihoods of values without a case of each value and class."""
    share = _at_least(counts - weights + alpha, alpha)
    return np.log(share / _at_least(totals - weights, alpha))


def _at_least(counts: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Smoothed counts: alpha is left, whatever rounding makes of unequal weights."""
    return np.where(counts > 0.5 * alpha, counts, alpha)
