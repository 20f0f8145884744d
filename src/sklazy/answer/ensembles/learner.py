"""Ensembles of a query's own: neighbors, bags, members, and one answer of them.

References
----------
Zhu, X., Yang, Y.: A lazy bagging approach to classification. Pattern Recognition 41,
2008.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.bagged import (
    N_TRIED,
    EnsembleRecipe,
    Ints,
    are_lacking,
    ask_about_rows,
    ask_members,
    search_and_plan,
)
from sklazy.answer.ensembles.data import Crowd, Floats
from sklazy.combine import (
    average_probabilities,
    cast_votes,
    decide_votes,
    weighted_shares,
)
from sklazy.flow import Bags, Neighbors, Queries

Recipe = EnsembleRecipe[Crowd]

COMBINATIONS = ("vote", "accuracy", "probability")
"""How members' answers become one."""


class EnsembleAnswer(NamedTuple):
    """What a batch of queries is answered, and by whom.

    Attributes
    ----------
    crowd : Crowd
    recipe : EnsembleRecipe
    queries : Queries
    neighbors : Neighbors
        The nearest cases; the first of them are those that bags are enriched with.
    bags : Bags
    probabilities : float64 array of shape (n_queries, n_bags, n_classes)
        What each member says.
    votes : int64 array of shape (n_queries, n_bags)
    weights : float64 array of shape (n_queries, n_bags)
        What each member counts.
    shares : float64 array of shape (n_queries, n_classes)
    decisions : int64 array of shape (n_queries,)
    """

    crowd: Crowd
    recipe: Recipe
    queries: Queries
    neighbors: Neighbors
    bags: Bags
    probabilities: Floats
    votes: Ints
    weights: Floats
    shares: Floats
    decisions: Ints


def answer_by_ensemble(
    crowd: Crowd, queries: Queries, recipe: Recipe
) -> EnsembleAnswer:
    """Answer a batch of queries: the flow, top to bottom."""
    neighbors, bags = search_and_plan(crowd, queries, recipe)
    probabilities = ask_members(crowd, queries, bags, recipe)
    around, priors = _count_classes(crowd, bags.neighbors), crowd.priors
    votes = cast_votes(probabilities, around, priors)
    weights = np.ones(votes.shape)
    if recipe.combine == "accuracy":
        weights = _weigh_members(crowd, bags, neighbors.rows[:, :N_TRIED], recipe)
    if recipe.combine == "probability":
        shares = average_probabilities(probabilities)
    else:
        shares = weighted_shares(votes, weights, crowd.n_classes)
    decisions = decide_votes(shares, around, priors)
    found = neighbors, bags, probabilities, votes, weights, shares, decisions
    return EnsembleAnswer(crowd, recipe, queries, *found)


def _count_classes(crowd: Crowd, rows: NDArray[np.integer]) -> Floats:
    """Rows of each class, (n_queries, n_classes)."""
    n_queries, n_classes = len(rows), crowd.n_classes
    places = crowd.classes[rows] + n_classes * np.arange(n_queries)[:, None]
    counts = np.bincount(places.ravel(), minlength=n_queries * n_classes)
    return counts.reshape(n_queries, n_classes).astype(np.float64)


def _weigh_members(
    crowd: Crowd, bags: Bags, tried: NDArray[np.integer], recipe: Recipe
) -> Floats:
    """What each member counts by its accuracy around the query.

    A member is tried on the nearest cases that its bag lacks; (right + 1) over
    (tried + 2) counts.
    """
    right = _try_members(crowd, bags, tried, recipe)
    lacking = are_lacking(crowd, bags, tried)
    n_right = (right & lacking).sum(axis=1)
    return (n_right + 1.0) / (lacking.sum(axis=1) + 2.0)


def _try_members(
    crowd: Crowd, bags: Bags, tried: NDArray[np.integer], recipe: Recipe
) -> NDArray[np.bool_]:
    """Whether members are right on cases near to the query.

    Parameters
    ----------
    crowd, bags, recipe
    tried : int array of shape (n_queries, n_tried)

    Returns
    -------
    right : bool array of shape (n_queries, n_tried, n_bags)
    """
    answers, again = ask_about_rows(crowd, tried, bags, recipe)
    near = _count_classes(crowd, again.neighbors)
    votes = cast_votes(answers, near, crowd.priors)
    right = votes == crowd.classes[tried].ravel()[:, None]
    return right.reshape(*tried.shape, -1)


def try_members(answer: EnsembleAnswer, query: int) -> NDArray[np.bool_]:
    """Whether the members of a query are right on its nearest cases.

    Returns
    -------
    right : bool array of shape (n_tried, n_bags)
    """
    bags = answer.bags.part(query, query + 1)
    tried = answer.neighbors.rows[query : query + 1, :N_TRIED]
    return _try_members(answer.crowd, bags, tried, answer.recipe)[0]
