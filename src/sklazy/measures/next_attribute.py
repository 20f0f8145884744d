"""The most informative missing attribute of a query, among cases that are still alike.

A case weighs less by a factor of five with every known attribute in which it differs
from the query, beyond those in which the best of them differ. Values of a missing
attribute are as probable as they are among the cases so weighed; each value would
leave a certain doubt about the target, and the gain is how much less that is, on
average, than the doubt there is now: in bits for classes, as a share of the variance
for numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DIFFERENCE = 0.2  # what a case weighs with one more difference
_FURTHEST = 40  # differences, beyond which the weight is the same
_PRIOR = 3.0  # cases that what is known of all cases counts for


class Gains(NamedTuple):
    """Gains of measuring each of some attributes of a query.

    Attributes
    ----------
    gains : float64 array of shape (n_attributes,)
    chances : list of float64 arrays of shape (n_values,)
        How probable the values of each are.
    """

    gains: Floats
    chances: list[Floats]


def weigh_alike(
    codes: NDArray[np.integer], query: NDArray[np.integer], weights: Floats
) -> Floats:
    """How much each case counts for a query, the most alike by their own weight.

    Parameters
    ----------
    codes : int array of shape (n_attributes, n_rows)
    query : int array of shape (n_attributes,)
        Codes below 0 are of no use: missing, or no case has the value.
    weights : float64 array of shape (n_rows,)

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, -1], [0, 1, 1, 1]])
    >>> weigh_alike(codes, np.array([0, 0]), np.ones(4)).round(3).tolist()
    [1.0, 0.2, 0.04, 0.2]
    """
    differences = np.zeros(codes.shape[1], np.int64)
    for j in np.flatnonzero(query >= 0).tolist():
        differences += (codes[j] != query[j]) & (codes[j] >= 0)
    beyond = np.minimum(differences - differences.min(), _FURTHEST)
    alike: Floats = weights * _DIFFERENCE ** np.arange(_FURTHEST + 1.0)[beyond]
    return alike


def usual_shares(
    codes: NDArray[np.integer],
    n_values: int,
    classes: NDArray[np.integer],
    n_classes: int,
    weights: Floats,
) -> Floats:
    """How frequent values are in each class, smoothed, shape (n_values, n_classes)."""
    cells = to_cells(codes, classes, n_classes)
    sums = _sum_weights(cells, weights, n_values, n_classes) + 1.0
    shares: Floats = sums / sums.sum(axis=0)
    return shares


def to_cells(
    codes: NDArray[np.integer], classes: NDArray[np.integer], n_classes: int
) -> Ints:
    """Value and class as one number; missing cells, of code -1, come first."""
    return (codes.astype(np.int64) + 1) * n_classes + classes


def _sum_weights(cells: Ints, weights: Floats, n_values: int, n_classes: int) -> Floats:
    """Weights by value and class."""
    sums = np.bincount(cells, weights, (n_values + 1) * n_classes)
    return sums.astype(np.float64).reshape(-1, n_classes)[1:]


def gain_of_classes(
    cells: Ints, usual: list[Floats], alike: Floats, shares: Floats, attributes: Ints
) -> Gains:
    """Expected decrease of the entropy of the class, by attribute.

    Parameters
    ----------
    cells : int64 array of shape (n_attributes, n_rows)
        Value and class of each case (see `to_cells`).
    usual : list of float64 arrays of shape (n_values, n_classes)
        Shares of the values in each class over all cases (see `usual_shares`).
    alike : float64 array of shape (n_rows,)
        Weights of the cases (see `weigh_alike`).
    shares : float64 array of shape (n_classes,)
        How probable each class is now.
    attributes : int64 array
        The attributes to score.
    """
    now, gains, chances = (
        float(entropy_of_shares(shares)),
        np.zeros(len(attributes)),
        [],
    )
    for i, j in enumerate(attributes.tolist()):
        local = _sum_weights(cells[j], alike, *usual[j].shape)
        likely = (local + _PRIOR * usual[j]) / (local.sum(axis=0) + _PRIOR)
        joint = likely * shares
        chance = joint.sum(axis=1)
        after = entropy_of_shares(joint / np.where(chance > 0, chance, 1.0)[:, None])
        gains[i] = max(0.0, now - float((chance * after).sum())) if len(local) else 0.0
        chances.append(chance)
    return Gains(gains, chances)


def entropy_of_shares(shares: Floats) -> Floats:
    """Bits along the last axis."""
    logs = np.log2(shares, where=shares > 0, out=np.zeros(shares.shape))
    bits: Floats = -(shares * logs).sum(axis=-1)
    return bits


def gain_of_numbers(
    cells: Ints, sizes: Ints, alike: Floats, targets: Floats, attributes: Ints
) -> Gains:
    """Expected share of the targets' variance that each attribute removes.

    Parameters
    ----------
    cells : int64 array of shape (n_attributes, n_rows)
        The number of the value, from 1; 0 where missing.
    sizes : int64 array of shape (n_attributes,)
        How many values each attribute has.
    alike, attributes
        As for `gain_of_classes`.
    targets : float64 array of shape (n_targets, n_rows)
        The share is the mean over the targets.
    """
    gains, chances = np.zeros(len(attributes)), []
    for i, j in enumerate(attributes.tolist()):
        sums = _sum_weights(cells[j], alike, int(sizes[j]), 1)[:, 0]
        chances.append(sums / sums.sum() if sums.any() else sums)
        left = [_variance_left(cells[j], sums, alike, target) for target in targets]
        gains[i] = max(0.0, 1.0 - float(np.mean(left)))
    return Gains(gains, chances)


def _variance_left(cells: Ints, sums: Floats, alike: Floats, target: Floats) -> float:
    """The variance that is left on average once a value is known, as a share."""
    total = alike.sum()
    centered = target - (alike * target).sum() / total
    variance = float((alike * centered**2).sum() / total)
    if variance <= 0 or not sums.any():
        return 1.0
    firsts = _sum_weights(cells, alike * centered, len(sums), 1)[:, 0]
    seconds = _sum_weights(cells, alike * centered**2, len(sums), 1)[:, 0]
    within = np.maximum(seconds - firsts**2 / np.where(sums > 0, sums, 1.0), 0.0)
    each = (within + _PRIOR * variance) / (sums + _PRIOR)
    return float((sums * each).sum() / sums.sum() / variance)
