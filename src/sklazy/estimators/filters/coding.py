"""Rows with labels, coded for the measures: categories and MDL bins, and classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from sklazy.casebase.cuts import CRITERIA, bin_codes, column_cuts
from sklazy.estimators.inputs import class_column
from sklazy.estimators.parameters import check_choice
from sklazy.measures import check_countable, count_known
from sklazy.tables import as_table
from sklazy.tables.origins import one_to_one


class Coded(NamedTuple):
    """A table and its labels as codes.

    Attributes
    ----------
    codes : int32 array of shape (n_attributes, n_rows)
    offsets : int64 array of shape (n_attributes + 1,)
    classes : int32 array of shape (n_rows,)
    n_classes : int
    names : list of str
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    classes: NDArray[np.int32]
    n_classes: int
    names: list[str]

    def counts(self, missing: str = "omit") -> NDArray[np.generic]:
        """Counts of values by class, shape (n_values_total, n_classes)."""
        check_countable(np.diff(self.offsets).tolist(), self.n_classes, self.names)
        return count_known(
            self.codes, self.offsets, self.classes, self.n_classes, missing
        )


def code_rows(
    X: object,
    y: object,
    categorical_features: object = "from_dtype",
    discretization: str = "fayyad",
    better_encoding: bool = False,
) -> Coded:
    """Code rows with labels; numeric columns become MDL bins.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
    y : array-like of shape (n_rows,)
    categorical_features, better_encoding
        As in `as_table` and `column_cuts`.
    discretization : {"fayyad", "kononenko"}
        The criterion of the cuts.
    """
    check_choice("discretization", discretization, tuple(CRITERIA))
    table = one_to_one(as_table(X, categorical_features=categorical_features))
    target = class_column(y)
    check_consistent_length(table, target)
    n_classes = len(target.categories)
    codes, sizes = [], []
    for column in table:
        if column.kind == "nominal":
            codes.append(column.data)
            sizes.append(len(column.categories))
            continue
        cuts = column_cuts(
            column.data,
            target.data,
            n_classes,
            discretization,
            better_encoding=better_encoding,
        )
        codes.append(bin_codes(column.data, cuts))
        sizes.append(len(cuts) + 1)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Coded(np.stack(codes), offsets, target.data, n_classes, table.names)
