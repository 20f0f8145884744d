"""Merge what parts of the rows list into the votes of all rows.

A part, a piece of it or a device lists its rows up to its own k-th neighbor, ties
included. Among all rows the k-th is as near or nearer, so the lists hold every vote. A
part that is searched after others may start from their lists; then its list covers all
of them.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.votes import merge_listed, merge_tallied
from sklazy.neighbors.voting import (
    Votes,
    Voting,
    vote_by_distances,
    vote_by_tallies,
    vote_by_weight,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOTHING = np.zeros((0, 0))
_PER_CELL = 2e-8  # seconds that numpy takes to merge


NOBODY = (np.inf, -1.0)
"""Squared distance and class where a list has no row."""


class Tallies(NamedTuple):
    """Rows by number of agreements and class.

    Attributes
    ----------
    thresholds : int64 array of shape (n_queries,)
        Agreements of the k-th neighbor among these rows; 0 where there are fewer.
    tallies : int32 array of shape (n_queries, n_levels, n_classes)
        Complete from the threshold up, zeros below it.
    """

    thresholds: Ints
    tallies: NDArray[np.int32]


class Near(NamedTuple):
    """The nearest rows by squared distance.

    Attributes
    ----------
    near : float64 array of shape (n_queries, n_most, 2)
        Squared distances and classes of the rows nearer than the k-th, those left over
        `NOBODY`.
    kths : float64 array of shape (n_queries,)
        The squared distance of the k-th; infinite where there are fewer.
    tied : int64 array of shape (n_queries, n_classes)
        Rows at that distance.
    """

    near: Floats
    kths: Floats
    tied: Ints


def list_rows(
    shape: tuple[int, int], queries: Ints, squares: Floats, classes: NDArray[np.integer]
) -> Floats:
    """List rows that are near to queries, as in `Near`.

    Parameters
    ----------
    shape : (n_queries, n_most)
    queries : int64 array of shape (n_pairs,), ascending
        Which query each of the rows is near to.
    squares, classes : arrays of shape (n_pairs,)
    """
    near = np.full((*shape, 2), NOBODY)
    places = np.arange(len(queries)) - np.searchsorted(queries, queries)
    near[queries, places, 0], near[queries, places, 1] = squares, classes
    return near


def _merge_tallies(
    parts: Sequence[Tallies], counts: NDArray[np.int32], voting: Voting
) -> Votes:
    """Add up agreements."""
    tallies = reduce(np.add, [part.tallies for part in parts])
    floors = reduce(np.maximum, [part.thresholds for part in parts])
    if not merge_tallied.is_due(_PER_CELL * tallies.size):
        return vote_by_tallies(tallies, floors, counts, voting)
    votes = _make_votes(len(tallies), tallies.shape[2], by_distance=voting.by_distance)
    merge_tallied(tallies, floors, counts, voting.n_neighbors, *_to_write(votes))
    return votes


def _merge_near(
    parts: Sequence[Near], _counts: NDArray[np.int32], voting: Voting
) -> Votes:
    """Put lists of distances together."""
    near = np.concatenate([part.near for part in parts], axis=1)
    lasts = np.stack([part.kths for part in parts], axis=1)
    tied = np.stack([part.tied for part in parts], axis=1)
    if not merge_listed.is_due(_PER_CELL * near.size):
        squares, classes = near[:, :, 0], near[:, :, 1].astype(np.int64)
        return vote_by_distances(squares, classes, lasts, tied, voting)
    votes = _make_votes(len(near), tied.shape[2], by_distance=voting.by_distance)
    merge_listed(near, lasts, tied, voting.n_neighbors, *_to_write(votes))
    return votes


def _make_votes(n_queries: int, n_classes: int, *, by_distance: bool) -> Votes:
    """Room for votes."""
    votes, tied = np.empty((2, n_queries, n_classes), np.int64)
    weighted = np.empty((n_queries, n_classes + 1)) if by_distance else None
    return Votes(votes, tied, weighted, np.empty(n_queries))


def _to_write(votes: Votes) -> tuple[Ints, Ints, Floats, Floats]:
    """Votes as kernels write them."""
    weighted = _NOTHING if votes.weighted is None else votes.weighted
    return votes.votes, votes.tied, weighted, votes.lasts


class Weighed(NamedTuple):
    """A part's nearest rows, some of which weigh more than others.

    Attributes
    ----------
    owners : int64 array of shape (n_listed,)
        The query that each is near to, ascending.
    measured, weights : float64 arrays of shape (n_listed,)
    classes : int32 array of shape (n_listed,)
    n_classes : int
    """

    owners: Ints
    measured: Floats
    classes: NDArray[np.int32]
    weights: Floats
    n_classes: int


def _merge_weighed(
    parts: Sequence[Weighed], counts: NDArray[np.int32], voting: Voting
) -> Votes:
    """Let the rows of all lists vote by weight."""
    owners = np.concatenate([part.owners for part in parts])
    order = np.argsort(owners, kind="stable")
    measured, classes, weights = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("measured", "classes", "weights")
    )
    n_queries, n_classes = len(counts), parts[0].n_classes
    ends = np.searchsorted(owners[order], np.arange(n_queries + 1))
    votes, lasts = np.zeros((n_queries, n_classes)), np.zeros(n_queries)
    for query in range(n_queries):
        own = slice(ends[query], ends[query + 1])
        near = measured[own], classes[own], weights[own]
        votes[query], lasts[query], _ = vote_by_weight(*near, n_classes, voting)
    return Votes(votes, np.zeros((n_queries, n_classes), np.int64), None, lasts)


_MERGES: dict[type, Callable[..., Votes]] = {
    Tallies: _merge_tallies,
    Near: _merge_near,
    Weighed: _merge_weighed,
}


def merge(
    parts: Sequence[Tallies] | Sequence[Near] | Sequence[Weighed],
    counts: NDArray[np.int32],
    voting: Voting,
) -> Votes:
    """Merge the lists of parts, pieces and devices into the votes of all rows.

    Parameters
    ----------
    parts : sequence of Tallies, of Near or of Weighed
        At least one.
    counts : int32 array of shape (n_queries,)
        How many attributes each query uses.
    voting : Voting

    Examples
    --------
    >>> near = np.array([[[1.0, 0.0]]]), np.array([4.0]), np.array([[0, 1]])
    >>> far = np.array([[[9.0, 1.0]]]), np.array([np.inf]), np.array([[0, 0]])
    >>> parts, counts = [Near(*near), Near(*far)], np.ones(1, np.int32)
    >>> merge(parts, counts, Voting(2, shares=False, by_distance=False)).votes
    array([[1, 1]])
    """
    return _MERGES[type(parts[0])](parts, counts, voting)
