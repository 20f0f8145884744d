"""What lazy bagging and stacking are compared with: k-NN, a tree, bagged trees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.data import Crowd
from sklazy.combine import cast_votes, decide_votes, majority_shares
from sklazy.flow import Queries
from sklazy.local.bags import beta_neighbors
from sklazy.local.paths import PathRules, answer_by_given_bags
from sklazy.neighbors import find_nearest, place_queries, weigh_columns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

N_BAGS = 10


class Said(NamedTuple):
    """Answers to a batch of queries.

    Attributes
    ----------
    decisions : int64 array of shape (n_queries,)
    votes : int64 array of shape (n_queries, n_members) or None
    """

    decisions: Ints
    votes: Ints | None = None


def ask_neighbors(crowd: Crowd, queries: Queries, seed: int) -> Said:
    """The majority of as many neighbors as a lazy bag holds; attributes count alike.

    The paper does not say how many its k-NN takes, nor whether it weighs attributes.
    Of ten readings this one is nearest to its figures.
    """
    alike = np.ones(len(crowd.weights))
    columns = weigh_columns(crowd.cases, crowd.order, alike)
    n_near = beta_neighbors(crowd.n_rows)
    near = find_nearest(columns.columns, place_queries(columns, queries), n_near)
    votes = crowd.classes[near.rows].astype(np.int64)
    shares = majority_shares(votes, crowd.n_classes)
    return Said(decide_votes(shares, np.zeros_like(shares), crowd.priors))


def ask_tree(crowd: Crowd, queries: Queries, seed: int) -> Said:
    """One unpruned tree on all rows."""
    weights = np.ones((1, crowd.n_rows), np.int32)
    votes = _ask_bags(crowd, queries, weights, seed)
    return Said(votes[:, 0])


def ask_bagging(crowd: Crowd, queries: Queries, seed: int) -> Said:
    """The majority of trees on bootstrap bags, the same for all queries."""
    rng, n = np.random.default_rng(seed), crowd.n_rows
    weights = rng.multinomial(n, np.full(n, 1.0 / n), N_BAGS).astype(np.int32)
    votes = _ask_bags(crowd, queries, weights, seed)
    shares = majority_shares(votes, crowd.n_classes)
    return Said(decide_votes(shares, np.zeros_like(shares), crowd.priors), votes)


def _ask_bags(
    crowd: Crowd, queries: Queries, weights: NDArray[np.int32], seed: int
) -> Ints:
    keys = np.arange(len(weights), dtype=np.uint64) + np.uint64(seed)
    found = answer_by_given_bags(crowd.paths, queries, weights, keys, PathRules())
    near = np.zeros((len(found), crowd.n_classes))
    return cast_votes(found, near, crowd.priors)
