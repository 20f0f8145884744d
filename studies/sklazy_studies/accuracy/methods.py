"""What is compared: lazy learners and peers, all with their defaults."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import sklazy
from sklazy.estimators.encoded import EncodedModel
from sklazy.tables import Table, align, as_table

Make = Callable[[int], Any]
"""From a seed to a new model."""

_N_TREES = 500


class StringModel(EncodedModel):
    """A model of CatBoost, which takes labels as text and numbers with NaN."""

    def fit(self, X: object, y: object) -> Self:
        """Fit the model to the rows."""
        self.like_ = as_table(X)
        nominal = [j for j, column in enumerate(self.like_) if column.kind == "nominal"]
        self.model.fit(self._texts(self.like_), y, cat_features=nominal)
        return self

    def _matrix(self, table: Table) -> NDArray[Any]:
        return self._texts(align(table, self.like_))

    def _texts(self, table: Table) -> NDArray[Any]:
        cells = np.empty(table.shape, object)
        for j, column in enumerate(table):
            is_label = column.kind == "nominal"
            cells[:, j] = column.data.astype(str) if is_label else column.data
        return cells


class CodedModel(EncodedModel):
    """A model of LightGBM, which is told at fit which columns are codes."""

    def fit(self, X: object, y: object) -> Self:
        """Fit the model to the rows."""
        self.like_ = as_table(X)
        self.empty_ = np.array([bool(column.missing.all()) for column in self.like_])
        nominal = [
            j for j, feature in enumerate(self.like_) if feature.kind == "nominal"
        ]
        matrix = self._matrix(self.like_)
        self.model.fit(matrix, y, categorical_feature=nominal)
        return self


def _make(
    model: type[EncodedModel], module: str, name: str, **settings: object
) -> Make:
    """A model of a library that may be missing, so it is imported when it is made."""

    def make(seed: int) -> EncodedModel:
        kind = getattr(importlib.import_module(module), name)
        return model(kind(random_state=seed, **settings), categories=True)

    return make


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


_CATBOOST = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
_LIGHTGBM = {"n_jobs": 1, "verbose": -1}


def _boosting(kind: str) -> dict[str, Make]:
    """Gradient boosting of other libraries, where they are installed."""
    makers = {}
    if _is_installed("lightgbm"):
        makers["LightGBM"] = _make(CodedModel, "lightgbm", f"LGBM{kind}", **_LIGHTGBM)
    if _is_installed("catboost"):
        name = f"CatBoost{kind}"
        makers["CatBoost"] = _make(StringModel, "catboost", name, **_CATBOOST)
    return makers


LAZY_CLASSIFIERS: dict[str, Make] = {
    "lazy blend": lambda seed: sklazy.LazyBlendClassifier(n_jobs=1),
    "lazy kernel": lambda seed: sklazy.LazyKernelClassifier(n_jobs=1),
    "lazy stacking": lambda seed: sklazy.LazyStackingClassifier(n_jobs=1),
    "lazy bagging": lambda seed: sklazy.LazyBaggingClassifier(n_jobs=1),
}
LAZY_REGRESSORS: dict[str, Make] = {
    "lazy blend": lambda seed: sklazy.LazyBlendRegressor(n_jobs=1),
    "lazy kernel": lambda seed: sklazy.LazyKernelRegressor(n_jobs=1),
    "lazy lines": lambda seed: sklazy.LazyLearningRegressor(n_jobs=1),
}
"""Our learners; the seed of their draws is a constant, as users have it."""

CLASSIFIERS: dict[str, Make] = {
    **LAZY_CLASSIFIERS,
    "random forest": lambda seed: EncodedModel(
        RandomForestClassifier(_N_TREES, random_state=seed)
    ),
    "extra trees": lambda seed: EncodedModel(
        ExtraTreesClassifier(_N_TREES, random_state=seed)
    ),
    "HistGradientBoosting": lambda seed: EncodedModel(
        HistGradientBoostingClassifier(random_state=seed), categories=True
    ),
    **_boosting("Classifier"),
}
REGRESSORS: dict[str, Make] = {
    **LAZY_REGRESSORS,
    "random forest": lambda seed: EncodedModel(
        RandomForestRegressor(_N_TREES, random_state=seed)
    ),
    "extra trees": lambda seed: EncodedModel(
        ExtraTreesRegressor(_N_TREES, random_state=seed)
    ),
    "HistGradientBoosting": lambda seed: EncodedModel(
        HistGradientBoostingRegressor(random_state=seed), categories=True
    ),
    **_boosting("Regressor"),
}
