"""An answer: all that was found out about a batch of queries.

Arrays are in codes: attribute j has the name ``base.names[j]``, class c the label
``base.class_labels[c]``, row i the id ``base.ids[i]``. What costs time and only an
explanation shows is found when asked for, from the arrays that decided.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints, Votes
from sklazy.casebase import CaseBase
from sklazy.flow import Queries, Selected
from sklazy.forking import cached_property
from sklazy.measures import argmax_with_ties
from sklazy.methods.selection.host import HostEvidence, HostWork
from sklazy.methods.selection.recipe import Recipe, Rule


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
    n_same : int64 array
        How many cases have the query's value or bin, -1 where it is missing.
    used : bool array
    """

    lazy_scores: Floats
    value_scores: Floats
    attribute_scores: Floats
    ranks: Ints
    n_same: Ints
    used: NDArray[np.bool_]


class Chooser(Protocol):
    """Selector of the attributes of a batch."""

    @property
    def selected(self) -> Selected:
        """The attributes that each query uses."""

    def choice(self, query: int) -> Choice:
        """Why one query uses its attributes."""


@dataclass(frozen=True, eq=False)
class SelectionAnswer:
    """A batch of queries, answered on the attributes that each of them uses.

    Attributes
    ----------
    recipe : Recipe
    base : CaseBase
    queries : Queries
    rule : {"count", "fraction", "auto", "local", "vote", "set", "all"}
        How the number of attributes was found; "set" where they are chosen as a set,
        "all" where nothing is selected.
    priors : array of shape (n_classes,) or (n_queries, n_classes)
        Rows of each class, or their weights, which settle ties.
    ballots : int64 array of shape (n_queries, n_attributes), or None
        Where all numbers of attributes vote: the class that the first 1, 2, ...
        attributes decide for.
    chooser, work
        Explain single queries.
    """

    recipe: Recipe
    base: CaseBase
    queries: Queries
    rule: Rule
    priors: Votes
    ballots: Ints | None
    chooser: Chooser
    work: HostWork

    def __len__(self) -> int:
        return len(self.queries.codes)

    @cached_property
    def votes(self) -> Votes:
        """Votes that decided, (n_queries, n_classes).

        Votes of cases (or of the numbers of attributes, where all of them vote),
        log P(class, query) of naive Bayes, probabilities of models.
        """
        if self.ballots is None:
            return self.work.votes
        classes = np.arange(self.base.cases.class_counts.size)
        return (self.ballots[:, :, None] == classes).sum(axis=1)

    @cached_property
    def decisions(self) -> Ints:
        """The class of each query, (n_queries,)."""
        return argmax_with_ties(self.votes, self.priors)

    @property
    def selected(self) -> Selected:
        """The attributes that each query uses, best first."""
        return self.chooser.selected

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether the strongest vote is a finite number, (n_queries,)."""
        counts = self.votes.dtype.kind in "iu"
        if counts or np.isfinite(self.votes.sum()):  # so is every vote
            return np.ones(len(self.votes), bool)
        return np.asarray(np.isfinite(self.votes.max(axis=1)))

    @cached_property
    def probabilities(self) -> Floats:
        """Class probabilities of shape (n_queries, n_classes)."""
        if self.ballots is None:
            return self.work.to_probabilities(self.votes)
        return self.votes / self.ballots.shape[1]

    def choice(self, query: int) -> Choice:
        """Why the query uses the attributes it uses."""
        return self.chooser.choice(query)

    def evidence(self, query: int) -> HostEvidence:
        """Evidence behind the decision on the query."""
        return self.work.evidence(query, int(self.decisions[query]))
