"""Rows and columns of a table that are worth a second look, with reasons."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike
from sklazy.errors import BadInputError, DataWarning, MissingExtraError
from sklazy.estimators.audit.evidence import (
    AuditTask,
    Evidence,
    choose_models,
    find_task,
)
from sklazy.estimators.audit.finding import KINDS, Finding
from sklazy.estimators.audit.targets import leave_out, leave_out_here
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.case_values import CaseValues, case_values
from sklazy.estimators.inputs import places_of
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.estimators.state import restore_state
from sklazy.forking import cached_property
from sklazy.methods.plain import target_names
from sklazy.receipts import Receipts
from sklazy.report.audit import (
    audit_fragment,
    audit_markdown,
    audit_page,
    audit_text,
    describe_finding,
)
from sklazy.report.html import preformatted
from sklazy.report.progress import Progress
from sklazy.tables.taking import take_columns
from sklazy.tables.targets import warn_of_pairs

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Audit:
    """Findings of `audit`.

    Attributes
    ----------
    doubts : float64 array of shape (n_rows,)
        How far the other cases contradict the target of each row, in order of arrival:
        one minus the left-out probability of its label, or the left-out residual
        relative to a typical one.
    suggested : array of shape (n_rows,)
        Prediction from the others: a label (the row's own if they do not contradict
        it), or a number.
    ids : array of shape (n_rows,)
        The rows' ids.
    task : {"classification", "regression"}
    n_attributes : int
    target : str
        The target's name.
    learned : bool
        Whether the left-out answers are better than guesses; if not, no label is
        reported as contradicted.
    """

    doubts: Floats
    suggested: NDArray[Any]
    ids: NDArray[Any]
    task: Literal["classification", "regression"]
    n_attributes: int
    target: str
    learned: bool
    _evidence: Evidence
    _models: tuple[Any, ...]
    _names: tuple[str, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings by kind, the most striking first; computed on first use."""
        return self._evidence.findings

    @property
    def expected_wrong(self) -> float:
        """Roughly how many of the contradicted labels are wrong; 0 for numbers."""
        return self._evidence.doubts.expected_wrong

    @property
    def n_compared(self) -> int:
        """With how many distinct rows each was compared to find (near) duplicates."""
        return self._evidence.alike.n_compared

    @cached_property
    def models(self) -> tuple[Any, ...]:
        """Fitted estimators, whose left-out answers were used."""
        return tuple(_fit_to_copy(model, self._evidence.base) for model in self._models)

    def of_kind(self, kind: str) -> list[Finding]:
        """The findings of one kind, see `Finding`.

        Parameters
        ----------
        kind : {"label", "conflict", "duplicate", "near duplicate", "novel", "column"}
        """
        check_choice("kind", kind, KINDS)
        return [one for one in self.findings if one.kind == kind]

    def explain(self, rows: ArrayLike) -> Receipts:
        """Explain rows by receipts, each predicted from all other rows.

        A receipt takes as long as a fit and a prediction. ``verify`` of the model
        replays it once the model has forgotten the row.

        Parameters
        ----------
        rows : array-like of int
            Rows by position in order of arrival.
        """
        model = next((one for one in self.models if hasattr(one, "cases_")), None)
        if model is None:
            raise BadInputError(
                f"{type(self.models[0]).__name__} has no receipts; audit with a lazy "
                "estimator, or leave estimator out."
            )
        base = model.cases_
        places, table = places_of(base, rows), base.to_table()
        receipts = []
        for row in places.tolist():
            others = copy.deepcopy(model).forget(base.ids[row : row + 1])
            receipts.append(others.explain(table.take([row]))[0])
        return Receipts(receipts)

    def case_values(self, n_neighbors: int = 5) -> CaseValues:
        """Find how much each row helps or harms the answers to the others.

        Parameters
        ----------
        n_neighbors : int, default=5
            Of the k-NN whose votes are valued; see `sklazy.case_values`.
        """
        model = next((one for one in self.models if hasattr(one, "cases_")), None)
        if model is None:
            raise BadInputError(
                f"{type(self.models[0]).__name__} keeps no cases; audit with a lazy "
                "estimator, or leave estimator out."
            )
        return case_values(model, n_neighbors=n_neighbors)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data, except doubts of rows without a finding."""
        return {
            "task": self.task,
            "target": self.target,
            "n_rows": len(self.ids),
            "n_attributes": self.n_attributes,
            "n_compared": self.n_compared,
            "learned": self.learned,
            "expected_wrong": self.expected_wrong,
            "models": list(self._names),
            "findings": [_to_plain(one) for one in self.findings],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """The plain data as JSON.

        Parameters
        ----------
        indent : int, default=2
            Of nested parts; None writes one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_columns(self) -> dict[str, list[Any]]:
        """The findings as columns: one line for each row or column concerned.

        `also` names the other rows of a finding, and the rows that contradict a label.
        """
        lines = [line for one in self.findings for line in _list_lines(one)]
        return {name: [line[name] for line in lines] for name in _COLUMNS}

    def to_frame(self) -> pandas.DataFrame:
        """The same as a pandas frame (needs pandas)."""
        try:
            import pandas  # noqa: PLC0415 (an optional dependency)
        except ModuleNotFoundError:
            raise MissingExtraError(
                "frames need pandas, which is not installed: pip install pandas. "
                "to_columns() and to_dict() need nothing."
            ) from None
        frame = pandas.DataFrame(self.to_columns(), dtype=object)
        return frame.astype({"score": float})

    def to_text(self, width: int = 80) -> str:
        """The report for a terminal, no line wider than `width`.

        Parameters
        ----------
        width : int, default=80
            Most characters per line.
        """
        return audit_text(self.to_dict(), width)

    def to_markdown(self) -> str:
        """The report as Markdown."""
        return audit_markdown(self.to_dict())

    def to_html(self) -> str:
        """The report as a self-contained HTML page (needs jinja2)."""
        return audit_page(self.to_dict())

    def _repr_html_(self) -> str:
        try:
            return audit_fragment(self.to_dict())
        except MissingExtraError:
            return preformatted(self.to_text())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        counts = [f"{len(self.of_kind(kind))} {kind}" for kind in KINDS]
        return f"Audit({len(self.ids)} rows: {', '.join(counts)})"


