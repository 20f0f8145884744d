"""Votes of all rows from those of parts of them: levels add up.

A part hands out its rows at the level of its own k-th neighbor and nearer. Among all
rows the k-th is at that level or nearer, so what the parts hand out holds every vote,
ties and all. A part that is searched after others may go on from what they found; then
it hands out the rows of all of them.
"""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.merging import merge_listed, merge_tallied
from sklazy.neighbors.mixed import Near
from sklazy.neighbors.nominal import Tallies
from sklazy.neighbors.voting import vote_by_weight, weigh_rows, weigh_squares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOTHING = np.zeros((0, 0))
_SMALL_JOB = 200_000  # cells; fewer are merged before a kernel is loaded


class Votes(NamedTuple):
    """What a search finds; see `NominalSearch` and `MixedSearch`.

    `lasts` are the measures of the k-th: attributes that differ, or squared distances.
    """

    votes: Ints
    tied: Ints
    weighted: Floats | None
    lasts: Floats


def merge_tallies(
    parts: Sequence[Tallies],
    counts: NDArray[np.int32],
    n_neighbors: int,
    *,
    by_distance: bool,
) -> Votes:
    """The votes of all rows; `counts` are the attributes that each query uses."""
    tallies = reduce(np.add, [part.tallies for part in parts])
    floors = reduce(np.maximum, [part.thresholds for part in parts])
    if merge_tallied.is_due(tallies.size / _SMALL_JOB):
        found = _make_votes(len(tallies), tallies.shape[2], by_distance=by_distance)
        merge_tallied(tallies, floors, counts, n_neighbors, *_to_write(found))
        return found
    sizes = tallies.sum(axis=2)
    reached = sizes[:, ::-1].cumsum(axis=1)[:, ::-1]  # rows at a level and above
    enough = (reached >= n_neighbors).sum(axis=1) - 1  # the highest such level
    levels = np.maximum(enough, floors)
    every = np.arange(len(levels))
    voting = np.arange(tallies.shape[1]) >= levels[:, None]
    votes = np.where(voting[:, :, None], tallies, 0).sum(axis=1, dtype=np.int64)
    tied = tallies[every, levels].astype(np.int64)
    weighted = _weigh(tallies, levels, counts) if by_distance else None
    return Votes(votes, tied, weighted, (counts - levels).astype(np.float64))


def _weigh(
    tallies: NDArray[np.int32], levels: Ints, counts: NDArray[np.int32]
) -> Floats:
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


def merge_near(parts: Sequence[Near], n_neighbors: int, *, by_distance: bool) -> Votes:
    """The votes of all rows."""
    near = np.concatenate([part.near for part in parts], axis=1)
    if merge_listed.is_due(near.size / _SMALL_JOB):
        return _merge_listed(parts, near, n_neighbors, by_distance=by_distance)
    squares, classes = near[:, :, 0], near[:, :, 1].astype(np.int64)
    listed = classes >= 0
    lasts = np.stack([part.kths for part in parts], axis=1)
    tied = np.stack([part.tied for part in parts], axis=1)
    n_classes = tied.shape[2]
    kths = _find_kths(
        np.concatenate([squares, lasts], axis=1),
        np.concatenate([listed, tied.sum(axis=2)], axis=1),
        n_neighbors,
    )
    nearer = listed & (squares < kths[:, None])
    at_last = listed & (squares == kths[:, None])
    tied_here = np.where((lasts == kths[:, None])[:, :, None], tied, 0).sum(axis=1)
    tied_here = tied_here + _count(at_last, classes, n_classes)
    votes = _count(nearer, classes, n_classes) + tied_here
    if not by_distance:
        return Votes(votes, tied_here, None, kths)
    query, place = np.nonzero(nearer)
    weighted = weigh_rows(
        query, squares[query, place], classes[query, place], kths, n_classes
    )
    return Votes(votes, tied_here, weighted, kths)


def _merge_listed(
    parts: Sequence[Near], near: Floats, n_neighbors: int, *, by_distance: bool
) -> Votes:
    """The same by a kernel."""
    lasts = np.stack([part.kths for part in parts], axis=1)
    tied = np.stack([part.tied for part in parts], axis=1)
    found = _make_votes(len(near), tied.shape[2], by_distance=by_distance)
    merge_listed(near, lasts, tied, n_neighbors, *_to_write(found))
    return found


def _make_votes(n_queries: int, n_classes: int, *, by_distance: bool) -> Votes:
    """Room for votes."""
    votes, tied = np.empty((2, n_queries, n_classes), np.int64)
    weighted = np.empty((n_queries, n_classes + 1)) if by_distance else None
    return Votes(votes, tied, weighted, np.empty(n_queries))


def _to_write(votes: Votes) -> tuple[Ints, Ints, Floats, Floats]:
    """Votes as kernels write them."""
    weighted = _NOTHING if votes.weighted is None else votes.weighted
    return votes.votes, votes.tied, weighted, votes.lasts


def _find_kths(squares: Floats, times: Ints, n_neighbors: int) -> Floats:
    """The k-th smallest of each row of squares that count several times."""
    order = np.argsort(squares, axis=1)
    reached = np.take_along_axis(times, order, axis=1).cumsum(axis=1)
    place = (reached < n_neighbors).sum(axis=1)
    ordered = np.take_along_axis(squares, order, axis=1)
    padded = np.concatenate([ordered, np.full((len(ordered), 1), np.inf)], axis=1)
    return padded[np.arange(len(padded)), place]


def _count(chosen: NDArray[np.bool_], classes: Ints, n_classes: int) -> Ints:
    """Chosen rows by class, shape (n_queries, n_classes)."""
    query, place = np.nonzero(chosen)
    cells = query * n_classes + classes[query, place]
    counts = np.bincount(cells, minlength=len(chosen) * n_classes)
    return counts.reshape(-1, n_classes)


class Weighed(NamedTuple):
    """A part's nearest rows, some of which weigh more than others.

    Attributes
    ----------
    owners : int64 array of shape (n_listed,)
        The query that each is near to, ascending.
    measured, weights : float64 arrays of shape (n_listed,)
    classes : int32 array of shape (n_listed,)
    """

    owners: Ints
    measured: Floats
    classes: NDArray[np.int32]
    weights: Floats


def list_weighed(
    measured: Floats, weights: Floats, n_neighbors: int
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


def merge_weighed(
    parts: Sequence[Weighed],
    n_queries: int,
    n_neighbors: int,
    n_classes: int,
    *,
    shares: bool,
    by_distance: bool,
) -> tuple[Floats, Floats, Floats]:
    """Votes, the farthest voter's measure, and the share of ties, for each query."""
    owners = np.concatenate([part.owners for part in parts])
    order = np.argsort(owners, kind="stable")
    measured, classes, weights = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("measured", "classes", "weights")
    )
    ends = np.searchsorted(owners[order], np.arange(n_queries + 1))
    votes, lasts = np.zeros((n_queries, n_classes)), np.zeros(n_queries)
    at_last = np.ones(n_queries)
    for query in range(n_queries):
        own = slice(ends[query], ends[query + 1])
        votes[query], lasts[query], at_last[query] = vote_by_weight(
            measured[own],
            classes[own],
            weights[own],
            n_neighbors,
            n_classes,
            shares=shares,
            by_distance=by_distance,
        )
    return votes, lasts, at_last
