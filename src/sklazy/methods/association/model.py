"""Class association rules of each query, and their combined votes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases
from sklazy.kernels.association import mine_rules
from sklazy.kernels.bits import sets_in_parts

Bits = NDArray[np.uint64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RuleLimits(NamedTuple):
    """Which rules count, and how much.

    Attributes
    ----------
    min_count : int
        Cases that must have the values and the class, at least 1.
    min_confidence : float
        The least share of the class among the cases that have the values.
    max_length : int
        Values of a rule, at most.
    by_support : bool
        Whether a rule weighs as much as it has cases, or 1.
    """

    min_count: int
    min_confidence: float
    max_length: int
    by_support: bool


class Rules(NamedTuple):
    """Rules of one query, in the order in which they were found.

    Attributes
    ----------
    attributes : int64 array of shape (n_rules, max_length)
        Whose values they ask for, filled up with -1.
    classes, supports, covered : int64 arrays of shape (n_rules,)
        The class, how many cases have the values and the class, and the values.
    """

    attributes: Ints
    classes: Ints
    supports: Ints
    covered: Ints


@dataclass(frozen=True, eq=False)
class Mining:
    """Rules to be mined for some queries.

    Attributes
    ----------
    cases : Cases
        With classes.
    codes : int32 array of shape (n_queries, n_attributes)
    limits : RuleLimits
    excluded : int64 array of shape (n_queries,), or None
        For each query the case that must not count.
    """

    cases: Cases
    codes: Codes
    limits: RuleLimits
    excluded: Ints | None = None

    def score(self) -> tuple[Floats, Ints]:
        """The mean confidence of the rules of each class, and their number.

        Returns
        -------
        scores : float64 array of shape (n_queries, n_classes)
            0 for a class without a rule.
        n_rules : int64 array of shape (n_queries, n_classes)
        """
        shape = len(self.codes), self.cases.class_counts.size
        sums, weights = np.empty(shape), np.empty(shape)
        n_rules = np.empty(shape, np.int64)
        self._mine(0, len(self.codes), sums, weights, n_rules, 0)
        has_rules = n_rules > 0
        return np.divide(sums, weights, where=has_rules, out=np.zeros(shape)), n_rules

    def rules_of(self, query: int, n_rules: int) -> Rules:
        """The `n_rules` rules of one query."""
        shape = len(self.codes), self.cases.class_counts.size
        rest = np.empty(shape), np.empty(shape), np.empty(shape, np.int64)
        attributes, figures = self._mine(query, query + 1, *rest, n_rules)
        return Rules(attributes, *figures.T)

    def _mine(
        self,
        first: int,
        last: int,
        sums: Floats,
        weights: Floats,
        n_rules: Ints,
        n_listed: int,
    ) -> tuple[Ints, Ints]:
        cases, limits = self.cases, self.limits
        # More values than attributes are in no rule.
        max_length = min(limits.max_length, self.codes.shape[1])
        attributes = np.empty((n_listed, max_length), np.int64)
        figures = np.empty((n_listed, 3), np.int64)
        excluded = self.excluded
        if excluded is None:
            excluded = np.full(len(self.codes), -1, np.int64)
        parts = sets_in_parts(cases, self.codes, first, last)
        for begin, end, bits, set_of_value in parts:
            mine_rules(
                bits,
                cases.class_bits,
                cases.n_rows,
                self._places(set_of_value),
                excluded,
                limits.min_count,
                limits.min_confidence,
                max_length,
                limits.by_support,
                begin,
                end,
                sums,
                weights,
                n_rules,
                attributes,
                figures,
            )
        return attributes, figures

    def _places(self, set_of_value: Ints) -> Ints:
        """The bit set of each query's values, -1 where a value is not known."""
        places = self.cases.starts + self.codes
        for j in np.flatnonzero(self.cases.starts < 0):
            known = np.maximum(self.codes[:, j], 0)
            places[:, j] = set_of_value[self.cases.offsets[j] + known]
        return np.where(self.codes >= 0, places, -1)
