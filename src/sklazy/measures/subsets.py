"""How good a set of attributes is: correlation-based and by consistency.

An evaluator scores how good the empty set is and, for any set, how good each set with
one attribute more would be: what a forward search asks, answered in one sweep.

References
----------
M. A. Hall: Correlation-based feature selection for machine learning. PhD thesis,
University of Waikato, 1999.

H. Liu, R. Setiono: A probabilistic approach to feature selection: a filter solution.
ICML 1996.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from sklazy.measures.contingency import Floats, Ints, round_figures, sorted_sum
from sklazy.measures.pairs import Codes, correlate_columns

_NONE = 1e-6  # a correlation below is none, as in Weka


class Evaluator(Protocol):
    """Evaluator for a search over sets of attributes."""

    n_attributes: int

    def of_none(self) -> float:
        """Merit of the empty set."""

    def with_one_more(self, subset: Sequence[int]) -> Floats:
        """Merit of the set with each attribute added, shape (n_attributes,).

        The figures of the set's own members mean nothing.
        """


class CfsMerit:
    """Merit ``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` of k attributes.

    ``rc`` is the symmetric uncertainty of an attribute with the class and ``ra`` that
    of two attributes. A row of the latter is computed when first asked for, and kept.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    n_classes : int
    missing : {"omit", "spread"}
    zero_correlation : float
        Value for two attributes without correlation (below 1e-6). Weka takes 1:
        attributes that have nothing in common count as redundant.
    """

    def __init__(
        self,
        codes: Codes,
        offsets: Ints,
        classes: Codes,
        n_classes: int,
        missing: str = "omit",
        zero_correlation: float = 0.0,
    ) -> None:
        self.codes, self.offsets, self.missing = codes, offsets, missing
        self.zero_correlation = zero_correlation
        self.n_attributes = len(offsets) - 1
        self.with_class = correlate_columns(codes, offsets, classes, n_classes, missing)
        self._rows: dict[int, Floats] = {}

    def with_attribute(self, attribute: int) -> Floats:
        """Correlation of one attribute with each, shape (n_attributes,)."""
        if attribute not in self._rows:
            n_values = int(np.diff(self.offsets)[attribute])
            row = correlate_columns(
                self.codes, self.offsets, self.codes[attribute], n_values, self.missing
            )
            self._rows[attribute] = np.where(row < _NONE, self.zero_correlation, row)
        return self._rows[attribute]

    def of_none(self) -> float:
        """Merit of the empty set."""
        return 0.0

    def with_one_more(self, subset: Sequence[int]) -> Floats:
        """Merit of the set with each attribute added."""
        members = sorted(subset)
        rows = np.array([self.with_attribute(j) for j in members])
        rows = rows.reshape(len(members), self.n_attributes)
        within = sorted_sum(np.triu(rows[:, members], 1).ravel())
        relevance = sorted_sum(self.with_class[members]) + self.with_class
        redundancy = within + sorted_sum(rows.T)
        # k mean(rc) is a sum over attributes, k (k - 1) mean(ra) twice one over pairs.
        return round_figures(relevance / np.sqrt(len(members) + 1 + 2.0 * redundancy))


class Consistency:
    """Share of the rows whose class is the commonest among rows with the same cells.

    A missing cell is a value of its own here, as in Weka.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    n_classes : int
    """

    def __init__(
        self, codes: Codes, offsets: Ints, classes: Codes, n_classes: int
    ) -> None:
        self.n_attributes, self.n_rows = codes.shape
        self._cells = codes.astype(np.int64) + 1  # a missing cell is 0
        self._widths = np.diff(offsets) + 1
        self._classes, self._n_classes = classes.astype(np.int64), n_classes

    def of_none(self) -> float:
        """Merit of the empty set: the share of the commonest class."""
        return self._merit(np.zeros(self.n_rows, dtype=np.int64), 1)

    def with_one_more(self, subset: Sequence[int]) -> Floats:
        """Merit of the set with each attribute added."""
        groups, n_groups = self._groups(sorted(subset))
        merits = [
            self._merit(groups * width + cells, n_groups * int(width))
            for cells, width in zip(self._cells, self._widths, strict=True)
        ]
        return np.array(merits)

    def _groups(self, subset: Sequence[int]) -> tuple[Ints, int]:
        """Number the distinct rows of cells; equal rows get the same number."""
        groups, n_groups = np.zeros(self.n_rows, dtype=np.int64), 1
        for j in subset:
            keys = groups * self._widths[j] + self._cells[j]
            distinct, groups = np.unique(keys, return_inverse=True)
            n_groups = len(distinct)
        return groups, n_groups

    def _merit(self, groups: Ints, n_groups: int) -> float:
        n_cells = n_groups * self._n_classes
        keys = groups * self._n_classes + self._classes
        if n_cells <= 8 * self.n_rows:
            table = np.bincount(keys, minlength=n_cells)
            agreeing = table.reshape(n_groups, self._n_classes).max(axis=1).sum()
        else:
            distinct, counts = np.unique(keys, return_counts=True)
            parts = np.flatnonzero(np.diff(distinct // self._n_classes, prepend=-1))
            agreeing = np.maximum.reduceat(counts, parts).sum()
        return float(agreeing / self.n_rows)
