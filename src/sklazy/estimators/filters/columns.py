"""The base of transformers that keep some columns and drop the others."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.estimators.parameters import check_columns
from sklazy.estimators.reference import Referenced
from sklazy.tables import Table
from sklazy.tables.arrays import as_matrix
from sklazy.tables.frames import as_frame


class ColumnSelector(Referenced, SelectorMixin, BaseEstimator):
    """A selector that returns the caller's own columns unchanged."""

    support_: NDArray[np.bool_]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: object) -> object:
        """Keep the selected columns.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_rows, n_columns)

        Returns
        -------
        X_selected : as X
            A frame stays a frame of its library, with its dtypes; anything else becomes
            an array. `set_output` overrides this.
        """
        check_is_fitted(self)
        frame = X if isinstance(X, Table) else as_frame(X)
        if frame is None:
            matrix = validate_data(
                self, _as_rows(X), dtype=None, ensure_all_finite=False, reset=False
            )
            return matrix[:, self.support_]
        check_columns(self, X, reset=False)
        kept = np.flatnonzero(self.support_).tolist()
        if isinstance(frame, Table):
            return frame.select([frame.names[j] for j in kept])
        return frame[:, kept].to_native()


def _as_rows(X: object) -> object:
    """The rows as an array; numbers next to text stay numbers."""
    if issparse(X):
        return X  # for scikit-learn to refuse
    matrix = as_matrix(X)
    plain = np.asarray(X) if isinstance(X, list | tuple) else matrix
    return plain if plain.dtype.kind in "biuf" else matrix
