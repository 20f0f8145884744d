"""Lazy associative classification: rules mined for the query alone."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import Effort
from sklazy.answer.leave_one_out import classes_stay, cuts_stay
from sklazy.answer.target import CLASSES, Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.measures import argmax_with_ties
from sklazy.methods.association.model import Mining, RuleLimits, Rules

_MOST_QUERIES = 8192
_MOST_SETS = 10**12  # the cost of more is not distinguished
_ROUNDING = 1e-9


class AssociationAnswer(NamedTuple):
    """A batch of queries, answered.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
    mining : Mining
    n_rules : int64 array of shape (n_queries, n_classes)
    votes : float64 array of shape (n_queries, n_classes)
        The mean confidence of each class's rules; where there is no rule at all, the
        share of the class among the cases.
    decisions : int64 array of shape (n_queries,)
    """

    base: CaseBase
    queries: Queries
    mining: Mining
    n_rules: Ints
    votes: Floats
    decisions: Ints

    @property
    def probabilities(self) -> Floats:
        """The classes' shares of the votes, (n_queries, n_classes)."""
        return self.votes / self.votes.sum(axis=1, keepdims=True)

    def rules_of(self, query: int) -> Rules:
        """The rules of one query."""
        return self.mining.rules_of(query, int(self.n_rules[query].sum()))


class AssociationCases(NamedTuple):
    """Effort of a query."""

    effort: Effort


@dataclass(frozen=True)
class AssociationLearner:
    """Answers each query by the rules that its own values make.

    Attributes
    ----------
    min_support : int or float
        Cases that a rule must have right, or their share of all.
    min_confidence : float
    max_length : int
    by_support : bool
        Whether a rule weighs as much as it has cases right.
    n_jobs : int or None
    """

    min_support: int | float
    min_confidence: float
    max_length: int
    by_support: bool
    n_jobs: int | None

    target: ClassVar[Target] = CLASSES

    def prepare(self, base: CaseBase) -> AssociationCases:
        """Count what a query may try."""
        width, cases = len(base.names), base.cases
        longest = min(self.max_length, width)
        n_sets = sum(math.comb(width, size) for size in range(1, longest + 1))
        words = cases.n_rows / 64 * cases.class_counts.size
        cost = 2000.0 + 0.7 * min(n_sets, _MOST_SETS) * (10.0 + words)
        return AssociationCases(Effort(cost, 1, _MOST_QUERIES))

    def answer(self, ready: AssociationCases, batch: Batch) -> AssociationAnswer:
        """Mine the rules of each query, and let them decide."""
        limits = RuleLimits(
            self._min_count(batch.n_others()),
            self.min_confidence,
            self.max_length,
            self.by_support,
        )
        mining = Mining(batch.cases, batch.queries.codes, limits, batch.excluded)
        votes, n_rules = mining.score()
        priors = batch.priors()
        without = n_rules.sum(axis=1) == 0
        shares = priors / batch.n_others()
        votes[without] = np.broadcast_to(shares, votes.shape)[without]
        decisions = argmax_with_ties(votes, priors)
        return AssociationAnswer(
            batch.base, batch.queries, mining, n_rules, votes, decisions
        )

    def _min_count(self, n_rows: int) -> int:
        """Cases that a rule must have right; a share is rounded up."""
        if isinstance(self.min_support, int):
            return self.min_support
        return max(1, math.ceil(self.min_support * n_rows - _ROUNDING))

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All but rows behind a cut, and the only ones of a class."""
        return classes_stay(base) & cuts_stay(base, self.n_jobs)
