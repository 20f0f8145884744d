"""One rule from votes to a class: rounding decides nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.ties import TIE, argmax_by_order, argmax_of_counts

Ints = NDArray[np.int64]
Votes = NDArray[Any]

# Seconds that numpy takes, at a time and for each vote.
_AT_ALL, _PER_VOTE = 15e-6, 20e-9
_COUNTS_AT_ALL, _PER_COUNT = 2e-6, 2e-9


def argmax_with_ties(votes: Votes, *breakers: Votes) -> Ints:
    """The class with the highest vote; what is equal but for rounding is a tie.

    Votes within `TIE` times the highest (or 1, if that is more) are tied. A tie goes to
    the class with the highest first breaker, then to that with the highest second one,
    then to the lowest index.

    Parameters
    ----------
    votes : array of shape (n_queries, n_classes)
        Counts, shares, probabilities or their logarithms.
    *breakers : arrays of shape (n_classes,) or (n_queries, n_classes)
        Settle a tie, such as the number of cases of each class.

    Examples
    --------
    >>> argmax_with_ties(np.array([[0.1 + 0.2, 0.3], [0.2, 0.3]]), np.array([4, 5]))
    array([1, 1])
    >>> near = np.array([[1, 2], [1, 1]])
    >>> argmax_with_ties(np.array([[0.5, 0.5], [0.5, 0.5]]), near, np.array([4, 3]))
    array([1, 0])
    """
    if len(breakers) == 1:
        return _argmax_by_order(votes, breakers[0])
    best = votes.max(axis=1, keepdims=True)
    left = votes >= best - TIE * np.maximum(1.0, np.abs(best))
    for figures in breakers:
        figures_left = np.where(left, figures, -np.inf)
        left &= figures_left == figures_left.max(axis=1, keepdims=True)
    return left.argmax(axis=1)


def _argmax_by_order(votes: Votes, breaker: Votes) -> Ints:
    """The same with one breaker, by the order that it puts the classes into."""
    order = np.argsort(-breaker, axis=-1, kind="stable")
    if votes.dtype.kind in "iu" and order.ndim == 1:  # counts tie when they are equal
        return _argmax_of_counts(votes, order)
    orders = np.atleast_2d(order)
    if argmax_by_order.is_due(_AT_ALL + _PER_VOTE * votes.size):
        decisions = np.empty(len(votes), np.int64)
        argmax_by_order(np.asarray(votes, np.float64), orders, decisions)
        return decisions
    orders = np.broadcast_to(orders, votes.shape)
    best = votes.max(axis=1, keepdims=True)
    least = best - TIE * np.maximum(1.0, np.abs(best))
    tied = np.take_along_axis(votes, orders, axis=1) >= least
    return np.take_along_axis(orders, tied.argmax(axis=1)[:, None], axis=1)[:, 0]


def _argmax_of_counts(votes: Votes, order: Ints) -> Ints:
    """The same for counts, which tie when they are equal."""
    if not argmax_of_counts.is_due(_COUNTS_AT_ALL + _PER_COUNT * votes.size):
        return order[votes.take(order, axis=1).argmax(axis=1)]
    decisions = np.empty(len(votes), np.int64)
    argmax_of_counts(votes, order, decisions)
    return decisions
