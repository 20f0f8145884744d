"""Evidence of an ensemble's members, in the user's names and labels."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.cuts import interval_labels
from sklazy.flow import MISSING, Queries
from sklazy.methods import checks as c
from sklazy.methods.ensembles.data import EnsembleData
from sklazy.methods.ensembles.evidence import (
    BayesEvidence,
    LinearEvidence,
    ModelEvidence,
    NeighborsEvidence,
    PathEvidence,
    RandomPathEvidence,
    RuleEvidence,
)
from sklazy.methods.paths.model import PathStep
from sklazy.methods.paths.random_paths import RandomStep
from sklazy.methods.plain import MOST_LISTED, Floats, Plain, number, numbers

RELATIONS = ("<=", ">", "=", "missing", "no case")
"""How a row goes on from a node of a tree."""

DRAWN_RELATIONS = ("<=", ">", "in")
"""How it goes on from a node whose split was drawn."""

_LOGS = c.record({"name": c.text, "log": c.list_of(c.figure)})
_TERM = c.record({"name": c.text, "contributions": c.list_of(c.figure)})
_STEP = c.record(
    {
        "depth": c.count,
        "attribute": c.maybe(c.text),
        "relation": c.maybe(c.one_of(*RELATIONS)),
        "bound": c.cell,
        "weight": c.number,
        "share": c.number,
    }
)
_CATEGORIES = c.record(
    {"n_categories": c.count, "listed": c.list_of(c.cell, MOST_LISTED)}
)
_DRAWN_STEP = c.record(
    {
        "depth": c.count,
        "attribute": c.maybe(c.text),
        "relation": c.maybe(c.one_of(*DRAWN_RELATIONS)),
        "cut": c.figure,
        "categories": c.maybe(_CATEGORIES),
        "drawn_at_random": c.flag,
        "weight": c.number,
    }
)
_KIND = {"kind": c.text}


class MemberQuery(NamedTuple):
    """A query, and the cases that its members were made of.

    Attributes
    ----------
    data : EnsembleData
    row : Queries of one row
    codes : int32 array of shape (n_attributes,)
        Its categories and bins, as members see them.
    names : list of str
        Of the attributes.
    is_numeric : list of bool
        Which of them are numbers.
    """

    data: EnsembleData
    row: Queries
    codes: NDArray[np.int32]
    names: list[str]
    is_numeric: list[bool]


def outcome_fields(classes: bool) -> dict[str, c.Check]:
    """Check of a case's class or number."""
    return {"class": c.label} if classes else {"target": c.number}


def evidence_fields(classes: bool) -> c.Check:
    """Check of a member's evidence."""
    case = {"id": c.label, **outcome_fields(classes), "distance": c.number}
    held = c.record({**case, "n_copies": c.count})
    path = {"n_steps": c.count, "steps": c.list_of(_STEP, MOST_LISTED)}
    drawn = {"n_steps": c.count, "steps": c.list_of(_DRAWN_STEP, MOST_LISTED)}
    near = {"n_voting": c.count, "cases": c.list_of(held, MOST_LISTED)}
    terms = {
        "intercepts": c.list_of(c.figure),
        "n_terms": c.count,
        "terms": c.list_of(_TERM, MOST_LISTED),
    }
    logs = {"prior": c.list_of(c.figure), "attributes": c.list_of(_LOGS)}
    rule = {"attribute": c.text, "value": c.maybe(c.text), "score": c.number}
    model: dict[str, c.Check] = {"estimator": c.text, "fitted": c.flag}
    kinds = {"path": path, "random path": drawn, "neighbors": near, "terms": terms}
    kinds |= {"rule": rule, "model": model}
    if classes:
        kinds["likelihoods"] = logs
    return c.variant(
        "kind", {k: c.record(_KIND | fields) for k, fields in kinds.items()}
    )


def check_evidence(evidence: Mapping[str, Any], n_outputs: int) -> bool:
    """Whether a list with an entry for each class, or for the number, has as many."""
    lists = [evidence[key] for key in ("prior", "intercepts") if key in evidence]
    if evidence["kind"] == "likelihoods":
        lists += [item["log"] for item in evidence["attributes"]]
    lists += [item["contributions"] for item in evidence.get("terms", ())]
    return all(len(entries) == n_outputs for entries in lists)


@singledispatch
def describe_member(evidence: Any, query: MemberQuery) -> Plain:  # noqa: ANN401 - by type
    """Describe a member's evidence as plain data."""
    raise NotImplementedError(type(evidence))


@describe_member.register
def _path(evidence: PathEvidence, query: MemberQuery) -> Plain:
    steps = [_step(step, query) for step in evidence.steps[:MOST_LISTED]]
    return {"kind": "path", "n_steps": len(evidence.steps), "steps": steps}


