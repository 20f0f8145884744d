"""What is audited: rows, their target, and whose answers are asked for."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray
from sklearn.base import is_regressor

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import GivenIds
from sklazy.errors import BadInputError, BadTypeError, DataWarning
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.tables import Column, Table, as_target, label_array
from sklazy.tables.frames import index_ids

_MOST_CLASSES = 20  # more different whole numbers are no labels
# Rows and paths that choose the settings of kernels: far fewer than by default, in a
# fraction of the time. Rows are ranked as well (docs/audit.md).
_OF_CLASSES: dict[str, Any] = {"max_loo_rows": 100, "n_paths": 500}
_OF_NUMBERS: dict[str, Any] = {"max_loo_rows": 250}


@dataclass(frozen=True, eq=False)
class Task:
    """What is audited.

    Attributes
    ----------
    table : Table
        The columns as the user has them, those set aside among them.
    base : CaseBase
    kind : {"classification", "regression"}
    """

    table: Table
    base: CaseBase
    kind: Literal["classification", "regression"]

    @property
    def labels(self) -> NDArray[Any] | None:
        """The labels by code; None for numbers."""
        if self.kind == "regression":
            return None
        return label_array(self.base.class_labels)


def find_task(
    X: object,
    y: object,
    estimator: object,
    task: str,
    ids: GivenIds,
    categorical_features: object,
) -> Task:
    """Keep the rows, and find out what their target is."""
    regresses = _regresses(y, estimator, task)
    kind: Any = LazyKernelRegressor if regresses else LazyKernelClassifier
    keeper = kind(categorical_features=categorical_features)
    table = keeper._table(X, mixed=False)
    named = index_ids(X) if ids is None else ids
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said when the table was made
        base: CaseBase = keeper.fit(table, y, ids=named).cases_
    if base.n_rows < 2:
        raise BadInputError(
            "X has one row; expected at least 2, since each is judged by the others."
        )
    return Task(table, base, "regression" if regresses else "classification")


def _regresses(y: object, estimator: object, task: str) -> bool:
    if task != "auto":
        return task == "regression"
    if estimator is not None:
        return bool(is_regressor(_listed(estimator)[0]))
    return not _are_labels(as_target(y, "nominal"))


def _are_labels(target: Column) -> bool:
    """Whether cells are words, or whole numbers of which there are few."""
    labels = target.categories
    if any(isinstance(label, str | bool) for label in labels):
        return True
    most = min(_MOST_CLASSES, max(2, len(target) // 5))
    return len(labels) <= most and all(float(one).is_integer() for one in labels)


def _listed(estimator: object) -> list[Any]:
    several = isinstance(estimator, list | tuple)
    models: list[Any] = list(estimator) if several else [estimator]  # type: ignore[call-overload]
    if not models:
        raise BadInputError("estimator=[] names none; give at least one, or None.")
    for model in models:
        if isinstance(model, type):
            raise BadTypeError(
                f"estimator={model.__name__} is a class; give {model.__name__}()."
            )
        if not hasattr(model, "fit"):
            raise BadTypeError(
                f"estimator={model!r} is no estimator; give one that can leave rows "
                "out, a list of these, or None."
            )
    return models


def choose_models(
    task: Task, estimator: object, categorical_features: object, n_jobs: int | None
) -> list[Any]:
    """The estimators whose left-out answers are asked for."""
    common: dict[str, Any] = {
        "categorical_features": categorical_features,
        "n_jobs": n_jobs,
    }
    if estimator is None and task.kind == "regression":
        return [LazyKernelRegressor(**common, **_OF_NUMBERS)]
    if estimator is None:
        return [LazyKernelClassifier(**common, **_OF_CLASSES)]
    models = _listed(estimator)
    needed = "loo_predict" if task.kind == "regression" else "loo_predict_proba"
    for model in models:
        if not hasattr(model, needed):
            raise BadTypeError(
                f"estimator={model!r} cannot leave rows out: it has no {needed}; give "
                "a lazy estimator of this library, such as LazyKernelClassifier()."
            )
    return models
