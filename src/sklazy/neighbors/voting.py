"""How cases vote: ties at the last place, distances and weights; probabilities."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Voting(NamedTuple):
    """How the nearest cases vote.

    Attributes
    ----------
    n_neighbors : int
        How many cases vote; where they have weights, what these must reach.
    shares : bool
        Whether cases tied at the last place share the places left.
    by_distance : bool
        Whether a vote weighs the nearest case's distance over its own.
    """

    n_neighbors: int
    shares: bool
    by_distance: bool


def to_probabilities(
    votes: NDArray[np.float64] | NDArray[np.int64],
    n_rows: int | NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return class probabilities as Weka's IBk gives them.

    Every class starts with 1 / n_rows, each neighbor adds 1, and the sum is made 1.

    Parameters
    ----------
    votes : array of shape (n_queries, n_classes)
    n_rows : int, or int64 array of shape (n_queries, 1)
        The number of cases; 0 counts as 1, as in Weka.

    References
    ----------
    Witten, I. H., Frank, E., Hall, M. A., Pal, C. J.: Data Mining, 4th edition, 2016
    (Weka's ``IBk``).

    Examples
    --------
    >>> import numpy as np
    >>> to_probabilities(np.array([[3, 0]]), 4).round(4).tolist()
    [[0.9286, 0.0714]]
    """
    scores = votes + 1.0 / np.maximum(n_rows, 1)
    return scores / scores.sum(axis=1, keepdims=True)


class Counted(Protocol):
    """The nearest cases of queries, counted by class: a search, or `Votes`."""

    @property
    def votes(self) -> NDArray[Any]:
        """Cases, or weights, up to the k-th place, (n_queries, n_classes)."""

    @property
    def tied(self) -> NDArray[np.integer]:
        """Those of them that are tied at that place."""

    @property
    def weighted(self) -> NDArray[np.float64] | None:
        """Weights of the nearer cases by class, then of a tied one; None without."""


def finish_votes(counted: Counted, voting: Voting) -> NDArray[Any]:
    """Let cases tied at the last place share what is left, and weigh by distance.

    Where cases have weights both is done already, and none are tied.

    Examples
    --------
    >>> from sklazy.neighbors.levels import Votes
    >>> counted = Votes(np.array([[2, 3]]), np.array([[1, 3]]))
    >>> finish_votes(counted, Voting(3, shares=True, by_distance=False))
    array([[1.5, 1.5]])
    >>> finish_votes(counted, Voting(3, shares=False, by_distance=False))
    array([[2, 3]])
    """
    votes = counted.votes
    if not voting.shares and not voting.by_distance:
        return votes  # ties may wait on a device
    tied, weighted = counted.tied, counted.weighted
    n_tied = tied.sum(axis=1, keepdims=True)
    nearer, left = votes - tied, n_tied
    if voting.shares:
        n_nearer = nearer.sum(axis=1, keepdims=True)
        left = np.minimum(n_tied, voting.n_neighbors - n_nearer)
    places = np.maximum(n_tied, 1)
    if not voting.by_distance or weighted is None:
        return np.asarray((nearer * places + tied * left) / places)
    return np.asarray(weighted[:, :-1] + tied * left / places * weighted[:, -1:])


