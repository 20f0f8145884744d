"""From sums of logarithms or probabilities to a class: rounding decides nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.ties import TIE, argmax_by_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Votes = NDArray[Any]

# Below this many votes numpy is done before the compiler would have begun.
_SMALL_JOB = 20_000


def argmax_with_ties(votes: Floats, priors: Votes) -> Ints:
    """The class with the highest vote; what is equal but for rounding is a tie.

    Ties: the larger prior, then the lower index.

    Parameters
    ----------
    votes : float64 array of shape (n_queries, n_classes)
    priors : array of shape (n_classes,) or (n_queries, n_classes)

    Examples
    --------
    >>> argmax_with_ties(np.array([[0.1 + 0.2, 0.3], [0.2, 0.3]]), np.array([4, 5]))
    array([1, 1])
    """
    orders = np.atleast_2d(np.argsort(-priors, axis=-1, kind="stable"))
    if argmax_by_order.is_ready() or votes.size > _SMALL_JOB:
        decisions = np.empty(len(votes), np.int64)
        argmax_by_order(votes, orders, decisions)
        return decisions
    orders = np.broadcast_to(orders, votes.shape)
    best = votes.max(axis=1, keepdims=True)
    least = best - TIE * np.maximum(1.0, np.abs(best))
    tied = np.take_along_axis(votes, orders, axis=1) >= least
    return np.take_along_axis(orders, tied.argmax(axis=1)[:, None], axis=1)[:, 0]
