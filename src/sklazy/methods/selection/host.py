"""Hosts: classifiers by the attributes that were selected for a query.

A new host is a `Host` and its `HostWork` in a file of this folder, and an estimator in
`estimators/selection/`. Evidence of a new kind is described in `receipt.py` and shown
by `drawing.py`.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints, Votes
from sklazy.casebase import CaseBase
from sklazy.flow import Selected
from sklazy.measures import RankTable


class Neighborhood(NamedTuple):
    """The cases that voted for one query, nearest first, then in canonical order.

    Attributes
    ----------
    n_neighbors : int
        How many were asked for.
    rows : int64 array of shape (n_voting,)
    distances, weights : float64 arrays of shape (n_voting,)
        The distance is the number of attributes in use that differ or, where
        numbers are compared, the HEOM distance.
    votes : float64 array of shape (n_voting,)
        The contribution of each to the votes of its class.
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
    votes: Floats
    agree: NDArray[np.bool_]
    n_tied: int
    opposing: int
    opposing_distance: float
    opposing_agree: NDArray[np.bool_]


class BayesTerms(NamedTuple):
    """Terms of naive Bayes for one query, as logarithms.

    Attributes
    ----------
    priors : float64 array of shape (n_classes,)
    terms : float64 array of shape (n_used, n_classes)
        In the order of use; zeros for an uninformative value.
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


HostEvidence = Neighborhood | BayesTerms | ModelUse


class Attributes(Protocol):
    """The attributes of each query, found or to be found by their ranks."""

    @property
    def selected(self) -> Selected:
        """The attributes; found now if need be."""

    @property
    def waiting_ranks(self) -> RankTable | None:
        """The ranks, where the attributes have not been found yet."""

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""


class GivenAttributes(NamedTuple):
    """Attributes that are known."""

    selected: Selected
    waiting_ranks: RankTable | None = None

    @property
    def n_most(self) -> int:
        """How many attributes a query uses, at most."""
        return self.selected.attributes.shape[1]


class HostWork(Protocol):
    """A host at work on a batch: what it finds is written for each query by itself."""

    @property
    def votes(self) -> Votes:
        """Shape (n_queries, n_classes), of the queries that were run."""

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1`` on their selected attributes."""

    def vote_with_each(self, order: NDArray[np.int32], first: int) -> Votes:
        """Votes with the first attribute, the first two, ... of each query's order.

        Parameters
        ----------
        order : int32 array of shape (n, n_most)
            The orders of the queries from `first` on.

        Returns
        -------
        votes : array of shape (n, n_most, n_classes)
        """

    def to_probabilities(self, votes: Votes) -> Floats:
        """Votes of shape (n_queries, n_classes) as probabilities."""

    def evidence(self, query: int, decision: int) -> HostEvidence:
        """Evidence behind the answer to one query."""


class Host(Protocol):
    """A kind of classifier that takes the attributes of each query as given."""

    @property
    def discretize(self) -> bool:
        """Whether the host sees the bins of numbers."""

    def start(self, batch: Batch, attributes: Attributes) -> HostWork:
        """Make ready to answer; attributes are there before a query is run."""

    def reads_ranks(self, base: CaseBase) -> bool:
        """Whether the host finds the attributes of plain queries by itself."""

    def cost(self, base: CaseBase, n_selected: int) -> float:
        """Nanoseconds per query, roughly."""

    def can_leave_out(self, base: CaseBase) -> bool:
        """Whether excluding a case from a batch equals forgetting it."""

    def slices(self, base: CaseBase) -> tuple[int, int, int] | None:
        """The fewest, most and `ahead` of an `Effort`, unless any number will do."""
