"""The votes of a finished search in every way to vote, against the slow twin."""

import itertools

import pytest

import oracle
from sklazy.neighbors import Voting, finish_votes
from sklazy.neighbors.voting import Votes

WAYS = list(itertools.product(("all", "share"), ("uniform", "distance")))


def check_votes(search, query, squares, classes, n_classes):
    """Compare the votes of a search that weighs by distance, too.

    The number of attributes that differ is a squared distance.
    """
    weights = [1] * len(squares)
    if search.excluded[query] >= 0:
        weights[search.excluded[query]] = 0
    one, k = slice(query, query + 1), search.n_neighbors
    for ties, by in WAYS:
        counted = Votes(search.votes[one], search.tied[one], search.weighted[one])
        found = finish_votes(counted, Voting(k, ties == "share", by == "distance"))[0]
        cast = oracle.cast_votes(squares, weights, k, ties, by)
        expected = oracle.add_votes(cast, classes, n_classes)
        if by == "uniform":
            assert found.tolist() == expected  # digit for digit: shares are rational
        else:
            assert found.tolist() == pytest.approx(expected, rel=1e-12)
