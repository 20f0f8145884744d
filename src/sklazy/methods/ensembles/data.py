"""Cases made ready for ensembles, each part when a member first needs it.

The parts that depend on the target, classes or numbers, are in the two subclasses.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.target import CLASSES, NUMBERS, Target
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import bin_codes
from sklazy.flow import Bags, Neighbors, Queries
from sklazy.forking import cached_property
from sklazy.measures import cast_votes, count_known, eager_scores
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.ensembles.member_models import (
    BinTable,
    LinearRows,
    build_bin_table,
    make_linear,
)
from sklazy.methods.paths.model import (
    Paths,
    RegressionPaths,
    make_paths,
    make_regression_paths,
)
from sklazy.methods.paths.random_paths import RandomPaths, make_random_paths
from sklazy.methods.row_weights import count_copies, find_row_weights, spread_rows
from sklazy.methods.space import Space, make_space
from sklazy.neighbors import TreeSearch, place_queries, weigh_columns
from sklazy.tables import Label

_MOST_CATEGORIES = 50  # a linear model has an indicator of each
_N_BINS = 10
_MOST_COPIES = 20_000  # of rows that have weights
_SQUARE = 2.0**490  # sums of squares of numbers up to this, or one over it, are floats


class EnsembleData:
    """The cases in canonical order, as the members of an ensemble see them.

    Attributes
    ----------
    base : CaseBase
    order : int64 array of shape (n_rows,)
        Where each row lies in the base. Rows that have weights are listed as copies.
    copies : int64 array of shape (base.n_rows,), or None where rows have no weights
        How often each is listed, in canonical order.
    weights : float64 array of shape (n_attributes,)
        Weights of attributes in the distance: their relevance over the largest.
    targets : array of shape (n_rows,)
        Classes by number, or numbers.
    unit : float
        The factor of the numbers, a power of two: 1 unless no float holds their
        squares.
    n_outputs : int
        How many numbers a member answers with.
    """

    target: ClassVar[Target]
    targets: NDArray[Any]
    n_outputs: int
    unit: float = 1.0

    def __init__(self, base: CaseBase) -> None:
        self.base, self.cases, self.order = base, base.cases, base.order
        self.copies = find_copies(base)
        if self.copies is not None:
            self._listed = spread_rows(self.copies)
            self.order = base.order[self._listed]
        self.n_rows, self.is_numeric = len(self.order), self.cases.numeric >= 0
        self.targets, self.n_outputs = self._find_targets()
        relevance = self._find_relevance()
        largest = relevance.max()
        ones = np.ones(len(relevance))
        self.weights = relevance / largest if largest > 0 else ones
        self._columns = weigh_columns(self.cases, self.order, self.weights)

    def find_places(self, places: Ints) -> Ints:
        """The first copies of rows, by their place in canonical order; -1 of none."""
        if self.copies is None:
            return places
        firsts = np.full(len(self.copies), -1)
        rows, at = np.unique(self._listed, return_index=True)
        firsts[rows] = at
        return firsts[places]

    def nearest(self, queries: Queries, n_nearest: int) -> Neighbors:
        """The nearest rows, ties in canonical order, with squared sums of weights."""
        placed = place_queries(self._columns, queries)
        return self._search.find(placed, n_nearest)

    @cached_property
    def _search(self) -> TreeSearch:
        return TreeSearch(self._columns.columns)

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
    def widths(self) -> Ints:
        """How many categories or bins an attribute has."""
        return np.diff(self.cases.offsets)

    @cached_property
    def sizes(self) -> Ints:
        """How many categories an attribute has, 0 if it is numeric."""
        return np.where(self.is_numeric, 0, np.diff(self.cases.offsets))

    @cached_property
    def space(self) -> Space:
        """Numbers as they are and indicators of categories."""
        return make_space(
            self.cases, self.order, scale="raw", max_categories=_MOST_CATEGORIES
        )

    @cached_property
    def linear(self) -> LinearRows:
        """Cases that linear models are fitted on."""
        return make_linear(self.space.regressors, self._linear_targets())

    @cached_property
    def paths(self) -> Paths | RegressionPaths:
        """Columns that trees are grown from."""
        columns = self.codes, self.values, self.sizes
        return self._make_paths(*columns)

    @cached_property
    def random_paths(self) -> RandomPaths:
        """Columns that random paths are drawn from."""
        return make_random_paths(self.paths)

    @cached_property
    def bins(self) -> BinTable:
        """Counts for naive Bayes and the one rule."""
        return build_bin_table(self.codes, self.widths, self._bin_classes())

    @property
    def cuts(self) -> list[Floats]:
        """The cuts of each attribute, none for nominal ones."""
        return self.base.cuts

    def code(self, queries: Queries) -> NDArray[np.int32]:
        """Categories and bins of queries, as `codes` has those of cases."""
        return queries.codes

    def as_queries(self, rows: NDArray[np.integer]) -> Queries:
        """Rows, by their place in the canonical order, as queries."""
        codes, values = self.codes[:, rows].T, self.values[:, rows].T
        return Queries(np.ascontiguousarray(codes), np.ascontiguousarray(values))

    def describe_case(self, row: int) -> dict[str, Label]:
        """The target of a row, as plain data."""
        raise NotImplementedError

    def describe_cases(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """The targets of several rows, as plain data."""
        raise NotImplementedError

    def losses(self, outputs: Floats, bags: Bags, rows: NDArray[np.integer]) -> Floats:
        """How wrong members are on rows, (n_rows, n_bags).

        Parameters
        ----------
        outputs : float64 array of shape (n_rows, n_bags, n_outputs)
            Outputs of the members for each row.
        bags : Bags of as many queries
        rows : int array of shape (n_rows,)
        """
        raise NotImplementedError

    def _find_targets(self) -> tuple[NDArray[Any], int]:
        """The targets of the rows, and the number of outputs."""
        raise NotImplementedError

    def _find_relevance(self) -> Floats:
        """How informative each attribute is about the target, at least 0."""
        raise NotImplementedError

    def _make_paths(
        self, codes: NDArray[np.int32], values: Floats, sizes: Ints
    ) -> Paths | RegressionPaths:
        """Build the input of trees from these columns."""
        raise NotImplementedError

    def _linear_targets(self) -> Floats:
        """Targets of linear models, (n_rows, n_outputs)."""
        raise NotImplementedError

    def _bin_classes(self) -> NDArray[np.int32]:
        """The groups of rows that bins count apart, (n_rows,)."""
        raise NotImplementedError


class ClassData(EnsembleData):
    """Cases with classes; attributes count by their gain ratio."""

    target = CLASSES

    @property
    def priors(self) -> Floats:
        """How many cases each class has."""
        counts = np.bincount(self.targets, minlength=self.n_outputs)
        return counts.astype(np.float64)

    def priors_without(self, rows: NDArray[np.integer]) -> Floats:
        """How many cases each class has without a row, (n_rows, n_classes).

        A row of -1 is none.
        """
        left_out = np.eye(self.n_outputs)[self.targets[rows]] * (rows >= 0)[:, None]
        return np.asarray(self.priors - left_out)

    def describe_case(self, row: int) -> dict[str, Label]:
        """The class of a row."""
        return {"class": self.base.class_labels[int(self.targets[row])]}

    def describe_cases(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """How many rows each class has."""
        counts = np.bincount(self.targets[rows], minlength=self.n_outputs).tolist()
        pairs = zip(self.base.class_labels, counts, strict=True)
        return {"classes": [{"label": label, "cases": n} for label, n in pairs]}

    def count_classes(self, rows: NDArray[np.integer]) -> Floats:
        """Rows of each class, (n_queries, n_classes), for rows of each query."""
        n_queries, n_classes = len(rows), self.n_outputs
        places = self.targets[rows] + n_classes * np.arange(n_queries)[:, None]
        counts = np.bincount(places.ravel(), minlength=n_queries * n_classes)
        return counts.reshape(n_queries, n_classes).astype(np.float64)

    def losses(self, outputs: Floats, bags: Bags, rows: NDArray[np.integer]) -> Floats:
        """0 where a member votes for a row's class, else 1."""
        votes = cast_votes(outputs, self.count_classes(bags.neighbors), self.priors)
        return (votes != self.targets[rows][:, None]).astype(np.float64)

    def _find_targets(self) -> tuple[NDArray[np.int32], int]:
        classes = np.ascontiguousarray(self.cases.classes[self.order])
        return classes, self.cases.class_counts.size

    def _find_relevance(self) -> Floats:
        counts: NDArray[np.generic] = self.cases.counts
        offsets = self.cases.offsets
        if self.copies is not None:
            counts = count_known(self.codes, offsets, self.targets, self.n_outputs)
        return eager_scores(counts, offsets, "gain_ratio")

    def _make_paths(
        self, codes: NDArray[np.int32], values: Floats, sizes: Ints
    ) -> Paths:
        return make_paths(codes, values, sizes, self.targets, self.n_outputs)

    def _linear_targets(self) -> Floats:
        return np.eye(self.n_outputs)[self.targets]

    def _bin_classes(self) -> NDArray[np.int32]:
        return self.targets


