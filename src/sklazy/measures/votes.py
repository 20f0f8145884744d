"""From the members' answers to one: by majority, by weight, by average."""

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.ties import argmax_with_ties

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