def weigh_squares(
    nearest: float | NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weights of cases: the nearest's distance over their own, 1 for the nearest.

    Parameters
    ----------
    nearest : float, or float64 array like `squares`
        The nearest case's squared distance, or number of attributes that differ.
    squares : float64 array
        Likewise, of the cases.

    Examples
    --------
    >>> weigh_squares(1.0, np.array([1.0, 4.0])), weigh_squares(0.0, np.ones(1))
    (array([1. , 0.5]), array([0.]))
    """
    level = squares == nearest
    return np.where(level, 1.0, np.sqrt(nearest) / np.sqrt(np.where(level, 1, squares)))


def vote_by_weight(
    squares: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    voting: Voting,
) -> tuple[NDArray[np.float64], float, float]:
    """Vote with weighted rows.

    A row of weight w counts like w rows: rows vote from near to far until their
    weights reach `n_neighbors`, with all that tie with the last. Weights are sorted
    before they are added, so that rounding does not depend on the order of the
    rows.

    Parameters
    ----------
    squares : float64 array of shape (n_rows,)
        Squared distances, or numbers of attributes that differ.
    classes : int32 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), not negative
    n_classes : int
    voting : Voting

    Returns
    -------
    votes : float64 array of shape (n_classes,)
    last : float
        The farthest voter's square.
    share : float
        The share of their votes that the cases at that distance have.

    Examples
    --------
    >>> import numpy as np
    >>> squares, classes = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 1, 1, 0])
    >>> voting = Voting(2, shares=False, by_distance=False)
    >>> vote_by_weight(squares, classes, np.array([1.0, 0.5, 1.0, 9.0]), 2, voting)
    (array([1. , 1.5]), 1.0, 1.0)
    """
    groups = _sum_groups(squares, classes, weights)
    if not groups.sums.size:
        return np.zeros(n_classes), np.inf, 1.0
    in_level = np.bincount(groups.levels, groups.sums)
    reached, n_neighbors = np.cumsum(in_level), voting.n_neighbors
    last = min(int(np.searchsorted(reached, n_neighbors)), reached.size - 1)
    share = 1.0
    if voting.shares and reached[last] > n_neighbors:
        before = reached[last - 1] if last else 0.0
        share = float((n_neighbors - before) / in_level[last])
    cast = groups.sums * np.where(groups.levels == last, share, 1.0)
    if voting.by_distance:
        cast = cast * weigh_squares(groups.squares[0], groups.squares)
    votes, near = np.zeros(n_classes), groups.levels <= last
    np.add.at(votes, groups.classes[near], cast[near])
    return votes, float(groups.squares[near][-1]), share


class _Groups(NamedTuple):
    """Rows of one distance and class, near to far: level, class, weights added up."""

    squares: NDArray[np.float64]
    levels: NDArray[np.int64]
    classes: NDArray[np.int32]
    sums: NDArray[np.float64]


def _sum_groups(
    squares: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> _Groups:
    present = np.flatnonzero(weights > 0)
    order = np.lexsort((weights[present], classes[present], squares[present]))
    rows = present[order]
    if not rows.size:
        none = np.zeros(0, np.int64)
        return _Groups(none.astype(np.float64), none, classes[:0], weights[:0])
    near, kind = squares[rows], classes[rows]
    new_level = np.concatenate([[True], near[1:] != near[:-1]])
    starts = np.flatnonzero(new_level | np.concatenate([[True], kind[1:] != kind[:-1]]))
    sums = np.add.reduceat(weights[rows], starts)
    return _Groups(near[starts], np.cumsum(new_level)[starts] - 1, kind[starts], sums)


def weigh_rows(
    queries: NDArray[np.int64],
    squares: NDArray[np.float64],
    classes: NDArray[np.integer],
    kths: NDArray[np.float64],
    n_classes: int,
) -> NDArray[np.float64]:
    """Weigh rows nearer than the k-th by their squared distances; see `MixedSearch`.

    Added from near to far, so that rounding does not depend on the order of the
    rows.

    Parameters
    ----------
    queries : int64 array of shape (n_pairs,)
        Which query each of the rows is near to.
    squares, classes : arrays of shape (n_pairs,)
    kths : float64 array of shape (n_queries,)
    n_classes : int

    Returns
    -------
    float64 array of shape (n_queries, n_classes + 1)
    """
    order = np.lexsort((squares, queries))
    queries, squares = queries[order], squares[order]
    nearest = kths.copy()
    nearest[queries[::-1]] = squares[::-1]  # the last one stays
    weights = weigh_squares(nearest[queries], squares)
    cells, size = queries * n_classes + classes[order], kths.size * n_classes
    sums = np.bincount(cells, weights, size).reshape(-1, n_classes)
    return np.concatenate([sums, weigh_squares(nearest, kths)[:, None]], axis=1)
