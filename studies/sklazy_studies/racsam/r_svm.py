"""The support vector regression of R's package e1071: by its defaults, and linear."""

import warnings
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR, LinearSVR

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


class LinearSvm(RSvm):
    """Epsilon regression with a linear kernel, cost 1, standardized columns and target.

    By this one the paper's figures are most plausible, though its text names no kernel
    (``python -m sklazy_studies.explain svm-kernel``).

    Examples
    --------
    >>> X = np.column_stack([np.arange(20.0), np.zeros(20)])
    >>> LinearSvm().fit(X, 2 * X[:, 0]).predict(X[4:5]).round()
    array([8.])
    """

    def fit(self, X: Table | Floats, y: Floats) -> Self:
        """Fit the machine."""
        columns = _as_numbers(X)
        varies = np.ptp(columns, axis=0) > 0
        size = np.where(varies, columns.std(axis=0, ddof=1), 1.0)
        spread = y.std(ddof=1) if np.ptp(y) > 0 else 1.0
        self._units = (columns.mean(axis=0), size, y.mean(), spread)
        center, size, middle, spread = self._units
        self._model = LinearSVR(C=1.0, epsilon=0.1, max_iter=10_000, random_state=0)
        with warnings.catch_warnings():  # its last digits do not matter here
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._model.fit((columns - center) / size, (y - middle) / spread)
        return self


def _as_numbers(X: Table | Floats) -> Floats:
    return X.to_pandas().to_numpy(np.float64) if isinstance(X, Table) else X
