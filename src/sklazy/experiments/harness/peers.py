"""What a user would take today, given tables as they are: scikit-learn's models."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklazy.tables import Column, Table, align, as_table

Floats = NDArray[np.float64]


class Peer(BaseEstimator):
    """A scikit-learn model on a table with labels and missing cells.

    Labels become indicators, or, for a model that knows categories, codes; missing
    numbers become the mean, unless the model takes them as they are.

    Parameters
    ----------
    model : estimator
    scaled : bool
        Whether numbers are brought to mean 0 and variance 1.
    categories : bool
        Whether the model takes codes and missing numbers.

    Examples
    --------
    >>> rows = [[1.0, "a"], [None, "b"], [3.0, None], [4.0, "b"]]
    >>> peer = Peer(DecisionTreeClassifier(random_state=0)).fit(rows, [0, 1, 0, 1])
    >>> peer.predict([[2.0, "b"], [1.0, "never seen"]]).tolist()
    [1, 0]
    """

    def __init__(
        self, model: BaseEstimator, *, scaled: bool = False, categories: bool = False
    ) -> None:
        self.model = model
        self.scaled = scaled
        self.categories = categories

    def fit(self, X: object, y: object) -> Self:
        """Fit the model to the rows."""
        self.like_ = as_table(X)
        means = [_mean(column) for column in self.like_]
        self.means_: Floats = np.array([0.0 if np.isnan(m) else m for m in means])
        self.spreads_: Floats = np.array([_spread(column) for column in self.like_])
        if self.categories:
            mask = [column.kind == "nominal" for column in self.like_]
            self.model.set_params(categorical_features=mask)
        self.model.fit(self._matrix(self.like_), y)
        return self

    def predict(self, X: object) -> NDArray[Any]:
        """What the model says."""
        return self.model.predict(self._matrix(align(as_table(X), self.like_)))

    def _matrix(self, table: Table) -> Floats:
        blocks = [self._block(column, j) for j, column in enumerate(table)]
        return np.concatenate(blocks, axis=1)

    def _block(self, column: Column, j: int) -> Floats:
        """The columns of the matrix that one column of the table becomes."""
        if column.kind == "nominal":
            if self.categories:
                return np.where(column.data < 0, np.nan, column.data)[:, None]
            return (column.data[:, None] == np.arange(len(column.categories))) * 1.0
        if self.categories:
            return column.data[:, None]
        numbers = np.where(column.missing, self.means_[j], column.data)
        if self.scaled:
            numbers = (numbers - self.means_[j]) / self.spreads_[j]
        return numbers[:, None]


def _mean(column: Column) -> float:
    known = column.data[~column.missing]
    is_numeric = column.kind == "numeric" and len(known)
    return float(known.mean()) if is_numeric else np.nan


def _spread(column: Column) -> float:
    known = column.data[~column.missing]
    spread = known.std() if column.kind == "numeric" and len(known) else 1.0
    return float(spread) or 1.0


Make = Callable[[int], Peer]
"""From a seed to a new peer."""

CLASSIFIERS: dict[str, Make] = {
    "guess": lambda seed: Peer(DummyClassifier()),
    "knn": lambda seed: Peer(KNeighborsClassifier(), scaled=True),
    "tree": lambda seed: Peer(DecisionTreeClassifier(random_state=seed)),
    "bagging": lambda seed: Peer(BaggingClassifier(random_state=seed)),
    "logistic": lambda seed: Peer(LogisticRegression(max_iter=5000), scaled=True),
    "svm": lambda seed: Peer(SVC(), scaled=True),
    "random-forest": lambda seed: Peer(RandomForestClassifier(random_state=seed)),
    "gradient-boosting": lambda seed: Peer(
        HistGradientBoostingClassifier(random_state=seed), categories=True
    ),
}
"""Classifiers by name, scikit-learn's defaults."""

REGRESSORS: dict[str, Make] = {
    "guess": lambda seed: Peer(DummyRegressor()),
    "knn": lambda seed: Peer(KNeighborsRegressor(), scaled=True),
    "tree": lambda seed: Peer(DecisionTreeRegressor(random_state=seed)),
    "ridge": lambda seed: Peer(RidgeCV(), scaled=True),
    "svm": lambda seed: Peer(SVR(), scaled=True),
    "random-forest": lambda seed: Peer(RandomForestRegressor(random_state=seed)),
    "gradient-boosting": lambda seed: Peer(
        HistGradientBoostingRegressor(random_state=seed), categories=True
    ),
}
"""Regressors by name, scikit-learn's defaults."""
