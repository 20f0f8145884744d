"""Receipts of kernel models: who spoke for and against, and what attributes count."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.kernel_models.drawing import draw_kernel_models
from sklazy.methods.kernel_models.influence import answer_without
from sklazy.methods.kernel_models.learner import (
    InfluentialCases,
    KernelAnswer,
    find_influential_cases,
)
from sklazy.methods.kernel_models.reasons import contribute
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

_MOST = 5000  # cases: the sums of more take long

_KERNEL = {
    "attribute_share": c.number,
    "n_gradient_steps": c.count,
    "width": c.number,
    "median_distance": c.number,
    "ridge": c.number,
    "temperature": c.figure,
    "loss": c.figure,
}
_ATTRIBUTE = {"name": c.text, "information": c.number, "weight": c.number}
_TARGET = {
    "name": c.label,
    "center": c.figure,
    "for": c.figure,
    "against": c.figure,
    "score": c.figure,
}


def fields(classes: bool) -> dict[str, c.Check]:
    """Checks of the receipt fields of a kernel model, for classes or numbers."""
    case = {
        "id": c.label,
        **({"class": c.label} if classes else {"target": c.number}),
        "distance": c.number,
        "similarity": c.number,
        "influence": c.number,
        "contributions": c.list_of(c.figure),
        "values": c.dict_of(c.cell),
    }
    cases = {"n_cases": c.count, "listed": c.list_of(c.record(case), MOST_LISTED)}
    return {
        "kernel": c.record(_KERNEL),
        "attributes": c.list_of(c.record(_ATTRIBUTE)),
        "targets": c.list_of(c.record(_TARGET)),
        "influential_cases": c.record(cases),
    }


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    names = [item["name"] for item in content["query"]]
    yield "attributes", c.same([a["name"] for a in content["attributes"]], names)
    targets, cases = content["targets"], content["influential_cases"]
    if "votes" in content:
        expected = [item["label"] for item in content["votes"]]
    else:
        expected = [item["name"] for item in content["cases"]["targets"]]
    yield "targets", c.same([item["name"] for item in targets], expected)
    lengths = {len(case["contributions"]) for case in cases["listed"]}
    yield "influential_cases", lengths <= {len(targets)}
    yield "influential_cases", len(cases["listed"]) <= cases["n_cases"]


def bodies(answer: KernelAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of kernel models, for each query."""
    kernel, attributes = _kernel(answer), _attributes(answer)
    nothing = repeat(None, len(queries))
    found = find_influential_cases(answer) if answer.sums_cases else nothing
    for query, influential in zip(range(len(queries)), found, strict=True):
        adds, cases = None, {"n_cases": len(answer.data.rows), "listed": []}
        if influential is not None:
            adds = _spread(answer, influential)
            winner = int(answer.decisions[query]) if answer.base.class_labels else 0
            listed = _listed(answer, influential, adds, winner)
            cases = {"n_cases": len(influential.rows), "listed": listed}
        yield {
            "kernel": kernel,
            "attributes": attributes,
            "targets": _targets(answer, query, adds),
            "influential_cases": cases,
            **_decide(answer, query),
        }


def _kernel(answer: KernelAnswer) -> Plain:
    """The settings that left-out rows chose."""
    settings, is_class = answer.data.settings, bool(answer.base.class_labels)
    loss = settings.loss if is_class else _mean_error(answer, settings.loss)
    return {
        "attribute_share": settings.share,
        "n_gradient_steps": settings.n_moves,
        "width": settings.width,
        "median_distance": settings.median,
        "ridge": settings.ridge,
        "temperature": settings.temperature if is_class else None,
        "loss": number(loss),
    }


def _mean_error(answer: KernelAnswer, loss: float) -> float:
    """The root of a mean squared error, in the units of the target."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(loss) / answer.data.unit)


def _attributes(answer: KernelAnswer) -> list[Plain]:
    columns = zip(
        answer.base.names,
        numbers(answer.data.information),
        numbers(answer.data.settings.weights),
        strict=True,
    )
    return [dict(zip(_ATTRIBUTE, own, strict=True)) for own in columns]


def _spread(answer: KernelAnswer, influential: InfluentialCases) -> Floats:
    """Contributions of cases to every class, or to the target in its own units."""
    if not answer.base.class_labels:
        with np.errstate(over="ignore"):
            adds: Floats = influential.adds / answer.data.unit
        return adds
    spread = np.zeros((len(influential.rows), len(answer.base.class_labels)))
    spread[:, answer.data.present] = influential.adds
    return spread


def _targets(answer: KernelAnswer, query: int, adds: Floats | None) -> list[Plain]:
    """The score of each class, or the number: where it starts and what is added.

    Where that is not known, it is None.
    """
    labels, center = answer.base.class_labels, answer.data.center
    if labels:
        centers = np.zeros(len(labels))
        centers[answer.data.present] = center
        scores = answer.class_scores[query]
    else:
        with np.errstate(over="ignore"):
            centers = center / answer.data.unit
        scores = answer.values[query]
    unknown: list[float | None] = [None] * len(centers)
    sums = [unknown, unknown]
    if adds is not None:
        parts = adds.clip(min=0.0), adds.clip(max=0.0)
        sums = [numbers(part.sum(axis=0)) for part in parts]
    columns = zip(
        labels or target_names(answer.base),
        numbers(centers),
        *sums,
        numbers(scores),
        strict=True,
    )
    return [dict(zip(_TARGET, own, strict=True)) for own in columns]


def _listed(
    answer: KernelAnswer, influential: InfluentialCases, adds: Floats, winner: int
) -> list[Plain]:
    """The cases that add or take most, for the answer."""
    base = answer.base
    n_listed = MOST_LISTED if answer.lists_cases else 0
    most = np.argsort(-np.abs(adds[:, winner]), kind="stable")[:n_listed]
    slots = influential.rows[most]
    columns = zip(
        base.ids[slots].tolist(),
        _outcomes(answer, slots),
        numbers(influential.distances[most]),
        numbers(influential.similarities[most]),
        numbers(influential.influences[most]),
        [numbers(own) for own in adds[most]],
        describe_rows(base, slots, range(len(base.names))),
        strict=True,
    )
    keys = ("distance", "similarity", "influence", "contributions", "values")
    return [
        {"id": name, **outcome, **dict(zip(keys, own, strict=True))}
        for name, outcome, *own in columns
    ]


def _outcomes(answer: KernelAnswer, slots: NDArray[np.int64]) -> list[Plain]:
    labels, cases = answer.base.class_labels, answer.base.cases
    if labels:
        return [{"class": labels[code]} for code in cases.classes[slots].tolist()]
    return [{"target": value} for value in cases.targets[0, slots].tolist()]


def _decide(answer: KernelAnswer, query: int) -> Plain:
    if not answer.base.class_labels:
        return {"answer": number(answer.values[query, 0])}
    return describe_decision(
        answer.base,
        answer.class_scores[query],
        answer.probabilities[query],
        int(answer.decisions[query]),
    )


def brief_bodies(answer: KernelAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields without the list of cases, of many without their sums.

    These take the similarities of all cases to all landmarks.
    """
    data = answer.data
    sums = data.solution is None or len(data.rows) <= _MOST
    return bodies(replace(answer, lists_cases=False, sums_cases=sums), queries)


FAMILY = Family(
    "kernel_models",
    KernelAnswer,
    bodies,
    draw_kernel_models,
    check_parts,
    classes=fields(True),
    numbers=fields(False),
    contribute=contribute,
    answer_without=answer_without,
    brief=brief_bodies,
)
