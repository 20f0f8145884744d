"""Votes of the rows in a list of near ones, and their scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import lean_kernel
from sklazy.kernels.near_lists import LOOSE, ROUNDING, UNSURE
from sklazy.kernels.ties import TIE
from sklazy.kernels.votes import distance_weight, share_votes

UNITS = 2.0**20
"""The score of a case is rounded to a multiple of one over this."""

_EDGE = 1e-4  # more than the order of additions moves a score, in units
_CLOSE = 1e-12  # more than it moves a vote


class Scoring(NamedTuple):
    """How cases vote and are scored.

    Attributes
    ----------
    ks : int64 array of shape (n_ks,)
    shares, by_distance : bool
        See `share_votes`.
    n_others : int
        Rows besides the case.
    ties : int64 array of shape (n_classes, n_classes)
        The classes in the order in which they win ties, by the class of the case.
    """

    ks: NDArray[np.int64]
    shares: bool
    by_distance: bool
    n_others: int
    ties: NDArray[np.int64]


class VoteRoom(NamedTuple):
    """Space to work in."""

    sums: NDArray[np.float64]
    near_rows: NDArray[np.int64]
    near_sums: NDArray[np.float64]
    spare: NDArray[np.float64]
    smallest: NDArray[np.float64]
    weights: NDArray[np.float64]
    tied: NDArray[np.int64]
    weighted: NDArray[np.float64]
    scores: NDArray[np.float64]


@lean_kernel
def sort_near(near_rows, near_sums, n_near):
    """Put rows in the order of their distances; most are in it already."""
    for i in range(1, n_near):
        row, square, place = near_rows[i], near_sums[i], i
        while place > 0 and near_sums[place - 1] > square:
            near_rows[place] = near_rows[place - 1]
            near_sums[place] = near_sums[place - 1]
            place -= 1
        near_rows[place], near_sums[place] = row, square


@lean_kernel
def _weigh_sorted(squares, n_near, weights):
    """Write the weights of the nearest of rows that are in order."""
    for i in range(min(n_near, weights.size)):
        weights[i] = distance_weight(squares[0], squares[i])


@lean_kernel
def _vote_sorted(n_near, k, classes, scoring, room, votes):
    """Write the votes of the k nearest of rows that are in order, and weighed."""
    rows, squares, weighted = room.near_rows, room.near_sums, room.weighted
    kth = squares[k - 1] if k <= n_near else np.inf
    votes[:] = 0.0
    room.tied[:] = 0
    weighted[:] = 0.0
    n_nearer = 0
    while n_nearer < n_near and squares[n_nearer] < kth:
        votes[classes[rows[n_nearer]]] += 1.0
        n_nearer += 1
    for i in range(n_nearer, n_near):
        if squares[i] > kth:
            break
        room.tied[classes[rows[i]]] += 1
    if scoring.by_distance:
        for i in range(n_nearer):
            weighted[classes[rows[i]]] += room.weights[i]
        nearest = squares[0] if n_nearer > 0 else kth
        weighted[weighted.size - 1] = distance_weight(nearest, kth)
    share_votes(room.tied, weighted, k, scoring.shares, votes)


@lean_kernel
def _are_apart(squares, n_near, k):
    """Whether the nearest rows, and the next, keep their order if sums are rounded."""
    for i in range(min(n_near - 1, k)):
        after = squares[i + 1]
        if after > 0.0 and after - squares[i] <= ROUNDING * after:
            return False
    return True


@lean_kernel
def _judge(votes, own, scoring, scores):
    """Return the score of votes in units, and how far it is from an edge.

    1 if they are right, less half the Brier score; see `score_votes`.
    """
    n_classes, share = votes.size, 1.0 / max(scoring.n_others, 1)
    total = 0.0
    for c in range(n_classes):
        scores[c] = votes[c] + share
        total += scores[c]
    squares = 0.0
    for c in range(n_classes):
        scores[c] /= total
        squares += scores[c] * scores[c]
    best = votes[0]
    for c in range(1, n_classes):
        best = votes[c] if votes[c] > best else best
    least = best - TIE * max(1.0, abs(best))
    order, place, is_clear = scoring.ties[own], 0, True
    for c in range(n_classes):
        is_clear &= abs(votes[c] - least) > _CLOSE
    while place < n_classes - 1 and votes[order[place]] < least:
        place += 1
    right = 1.0 if order[place] == own else 0.0
    brier = 1.0 - 2.0 * scores[own] + squares
    score = (right - 0.5 * brier) * UNITS
    edge = abs(score - np.floor(score) - 0.5)
    return np.int64(np.rint(score)), edge if is_clear else 0.0


@lean_kernel
def score_list(lists, case, i, own, scoring, room):
    """Score the votes of a list, and mark whether these scores are sure."""
    lists.marks[case, i] &= ~np.uint8(UNSURE)
    for k in range(scoring.ks.size):
        votes = lists.votes[case, i, k]
        lists.units[case, i, k], edge = _judge(votes, own, scoring, room.scores)
        if not edge > _EDGE:
            lists.marks[case, i] |= UNSURE


@lean_kernel
def vote_list(lists, case, i, n_near, own, numeric, classes, scoring, room):
    """Find and score the votes of rows in `room`, which are in order."""
    squares, largest = room.near_sums, room.weights.size
    _weigh_sorted(squares, n_near, room.weights)
    for k in range(scoring.ks.size):
        votes = lists.votes[case, i, k]
        _vote_sorted(n_near, scoring.ks[k], classes, scoring, room, votes)
    lists.reach[case, i] = squares[largest - 1] if largest <= n_near else np.inf
    has_numbers = False
    for place in range(lists.sizes[case, i]):
        has_numbers |= numeric[lists.orders[case, i, place]] >= 0
    is_whole = lists.counts[case, i] >= 0
    lists.marks[case, i] = 0
    if has_numbers and not (is_whole and _are_apart(squares, n_near, largest)):
        lists.marks[case, i] = LOOSE
    score_list(lists, case, i, own, scoring, room)
