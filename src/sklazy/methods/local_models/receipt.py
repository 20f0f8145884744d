"""Receipts of local models: the models, their scores, coefficients and neighbors."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.kernels.columns import to_distances
from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.local_models.alike import find_shares
from sklazy.methods.local_models.answers import LocalAnswer, model_details
from sklazy.methods.local_models.drawing import draw_local_models
from sklazy.methods.local_models.influence import chosen_models, influences
from sklazy.methods.local_models.reasons import contribute
from sklazy.methods.plain import (
    MOST_LISTED,
    Floats,
    Plain,
    describe_decision,
    describe_rows,
    number,
    numbers,
    target_names,
)
from sklazy.methods.space import Space

_MODEL = {"degree": c.degree, "k": c.count, "score": c.figure, "share": c.figure}
_CURVE = {"degree": c.degree, "first": c.count, "scores": c.list_of(c.figure)}
_NEIGHBOR = {
    "id": c.label,
    "distance": c.figure,
    "target": c.figure,
    "influence": c.figure,
    "leverage": c.figure,
    "residual": c.figure,
}
ALIKE = {"n_same_inputs": c.count, "mean_target": c.figure}
_ENDS = {"min": c.number, "max": c.number}
_TARGET = c.record(
    {
        "name": c.label,
        "prediction": c.figure,
        "error": c.figure,
        "k": c.count,
        "models": c.list_of(c.record(_MODEL)),
        "curves": c.list_of(c.record(_CURVE)),
        "coefficients": c.dict_of(c.figure),
        "neighbors": c.list_of(c.record(_NEIGHBOR, optional=ALIKE)),
        "outside_range": c.list_of(
            c.record({"column": c.text, "value": c.label}, optional=_ENDS)
        ),
    }
)


def fields(classes: bool) -> dict[str, c.Check]:
    """Checks of the receipt fields of local models, for classes or numbers."""
    outcome = {"class": c.label} if classes else {"target": c.number_or_numbers}
    case = {
        "id": c.label,
        **outcome,
        "distance": c.figure,
        "values": c.dict_of(c.cell),
    }
    return {
        "neighbors": c.record(
            {"k": c.count, "listed": c.list_of(c.record(case), MOST_LISTED)}
        ),
        "targets": c.list_of(_TARGET),
    }


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    names = [item["name"] for item in content["targets"]]
    if "votes" in content:
        expected = [item["label"] for item in content["votes"]]
    else:
        expected = [item["name"] for item in content["cases"]["targets"]]
    yield "targets", c.same(names, expected)
    for target in content["targets"]:
        ends = [set(item) & set(_ENDS) for item in target["outside_range"]]
        yield "targets", all(len(pair) != 1 for pair in ends)


def bodies(answer: LocalAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of local models, for each query."""
    labels = answer.base.class_labels
    names = labels or target_names(answer.base)
    for query, cells in enumerate(queries):
        targets = [
            _target(answer, query, t, name, cells) for t, name in enumerate(names)
        ]
        k = max(target["k"] for target in targets)
        yield {
            "neighbors": {"k": k, "listed": _listed(answer, query, k)},
            "targets": targets,
            **(_decide(answer, query) if labels else _answer(targets)),
        }


