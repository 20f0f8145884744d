"""A lazy model for each column of a table, which predicts it from the others."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sklazy.casebase.incoming import as_ids
from sklazy.casebase.rows import Ids
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.local_models.classifier import LazyLearningClassifier
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.estimators.selection.number_neighbors import LazyKNeighborsRegressor
from sklazy.tables import Column, Kind, Table, label_array
from sklazy.tables.origins import is_aside
from sklazy.tables.several import concatenate_tables

_FROM_TWO = (LazyLearningRegressor, LazyLearningClassifier)
"""Models that need two rows."""

_NOTHING = "nothing known"  # the feature of a table that has one column


def features_of(table: Table, name: str) -> Table:
    """Take all columns but one, and those set aside; a constant where none is left."""
    columns = tuple(c for c in table if c.name != name and not is_aside(c))
    if not columns:
        columns = (Column(_NOTHING, "numeric", np.zeros(table.n_rows)),)
    return Table(columns, table.n_rows)


def known_cells(column: Column, rows: NDArray[np.intp]) -> NDArray[Any]:
    """The cells of a column at some rows: numbers or labels."""
    taken = column.take(rows)
    return taken.data if column.kind == "numeric" else label_array(taken.cells())


class _Rows(NamedTuple):
    """Rows that know a column: the others cells, its own, and their ids."""

    features: Table
    cells: NDArray[Any]
    ids: Ids

    def join(self, others: "_Rows") -> "_Rows":
        """These rows and others behind them."""
        return _Rows(
            concatenate_tables([self.features, others.features]),
            np.concatenate([self.cells, others.cells]),
            np.concatenate([self.ids, others.ids]),
        )


def _spare_model(kind: Kind) -> LazyEstimator:
    if kind == "numeric":
        return LazyKNeighborsRegressor(1, 1.0, selection="none")
    return LazyKNeighborsClassifier(1)


def _can_leave_out(model: LazyEstimator) -> bool:
    """Whether a model can do with a row less."""
    return model.cases_.n_rows > (2 if isinstance(model, _FROM_TWO) else 1)


class ColumnModel:
    """A model of one column, fitted to the rows that know it.

    Attributes
    ----------
    name : str
    kind : {"numeric", "nominal"}
    model : fitted lazy estimator
    """

    def __init__(
        self,
        column: Column,
        candidates: Sequence[LazyEstimator],
        table: Table,
        ids: Ids,
    ) -> None:
        self.name, self.kind = column.name, column.kind
        self.fitted: list[Any] = [clone(one) for one in candidates]
        if all(isinstance(one, _FROM_TWO) for one in candidates):
            self.fitted.append(_spare_model(self.kind))  # which answers for one row
        self._n_candidates = len(candidates)
        self._only: _Rows | None = None  # a row that some models wait for
        self._keep(self._known_rows(table, ids))
        self.model: Any = self._choose()

    def _known_rows(self, table: Table, ids: Ids) -> "_Rows":
        column = table[self.name]
        rows = np.flatnonzero(~column.missing)
        features = features_of(table, self.name).take(rows)
        return _Rows(features, known_cells(column, rows), ids[rows])

    def _keep(self, new: "_Rows") -> None:
        """Add rows to all models; those that need two rows wait for the second."""
        first, self._only = self._only, None
        whole = new if first is None else first.join(new)
        for model in self.fitted:
            if hasattr(model, "cases_"):
                model.partial_fit(*new[:2], ids=new.ids)
            elif len(whole.ids) > 1 or not isinstance(model, _FROM_TWO):
                model.fit(*whole[:2], ids=whole.ids)
            else:
                self._only = whole

    def _choose(self) -> Any:  # noqa: ANN401 - a lazy estimator
        """Choose the model whose left-out answers are best; the first of equal ones."""
        if self.n_known < 2:
            return next(m for m in self.fitted if not isinstance(m, _FROM_TWO))
        models = self.fitted[: self._n_candidates]
        losses = [self._loss(m) for m in models] if len(models) > 1 else [0.0]
        return models[int(np.argmin(losses))]

    @property
    def n_known(self) -> int:
        """The number of rows that know the column."""
        return int(next(m.cases_.n_rows for m in self.fitted if hasattr(m, "cases_")))

    def _loss(self, model: Any) -> float:  # noqa: ANN401 - a lazy estimator
        if not _can_leave_out(model):
            return np.inf
        answers, known = _predict_left_out(model), _targets_of(model)
        if self.kind == "nominal":
            return float(np.mean(np.asarray(answers, object) != known))
        return float(np.mean(np.abs(answers - known)))

    def add(self, table: Table, ids: Ids) -> None:
        """Add the rows that know the column."""
        new = self._known_rows(table, ids)
        if len(new.ids):
            self._keep(new)
            self.model = self._choose()

    def forget(self, ids: Ids) -> bool:
        """Forget rows; False if none would be left, and the model has to go."""
        present = self.model.ids_
        gone = present[np.isin(present, ids)]
        if len(gone) == len(present):
            return False
        if len(gone):
            for model in self.fitted:
                model.forget(as_ids(gone))
            self.model = self._choose()
        return True

    def fill(self, table: Table, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Predict the cells at some rows."""
        return self.model.predict(features_of(table, self.name).take(rows))

    def draw(
        self, table: Table, rows: NDArray[np.intp], rng: np.random.Generator
    ) -> NDArray[Any]:
        """Draw cells at some rows: by probability, or with a left-out residual."""
        features = features_of(table, self.name).take(rows)
        if self.kind == "numeric":
            answers = self.model.predict(features)
            return answers + rng.choice(self.residuals(), len(rows))
        shares = np.cumsum(self.model.predict_proba(features), axis=1)
        places = (rng.random((len(rows), 1)) * shares[:, -1:] > shares).sum(axis=1)
        return self.model.classes_[np.minimum(places, shares.shape[1] - 1)]

    def residuals(self) -> NDArray[np.float64]:
        """The differences of known cells from what all others predict for them."""
        if not _can_leave_out(self.model):
            return np.zeros(1)
        return np.asarray(_targets_of(self.model) - self.model.loo_predict())


def _predict_left_out(model: Any) -> NDArray[Any]:  # noqa: ANN401 - a lazy estimator
    """Predict each case from the others, scales and codes being those of all cases.

    They do not depend on the target, and finding them anew for each case takes most of
    the time of local models.
    """
    if model._can_approximate:
        return np.asarray(model.loo_predict(approximate=True))
    return np.asarray(model.loo_predict())


def _targets_of(model: Any) -> NDArray[Any]:  # noqa: ANN401 - a lazy estimator
    """The targets of a model's cases, in order of arrival."""
    base = model.cases_.joined()
    order = np.argsort(base.arrival)
    if not base.coder.has_classes:
        return np.asarray(base.rows.targets[0, : base.n_rows][order])
    labels = label_array(base.class_labels).astype(object)
    return np.asarray(labels[base.rows.classes[: base.n_rows][order]])
