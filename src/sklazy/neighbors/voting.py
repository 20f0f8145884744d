"""How cases vote: ties at the last place, distances and weights; probabilities."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

_NOWHERE = np.zeros(0)


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


class Votes(NamedTuple):
    """The votes of all rows, ready for `finish_votes`.

    Attributes
    ----------
    votes, tied : arrays of shape (n_queries, n_classes)
        As in `NominalSearch` and `MixedSearch`. Where rows have weights, ties have
        shared and distances have been weighed already: none are tied.
    weighted : float64 array of shape (n_queries, n_classes + 1), or None
        As in these.
    lasts : float64 array of shape (n_queries,)
        The measures of the k-th: attributes that differ, or squared distances.
    """

    votes: NDArray[Any]
    tied: NDArray[np.int64]
    weighted: NDArray[np.float64] | None = None
    lasts: NDArray[np.float64] = _NOWHERE


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


def list_weighed(
    measured: NDArray[np.float64], weights: NDArray[np.float64], n_neighbors: int
) -> NDArray[np.bool_]:
    """Which rows of a part must be known to let all rows vote by weight.

    All up to the distance at which their weights reach a little more than asked for,
    so that it does not matter in which order weights are added.
    """
    present = weights > 0
    order = np.argsort(np.where(present, measured, np.inf), kind="stable")
    reached = np.cumsum(np.where(present, weights, 0.0)[order])
    enough = np.flatnonzero(reached >= n_neighbors * (1.0 + 1e-6))
    if not enough.size:
        return present
    return present & (measured <= measured[order[enough[0]]])


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


def vote_by_tallies(
    tallies: NDArray[np.integer],
    floors: NDArray[np.int64],
    counts: NDArray[np.int32],
    voting: Voting,
) -> Votes:
    """Let rows vote that are counted by agreements; equal to `merge_tallied`."""
    reached = tallies.sum(axis=2)[:, ::-1].cumsum(axis=1)[:, ::-1]  # and above
    enough = (reached >= voting.n_neighbors).sum(axis=1) - 1  # the highest such level
    levels = np.maximum(enough, floors)
    reaching = np.arange(tallies.shape[1]) >= levels[:, None]
    votes = np.where(reaching[:, :, None], tallies, 0).sum(axis=1, dtype=np.int64)
    tied = tallies[np.arange(len(levels)), levels].astype(np.int64)
    weighted = _weigh_tallies(tallies, levels, counts) if voting.by_distance else None
    return Votes(votes, tied, weighted, (counts - levels).astype(np.float64))


def _weigh_tallies(
    tallies: NDArray[np.integer], levels: NDArray[np.int64], counts: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Weigh the rows above a level by distance, from near to far."""
    n_queries, n_levels, n_classes = tallies.shape
    weighted = np.zeros((n_queries, n_classes + 1))
    last = (counts - levels).astype(np.float64)
    nearest, found = last.copy(), np.zeros(n_queries, bool)
    for level in range(n_levels - 1, -1, -1):
        filled = (level > levels) & tallies[:, level].any(axis=1)
        own = np.flatnonzero(filled)
        distances = (counts[own] - level).astype(np.float64)
        nearest[own] = np.where(found[own], nearest[own], distances)
        found[own] = True
        weights = weigh_squares(nearest[own], distances)
        weighted[own, :-1] += tallies[own, level] * weights[:, None]
    weighted[:, -1] = weigh_squares(nearest, last)
    return weighted


def vote_by_distances(
    squares: NDArray[np.float64],
    classes: NDArray[np.integer],
    lasts: NDArray[np.float64],
    tied: NDArray[np.int64],
    voting: Voting,
) -> Votes:
    """Let rows vote that are listed by distance; equal to `merge_listed`.

    Parameters
    ----------
    squares : float64 array of shape (n_queries, n_listed)
    classes : int array of shape (n_queries, n_listed)
        -1 for a row that does not take part, whose square is infinite.
    lasts : float64 array of shape (n_queries, n_parts)
        How far the last one of each part is.
    tied : int64 array of shape (n_queries, n_parts, n_classes)
        A part's rows at that distance, which are not listed.
    voting : Voting
    """
    k, kths = (
        voting.n_neighbors,
        lasts.min(axis=1),
    )  # where fewer than k listed are as near
    if k <= squares.shape[1]:
        kths = np.minimum(kths, np.partition(squares, k - 1, axis=1)[:, k - 1])
    nearer, level = squares < kths[:, None], squares == kths[:, None]
    tied = np.where((lasts == kths[:, None])[:, :, None], tied, 0).sum(axis=1)
    queries, places = np.nonzero(level & (classes >= 0))
    np.add.at(tied, (queries, classes[queries, places]), 1)
    votes, (queries, places) = tied.copy(), np.nonzero(nearer)
    near = queries, squares[queries, places], classes[queries, places]
    np.add.at(votes, (queries, near[2]), 1)
    weighted = weigh_rows(*near, kths, tied.shape[1]) if voting.by_distance else None
    return Votes(votes, tied, weighted, kths)