def brief_bodies(answer: LocalAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the outcome and the nearest cases, without models and curves."""
    labels = answer.base.class_labels
    n_targets = len(labels or target_names(answer.base))
    for query in range(len(queries)):
        chosen = [chosen_models(answer, query, t)[0] for t in range(n_targets)]
        k = max(int(models[:, 1].max(initial=0)) for models in chosen)
        listed = _listed(answer, query, k)
        numbers_here = [number(value) for value in answer.values[query]]
        one = numbers_here[0] if len(numbers_here) == 1 else numbers_here
        closing = _decide(answer, query) if labels else {"answer": one}
        yield {"neighbors": {"k": k, "listed": listed}, **closing}


def _decide(answer: LocalAnswer, query: int) -> Plain:
    return describe_decision(
        answer.base,
        answer.models.coefficients[query, :, 0],
        answer.probabilities[query],
        int(answer.decisions[query]),
    )


def _answer(targets: list[Plain]) -> Plain:
    """A number, or as many as there are targets."""
    values = [target["prediction"] for target in targets]
    return {"answer": values[0] if len(values) == 1 else values}


def _listed(answer: LocalAnswer, query: int, k: int) -> list[Plain]:
    """The nearest cases with what became of them and their values."""
    base, rows = answer.base, answer.neighbors.rows[query, : min(k, MOST_LISTED)]
    slots = answer.data.rows[rows]
    columns = zip(
        base.take(slots).ids.tolist(),
        _outcomes(answer, slots),
        _distances(answer, query, len(rows)),
        describe_rows(base, slots, range(len(base.names))),
        strict=True,
    )
    return [
        {"id": name, **outcome, "distance": distance, "values": values}
        for name, outcome, distance, values in columns
    ]


def _outcomes(answer: LocalAnswer, slots: NDArray[np.int64]) -> list[Plain]:
    labels, taken = answer.base.class_labels, answer.base.take(slots)
    if labels:
        return [{"class": labels[code]} for code in taken.classes.tolist()]
    rows = [numbers(row) for row in taken.targets.T]
    return [{"target": row[0] if len(row) == 1 else row} for row in rows]


def _distances(answer: LocalAnswer, query: int, k: int) -> list[float | None]:
    sums = answer.neighbors.distances[query, :k]
    scaled = answer.data.settings.scale != "none"
    return numbers(measure(sums, answer.data.space, scaled))


def measure(sums: Floats, space: Space, scaled: bool) -> Floats:
    """Distances from sums over the columns, in the units of the data if not scaled."""
    distances = to_distances(sums, space.columns.metric)
    unit = float(to_distances(np.array(space.unit), space.columns.metric))
    if not scaled:
        unit *= float(space.placement.units.min())
    with np.errstate(over="ignore"):
        measured: Floats = distances / unit
    return measured


def _target(
    answer: LocalAnswer, query: int, target: int, name: object, cells: list[Plain]
) -> Plain:
    """The evidence for one number, or for one class."""
    models, scores, shares = chosen_models(answer, query, target)
    k = int(models[:, 1].max()) if len(models) else 0
    slots = answer.data.rows[answer.neighbors.rows[query, :k]]
    squares = _squares(answer, target, scores)
    chosen = zip(models.tolist(), squares, numbers(shares), strict=True)
    return {
        "name": name,
        "prediction": number(answer.values[query, target]),
        "error": number(answer.deviations[query, target]),
        "k": k,
        "models": [
            {"degree": degree, "k": size, "score": score, "share": share}
            for (degree, size), score, share in chosen
        ],
        "curves": _curves(answer, query, target),
        "coefficients": _coefficients(answer, query, target),
        "neighbors": _neighbors(answer, query, target) if k else [],
        "outside_range": _outside(answer, cells, slots) if k else [],
    }


def _squares(answer: LocalAnswer, target: int, scores: Floats) -> list[float | None]:
    """Scores in the units of the target, None where no float holds them."""
    unit = float(answer.data.target_units[target])
    with np.errstate(over="ignore"):
        return numbers(scores / unit / unit)


def _curves(answer: LocalAnswer, query: int, target: int) -> list[Plain]:
    """The score of every number of neighbors that was tried, by degree."""
    ranges = enumerate(answer.data.plan.ranges.tolist())
    scores = answer.models.curves[query, target]
    return [
        {
            "degree": degree,
            "first": least,
            "scores": _squares(answer, target, scores[degree, least - 1 : most]),
        }
        for degree, (least, most, _) in ranges
        if least
    ]


def _coefficients(
    answer: LocalAnswer, query: int, target: int
) -> dict[str, float | None]:
    """Coefficients of differences from the query, in the units of the data."""
    names, units = describe_regressors(answer.base, answer.data.space)
    values = answer.models.coefficients[query, target]
    outcome, d = float(answer.data.target_units[target]), len(names)
    labels, scales = ["intercept"], [1.0]
    if len(values) > 1:
        labels, scales = labels + names, scales + units
    if len(values) > 1 + d:
        pairs = [(a, b) for a in range(d) for b in range(a, d)]
        labels += [f"{names[a]} * {names[b]}" for a, b in pairs]
        scales += [units[a] * units[b] for a, b in pairs]
    return {
        label: number(rescale(value, scale, outcome))
        for label, value, scale in zip(labels, values, scales, strict=True)
    }


def rescale(value: float, scale: float, outcome: float) -> float:
    """A coefficient in the units of the data; infinite where no float holds it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.float64(value) * scale / outcome)


