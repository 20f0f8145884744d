"""Blend members of different kinds by their predictions for rows left out.

References
----------
van der Laan, M. J., Polley, E. C., Hubbard, A. E.: Super learner. Statistical
Applications in Genetics and Molecular Biology 6 (2007).
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.magnitudes import find_unit

Floats = NDArray[np.float64]
Classes = NDArray[np.integer]

POWERS = (1.0, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 1.6, 2.0)
"""Candidate powers of probabilities; of equally good ones the first is taken."""

PRIOR = 5.0
"""Weight of the prior for equal weights, in rows."""

_KEPT_OFF_ZERO = 1e-3  # of the probability, shared by all classes
_SMALL_CHANGE = 1e-6
_MOST_STEPS = 10_000
_NEGLIGIBLE = 1e-12  # a weight that is rounding


def temper_probabilities(probabilities: Floats, powers: Floats) -> Floats:
    """Raise probabilities to a power and make them sum to 1 again.

    They are kept off zero by 0.001 over the number of classes first.

    Parameters
    ----------
    probabilities : float64 array of shape (n_rows, n_classes)
    powers : float64 array that fits (n_rows, 1)

    Examples
    --------
    >>> temper_probabilities(np.array([[0.8, 0.2]]), np.array([2.0])).round(3).tolist()
    [[0.941, 0.059]]
    """
    n_classes = probabilities.shape[-1]
    floor = _KEPT_OFF_ZERO / n_classes
    raised = ((1.0 - _KEPT_OFF_ZERO) * probabilities + floor) ** powers
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def temper_slopes(probabilities: Floats, power: float, output: int) -> Floats:
    """Slopes of one tempered probability by the probabilities before tempering.

    Parameters
    ----------
    probabilities : float64 array of shape (n_rows, n_classes)
    power : float
    output : int
        The class of the tempered probability.

    Returns
    -------
    slopes : float64 array of shape (n_rows, n_classes)

    Examples
    --------
    >>> temper_slopes(np.array([[0.5, 0.5]]), 2.0, 0).round(3).tolist()
    [[0.999, -0.999]]
    """
    floor = _KEPT_OFF_ZERO / probabilities.shape[-1]
    kept = (1.0 - _KEPT_OFF_ZERO) * probabilities + floor
    raised = kept**power
    shares = raised / raised.sum(axis=-1, keepdims=True)
    apart = -shares[:, output : output + 1] * np.ones_like(shares)
    apart[:, output] += 1.0
    return np.asarray(apart * shares * (power * (1.0 - _KEPT_OFF_ZERO)) / kept)


def find_power(
    left_out: Floats, classes: Classes, weights: Floats | None = None
) -> float:
    """The power of least log loss on rows left out.

    Parameters
    ----------
    left_out : float64 array of shape (n_rows, n_classes)
        Prediction of a member for each row, without having seen it.
    classes : int array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), optional
        Of the rows, not all 0.
    """
    losses = [
        _log_loss(temper_probabilities(left_out, np.array(power)), classes, weights)
        for power in POWERS
    ]
    return POWERS[int(np.argmin(losses))]


def _log_loss(probabilities: Floats, classes: Classes, weights: Floats | None) -> float:
    losses = -np.log(own_class(probabilities, classes))
    return float(np.average(losses, weights=weights))


def own_class(probabilities: Floats, classes: Classes) -> Floats:
    """The probability of each row's own class, (n_rows,)."""
    return probabilities[np.arange(len(classes)), classes]


def weigh_by_likelihood(
    likelihoods: Floats, prior: float = PRIOR, row_weights: Floats | None = None
) -> Floats:
    """Weights of the mixture under which rows left out are most likely, by EM.

    The most of ``sum_i log(sum_m w_m p_im) + (prior / M) sum_m log w_m`` over the
    weights that sum to 1, which is convex: there is one answer.

    Parameters
    ----------
    likelihoods : float64 array of shape (n_rows, n_members)
        Probability that each member gives the row's own class, above 0.
    prior : float
        Weight of the prior for equal weights, in rows, shared by the members.
    row_weights : float64 array of shape (n_rows,), optional
        1 by default.

    Examples
    --------
    >>> weigh_by_likelihood(np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.6]])).round(2)
    array([0.61, 0.39])
    """
    n_members = likelihoods.shape[1]
    weights = np.full(n_members, 1.0 / n_members)
    by_member = np.ascontiguousarray(likelihoods.T)
    own = np.ones(len(likelihoods)) if row_weights is None else row_weights
    for _ in range(_MOST_STEPS):
        # Shares of members in a row, p_m w_m / sum_m p_m w_m, added up over all rows.
        sums = weights * (by_member @ (own / (weights @ by_member)))
        renewed = sums + prior / n_members
        renewed /= renewed.sum()
        change = np.abs(renewed - weights).max()
        weights = renewed
        if change < _SMALL_CHANGE:
            break
    return weights


def weigh_by_squares(
    left_out: Floats, targets: Floats, row_weights: Floats | None = None
) -> Floats:
    """Weights, none negative, sum 1, whose mean errs least on rows left out.

    Non-negative least squares on the members' errors E with one row more that asks for
    a sum of 1: of all weights in proportion, ``|E w|^2 + (sum(w) - 1)^2`` is least
    where ``|E w|^2 / sum(w)^2`` is, whatever that row weighs.

    Parameters
    ----------
    left_out : float64 array of shape (n_rows, n_members)
    targets : float64 array of shape (n_rows,)
    row_weights : float64 array of shape (n_rows,), optional
        1 by default.

    Examples
    --------
    >>> members = np.array([[1.0, 3.0], [2.0, 0.0], [3.0, 5.0]])
    >>> weigh_by_squares(members, np.array([1.5, 1.5, 3.5])).round(2)
    array([0.75, 0.25])
    """
    from scipy.optimize import nnls  # noqa: PLC0415 (few predictions need it)

    n_members = left_out.shape[1]
    unit = min(find_unit(left_out), find_unit(targets))  # no difference overflows
    errors = left_out * unit - targets[:, None] * unit
    if row_weights is not None:
        errors *= np.sqrt(row_weights)[:, None]
    largest = np.abs(errors).max(initial=0.0)
    if largest == 0.0:
        return np.full(n_members, 1.0 / n_members)
    equations = np.vstack([errors / largest, np.ones(n_members)])
    right_side = np.append(np.zeros(len(errors)), 1.0)
    weights, _ = nnls(equations, right_side)
    weights[weights < _NEGLIGIBLE * weights.max()] = 0.0
    return np.asarray(weights / weights.sum())
