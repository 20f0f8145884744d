"""From votes to a class, rounding deciding nothing; from members' answers to one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.ties import TIE, argmax_by_order, argmax_of_counts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Votes = NDArray[Any]

# Seconds that numpy takes, at a time and for each vote.
_AT_ALL, _PER_VOTE = 15e-6, 20e-9
_COUNTS_AT_ALL, _PER_COUNT = 2e-6, 2e-9


def cast_votes(probabilities: Floats, near: Floats, priors: Floats) -> Ints:
    """Each member's vote, (n_queries, n_members).

    Parameters
    ----------
    probabilities : float64 array of shape (n_queries, n_members, n_classes)
    near : float64 array of shape (n_queries, n_classes)
        Weight of the classes among the neighbors of each query, which settles ties.
    priors : float64 array of shape (n_classes,) or (n_queries, n_classes)
        Settle ties of both.
    """
    n_queries, n_members, n_classes = probabilities.shape
    flat = probabilities.reshape(-1, n_classes)
    around = np.repeat(near, n_members, axis=0)
    if priors.ndim == 2:
        priors = np.repeat(priors, n_members, axis=0)
    return argmax_with_ties(flat, around, priors).reshape(n_queries, n_members)


def majority_shares(votes: Ints, n_classes: int) -> Floats:
    """The share of members that vote for each class, (n_queries, n_classes).

    Examples
    --------
    >>> majority_shares(np.array([[0, 2, 2, 2]]), 3).tolist()
    [[0.25, 0.0, 0.75]]
    """
    return weighted_shares(votes, np.ones(votes.shape), n_classes)


def weighted_shares(votes: Ints, weights: Floats, n_classes: int) -> Floats:
    """The share of the members' weight behind each class, (n_queries, n_classes).

    Members without any weight at all count alike.

    Parameters
    ----------
    votes : int64 array of shape (n_queries, n_members)
    weights : float64 array of shape (n_queries, n_members)
        Not negative: for example, a member's accuracy around the query.
    n_classes : int
    """
    totals = weights.sum(axis=1, keepdims=True)
    weights = np.where(totals > 0, weights, 1.0)
    for_class = votes[:, :, None] == np.arange(n_classes)
    sums = (weights[:, :, None] * for_class).sum(axis=1)
    shares: Floats = sums / weights.sum(axis=1, keepdims=True)
    return shares


def average_probabilities(probabilities: Floats) -> Floats:
    """The mean of the members' probabilities, (n_queries, n_classes)."""
    means: Floats = probabilities.mean(axis=1)
    return means


def to_shares(scores: Floats, otherwise: Floats | None = None) -> Floats:
    """Scores of indicators as probabilities: clipped to 0..1, made to sum to 1.

    Parameters
    ----------
    scores : float64 array of shape (..., n_classes)
    otherwise : float64 array of shape (n_classes,), optional
        The shares where no score is above 0; equal ones by default.

    Examples
    --------
    >>> to_shares(np.array([[1.2, -0.2], [0.0, -1.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    clipped = np.clip(scores, 0.0, 1.0)
    totals = clipped.sum(axis=-1, keepdims=True)
    shares = np.full_like(clipped, 1.0 / clipped.shape[-1])
    if otherwise is not None:
        shares[:] = otherwise
    return np.divide(clipped, totals, where=totals > 0, out=shares)


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
