"""How the nearest rows make up a mean: ties at the last place, distances, weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.neighbors.voting import Voting, weigh_squares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Voters(NamedTuple):
    """The rows whose targets make up a mean, near to far, then as they lie.

    Attributes
    ----------
    rows : int64 array of shape (n_voting,)
    squares, weights : float64 arrays of shape (n_voting,)
        Squared distances, and what the rows count.
    n_tied : int
        How many are as far as the last.
    """

    rows: Ints
    squares: Floats
    weights: Floats
    n_tied: int


def find_voters(voting: Voting, squares: Floats, weights: Floats) -> Voters:
    """The rows that count, and how much.

    A row of weight w counts like w rows: from near to far until their weights reach
    `n_neighbors`, with all that tie with the last.

    Parameters
    ----------
    squares : float64 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), not negative
        0 for a row that does not take part.
    """
    there = np.flatnonzero(weights > 0)
    if not there.size:
        raise BadInputError(
            "all sample weights are zero; give at least one row a weight above 0."
        )
    order = there[np.argsort(squares[there], kind="stable")]
    near = squares[order]
    starts = np.flatnonzero(np.concatenate([[True], near[1:] != near[:-1]]))
    in_level = np.add.reduceat(weights[order], starts)
    reached = np.cumsum(in_level)
    last = min(int(np.searchsorted(reached, voting.n_neighbors)), len(starts) - 1)
    end = starts[last + 1] if last + 1 < len(starts) else len(order)
    rows, own = order[:end], weights[order[:end]].copy()
    if voting.shares and reached[last] > voting.n_neighbors:
        before = reached[last - 1] if last else 0.0
        own[starts[last] :] *= (voting.n_neighbors - before) / in_level[last]
    if voting.by_distance:
        own *= weigh_squares(near[0], near[:end])
    return Voters(rows, near[:end], own, int(end - starts[last]))


def average(voting: Voting, squares: Floats, weights: Floats, targets: Floats) -> float:
    """The mean target of the rows that count, added near to far."""
    rows, _, own, _ = find_voters(voting, squares, weights)
    start = targets[rows[0]]
    total = np.cumsum(own * (targets[rows] - start))[-1]
    return float(start + total / np.cumsum(own)[-1])


def average_alike(
    voting: Voting, squares: Floats, excluded: Ints, targets: Floats
) -> Floats:
    """The same of rows that all weigh 1, digit for digit as kernels have it.

    Parameters
    ----------
    squares : float64 array of shape (n_queries, n_rows)
        Infinite for an excluded row.
    excluded : int64 array of shape (n_queries,)
        -1 for none.
    targets : float64 array of shape (n_rows,)
    """
    each, k = np.arange(len(squares)), voting.n_neighbors
    kth = np.full(len(squares), np.inf)
    if k <= squares.shape[1]:
        kth = np.partition(squares, k - 1, axis=1)[:, k - 1]
    tied = squares == kth[:, None]
    tied[each[excluded >= 0], excluded[excluded >= 0]] = False
    n_near, n_tied = (squares < kth[:, None]).sum(axis=1), tied.sum(axis=1)
    order = _list_nearest(squares, k)
    first = np.where(n_near > 0, order[:, 0], tied.argmax(axis=1))
    apart = targets - targets[first][:, None]
    nearest = squares[each, first]
    total, weights = _add_near(voting, order, n_near, squares, apart, nearest)
    left = np.minimum(n_tied, k - n_near) if voting.shares else n_tied
    weight = left / np.maximum(n_tied, 1) * _weigh(voting, nearest, kth)
    weights += weight * n_tied
    total += weight * np.cumsum(np.where(tied, apart, 0.0), axis=1)[:, -1]
    return np.asarray(targets[first] + total / weights)


def _add_near(
    voting: Voting,
    order: Ints,
    n_near: Ints,
    squares: Floats,
    apart: Floats,
    nearest: Floats,
) -> tuple[Floats, Floats]:
    """Weighted targets and weights of the rows nearer than the last, near to far.

    Parameters
    ----------
    order : int64 array of shape (n_queries, n_most)
        The rows of each query, near to far.
    n_near : int64 array of shape (n_queries,)
        How many of them are nearer than the last.
    squares, apart : float64 arrays of shape (n_queries, n_rows)
        Squared distances, and targets from the first one's on.
    nearest : float64 array of shape (n_queries,)
    """
    total, weights = np.zeros((2, len(order)))
    for place in range(int(n_near.max(initial=0))):
        own = np.flatnonzero(n_near > place)
        rows = order[own, place]
        weight = _weigh(voting, nearest[own], squares[own, rows])
        weights[own] += weight
        total[own] += weight * apart[own, rows]
    return total, weights


def _weigh(voting: Voting, nearest: Floats, squares: Floats) -> Floats:
    """Weights of rows by their distance."""
    if not voting.by_distance:
        return np.ones(len(squares))
    return weigh_squares(nearest, squares)


def _list_nearest(squares: Floats, k: int) -> Ints:
    """The k nearest rows of each query, near to far, then as they lie.

    Which of those at the k-th distance are among them is left open.
    """
    if k >= squares.shape[1]:
        return np.argsort(squares, axis=1, kind="stable")
    some = np.sort(np.argpartition(squares, k - 1, axis=1)[:, :k], axis=1)
    near = np.take_along_axis(squares, some, axis=1)
    order = np.argsort(near, axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)
