"""An answer: all that was found out about a batch of queries.

Arrays are in codes: attribute j has the name ``base.names[j]``, class c the label
``base.class_labels[c]``, row i the id ``base.ids[i]``. What costs time and only an
explanation shows is found when asked for, from the arrays that decided.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.selection.recipe import Recipe, Rule
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Votes = NDArray[Any]  # int64 where rows are counted, float64 where weights are


class Choice(NamedTuple):
    """Why one query uses the attributes it uses; arrays of shape (n_attributes,).

    Attributes
    ----------
    lazy_scores : float64 array
        The lower of the value's score and the attribute's, LazyEnt under the measure
        "entropy"; infinite where no case knows the attribute.
    value_scores : float64 array
        The score of the query's own value; NaN where it is missing or unseen.
    attribute_scores : float64 array
        The score of the attribute as a whole.
    ranks : int64 array
        The place in the order of use, from 1.
    used : bool array
    """

    lazy_scores: Floats
    value_scores: Floats
    attribute_scores: Floats
    ranks: Ints
    used: NDArray[np.bool_]


class Vicinity(NamedTuple):
    """The cases that voted for one query, nearest first, then in canonical order.

    Attributes
    ----------
    n_neighbors : int
        How many were asked for.
    rows : int64 array of shape (n_voting,)
    distances, weights : float64 arrays of shape (n_voting,)
        The distance is the number of attributes in use that differ or, where
        numbers are compared, the HEOM distance.
    agree : bool array of shape (n_voting, n_used)
        Whether case and query agree on each attribute in use, in its order.
    n_tied : int
        How many are as far as the last.
    opposing : int
        The nearest case of another class than the answer's, -1 if there is none.
    opposing_distance : float
    opposing_agree : bool array of shape (n_used,)
    """

    n_neighbors: int
    rows: Ints
    distances: Floats
    weights: Floats
    agree: NDArray[np.bool_]
    n_tied: int
    opposing: int
    opposing_distance: float
    opposing_agree: NDArray[np.bool_]


class Evidence(NamedTuple):
    """What naive Bayes added up for one query, as logarithms.

    Attributes
    ----------
    priors : float64 array of shape (n_classes,)
    terms : float64 array of shape (n_used, n_classes)
        In the order of use; zeros for a value that says nothing.
    """

    priors: Floats
    terms: Floats


class ModelUse(NamedTuple):
    """The model of one query's attributes.

    Attributes
    ----------
    estimator : str
    n_models : int
        How many models this batch of queries needed.
    """

    estimator: str
    n_models: int


class Details(Protocol):
    """What a host can tell about queries that it has answered; None: not its kind."""

    def to_probabilities(self, votes: Votes) -> Floats:
        """Votes of shape (n_queries, n_classes) as probabilities."""

    def vicinity(self, query: int, decision: int) -> Vicinity | None:
        """The cases that voted."""

    def evidence(self, query: int) -> Evidence | None:
        """The likelihoods that were added up."""

    def model_use(self, query: int) -> ModelUse | None:
        """The model that was asked."""


class Explained(Protocol):
    """What a selection can tell about one query."""

    def choice(self, query: int) -> Choice:
        """Why these attributes."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A batch of queries, answered.

    Attributes
    ----------
    recipe : Recipe
    base : CaseBase
    queries : Queries
    selected : Selected
        The attributes that each query uses, best first.
    rule : {"count", "fraction", "auto", "local", "vote", "set", "all"}
        How the number of attributes was found; "set" where they are chosen as a set,
        "all" where nothing is selected.
    votes : array of shape (n_queries, n_classes)
        What decided: votes of cases (or of the numbers of attributes, where all of
        them vote), log P(class, query) of naive Bayes, probabilities of models.
    decisions : int64 array of shape (n_queries,)
        The class of each query.
    ballots : int64 array of shape (n_queries, n_attributes), or None
        Where all numbers of attributes vote: the class that the first 1, 2, ...
        attributes decide for.
    selection, details
        What tells more about single queries.
    """

    recipe: Recipe
    base: CaseBase
    queries: Queries
    selected: Selected
    rule: Rule
    votes: Votes
    decisions: Ints
    ballots: Ints | None
    selection: Explained
    details: Details

    def __len__(self) -> int:
        return len(self.decisions)

    @cached_property
    def probabilities(self) -> Floats:
        """Class probabilities of shape (n_queries, n_classes)."""
        if self.ballots is None:
            return self.details.to_probabilities(self.votes)
        return self.votes / self.ballots.shape[1]

    def choice(self, query: int) -> Choice:
        """Why the query uses the attributes it uses."""
        return self.selection.choice(query)

    def vicinity(self, query: int) -> Vicinity | None:
        """The cases that voted for the query; None if the host has no neighbors."""
        return self.details.vicinity(query, int(self.decisions[query]))

    def evidence(self, query: int) -> Evidence | None:
        """The likelihoods of the query; None if the host is not naive Bayes."""
        return self.details.evidence(query)

    def model_use(self, query: int) -> ModelUse | None:
        """The model of the query; None if the host has none."""
        return self.details.model_use(query)