def describe_regressors(base: CaseBase, space: Space) -> tuple[list[str], list[float]]:
    """The regressors' names, and what their coefficients are multiplied by."""
    known, names, units = base.names, [], []
    for j, category in zip(
        space.sources.tolist(), space.categories.tolist(), strict=True
    ):
        if category < 0:
            names.append(known[j])
            factor, unit = space.placement.factors[j], space.placement.units[j]
            units.append(float(factor) * float(unit))  # infinite where no float holds
        else:
            names.append(f"{known[j]} = {base.categories(j)[category]}")
            units.append(float(space.placement.units[j]))
    return names, units


def _neighbors(answer: LocalAnswer, query: int, target: int) -> list[Plain]:
    """The neighbors in use, nearest first."""
    data = answer.data
    weights = influences(answer, query, target)
    rows = answer.neighbors.rows[query, : len(weights)]
    leverages, errors = _loo(answer, query, target, rows)
    unknown = np.full(len(rows) - len(leverages), np.nan)
    columns = zip(
        answer.base.take(data.rows[rows]).ids.tolist(),
        _distances(answer, query, len(rows)),
        numbers(data.cases.targets[rows, target] / data.target_units[target]),
        numbers(weights),
        numbers(np.append(leverages, unknown)),
        numbers(np.append(errors, unknown)),
        _pooled(answer, query, target, len(rows)),
        strict=True,
    )
    return [
        dict(zip(_NEIGHBOR, cells, strict=True)) | pooled for *cells, pooled in columns
    ]


def _pooled(answer: LocalAnswer, query: int, target: int, k: int) -> list[Plain]:
    """How many cases are like each neighbor, and their mean target, if there are any.

    The neighbor counts with the mean of these, whichever of them it is.
    """
    pools = answer.pooled(query, k)
    if pools is None:
        return [{}] * k
    means = numbers(pools.means[0, :, target] / answer.data.target_units[target])
    return describe_alike(pools.sizes[0], means)


def describe_alike(sizes: Floats, means: list[float | None]) -> list[Plain]:
    """How many cases are like each neighbor, and their mean, where there are others."""
    counts = sizes.astype(np.int64).tolist()
    return [
        {"n_same_inputs": count, "mean_target": mean} if count > 1 else {}
        for count, mean in zip(counts, means, strict=True)
    ]


def _loo(
    answer: LocalAnswer, query: int, target: int, rows: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Leverages and leave-one-out residuals of the best model's neighbors.

    Neighbors that are like others have the residual of their own target, and share
    the leverage with those.
    """
    cases, unit = answer.data.cases, answer.data.target_units[target]
    best, k = model_details(answer, query, target)
    leverages, residuals = best.leverages[0, target, :k], best.residuals[0, target, :k]
    weights = cases.weights[rows[:k]] if len(cases.weights) else np.ones(k)
    pools = answer.pooled(query, k)
    if pools is not None:
        weights, leverages = pools.weights[0], leverages * find_shares(pools)[0]
        off = cases.targets[rows[:k], target] - pools.means[0, :, target]
        residuals = residuals + off * np.sqrt(weights)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return leverages, residuals / np.sqrt(weights) / (1.0 - leverages) / unit


def _outside(
    answer: LocalAnswer, cells: list[Plain], slots: NDArray[np.int64]
) -> list[Plain]:
    """Columns in which the query lies outside the neighbors in use."""
    cases, outside = answer.base.cases, []
    taken = answer.base.take(slots)
    for j, cell in enumerate(cells):
        column, value, i = cell["name"], cell["value"], int(cases.numeric[j])
        if value is None:
            continue
        if i < 0:
            codes = taken.codes[j].tolist()
            labels = answer.base.categories(j)
            if value not in {labels[code] for code in codes if code >= 0}:
                outside.append({"column": column, "value": value})
            continue
        near = taken.numbers[i]
        near = near[~np.isnan(near)]
        if len(near) and not near.min() <= value <= near.max():
            ends = {"min": float(near.min()), "max": float(near.max())}
            outside.append({"column": column, "value": value, **ends})
    return outside


FAMILY = Family(
    "local_models",
    LocalAnswer,
    bodies,
    draw_local_models,
    check_parts,
    classes=fields(True),
    numbers=fields(False),
    contribute=contribute,
    brief=brief_bodies,
)
