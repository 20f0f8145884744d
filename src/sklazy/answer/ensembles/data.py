"""Cases made ready for ensembles, each part when a member first asks for it."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.flow import Chunk, Neighbors, Queries, Runner
from sklazy.local import Space, make_space
from sklazy.local.members import BinTable, LinearCases, build_bin_table, make_linear
from sklazy.local.paths import Paths, make_paths
from sklazy.measures import gain_ratio
from sklazy.neighbors import find_nearest, place_queries, weigh_columns
from sklazy.tables import Label

Floats = NDArray[np.float64]

_MOST_CATEGORIES = 50  # a linear model has an indicator of each


class Gathering:
    """The cases in canonical order, as the members of an ensemble see them.

    Attributes
    ----------
    base : CaseBase
    order : int64 array of shape (n_rows,)
        Where each row lies in the base.
    weights : float64 array of shape (n_attributes,)
        What attributes count in the distance: their relevance over the largest.
    """

    def __init__(self, base: CaseBase) -> None:
        self.base, self.cases, self.order = base, base.cases, base.order
        relevance = self._value_attributes()
        largest = relevance.max()
        ones = np.ones(len(relevance))
        self.weights = relevance / largest if largest > 0 else ones
        self._columns = weigh_columns(self.cases, self.order, self.weights)

    @property
    def n_rows(self) -> int:
        """The number of cases."""
        return len(self.order)

    @property
    def n_outputs(self) -> int:
        """How many numbers a member answers with."""
        raise NotImplementedError

    @property
    def is_numeric(self) -> NDArray[np.bool_]:
        """Which attributes are numbers."""
        return self.cases.numeric >= 0

    def nearest(self, queries: Queries, n_nearest: int, run: Runner) -> Neighbors:
        """The nearest rows, ties in canonical order, with squared sums of weights."""
        placed = place_queries(self._columns, queries)
        return find_nearest(self._columns.columns, placed, n_nearest, run=run)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Categories and bins, shape (n_attributes, n_rows)."""
        return np.ascontiguousarray(self.cases.codes[:, self.order])

    @cached_property
    def values(self) -> Floats:
        """Numbers, NaN elsewhere, shape (n_attributes, n_rows)."""
        values = np.full((len(self.cases.numeric), self.n_rows), np.nan)
        numeric = np.flatnonzero(self.is_numeric)
        sources = self.cases.numeric[numeric]
        values[numeric] = self.cases.numbers[np.ix_(sources, self.order)]
        return values

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """How many categories or bins an attribute has."""
        return np.diff(self.cases.offsets)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many categories an attribute has, 0 if it is numeric."""
        return np.where(self.is_numeric, 0, np.diff(self.cases.offsets))

    @cached_property
    def space(self) -> Space:
        """Numbers as they are and indicators of categories."""
        return make_space(
            self.cases, self.order, scale="none", max_categories=_MOST_CATEGORIES
        )

    @property
    def cuts(self) -> list[Floats]:
        """The cuts of each attribute, none for nominal ones."""
        return self.base.cuts

    def code(self, queries: Queries) -> NDArray[np.int32]:
        """Categories and bins of queries, as `codes` has those of cases."""
        return queries.codes

    def outcome(self, row: int) -> dict[str, Label]:
        """What became of a row, as plain data."""
        raise NotImplementedError

    def sum_up(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """What became of several rows, as plain data."""
        raise NotImplementedError

    def as_queries(self, rows: NDArray[np.integer]) -> Queries:
        """Rows, by their place in the canonical order, as if they asked."""
        codes, values = self.codes[:, rows].T, self.values[:, rows].T
        return Queries(np.ascontiguousarray(codes), np.ascontiguousarray(values))

    def _value_attributes(self) -> Floats:
        """How much each attribute says about the target, at least 0."""
        raise NotImplementedError


class Crowd(Gathering):
    """Cases with classes; attributes count by their gain ratio.

    Attributes
    ----------
    classes : int32 array of shape (n_rows,)
    """

    def __init__(self, base: CaseBase) -> None:
        super().__init__(base)
        self.classes = np.ascontiguousarray(self.cases.classes[self.order])

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.cases.class_counts.size

    @property
    def n_outputs(self) -> int:
        """A probability a class."""
        return self.n_classes

    @property
    def priors(self) -> Floats:
        """How many cases each class has."""
        return self.cases.class_counts.astype(np.float64)

    @cached_property
    def paths(self) -> Paths:
        """What trees are grown from."""
        columns = self.codes, self.values, self.sizes
        return make_paths(*columns, self.classes, self.n_classes)

    @cached_property
    def bins(self) -> BinTable:
        """What naive Bayes and the one rule count."""
        return build_bin_table(self.codes, self.widths, self.classes)

    @cached_property
    def linear(self) -> LinearCases:
        """What linear models are fitted on: an indicator of each class."""
        indicators = np.eye(self.n_classes)[self.classes]
        return make_linear(self.space.regressors, indicators)

    def outcome(self, row: int) -> dict[str, Label]:
        """The class of a row."""
        return {"class": self.base.class_labels[int(self.classes[row])]}

    def sum_up(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """How many rows each class has."""
        counts = np.bincount(self.classes[rows], minlength=self.n_classes).tolist()
        pairs = zip(self.base.class_labels, counts, strict=True)
        return {"classes": [{"label": label, "cases": n} for label, n in pairs]}

    def _value_attributes(self) -> Floats:
        return gain_ratio(self.cases.counts, self.cases.offsets)


def gather(base: CaseBase) -> Crowd:
    """The cases of a base, made ready once for every state of it."""
    return base.derive("crowd", lambda: Crowd(base))


def runner(n_jobs: int | None, nanoseconds: float) -> Runner:
    """Run chunks in threads where all queries together are worth it."""

    def run(chunk: Chunk, n_queries: int) -> None:
        run_chunks(chunk, n_queries, n_jobs, nanoseconds * n_queries)

    return run
