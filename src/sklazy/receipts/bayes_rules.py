"""Receipts of lazy Bayesian rules: the rule, and naive Bayes under it."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.answer.bayes_rules import BayesRulesAnswer, local_terms, steps_of
from sklazy.receipts import checks as c
from sklazy.receipts import likelihoods
from sklazy.receipts.plain import (
    Plain,
    bin_labels,
    count_along,
    describe_decision,
    describe_value,
)

FIELDS = {
    "antecedent": c.list_of(
        c.record(
            {
                **c.VALUE,
                "left": c.list_of(c.count),
                "righted": c.count,
                "spoiled": c.count,
                "p_value": c.share,
            }
        )
    ),
    "likelihoods": likelihoods.FIELD,
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    yield from likelihoods.check_parts(content)
    sizes = {len(step["left"]) for step in content["antecedent"]}
    yield "antecedent", sizes <= {len(content["votes"])}
    asked = [step["attribute"] for step in content["antecedent"]]
    used = [item["name"] for item in content["likelihoods"]["attributes"]]
    names = [item["name"] for item in content["query"]]
    yield "antecedent", sorted([*asked, *used]) == sorted(names)


def bodies(answer: BayesRulesAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """What is particular to lazy Bayesian rules, for each query."""
    bins = bin_labels(answer.base)
    for query, cells in enumerate(queries):
        told = likelihoods.describe_likelihoods(
            answer.base, *local_terms(answer, query)
        )
        yield {
            "antecedent": _antecedent(answer, query, cells, bins),
            "likelihoods": told,
            **describe_decision(
                answer.base,
                answer.rules.votes[query],
                answer.probabilities[query],
                int(answer.decisions[query]),
            ),
        }


def _antecedent(
    answer: BayesRulesAnswer,
    query: int,
    cells: list[Plain],
    bins: dict[int, list[str]],
) -> list[Plain]:
    steps, codes = steps_of(answer, query), answer.queries.codes[query]
    counts = count_along(answer.base, codes, [step.attribute for step in steps])
    return [
        {
            **describe_value(cells, codes.tolist(), bins, step.attribute),
            "left": left,
            "righted": step.righted,
            "spoiled": step.spoiled,
            "p_value": step.p_value,
        }
        for step, left in zip(steps, counts, strict=True)
    ]
