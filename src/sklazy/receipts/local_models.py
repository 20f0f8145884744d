"""The evidence behind one local prediction, in the user's names and units."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.local_models.influence import chosen_models, influences
from sklazy.answer.local_models.learner import LocalAnswer, LocalMemory, model_details
from sklazy.casebase import CaseBase

Plain = dict[str, Any]


def explain_target(
    base: CaseBase,
    memory: LocalMemory,
    cells: list[Plain],
    answer: LocalAnswer,
    query: int,
    target: int,
) -> Plain:
    """Everything about the prediction of one target of one query, as plain data."""
    models, scores, shares = chosen_models(answer, query, target)
    fitted = answer.models
    k = int(models[:, 1].max()) if len(models) else 0
    slots = memory.slots[answer.neighbors.rows[query, :k]]
    labels = base.class_labels
    return {
        "name": str(labels[target]) if labels else f"y{target}",
        "prediction": number(fitted.coefficients[query, target, 0]),
        "error": number(np.sqrt(fitted.errors[query, target])),
        "k": k,
        "models": [
            {
                "degree": degree,
                "k": size,
                "score": number(score),
                "share": number(share),
            }
            for (degree, size), score, share in zip(
                models.tolist(), scores, shares, strict=True
            )
        ],
        "curves": _curves(memory, answer, query, target),
        "coefficients": _coefficients(base, memory, answer, query, target),
        "neighbors": _neighbors(base, memory, answer, query, target) if k else [],
        "outside": _outside(base, cells, slots) if k else [],
    }


def number(value: float) -> float | None:
    """A number for JSON; NaN is None."""
    return float(value) if np.isfinite(value) else None


def _curves(
    memory: LocalMemory, answer: LocalAnswer, query: int, target: int
) -> list[Plain]:
    """The score of every number of neighbors that was tried, by degree."""
    curves = []
    for degree, (least, most, _) in enumerate(memory.plan.ranges.tolist()):
        if least:
            scores = answer.models.curves[query, target, degree, least - 1 : most]
            curves.append(
                {
                    "degree": degree,
                    "first": least,
                    "scores": [number(score) for score in scores],
                }
            )
    return curves


def _coefficients(
    base: CaseBase, memory: LocalMemory, answer: LocalAnswer, query: int, target: int
) -> dict[str, float | None]:
    """Coefficients of differences from the query, in the units of the data."""
    names, units = _regressors(base, memory)
    values = answer.models.coefficients[query, target]
    d = len(names)
    labels, scales = ["intercept"], [1.0]
    if len(values) > 1:
        labels, scales = labels + names, scales + units
    if len(values) > 1 + d:
        pairs = [(a, b) for a in range(d) for b in range(a, d)]
        labels += [f"{names[a]} * {names[b]}" for a, b in pairs]
        scales += [units[a] * units[b] for a, b in pairs]
    return {
        label: number(value * scale)
        for label, value, scale in zip(labels, values, scales, strict=True)
    }


def _regressors(base: CaseBase, memory: LocalMemory) -> tuple[list[str], list[float]]:
    """The regressors' names, and what their coefficients are multiplied by."""
    space, names, units = memory.space, [], []
    for j, category in zip(
        space.sources.tolist(), space.categories.tolist(), strict=True
    ):
        if category < 0:
            names.append(base.names[j])
            units.append(float(space.factors[j]))
        else:
            names.append(f"{base.names[j]} = {base.categories(j)[category]}")
            units.append(1.0)
    return names, units


def _neighbors(
    base: CaseBase, memory: LocalMemory, answer: LocalAnswer, query: int, target: int
) -> list[Plain]:
    """The neighbors in use, nearest first."""
    weights = influences(memory, answer, query, target)
    rows = answer.neighbors.rows[query, : len(weights)]
    distances = answer.neighbors.distances[query, : len(weights)]
    if memory.space.columns.squared:
        distances = np.sqrt(distances)
    leverages, errors = _loo(memory, answer, query, target, rows)
    ids = base.ids[memory.slots[rows]].tolist()
    return [
        {
            "id": ids[i],
            "distance": number(distances[i]),
            "target": number(memory.cases.targets[row, target]),
            "influence": number(weights[i]),
            "leverage": number(leverages[i]) if i < len(leverages) else None,
            "residual": number(errors[i]) if i < len(leverages) else None,
        }
        for i, row in enumerate(rows)
    ]


def _loo(
    memory: LocalMemory,
    answer: LocalAnswer,
    query: int,
    target: int,
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leverages and leave-one-out residuals of the best model's neighbors."""
    best, k = model_details(memory, answer, query, target)
    leverages, residuals = best.leverages[0, target, :k], best.residuals[0, target, :k]
    if len(memory.cases.weights):
        residuals = residuals / np.sqrt(memory.cases.weights[rows[:k]])
    with np.errstate(divide="ignore", invalid="ignore"):
        return leverages, residuals / (1.0 - leverages)


def _outside(
    base: CaseBase, cells: list[Plain], slots: NDArray[np.int64]
) -> list[Plain]:
    """Columns in which the query lies outside the neighbors in use."""
    cases, found = base.cases, []
    for j, cell in enumerate(cells):
        column, value, i = cell["name"], cell["value"], int(cases.numeric[j])
        if value is None:
            continue
        if i < 0:
            near_labels = {
                base.categories(j)[c] for c in cases.codes[j, slots] if c >= 0
            }
            if value not in near_labels:
                found.append({"column": column, "value": value})
            continue
        near = cases.numbers[i, slots]
        near = near[~np.isnan(near)]
        if len(near) and not near.min() <= value <= near.max():
            ends = {"least": float(near.min()), "most": float(near.max())}
            found.append({"column": column, "value": value, **ends})
    return found
