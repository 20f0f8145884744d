"""Baselines of lazy bagging and stacking: k-NN, a tree, bagged trees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Queries
from sklazy.measures import argmax_with_ties, cast_votes, majority_shares
from sklazy.methods.ensembles.data import ClassData
from sklazy.methods.paths.bags import beta_neighbors
from sklazy.methods.paths.model import PathRules, answer_by_given_bags
from sklazy.neighbors import find_nearest, place_queries, weigh_columns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

N_BAGS = 10


class Predicted(NamedTuple):
    """Predictions of a batch of queries.

    Attributes
    ----------
    decisions : int64 array of shape (n_queries,)
    votes : int64 array of shape (n_queries, n_members) or None
    """

    decisions: Ints
    votes: Ints | None = None


def predict_by_neighbors(data: ClassData, queries: Queries, seed: int) -> Predicted:
    """The majority of as many neighbors as a lazy bag holds, all attributes equal.

    The paper does not give the number of neighbors of its k-NN, nor whether it
    weights attributes. Of ten readings this one is nearest to its figures.
    """
    equal = np.ones(len(data.weights))
    columns = weigh_columns(data.cases, data.order, equal)
    n_near = beta_neighbors(data.n_rows)
    near = find_nearest(columns.columns, place_queries(columns, queries), n_near)
    votes = data.targets[near.rows].astype(np.int64)
    shares = majority_shares(votes, data.n_outputs)
    return Predicted(argmax_with_ties(shares, data.priors))


def predict_by_tree(data: ClassData, queries: Queries, seed: int) -> Predicted:
    """One unpruned tree on all rows."""
    weights = np.ones((1, data.n_rows), np.int32)
    votes = _vote_by_bags(data, queries, weights, seed)
    return Predicted(votes[:, 0])


def predict_by_bagging(data: ClassData, queries: Queries, seed: int) -> Predicted:
    """The majority of trees on bootstrap bags, the same for all queries."""
    rng, n = np.random.default_rng(seed), data.n_rows
    weights = rng.multinomial(n, np.full(n, 1.0 / n), N_BAGS).astype(np.int32)
    votes = _vote_by_bags(data, queries, weights, seed)
    shares = majority_shares(votes, data.n_outputs)
    return Predicted(argmax_with_ties(shares, data.priors), votes)


def _vote_by_bags(
    data: ClassData, queries: Queries, weights: NDArray[np.int32], seed: int
) -> Ints:
    keys = np.arange(len(weights), dtype=np.uint64) + np.uint64(seed)
    answers = answer_by_given_bags(data.paths, queries, weights, keys, PathRules())
    near = np.zeros((len(answers), data.n_outputs))
    return cast_votes(answers, near, data.priors)
