"""The lazy decision tree: tests that the query itself chooses, and who is left."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import Effort
from sklazy.answer.target import CLASSES, Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.measures import argmax_with_ties
from sklazy.methods.trees.model import answer_by_lazy_trees

_MOST_QUERIES = 8192


class TreeAnswer(NamedTuple):
    """A batch of queries, answered.

    Attributes
    ----------
    base : CaseBase
    queries : Queries
    left : int64 array of shape (n_queries, n_classes)
        The cases that agree with the query on all attributes tested.
    steps : int64 array of shape (n_queries, n_attributes)
        The attributes tested, in order, filled up with -1.
    decisions : int64 array of shape (n_queries,)
    """

    base: CaseBase
    queries: Queries
    left: Ints
    steps: Ints
    decisions: Ints

    @property
    def probabilities(self) -> Floats:
        """The classes' shares of those left, (n_queries, n_classes)."""
        return self.left / self.left.sum(axis=1, keepdims=True)


class TreeCases(NamedTuple):
    """The cases, and what a query takes."""

    base: CaseBase
    effort: Effort


@dataclass(frozen=True)
class TreeLearner:
    """Answers each query by its own path; ties go to the larger class, the first."""

    target: ClassVar[Target] = CLASSES

    def prepare(self, base: CaseBase) -> "TreeCases":
        """A path looks at every cell, at most."""
        cost = 2000.0 + 0.5 * base.cases.codes.size
        return TreeCases(base, Effort(cost, 1, _MOST_QUERIES))

    def answer(self, ready: "TreeCases", batch: Batch) -> TreeAnswer:
        """Grow the path of each query."""
        cases, queries = ready.base.cases, batch.queries
        left, steps = answer_by_lazy_trees(cases, queries.codes)
        decisions = argmax_with_ties(left, cases.class_counts)
        return TreeAnswer(ready.base, queries, left, steps, decisions)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """Rows are forgotten: tests look at counts of all."""
        return np.zeros(base.n_rows, bool)
