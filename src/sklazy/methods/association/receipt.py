"""Receipts of lazy associative classification: the rules."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.methods import checks as c
from sklazy.methods.association.drawing import draw_association
from sklazy.methods.association.learner import AssociationAnswer
from sklazy.methods.association.model import Rules
from sklazy.methods.family import Family
from sklazy.methods.plain import (
    MOST_LISTED,
    Plain,
    bin_labels,
    describe_decision,
    describe_value,
)

_RULE = c.record(
    {
        "values": c.list_of(c.record(c.VALUE)),
        "class": c.label,
        "support": c.count,
        "covered": c.count,
        "confidence": c.share,
    }
)
FIELDS = {
    "rules": c.record(
        {
            "min_count": c.count,
            "n_rules": c.list_of(c.count),
            "listed": c.list_of(_RULE, MOST_LISTED),
        }
    )
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    rules = content["rules"]
    yield "rules.n_rules", len(rules["n_rules"]) == len(content["votes"])
    n_listed = min(sum(rules["n_rules"]), MOST_LISTED)
    yield "rules.listed", len(rules["listed"]) == n_listed
    names = {item["name"] for item in content["query"]}
    labels = [item["label"] for item in content["votes"]]
    for rule in rules["listed"]:
        attributes = [value["attribute"] for value in rule["values"]]
        yield "rules.listed", bool(attributes) and set(attributes) <= names
        yield "rules.listed", c.among(rule["class"], labels)
        yield "rules.listed", 0 < rule["support"] <= rule["covered"]


def bodies(answer: AssociationAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of lazy associative classification, for each query."""
    bins = bin_labels(answer.base)
    for query, cells in enumerate(queries):
        yield {
            "rules": {
                "min_count": answer.mining.limits.min_count,
                "n_rules": answer.n_rules[query].tolist(),
                "listed": _listed(answer, query, cells, bins),
            },
            **describe_decision(
                answer.base,
                answer.votes[query],
                answer.probabilities[query],
                int(answer.decisions[query]),
            ),
        }


def _listed(
    answer: AssociationAnswer,
    query: int,
    cells: list[Plain],
    bins: dict[int, list[str]],
) -> list[Plain]:
    """The surest rules, those of the most cases first."""
    rules, labels = answer.rules_of(query), answer.base.class_labels
    codes = answer.queries.codes[query].tolist()
    return [
        {
            "values": [
                describe_value(cells, codes, bins, j)
                for j in rules.attributes[i].tolist()
                if j >= 0
            ],
            "class": labels[rules.classes[i]],
            "support": int(rules.supports[i]),
            "covered": int(rules.covered[i]),
            "confidence": float(rules.supports[i] / rules.covered[i]),
        }
        for i in _surest_first(rules)[:MOST_LISTED]
    ]


def _surest_first(rules: Rules) -> list[int]:
    """By confidence, then by support, then as found: by column, then by class."""
    confidences = (rules.supports / rules.covered).tolist()
    supports = rules.supports.tolist()
    return sorted(range(len(supports)), key=lambda i: (-confidences[i], -supports[i]))


FAMILY = Family(
    "association",
    AssociationAnswer,
    bodies,
    draw_association,
    check_parts,
    classes=FIELDS,
)
