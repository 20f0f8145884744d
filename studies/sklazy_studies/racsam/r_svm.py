"""The support vector regression of R's package e1071, by its defaults."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.svm import SVR

from sklazy.tables import Table

Floats = NDArray[np.float64]


class RSvm(RegressorMixin, BaseEstimator):
    """Epsilon regression with a radial kernel, gamma one over the number of columns.

    Columns and target are standardized, unless a column is constant: then R warns
    "Cannot scale data" and scales neither columns nor target.

    References
    ----------
    D. Meyer et al.: e1071, misc functions of the department of statistics. CRAN
    (``svm.default``).

    Examples
    --------
    >>> X = np.column_stack([np.arange(20.0), np.zeros(20)])
    >>> RSvm().fit(X, 2 * X[:, 0]).is_scaled_, RSvm().fit(X[:, :1], X[:, 0]).is_scaled_
    (False, True)
    """

    def fit(self, X: Table | Floats, y: Floats) -> Self:
        """Fit the machine."""
        columns = _as_numbers(X)
        deviations = columns.std(axis=0, ddof=1)
        self.is_scaled_ = bool((deviations > 0).all())
        n = columns.shape[1]
        units = (columns.mean(axis=0), deviations, y.mean(), y.std(ddof=1))
        plain = (np.zeros(n), np.ones(n), 0.0, 1.0)
        self._units = units if self.is_scaled_ else plain
        center, size, middle, spread = self._units
        self._model = SVR(gamma=1.0 / n, C=1.0, epsilon=0.1, cache_size=500)
        self._model.fit((columns - center) / size, (y - middle) / spread)
        return self

    def predict(self, X: Table | Floats) -> Floats:
        """Predict numbers."""
        center, size, middle, spread = self._units
        placed = (_as_numbers(X) - center) / size
        return np.asarray(self._model.predict(placed)) * spread + middle


def _as_numbers(X: Table | Floats) -> Floats:
    return X.to_pandas().to_numpy(np.float64) if isinstance(X, Table) else X