@describe_member.register
def _random_path(evidence: RandomPathEvidence, query: MemberQuery) -> Plain:
    steps = evidence.steps[:MOST_LISTED]
    cuts = numbers(np.array([step.cut for step in steps]))
    weights = numbers(np.array([step.weight for step in steps]))
    listed = [
        _drawn_step(*step, query) for step in zip(steps, cuts, weights, strict=True)
    ]
    return {"kind": "random path", "n_steps": len(evidence.steps), "steps": listed}


@describe_member.register
def _bayes(evidence: BayesEvidence, query: MemberQuery) -> Plain:
    return {
        "kind": "likelihoods",
        "prior": numbers(evidence.priors),
        "attributes": [
            {"name": query.names[j], "log": numbers(evidence.terms[j])}
            for j in np.flatnonzero(query.codes >= 0).tolist()
        ],
    }


@describe_member.register
def _neighbors(evidence: NeighborsEvidence, query: MemberQuery) -> Plain:
    listed = slice(MOST_LISTED)
    cases = describe_cases(query, evidence.rows[listed], evidence.distances[listed])
    times = evidence.times[listed].tolist()
    return {
        "kind": "neighbors",
        "n_voting": len(evidence.rows),
        "cases": [
            {**case, "n_copies": n} for case, n in zip(cases, times, strict=True)
        ],
    }


@describe_member.register
def _linear(evidence: LinearEvidence, query: MemberQuery) -> Plain:
    size = np.abs(evidence.terms).max(axis=1, initial=0.0)
    largest = np.argsort(-size, kind="stable")[:MOST_LISTED]
    return {
        "kind": "terms",
        "intercepts": numbers(evidence.intercepts),
        "n_terms": len(evidence.terms),
        "terms": [
            {"name": _regressor(i, query), "contributions": numbers(evidence.terms[i])}
            for i in largest.tolist()
        ],
    }


@describe_member.register
def _rule(evidence: RuleEvidence, query: MemberQuery) -> Plain:
    j = evidence.attribute
    return {
        "kind": "rule",
        "attribute": query.names[j],
        "value": _value(j, query),
        "score": number(evidence.worth),
    }


@describe_member.register
def _model(evidence: ModelEvidence, query: MemberQuery) -> Plain:
    return {"kind": "model", **evidence._asdict()}


def describe_cases(
    query: MemberQuery, rows: NDArray[np.integer], distances: Floats
) -> list[Plain]:
    """Cases by their places in the canonical order, with their distances."""
    data = query.data
    ids = data.base.ids[data.order[rows]].tolist()
    far = numbers(np.sqrt(distances) / len(query.codes))
    return [
        {"id": name, **data.describe_case(row), "distance": distance}
        for name, row, distance in zip(ids, rows.tolist(), far, strict=True)
    ]


def _step(step: PathStep, query: MemberQuery) -> Plain:
    j, inner = step.attribute, step.attribute >= 0
    relation, bound = _test(step, query) if inner else (None, None)
    return {
        "depth": step.depth,
        "attribute": query.names[j] if inner else None,
        "relation": relation,
        "bound": bound,
        "weight": number(step.weight),
        "share": number(step.share),
    }


def _drawn_step(
    step: RandomStep, cut: float | None, weight: float | None, query: MemberQuery
) -> Plain:
    name = relation = categories = None
    if step.attribute >= 0:
        name = query.names[step.attribute]
        if query.is_numeric[step.attribute]:
            relation = ("<=", ">")[step.branch]
        else:
            relation, categories = "in", _categories(step, query)
    return {
        "depth": step.depth,
        "attribute": name,
        "relation": relation,
        "cut": cut,
        "categories": categories,
        "drawn_at_random": step.by_lot,
        "weight": weight,
    }


def _categories(step: RandomStep, query: MemberQuery) -> Plain:
    """The categories of the row's side; None stands for missing cells."""
    labels = [*query.data.base.categories(step.attribute), None]
    listed = [labels[code] for code in step.categories[:MOST_LISTED]]
    return {"n_categories": len(step.categories), "listed": listed}


def _test(step: PathStep, query: MemberQuery) -> tuple[str, Any]:
    """How the query goes on from a node, and by what."""
    j = step.attribute
    if query.codes[j] == MISSING:
        return "missing", number(step.cut)
    if query.is_numeric[j]:
        return ("<=", ">")[step.branch], number(step.cut)
    if step.branch < 0:
        return "no case", None
    return "=", query.data.base.categories(j)[step.branch]


def _value(j: int, query: MemberQuery) -> str | None:
    """The query's category or bin in words."""
    code = int(query.codes[j])
    if code < 0:
        return None
    if query.is_numeric[j]:
        return interval_labels(query.data.cuts[j])[code]
    return str(query.data.base.categories(j)[code])


def _regressor(i: int, query: MemberQuery) -> str:
    """A number by its name, a category as name = label."""
    space = query.data.space
    j, category = int(space.sources[i]), int(space.categories[i])
    if category < 0:
        return query.names[j]
    return f"{query.names[j]} = {query.data.base.categories(j)[category]}"
