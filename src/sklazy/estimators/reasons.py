"""Reasons for receipts: what features add, and what cases move."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import Batch, prepare
from sklazy.answer.reasons import Shares, Wish, map_features
from sklazy.casebase import CaseBase
from sklazy.estimators.contributions import choose_outputs, name_outputs
from sklazy.methods.family import find_contributions
from sklazy.methods.kernel_models.learner import KernelAnswer
from sklazy.methods.plain import Plain, describe_queries
from sklazy.receipts.families import FAMILIES_BY_ANSWER
from sklazy.receipts.reasons import MOST_CASES
from sklazy.tables import Table

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

_MOST_LEFT_OUT = 5000  # cases: of more it takes seconds to leave each out


def describe_reasons(
    model: "LazyEstimator", cases: CaseBase, table: Table
) -> list[Plain]:
    """Describe why each query was answered so, as plain data."""
    learner = model._current_learner(cases)
    batch = Batch(cases, cases.cases, cases.encode(table))
    answer = learner.answer(prepare(learner, cases), batch)
    outputs = choose_outputs(cases, answer, None)
    wish = Wish(outputs, map_features(cases), table=table)
    families = FAMILIES_BY_ANSWER
    shares = find_contributions(
        learner, batch, wish, families, answer=answer, n_jobs=model.n_jobs
    )
    named = name_outputs(cases, outputs).tolist()
    rows = describe_queries(cases, batch.queries, table)
    moved: Any = [None] * len(batch)
    if isinstance(answer, KernelAnswer) and 1 < cases.n_rows <= _MOST_LEFT_OUT:
        moved = _list_cases(learner, answer, batch, wish, shares)
    return [
        {
            "of": named[query],
            "base": float(shares.base[query]),
            "answer": float(shares.answer[query]),
            "features": _list_features(cases, shares, query, rows[query]),
            "cases": moved[query],
        }
        for query in range(len(batch))
    ]


def _list_features(
    cases: CaseBase, shares: Shares, query: int, cells: list[Plain]
) -> list[Plain]:
    """The features and their contributions, the largest first."""
    features, units = map_features(cases), _find_units(cases)
    values, errors = shares.values[query], shares.errors[query]
    first = {int(f): j for j, f in reversed(list(enumerate(features.of_attribute)))}
    return [
        {
            "name": features.names[j],
            "value": cells[first[j]]["value"] if j in first else None,
            "unit": units.get(features.names[j], ""),
            "contribution": float(values[j]),
            "error": float(errors[j]),
        }
        for j in np.argsort(-np.abs(values), kind="stable").tolist()
    ]


def _find_units(cases: CaseBase) -> dict[str, str]:
    """The units of amounts: currency, percent, or another that cells named."""
    return {
        origin.name: origin.reading.unit
        for origin in cases.schema.origins
        if origin.reading is not None and origin.reading.style == "amount"
    }


def _list_cases(
    learner: Any,  # noqa: ANN401 - that of the answer
    answer: KernelAnswer,
    batch: Batch,
    wish: Wish,
    shares: Shares,
) -> list[Plain]:
    """The cases that move each answer most, for and against, and the sums of both."""
    cases, formula = batch.base, FAMILIES_BY_ANSWER[KernelAnswer].answer_without
    assert formula is not None
    blocks = [np.array([row]) for row in cases.order.tolist()]
    without = formula(learner, answer, batch, wish, blocks)
    return [
        _describe_cases(cases, shares.answer[query] - without[query])
        for query in range(len(batch))
    ]


def _describe_cases(cases: CaseBase, influence: NDArray[np.float64]) -> Plain:
    order = np.argsort(-influence, kind="stable")
    most, least = order[:MOST_CASES], order[::-1][:MOST_CASES]
    return {
        "for": float(influence[influence > 0].sum()),
        "against": float(influence[influence < 0].sum()),
        "listed_for": _name_cases(cases, influence, most[influence[most] > 0]),
        "listed_against": _name_cases(cases, influence, least[influence[least] < 0]),
    }


def _name_cases(
    cases: CaseBase, influence: NDArray[np.float64], places: NDArray[np.int64]
) -> list[Plain]:
    rows = cases.order[places]
    if cases.class_labels:
        codes = cases.cases.classes[rows].tolist()
        targets: list[Any] = [cases.class_labels[code] for code in codes]
    else:
        targets = cases.cases.targets[0, rows].tolist()
    ids = cases.ids[rows].tolist()
    moved = influence[places].tolist()
    keys = ("id", "target", "influence")
    return [
        dict(zip(keys, row, strict=True))
        for row in zip(ids, targets, moved, strict=True)
    ]
