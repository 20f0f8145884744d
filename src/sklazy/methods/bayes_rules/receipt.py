"""Receipts of lazy Bayesian rules: the rule, and naive Bayes under it."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.methods import checks as c
from sklazy.methods.bayes_rules.drawing import draw_bayes_rule
from sklazy.methods.bayes_rules.learner import BayesRulesAnswer, local_terms, steps_of
from sklazy.methods.family import Family
from sklazy.methods.naive_bayes import receipt as likelihoods
from sklazy.methods.plain import (
    Plain,
    bin_labels,
    count_along,
    describe_decision,
    describe_value,
)

FIELDS = {
    "conditions": c.list_of(
        c.record(
            {
                **c.VALUE,
                "remaining_per_class": c.list_of(c.count),
                "n_now_right": c.count,
                "n_now_wrong": c.count,
                "p_value": c.share,
            }
        )
    ),
    "likelihoods": likelihoods.FIELD,
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    yield from likelihoods.check_parts(content)
    sizes = {len(step["remaining_per_class"]) for step in content["conditions"]}
    yield "conditions", sizes <= {len(content["votes"])}
    conditions = [step["attribute"] for step in content["conditions"]]
    used = [item["name"] for item in content["likelihoods"]["attributes"]]
    names = [item["name"] for item in content["query"]]
    yield "conditions", sorted([*conditions, *used]) == sorted(names)


def bodies(answer: BayesRulesAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of lazy Bayesian rules, for each query."""
    bins = bin_labels(answer.base)
    for query, cells in enumerate(queries):
        told = likelihoods.describe_likelihoods(
            answer.base, *local_terms(answer, query)
        )
        yield {
            "conditions": _antecedent(answer, query, cells, bins),
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
            "remaining_per_class": left,
            "n_now_right": step.righted,
            "n_now_wrong": step.spoiled,
            "p_value": step.p_value,
        }
        for step, left in zip(steps, counts, strict=True)
    ]


FAMILY = Family(
    "bayes_rules",
    BayesRulesAnswer,
    bodies,
    draw_bayes_rule,
    check_parts,
    classes=FIELDS,
)
