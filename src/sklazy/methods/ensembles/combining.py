"""From the members' answers to one: votes for classes, means for numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.flow import Bags
from sklazy.measures import (
    argmax_with_ties,
    average_probabilities,
    cast_votes,
    weighted_shares,
)
from sklazy.methods.ensembles.competence import weigh_members
from sklazy.methods.ensembles.data import ClassData

COMBINATIONS = {
    "nominal": ("vote", "accuracy", "knora-e", "knora-u", "stacked", "probability"),
    "numeric": ("mean", "median", "error"),
}
"""How members' answers become one, by kind of target."""

BY_RECORD = ("accuracy", "knora-e", "knora-u", "stacked", "error")
"""Those that weigh members by how they do on the nearest cases."""

NOTHING = np.zeros(0, np.int64)

Tried = tuple[Floats, NDArray[np.bool_]]
"""Losses of members on nearby cases, and whether the bags lack these cases."""


class Combined(NamedTuple):
    """Combined answers of the members.

    Attributes
    ----------
    weights : float64 array of shape (n_queries, n_bags)
        The weight of each member.
    outputs : float64 array of shape (n_queries, n_outputs)
        The shares of classes, or the prediction.
    votes : int64 array of shape (n_queries, n_bags)
        The class of each member; empty for numbers.
    decisions : int64 array of shape (n_queries,)
        The class of each query; empty for numbers.
    """

    weights: Floats
    outputs: Floats
    votes: Ints = NOTHING
    decisions: Ints = NOTHING


def combine_classes(
    how: str, data: ClassData, bags: Bags, outputs: Floats, tried: Tried | None
) -> Combined:
    """Let members vote; ties go to the neighbors' majority, then the larger class.

    With losses on nearby cases a member counts by its record there (`weigh_members`).
    """
    around, priors = data.count_classes(bags.neighbors), data.priors
    if (bags.left_out >= 0).any():
        priors = data.priors_without(bags.left_out)
    votes = cast_votes(outputs, around, priors)
    weights = np.ones(votes.shape)
    if tried is not None:
        losses, lacking = tried
        weights = weigh_members(how, losses == 0, lacking)
    if how == "probability":
        shares = average_probabilities(outputs)
    else:
        shares = weighted_shares(votes, weights, data.n_outputs)
    decisions = argmax_with_ties(shares, around, priors)
    return Combined(weights, shares, votes, decisions)


def combine_numbers(how: str, outputs: Floats, tried: Tried | None) -> Combined:
    """Average the members' numbers.

    With losses on nearby cases a member counts by one over its mean squared error
    there; one case with the mean error of all members is added, so that no few lucky
    cases decide.
    """
    values = outputs[:, :, 0]
    weights = np.full(values.shape, 1.0 / max(values.shape[1], 1))
    if tried is not None:
        losses, lacking = tried
        typical = losses.mean(axis=(1, 2))[:, None]
        sums = (losses * lacking).sum(axis=1) + typical
        means = sums / (lacking.sum(axis=1) + 1.0)
        trust = 1.0 / np.where(typical > 0, means, 1.0)
        weights = trust / trust.sum(axis=1, keepdims=True)
    if how == "median":
        predictions = np.median(values, axis=1)
    else:
        predictions = (weights * values).sum(axis=1)
    return Combined(weights, predictions[:, None])
