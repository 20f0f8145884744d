"""Answer queries with receipts, and verify receipts."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Batch, check_finite, prepare
from sklazy.casebase import CaseBase
from sklazy.casebase.parted_head import PartedHead
from sklazy.estimators.contributions import code_numbers
from sklazy.estimators.keeping import query_ids
from sklazy.estimators.next_attribute import describe_suggestions
from sklazy.estimators.reasons import HeldState, Reasoner, can_explain
from sklazy.estimators.state import describe_choices
from sklazy.flow import Queries
from sklazy.methods.blends.learner import BlendLearner
from sklazy.receipts import Receipt, Receipts, Wanted, build_receipts, verify
from sklazy.report.progress import Progress
from sklazy.tables import Table

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

_EXPLAINED_AT_ONCE = 64  # queries


def explain_queries(model: "LazyEstimator", X: object, wanted: Wanted) -> Receipts:
    """Answer each query with a receipt; see `LazyEstimator.explain`."""
    if not hasattr(model, "cases_"):
        check_is_fitted(model)
    held = HeldState(model.cases_)
    queries = None if _is_more(wanted) else code_numbers(model, held.cases, X)
    if queries is not None:
        return Receipts(_explain_all(model, held, queries, None, wanted))
    receipts = _explain_table(model, held, model._query_table(X), wanted)
    ids = query_ids(model, X)
    if ids is not None:
        pairs = zip(receipts, ids, strict=True)
        receipts = [receipt.of_row(row) for receipt, row in pairs]
    return Receipts(receipts)


def verify_receipt(
    model: "LazyEstimator",
    receipt: Receipt | Mapping[str, Any] | str | bytes,
    key: bytes | None,
) -> bool:
    """Recompute a receipt and compare; see `LazyEstimator.verify`."""
    check_is_fitted(model)
    held = HeldState(model.cases_)
    explain = partial(_explain_table, model, held)
    return verify(receipt, explain, held.cases.digest(), key)


def _explain_table(
    model: "LazyEstimator", held: HeldState, table: Table, wanted: Wanted
) -> list[Receipt]:
    return _explain_all(model, held, held.cases.encode(table), table, wanted)


def _explain_all(
    model: "LazyEstimator",
    held: HeldState,
    queries: Queries,
    table: Table | None,
    wanted: Wanted,
) -> list[Receipt]:
    """Build receipts, some queries at a time, so that an interrupt comes through."""
    n_queries = len(queries.codes)
    if n_queries <= _EXPLAINED_AT_ONCE:
        return _explain_slice(model, held, queries, table, wanted)
    receipts: list[Receipt] = []
    with Progress("explaining", total=n_queries) as progress:
        for first in range(0, n_queries, _EXPLAINED_AT_ONCE):
            rows = slice(first, first + _EXPLAINED_AT_ONCE)
            part = Queries(queries.codes[rows], queries.values[rows])
            cells = None if table is None else table.take(np.arange(n_queries)[rows])
            receipts += _explain_slice(model, held, part, cells, wanted)
            progress.advance(len(part.codes))
    return receipts


def _explain_slice(
    model: "LazyEstimator",
    held: HeldState,
    queries: Queries,
    table: Table | None,
    wanted: Wanted,
) -> list[Receipt]:
    cases, learner = held.cases, model._current_learner(held.cases)
    is_brief = wanted.reasons and wanted.detail == "brief"
    if is_brief and isinstance(learner, BlendLearner):
        learner = replace(learner, ask_all=True)
    else:
        learner = model._explaining(learner)
    answer = learner.answer(prepare(learner, cases), Batch(cases, cases.cases, queries))
    check_finite(answer, model.target.kind)
    name, settings = type(model).__name__, describe_choices(model)
    extras = reasons = None
    if table is not None and _is_more(wanted):
        extras = _describe_extras(model, cases, table, wanted)
    if wanted.reasons and can_explain(answer, cases.n_rows * queries.codes.shape[1]):
        reasoner = Reasoner(held, learner, queries, table, model.n_jobs)
        places = range(len(queries.codes))
        reasons = [partial(reasoner.describe, query) for query in places]
    is_brief &= reasons is not None
    receipts = build_receipts(answer, table, name, settings, extras, reasons, is_brief)
    if isinstance(cases, PartedHead):  # parts elsewhere may be lost
        for receipt in receipts:
            _ = receipt.content
    return receipts


def _is_more(wanted: Wanted) -> bool:
    """Whether receipts are to hold more than the answer and its reasons."""
    is_doubted = (wanted.coverage, wanted.accuracy) != (None, None)
    return wanted.suggest or is_doubted


def _describe_extras(
    model: "LazyEstimator", cases: CaseBase, table: Table, wanted: Wanted
) -> list[dict[str, Any]]:
    """Describe the doubt about each answer and what to measure next."""
    suggestions = describe_suggestions(model, cases, table, wanted)
    doubts = model._describe_doubt(cases, table, wanted)
    return [{**one, **doubt} for one, doubt in zip(suggestions, doubts, strict=True)]
