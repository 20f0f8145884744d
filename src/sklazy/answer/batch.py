"""A batch of queries and the cases they are put to."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.canonical import number_copies, spread_copies
from sklazy.casebase.sums import ExactSums, add_sums, sum_exactly
from sklazy.flow import Cases, Queries

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Votes = NDArray[Any]  # int64 where rows are counted, float64 where weights are


@dataclass(frozen=True, eq=False)
class Batch:
    """Queries put to the cases of a base.

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

    def part(self, first: int, last: int) -> "Batch":
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
        classes, weights = self.own_classes()
        own[np.arange(len(self)), classes] = weights if self.base.weighted else 1
        return np.asarray(totals - own)

    def own_classes(self) -> tuple[NDArray[np.int32], Floats]:
        """Classes and weights of the cases left out."""
        assert self.excluded is not None
        if not self.base.is_parted:
            return self.cases.classes[self.excluded], self.cases.weights[self.excluded]
        rows = self.base.take(self.excluded)
        return rows.classes, rows.weights

    def n_others(self) -> int:
        """How many cases can be seen."""
        return self.cases.n_rows - (self.excluded is not None)


def batch_of_cases(base: CaseBase, rows: Ints) -> Batch:
    """Put cases as queries, each of them left out."""
    cases, own = base.cases, base.take(rows)
    codes = np.ascontiguousarray(own.codes.T)
    values = np.full(codes.shape, np.nan)
    numeric = np.flatnonzero(cases.numeric >= 0)
    values[:, numeric] = own.numbers[cases.numeric[numeric]].T
    return Batch(base, cases, Queries(codes, values), rows)


def class_totals(base: CaseBase) -> Votes:
    """Rows of each class, or their weights, added up exactly."""
    if not base.weighted:
        return base.cases.class_counts
    return base.derive(class_totals, lambda: _weigh_classes(base))


def _weigh_classes(base: CaseBase) -> Floats:
    return add_sums(base.ask(_weigh_part)).rounded()


def _weigh_part(part: CaseBase) -> ExactSums:
    cases, live = part.cases, slice(part.n_rows)
    classes = cases.classes[live].astype(np.int64)
    return sum_exactly(cases.weights[live], classes, cases.class_counts.size)


def canonical_places(base: CaseBase) -> Ints:
    """The place of every case in the canonical order."""
    return base.joined().places


def last_copies(base: CaseBase) -> Ints:
    """For every row the last copy of its content, in the order copies are numbered.

    Without this one the others lie as they would if any of them were forgotten, so it
    is what is left out in place of each.
    """
    return base.derive(last_copies, lambda: _find_last_copies(base))


def left_out_places(base: CaseBase, rows: Ints) -> Ints:
    """The places in canonical order of what is left out in place of rows."""
    return canonical_places(base)[last_copies(base)[rows]]


def _find_last_copies(base: CaseBase) -> Ints:
    hashes = base.hashes()[base.order]
    places = np.argsort(hashes, kind="stable")
    rows, hashes = base.order[places], hashes[places]
    copies = number_copies(hashes)
    # Copies of one hash lie in the order of their keys.
    copies = copies[np.lexsort((spread_copies(hashes, copies), hashes))]
    starts = np.flatnonzero(_differ_from_previous(base, rows))
    groups = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    ends = np.append(starts[1:], len(rows)) - 1
    last = rows[np.lexsort((copies, groups))[ends]]
    found = np.empty_like(rows)
    found[rows] = last[groups]
    return found


def _differ_from_previous(base: CaseBase, rows: Ints) -> NDArray[np.bool_]:
    """Whether each row has other content than the one before it."""
    cases = base.cases
    columns = [
        *cases.codes[cases.numeric < 0][:, rows],
        *cases.numbers[:, rows],
        *cases.targets[:, rows],
        cases.classes[rows],
        cases.weights[rows],
    ]
    differ = np.zeros(len(rows), bool)
    differ[:1] = True
    for column in columns:
        before, after = column[:-1], column[1:]
        differ[1:] |= (before != after) & ~((before != before) & (after != after))
    return differ
