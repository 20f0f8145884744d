"""Any scikit-learn model on tables with labels and missing cells."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from sklazy.tables import Column, Table, align, as_table
from sklazy.tables.convert import plain_table
from sklazy.tables.labels import indicators
from sklazy.tables.origins import expand_columns, follow_origins, origins_of

Floats = NDArray[np.float64]

_MOST_CATEGORIES = 255  # that histogram gradient boosting takes


class EncodedModel(BaseEstimator):
    """A scikit-learn model on a table, encoded as the model needs it.

    Labels become indicators and missing numbers the mean. For a model that takes codes,
    labels become codes and missing cells NaN; a column without any value in training,
    which some models cannot take, becomes 0, for queries as well.

    Parameters
    ----------
    model : estimator
    scaled : bool, default=False
        Whether numbers are scaled to mean 0 and variance 1.
    categories : bool, default=False
        Whether the model takes codes and missing numbers. Its parameter
        `categorical_features`, if any, is set to the nominal columns of at most 255
        labels; the codes of others are numbers to it.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rows = [[1.0, "a"], [None, "b"], [3.0, None], [4.0, "b"]]
    >>> model = EncodedModel(DecisionTreeClassifier(random_state=0))
    >>> model.fit(rows, [0, 1, 0, 1]).predict([[2.0, "b"], [1.0, "unseen"]]).tolist()
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
        table = as_table(X)
        self.origins_, self.like_ = origins_of(table), expand_columns(table)
        means = [_mean(column) for column in self.like_]
        self.means_: Floats = np.array([0.0 if np.isnan(m) else m for m in means])
        self.scales_: Floats = np.array([_scale(column) for column in self.like_])
        self.empty_ = np.array([bool(column.missing.all()) for column in self.like_])
        if self.categories and "categorical_features" in self.model.get_params():
            mask = [_is_categorical(column) for column in self.like_]
            self.model.set_params(categorical_features=mask)
        self.model.fit(self._matrix(self.like_), y)
        return self

    def predict(self, X: object) -> NDArray[Any]:
        """Predict with the model."""
        table = follow_origins(plain_table(X), self.origins_)
        return self.model.predict(self._matrix(align(table, self.like_)))

    def predict_proba(self, X: object) -> Floats:
        """Class probabilities of the model, in the order of its `classes_`."""
        table = follow_origins(plain_table(X), self.origins_)
        matrix = self._matrix(align(table, self.like_))
        return np.asarray(self.model.predict_proba(matrix), np.float64)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of probabilities."""
        return np.asarray(self.model.classes_)

    def _matrix(self, table: Table) -> Floats:
        blocks = [self._block(column, j) for j, column in enumerate(table)]
        return np.concatenate(blocks, axis=1)

    def _block(self, column: Column, j: int) -> Floats:
        """One column of the table as columns of the matrix."""
        if self.categories:
            return self._code(column, j)[:, None]
        if column.kind == "nominal":
            return indicators(column.data, len(column.categories))
        numbers = np.where(column.missing, self.means_[j], column.data)
        if self.scaled:
            numbers = (numbers - self.means_[j]) / self.scales_[j]
        return numbers[:, None]

    def _code(self, column: Column, j: int) -> Floats:
        """Numbers or codes, NaN where missing; 0 where training had nothing."""
        if self.empty_[j]:
            return np.zeros(len(column.data))
        if column.kind == "nominal":
            return np.where(column.data < 0, np.nan, column.data)
        return column.data


def _is_categorical(column: Column) -> bool:
    return column.kind == "nominal" and len(column.categories) <= _MOST_CATEGORIES


def _mean(column: Column) -> float:
    known = column.data[~column.missing]
    is_numeric = column.kind == "numeric" and len(known)
    return float(known.mean()) if is_numeric else np.nan


def _scale(column: Column) -> float:
    """The standard deviation, 1 where there is none."""
    known = column.data[~column.missing]
    deviation = known.std() if column.kind == "numeric" and len(known) else 1.0
    return float(deviation) or 1.0
