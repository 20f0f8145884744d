"""The attribute to measure next, as plain data."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.answer.next_attribute import Floats, Next
from sklazy.casebase import CaseBase
from sklazy.methods import checks as c
from sklazy.methods.plain import Plain, number
from sklazy.report.next_attribute import describe_suggestion

_RANKED = {
    "attribute": c.text,
    "gain": c.number,
    "cost": c.number,
    "gain_per_cost": c.number,
}
_OUTCOME = {
    "value": c.label,
    "chance": c.number,
    "answer": c.free,
    "probability": c.maybe(c.share),
}
FIELDS = {
    "attribute": c.maybe(c.text),
    "statement": c.text,
    "answer": c.free,
    "probability": c.maybe(c.share),
    "unit": c.one_of("bits", "share of variance"),
    "ranked": c.list_of(c.record(_RANKED)),
    "outcomes": c.list_of(c.record(_OUTCOME)),
}
"""Fields of a suggestion."""


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether a suggestion, where there is one, fits the rest of a receipt."""
    if "next_attribute" not in content:
        return
    suggestion, missing = content["next_attribute"], _missing(content)
    ranked = [item["attribute"] for item in suggestion["ranked"]]
    yield "next_attribute", sorted(ranked) == sorted(missing)
    yield "next_attribute", suggestion["attribute"] in [None, *ranked[:1]]
    yield "next_attribute", c.same(suggestion["answer"], content["answer"])


def _missing(content: Mapping[str, Any]) -> list[str]:
    return [i["name"] for i in content["query"] if i["known"] == "missing"]


def describe_next(base: CaseBase, suggestion: Next, costs: Floats) -> Plain:
    """The attribute that a query should measure next, in the user's terms."""
    names, rates = base.names, suggestion.gains / costs[suggestion.missing]
    order = np.argsort(-rates, kind="stable")
    if suggestion.attribute >= 0:  # of equal ones the one that was chosen
        order = np.array(
            sorted(order, key=lambda i: suggestion.missing[i] != suggestion.attribute)
        )
    ranked = [
        {
            "attribute": names[suggestion.missing[i]],
            "gain": float(suggestion.gains[i]),
            "cost": float(costs[suggestion.missing[i]]),
            "gain_per_cost": float(rates[i]),
        }
        for i in order.tolist()
    ]
    content: Plain = {
        "attribute": names[suggestion.attribute] if suggestion.attribute >= 0 else None,
        "answer": _plain_answer(suggestion.answer),
        "probability": suggestion.probability,
        "unit": "bits" if base.class_labels else "share of variance",
        "ranked": ranked,
        "outcomes": [
            {
                "value": one.value,
                "chance": one.chance,
                "answer": _plain_answer(one.answer),
                "probability": one.probability,
            }
            for one in suggestion.outcomes
        ],
    }
    return {**content, "statement": describe_suggestion(content)}


def _plain_answer(answer: Any) -> Any:  # noqa: ANN401 - a label, a number or several
    if isinstance(answer, list):
        return [number(value) for value in answer]
    return number(answer) if isinstance(answer, float) else answer
