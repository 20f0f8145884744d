"""The task of an audit, and the evidence behind its findings."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike
from sklazy.errors import BadInputError, BadTypeError, DataWarning
from sklazy.estimators.audit.alike import (
    RowComparison,
    compare_rows,
    list_equal,
    list_near,
    list_novel,
)
from sklazy.estimators.audit.columns import list_columns
from sklazy.estimators.audit.finding import Finding
from sklazy.estimators.audit.targets import find_doubts, list_contradicted
from sklazy.estimators.inputs import are_numbers
from sklazy.estimators.keeping import read_first
from sklazy.estimators.kernel_models import LazyKernelClassifier, LazyKernelRegressor
from sklazy.forking import cached_property
from sklazy.measures.doubts import Doubts
from sklazy.report.progress import Progress
from sklazy.tables import Table, label_array
from sklazy.tables.frames import index_ids

# Rows and paths that choose the settings of kernels: far fewer than by default, in a
# fraction of the time. Rows are ranked as well (docs/audit.md).
_OF_CLASSES: dict[str, Any] = {"max_loo_rows": 100, "n_paths": 500}
_OF_NUMBERS: dict[str, Any] = {"max_loo_rows": 250}


@dataclass(frozen=True, eq=False)
class AuditTask:
    """Rows and target of an audit; `table` has the columns as the user has them."""

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
    ids: IdsLike,
    categorical_features: object,
) -> AuditTask:
    """Keep the rows, and find out what their target is."""
    regresses = _is_regression(y, estimator, task)
    kind: Any = LazyKernelRegressor if regresses else LazyKernelClassifier
    keeper = kind(categorical_features=categorical_features)
    table = read_first(keeper, X)
    named = index_ids(X) if ids is None else ids
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # warned when the table was made
        base: CaseBase = keeper.fit(table, y, ids=named).cases_
    if base.n_rows < 2:
        raise BadInputError(
            "X has one row; expected at least 2, because each row is compared with "
            "the others."
        )
    return AuditTask(table, base, "regression" if regresses else "classification")


def _is_regression(y: object, estimator: object, task: str) -> bool:
    if task != "auto":
        return task == "regression"
    if estimator is not None:
        return bool(is_regressor(_list_estimators(estimator)[0]))
    return are_numbers(y)


def _list_estimators(estimator: object) -> list[Any]:
    several = isinstance(estimator, list | tuple)
    models: list[Any] = list(estimator) if several else [estimator]  # type: ignore[call-overload]
    if not models:
        raise BadInputError("estimator=[] is empty; give at least one, or None.")
    for model in models:
        if isinstance(model, type):
            raise BadTypeError(
                f"estimator={model.__name__} is a class; give {model.__name__}()."
            )
        if not hasattr(model, "fit"):
            raise BadTypeError(
                f"estimator={model!r} is not an estimator; give one that can leave "
                "rows out, a list of these, or None."
            )
    return models


def choose_models(
    task: AuditTask, estimator: object, categorical_features: object, n_jobs: int | None
) -> list[Any]:
    """Choose the estimators whose left-out answers are used."""
    common: dict[str, Any] = {
        "categorical_features": categorical_features,
        "n_jobs": n_jobs,
    }
    if estimator is None and task.kind == "regression":
        return [LazyKernelRegressor(**common, **_OF_NUMBERS)]
    if estimator is None:
        return [LazyKernelClassifier(**common, **_OF_CLASSES)]
    models = _list_estimators(estimator)
    needed = "loo_predict" if task.kind == "regression" else "loo_predict_proba"
    for model in models:
        if not hasattr(model, needed):
            raise BadTypeError(
                f"estimator={model!r} cannot leave rows out: it has no {needed}; give "
                "a lazy estimator of this library, such as LazyKernelClassifier()."
            )
    return models


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows with left-out answers, and the findings, computed on first use.

    Attributes
    ----------
    answers : float64 array of shape (n_rows, n_classes), or (n_rows,)
        In order of arrival.
    """

    table: Table
    base: CaseBase
    answers: NDArray[np.float64]
    max_rows: int

    @cached_property
    def doubts(self) -> Doubts:
        """How far the others contradict each row, as rows lie."""
        return find_doubts(self.base, self.answers)

    @cached_property
    def alike(self) -> RowComparison:
        """How near the rows are to each other."""
        with Progress("comparing rows", total=1) as progress:
            return compare_rows(self.base, self.max_rows, progress)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """By kind, the most striking of a kind first."""
        base, alike = self.base, self.alike
        return (
            *list_contradicted(base, self.answers, self.doubts),
            *list_equal(base, alike),
            *list_near(base, alike),
            *list_novel(base, alike),
            *list_columns(self.table, base),
        )
