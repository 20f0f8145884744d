"""Receipts of linear models: what each attribute adds to the score."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.linear_models.drawing import draw_linear_model
from sklazy.methods.linear_models.learner import LinearAnswer, terms_of
from sklazy.methods.linear_models.reasons import contribute
from sklazy.methods.plain import MOST_LISTED, Plain, describe_decision, number, numbers


def fields(classes: bool) -> dict[str, c.Check]:
    """Checks of the receipt fields of a linear model, for classes or numbers."""
    term = c.record({"name": c.text, "contributions": c.list_of(c.figure)})
    return {
        "linear_model": c.record(
            {
                "ridge": c.number,
                "left_out_loss": c.figure,
                "intercepts": c.list_of(c.figure),
                "n_terms": c.count,
                "terms": c.list_of(term, MOST_LISTED),
            }
        )
    }


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    line, n_outputs = content["linear_model"], len(content.get("votes", "y"))
    yield "line.intercepts", len(line["intercepts"]) == n_outputs
    yield (
        "linear_model.terms",
        {len(term["contributions"]) for term in line["terms"]} <= {n_outputs},
    )
    names = {item["name"] for item in content["query"]}
    yield "linear_model.terms", all(term["name"] in names for term in line["terms"])
    yield "line.n_terms", len(line["terms"]) == min(line["n_terms"], MOST_LISTED)
    yield "answer", not isinstance(content["answer"], list)


def bodies(answer: LinearAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of linear models, for each query."""
    for query in range(len(queries)):
        yield {"linear_model": _line(answer, query), **_outcome(answer, query)}


def _line(answer: LinearAnswer, query: int) -> Plain:
    """The terms that add most, the largest first."""
    fit, names = answer.ready.fit, answer.base.names
    attributes, added = terms_of(answer, query)
    order = np.argsort(-np.abs(added).max(axis=1, initial=0.0), kind="stable")
    return {
        "ridge": fit.ridge,
        "left_out_loss": number(fit.loss),
        "intercepts": numbers(fit.intercepts),
        "n_terms": len(attributes),
        "terms": [
            {"name": names[attributes[i]], "contributions": numbers(added[i])}
            for i in order[:MOST_LISTED].tolist()
        ],
    }


def _outcome(answer: LinearAnswer, query: int) -> Plain:
    if not answer.base.class_labels:
        return {"answer": number(answer.values[query, 0])}
    return describe_decision(
        answer.base,
        answer.scores[query],
        answer.probabilities[query],
        int(answer.decisions[query]),
    )


FAMILY = Family(
    "linear_models",
    LinearAnswer,
    bodies,
    draw_linear_model,
    check_parts,
    classes=fields(True),
    numbers=fields(False),
    contribute=contribute,
)