class NumberData(EnsembleData):
    """Cases with a number each.

    Attributes count in the distance by their adjusted correlation ratio: the share of
    the target's variance that categories, or deciles of the rows, explain beyond what
    so many groups would explain by chance.
    """

    target = NUMBERS

    @cached_property
    def cuts(self) -> list[Floats]:
        """The cuts into deciles of the rows, none for nominal attributes."""
        return [_deciles(values) for values in self.values]

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Categories and deciles, shape (n_attributes, n_rows)."""
        codes = np.ascontiguousarray(self.cases.codes[:, self.order])
        for j in np.flatnonzero(self.is_numeric):
            codes[j] = bin_codes(self.values[j], self.cuts[j])
        return codes

    @cached_property
    def widths(self) -> Ints:
        """How many categories or deciles an attribute has."""
        n_bins = np.array([len(cuts) + 1 for cuts in self.cuts])
        return np.where(self.is_numeric, n_bins, self.sizes)

    def code(self, queries: Queries) -> NDArray[np.int32]:
        """Categories and deciles of queries."""
        codes = queries.codes.copy()
        for j in np.flatnonzero(self.is_numeric):
            codes[:, j] = bin_codes(queries.values[:, j], self.cuts[j])
        return codes

    def describe_case(self, row: int) -> dict[str, Label]:
        """The target of a row."""
        return {"target": float(self.targets[row] / self.unit)}

    def describe_cases(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """The mean target of rows and its standard deviation."""
        near = self.targets[rows]
        if not near.size:
            return {"mean": None, "std": None}
        figures = {"mean": near.mean(), "std": near.std()}
        return {name: float(value / self.unit) for name, value in figures.items()}

    def losses(self, outputs: Floats, bags: Bags, rows: NDArray[np.integer]) -> Floats:
        """Squared errors."""
        return (outputs[:, :, 0] - self.targets[rows][:, None]) ** 2

    def _find_targets(self) -> tuple[Floats, int]:
        targets = self.cases.targets[0, self.order]
        self.unit = find_unit(targets, _SQUARE)
        return np.ascontiguousarray(targets * self.unit), 1

    def _find_relevance(self) -> Floats:
        return np.array([self._explained(column) for column in self.codes])

    def _explained(self, codes: NDArray[np.int32]) -> float:
        """The adjusted correlation ratio, over the rows that know the attribute."""
        known = codes >= 0
        groups, targets = codes[known], self.targets[known]
        if not len(groups):
            return 0.0
        centered = targets - targets.mean()
        if not centered.any():
            return 0.0
        centered /= np.abs(centered).max()  # so that no square overflows
        counts = np.bincount(groups)
        sums = np.bincount(groups, centered)
        n, n_groups, total = len(groups), int((counts > 0).sum()), (centered**2).sum()
        if n <= n_groups:
            return 0.0
        between = (sums**2 / np.maximum(counts, 1)).sum()
        left = (1.0 - between / total) * (n - 1) / (n - n_groups)
        return round(max(0.0, 1.0 - float(left)), 12)

    def _make_paths(
        self, codes: NDArray[np.int32], values: Floats, sizes: Ints
    ) -> RegressionPaths:
        return make_regression_paths(codes, values, sizes, self.targets)

    def _linear_targets(self) -> Floats:
        return self.targets[:, None]

    def _bin_classes(self) -> NDArray[np.int32]:
        return np.zeros(self.n_rows, np.int32)


def _deciles(values: Floats) -> Floats:
    """Numbers that cut a column into tenths of its rows; fewer where they tie."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return known
    ends = -(-np.arange(1, _N_BINS) * len(known) // _N_BINS) - 1  # rounded up
    cuts = np.unique(known[ends])
    return cuts[cuts < known[-1]]


def find_copies(base: CaseBase) -> Ints | None:
    """How often each row is listed, in canonical order; None where all weigh 1."""
    weights = find_row_weights(base)
    return None if weights is None else count_copies(weights.values, _MOST_COPIES)


def prepare_data(base: CaseBase, target: Target) -> EnsembleData:
    """The cases of a base made ready, once for every state of it."""
    kind = ClassData if target.kind == "nominal" else NumberData
    return base.derive(kind, lambda: kind(base))
