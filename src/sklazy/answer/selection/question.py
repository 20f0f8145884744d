"""What is asked, and what a host does with it."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.selection.result import Details, Floats, Ints, Votes
from sklazy.casebase import CaseBase
from sklazy.flow import Cases, Queries, Selected


@dataclass(frozen=True, eq=False)
class Question:
    """A batch of queries put to the cases.

    Attributes
    ----------
    base : CaseBase
    cases : Cases
        The base as the kernels see it.
    queries : Queries
    excluded : int64 array of shape (n_queries,), or None
        For each query the case that it is, which must not count.
    """

    base: CaseBase
    cases: Cases
    queries: Queries
    excluded: Ints | None = None

    def __len__(self) -> int:
        return self.queries.codes.shape[0]

    @property
    def n_attributes(self) -> int:
        """The number of columns."""
        return self.queries.codes.shape[1]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.cases.class_counts.size

    def part(self, first: int, last: int) -> "Question":
        """The queries ``first..last - 1`` by themselves."""
        codes, values = self.queries
        excluded = None if self.excluded is None else self.excluded[first:last]
        part = Queries(codes[first:last], values[first:last])
        return replace(self, queries=part, excluded=excluded)

    def priors(self) -> Votes:
        """Rows of each class, (n_classes,); without the case left out (n_queries, ...).

        Sums of weights where rows have them.
        """
        totals = class_totals(self.base)
        if self.excluded is None:
            return totals
        own = np.zeros((len(self), self.n_classes), totals.dtype)
        classes = self.cases.classes[self.excluded]
        own[np.arange(len(self)), classes] = (
            self.cases.weights[self.excluded] if self.base.weighted else 1
        )
        return np.asarray(totals - own)

    def n_others(self) -> int:
        """How many cases can be seen."""
        return self.cases.n_rows - (self.excluded is not None)


def ask_about_cases(base: CaseBase, rows: Ints) -> Question:
    """Put cases as queries, each of them left out."""
    cases = base.cases
    codes = np.ascontiguousarray(cases.codes[:, rows].T)
    values = np.full(codes.shape, np.nan)
    numeric = np.flatnonzero(cases.numeric >= 0)
    values[:, numeric] = cases.numbers[np.ix_(cases.numeric[numeric], rows)].T
    return Question(base, cases, Queries(codes, values), rows)


def class_totals(base: CaseBase) -> Votes:
    """Rows of each class, or their weights, added in canonical order."""
    if not base.weighted:
        return base.cases.class_counts
    return base.derive("class totals", lambda: _weigh_classes(base))


def _weigh_classes(base: CaseBase) -> Floats:
    cases, order = base.cases, base.order
    n_classes = cases.class_counts.size
    sums = np.bincount(cases.classes[order], cases.weights[order], n_classes)
    return np.asarray(sums, np.float64)


def canonical_places(base: CaseBase) -> Ints:
    """The place of every case in the canonical order."""

    def find() -> Ints:
        places = np.empty(base.n_rows, np.int64)
        places[base.order] = np.arange(base.n_rows)
        return places

    return base.derive("canonical places", find)


class Asked(Details, Protocol):
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

    def decide(self, votes: Votes, priors: Votes) -> Ints:
        """The class of each query; ties: the larger prior, then the lower index.

        Parameters
        ----------
        votes : array of shape (n_queries, n_classes)
        priors : array of shape (n_classes,) or (n_queries, n_classes)
        """


class Host(Protocol):
    """What classifies by the attributes selected for a query."""

    @property
    def discretize(self) -> bool:
        """Whether the host sees the bins of numbers."""

    def ask(self, question: Question, selected: Selected) -> Asked:
        """Make ready to answer; `selected` is filled before a query is run."""

    def cost(self, question: Question, n_selected: int) -> float:
        """Nanoseconds a query, roughly."""

    def can_leave_out(self, base: CaseBase) -> bool:
        """Whether leaving a case out of a question equals forgetting it."""
