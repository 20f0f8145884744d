"""Naive Bayes for a case as if it were not there."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.methods.naive_bayes.model import (
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
    cells = find_cells(codes, selected, offsets)
    cells[np.append(vanishing, False)[cells]] = offsets[-1]
    terms = fitted.values[cells]
    rows, places = np.nonzero(cells < offsets[-1])
    cell_and_class = cells[rows, places], classes[rows]
    totals = smooth_totals(counts, offsets, alpha)[cell_and_class] - weights[rows]
    share = _at_least(counts[cell_and_class] - weights[rows] + alpha, alpha)
    share /= _at_least(totals, alpha)
    terms[rows, places, classes[rows]] = np.log(share)
    remaining = np.repeat(class_counts[None], len(classes), axis=0)
    remaining[np.arange(len(classes)), classes] -= weights
    smoothed = _at_least(remaining + alpha, alpha)
    return np.log(smoothed / smoothed.sum(axis=1, keepdims=True)), terms


def _at_least(counts: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Smoothed counts: alpha is left, whatever rounding makes of unequal weights."""
    return np.where(counts > 0.5 * alpha, counts, alpha)
