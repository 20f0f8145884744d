"""Cases with numbers to predict, made ready for ensembles."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.ensembles.data import Floats, Gathering
from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import bin_codes
from sklazy.flow import Queries
from sklazy.local.members import BinTable, LinearCases, build_bin_table, make_linear
from sklazy.local.regression_paths import RegressionPaths, make_regression_paths
from sklazy.tables import Label

_N_BINS = 10


class NumberCrowd(Gathering):
    """Cases with a number each.

    Attributes count in the distance by their adjusted correlation ratio: the share of
    the target's variance that categories, or tenths of the rows, explain beyond what
    so many groups would explain by chance.

    Attributes
    ----------
    targets : float64 array of shape (n_rows,)
    """

    def __init__(self, base: CaseBase) -> None:
        self.targets = np.ascontiguousarray(base.cases.targets[0, base.order])
        super().__init__(base)

    @property
    def n_outputs(self) -> int:
        """A single prediction."""
        return 1

    @cached_property
    def cuts(self) -> list[Floats]:
        """The cuts into tenths of the rows, none for nominal attributes."""
        return [_tenths(values) for values in self.values]

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Categories and tenths, shape (n_attributes, n_rows)."""
        codes = np.ascontiguousarray(self.cases.codes[:, self.order])
        for j in np.flatnonzero(self.is_numeric):
            codes[j] = bin_codes(self.values[j], self.cuts[j])
        return codes

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """How many categories or tenths an attribute has."""
        n_bins = np.array([len(cuts) + 1 for cuts in self.cuts])
        return np.where(self.is_numeric, n_bins, self.sizes)

    def code(self, queries: Queries) -> NDArray[np.int32]:
        """Categories and tenths of queries."""
        codes = queries.codes.copy()
        for j in np.flatnonzero(self.is_numeric):
            codes[:, j] = bin_codes(queries.values[:, j], self.cuts[j])
        return codes

    @cached_property
    def paths(self) -> RegressionPaths:
        """What trees are grown from."""
        columns = self.codes, self.values, self.sizes
        return make_regression_paths(*columns, self.targets)

    @cached_property
    def bins(self) -> BinTable:
        """What the one rule averages."""
        alike = np.zeros(self.n_rows, np.int32)
        return build_bin_table(self.codes, self.widths, alike)

    @cached_property
    def linear(self) -> LinearCases:
        """What linear models are fitted on."""
        return make_linear(self.space.regressors, self.targets[:, None])

    def outcome(self, row: int) -> dict[str, Label]:
        """The target of a row."""
        return {"target": float(self.targets[row])}

    def sum_up(self, rows: NDArray[np.integer]) -> dict[str, Any]:
        """The mean target of rows and its spread."""
        near = self.targets[rows]
        return {"mean": float(near.mean()), "deviation": float(near.std())}

    def _value_attributes(self) -> Floats:
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


def _tenths(values: Floats) -> Floats:
    """Numbers that cut a column into tenths of its rows; fewer where they tie."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return known
    ends = -(-np.arange(1, _N_BINS) * len(known) // _N_BINS) - 1  # rounded up
    cuts = np.unique(known[ends])
    return cuts[cuts < known[-1]]


def gather_numbers(base: CaseBase) -> NumberCrowd:
    """The cases of a base, made ready once for every state of it."""
    return base.derive("crowd", lambda: NumberCrowd(base))