def _fit_to_copy(model: Any, base: CaseBase) -> Any:  # noqa: ANN401 - any estimator
    """The estimator, fitted to a copy of the rows if it is not yet."""
    if not isinstance(model, LazyEstimator) or hasattr(model, "cases_"):
        return model
    restore_state(model, copy.deepcopy(base), {})
    return model


_COLUMNS = ["kind", "row", "column", "score", "given", "suggested", "also", "message"]


def _to_plain(one: Finding) -> dict[str, Any]:
    return {**asdict(one), "rows": list(one.rows)}


def _list_lines(one: Finding) -> list[dict[str, Any]]:
    """A line for each row of a finding, or one for a column."""
    shared = {name: getattr(one, name) for name in ("kind", "column", "score")}
    shared |= {"given": one.given, "suggested": one.suggested}
    shared["message"] = describe_finding(_to_plain(one))
    against = [case["id"] for case in one.evidence.get("against", ())]
    return [
        {
            **shared,
            "row": row,
            "also": " ".join(str(i) for i in [*one.rows, *against] if i != row),
        }
        for row in one.rows or (None,)
    ]


def audit(
    X: object,
    y: object,
    *,
    estimator: object = None,
    task: str = "auto",
    ids: IdsLike = None,
    max_rows: int = 20_000,
    categorical_features: object = "from_dtype",
    n_jobs: int | None = None,
) -> Audit:
    """Find rows and columns of a table that are worth a second look before learning.

    - Labels and numbers that the other cases contradict, by leave-one-out, each with
      the cases and attributes that contradict it; `Audit.explain` gives full receipts.
    - Rows with equal inputs and equal or different targets, and pairs of rows that are
      unusually similar.
    - Rows far from all others.
    - Columns that name the rows, and columns that predict the target by themselves.

    Nothing is changed. A finding is not always an error: check each one.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
        Numeric and nominal features. Cells may be missing.
    y : array-like of shape (n_rows,)
        Labels or numbers, without missing values.
    estimator : estimator or list of estimators, optional
        Estimators whose left-out answers are used: classifiers with
        ``loo_predict_proba``, or regressors with ``loo_predict``; several are averaged.
        Default: `LazyKernelClassifier`, with settings chosen on 100 rows, and linear
        least squares; for numbers `LazyKernelRegressor`, with settings chosen on 250
        rows.
    task : {"auto", "classification", "regression"}
        Whether y holds labels or numbers. "auto" follows the estimator; without one,
        numbers are labels if they are whole and few.
    ids : sequence of int or str, optional
        Row ids. Default: the index of a pandas frame if it names rows, else 0, 1, ...
    max_rows : int, default=20000
        Rows are compared with each other to find near duplicates and novel rows, which
        takes time by the square of their number. With more distinct rows, each is
        compared with a sample of this size, drawn by content.
    categorical_features : "from_dtype", None or array-like
        Which columns are nominal.
    n_jobs : int, optional
        Number of threads of the default estimators.

    Returns
    -------
    Audit

    See Also
    --------
    advise : Whether lazy selection pays on a table.

    Notes
    -----
    Distances are HEOM, scaled by the ranges of all rows; a missing cell differs from
    any other, but does not make its own row novel. Results do not depend on the order
    of rows. There are no sample weights. On one core 2000 rows of 20 attributes take
    0.3 s and 20 000 rows 22 s, most of it for the kernel, which beyond 2000 rows solves
    a system for each row.

    Examples
    --------
    >>> import sklazy
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> y[7] = 2
    >>> result = sklazy.audit(X, y)
    >>> result.of_kind("label")[0].rows, result.of_kind("label")[0].suggested
    ((7,), 0)
    >>> [one.rows for one in result.of_kind("duplicate")]
    [(101, 142)]
    """
    check_choice("task", task, ("auto", "classification", "regression"))
    check_count("max_rows", max_rows, 2)
    X, y, ids = take_columns(X, y, ids)
    warn_of_pairs(X, y)
    audited = find_task(X, y, estimator, task, ids, categorical_features)
    models = choose_models(audited, estimator, categorical_features, n_jobs)
    names = [type(model).__name__ for model in models]
    with Progress("auditing", total=len(models), noun="models") as progress:
        if estimator is None:
            answers = leave_out_here(models, audited.base, progress)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # warned already
                models, answers = leave_out(models, X, y, audited.base, progress)
    if estimator is None and audited.kind == "classification":
        names.append("linear least squares")
    evidence = Evidence(audited.table, audited.base, answers, max_rows)
    return _make_audit(audited, evidence, models, names)


def _make_audit(
    task: AuditTask, evidence: Evidence, models: Sequence[Any], names: Sequence[str]
) -> Audit:
    base, doubts = task.base, evidence.doubts
    arrived = np.argsort(base.arrival)
    suggested = np.asarray(doubts.suggested)[arrived]
    return Audit(
        doubts.doubts[arrived],
        suggested if task.labels is None else task.labels[suggested],
        base.ids[arrived],
        task.kind,
        len(task.table.columns),
        target_names(base)[0],
        doubts.learned,
        evidence,
        tuple(models),
        tuple(names),
    )
