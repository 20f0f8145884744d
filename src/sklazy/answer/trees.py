"""The lazy decision tree: tests that the query itself chooses, and who is left."""

from typing import NamedTuple

import numpy as np

from sklazy.answer.ensembles.data import runner
from sklazy.answer.selection.result import Floats, Ints
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.local.trees import answer_by_lazy_trees
from sklazy.neighbors import decide


class LazyTreeAnswer(NamedTuple):
    """What a batch of queries is answered.

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
    def shares(self) -> Floats:
        """The classes' shares of those left, (n_queries, n_classes)."""
        return self.left / self.left.sum(axis=1, keepdims=True)


def answer_by_lazy_tree(
    base: CaseBase, queries: Queries, n_jobs: int | None = None
) -> LazyTreeAnswer:
    """Answer a batch of queries, each by its own path.

    Ties go to the larger class, then to the first.
    """
    cases = base.cases
    run = runner(n_jobs, 2000.0 + 0.5 * cases.codes.size)
    left, steps = answer_by_lazy_trees(cases, queries.codes, run=run)
    decisions = decide(left, cases.class_counts)
    return LazyTreeAnswer(base, queries, left, steps, decisions)


def counts_along(answer: LazyTreeAnswer, query: int) -> tuple[list[int], Ints]:
    """The attributes that a query tested, and the classes of those left after each.

    Returns
    -------
    attributes : list of int
    counts : int64 array of shape (n_steps + 1, n_classes)
        The first row is that of all cases.
    """
    cases = answer.base.cases
    tested = [int(j) for j in answer.steps[query] if j >= 0]
    inside = np.ones(cases.n_rows, bool)
    counts = [cases.class_counts]
    for j in tested:
        inside &= cases.codes[j, : cases.n_rows] == answer.queries.codes[query, j]
        classes = cases.classes[: cases.n_rows][inside]
        counts.append(np.bincount(classes, minlength=len(counts[0])))
    return tested, np.stack(counts)
