"""Ensembles of a query's own that predict a number."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.bagged import (
    N_TRIED,
    EnsembleRecipe,
    are_lacking,
    ask_about_rows,
    ask_members,
    search_and_plan,
)
from sklazy.answer.ensembles.data import Floats
from sklazy.answer.ensembles.number_data import NumberCrowd
from sklazy.flow import Bags, Neighbors, Queries

Recipe = EnsembleRecipe[NumberCrowd]

COMBINATIONS = ("mean", "median", "error")
"""How members' answers become one."""


class NumberAnswer(NamedTuple):
    """What a batch of queries is answered, and by whom.

    Attributes
    ----------
    crowd : NumberCrowd
    recipe : EnsembleRecipe
    queries : Queries
    neighbors : Neighbors
        The nearest cases; the first of them are those that bags are enriched with.
    bags : Bags
    values : float64 array of shape (n_queries, n_bags)
        What each member says.
    weights : float64 array of shape (n_queries, n_bags)
        What each member counts; they sum to 1.
    predictions : float64 array of shape (n_queries,)
    """

    crowd: NumberCrowd
    recipe: Recipe
    queries: Queries
    neighbors: Neighbors
    bags: Bags
    values: Floats
    weights: Floats
    predictions: Floats

    @property
    def spreads(self) -> Floats:
        """The standard deviation of the members, (n_queries,)."""
        return self.values.std(axis=1)


def answer_by_numbers(
    crowd: NumberCrowd, queries: Queries, recipe: Recipe
) -> NumberAnswer:
    """Answer a batch of queries: the flow, top to bottom."""
    neighbors, bags = search_and_plan(crowd, queries, recipe)
    values = ask_members(crowd, queries, bags, recipe)[:, :, 0]
    weights = np.full(values.shape, 1.0 / max(values.shape[1], 1))
    if recipe.combine == "error":
        weights = _weigh_members(crowd, bags, neighbors.rows[:, :N_TRIED], recipe)
    if recipe.combine == "median":
        predictions = np.median(values, axis=1)
    else:
        predictions = (weights * values).sum(axis=1)
    found = neighbors, bags, values, weights, predictions
    return NumberAnswer(crowd, recipe, queries, *found)


def try_errors(
    crowd: NumberCrowd, bags: Bags, tried: NDArray[np.integer], recipe: Recipe
) -> Floats:
    """Squared errors of members on cases near to the query.

    Parameters
    ----------
    crowd, bags, recipe
    tried : int array of shape (n_queries, n_tried)

    Returns
    -------
    errors : float64 array of shape (n_queries, n_tried, n_bags)
    """
    answers, _ = ask_about_rows(crowd, tried, bags, recipe)
    truth = crowd.targets[tried].ravel()[:, None]
    return ((answers[:, :, 0] - truth) ** 2).reshape(*tried.shape, -1)


def _weigh_members(
    crowd: NumberCrowd, bags: Bags, tried: NDArray[np.integer], recipe: Recipe
) -> Floats:
    """What each member counts: one over its mean squared error around the query.

    A member is tried on the nearest cases that its bag lacks; one case with the mean
    error of all members is added, so that no few lucky cases decide.
    """
    errors = try_errors(crowd, bags, tried, recipe)
    lacking = are_lacking(crowd, bags, tried)
    typical = errors.mean(axis=(1, 2))[:, None]
    sums = (errors * lacking).sum(axis=1) + typical
    means = sums / (lacking.sum(axis=1) + 1.0)
    trust = 1.0 / np.where(typical > 0, means, 1.0)
    return trust / trust.sum(axis=1, keepdims=True)
