"""Receipts of ensembles: neighbors, bags, members, and how far these agree."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.flow import Queries
from sklazy.measures import diversity_measures
from sklazy.methods import checks as c
from sklazy.methods.ensembles.drawing import draw_ensemble
from sklazy.methods.ensembles.learner import (
    EnsembleAnswer,
    find_evidence,
    losses_around,
)
from sklazy.methods.ensembles.member_receipt import (
    MemberQuery,
    check_evidence,
    describe_cases,
    describe_member,
    evidence_fields,
    outcome_fields,
)
from sklazy.methods.ensembles.reasons import contribute
from sklazy.methods.family import Family
from sklazy.methods.paths.bags import draw_weights
from sklazy.methods.plain import (
    MOST_LISTED,
    Plain,
    describe_decision,
    number,
    numbers,
)

_MEASURES = ("accuracy", "q_statistic", "disagreement", "double_fault", "kappa")
_AROUND_CLASSES = {
    "n_cases": c.count,
    **dict.fromkeys((*_MEASURES, "entropy"), c.figure),
}


def fields(classes: bool) -> dict[str, c.Check]:
    """Checks of the receipt fields of an ensemble, for classes or numbers."""
    if classes:
        near = {"classes": c.list_of(c.record({"label": c.label, "cases": c.count}))}
        outputs = {"vote": c.label, "probabilities": c.list_of(c.share)}
        differ = {
            "disagreement": c.figure,
            "nearby": c.maybe(c.record(_AROUND_CLASSES)),
        }
        agreement = {"agreement": c.share}
    else:
        near = {"mean": c.figure, "std": c.figure}
        outputs = {"value": c.figure}
        around = c.record({"n_cases": c.count, "error": c.figure})
        differ, agreement = {"std": c.figure, "nearby": around}, {}
    case = c.record({"id": c.label, **outcome_fields(classes), "distance": c.number})
    return {
        "distance": c.list_of(c.record({"name": c.text, "weight": c.number})),
        "neighbors": c.record(
            {
                "k": c.count,
                "beta": c.figure,
                **near,
                "listed": c.list_of(case, MOST_LISTED),
            }
        ),
        "bags": c.record(
            {
                "n_bags": c.count,
                "n_rows": c.count,
                "neighbor_share": c.share,
                "expected_share": c.share,
            }
        ),
        "members": c.list_of(
            c.record(
                {
                    "bag": c.count,
                    "name": c.text,
                    **outputs,
                    "weight": c.number,
                    "n_distinct": c.count,
                    "neighbor_share": c.share,
                    "evidence": evidence_fields(classes),
                }
            )
        ),
        **agreement,
        "diversity": c.record(differ),
    }


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    names = [item["name"] for item in content["query"]]
    yield "distance", [item["name"] for item in content["distance"]] == names
    labels = [item["label"] for item in content.get("votes", ())]
    yield "members", len(content["members"]) > 0
    yield "answer", not isinstance(content["answer"], list)
    for member in content["members"]:
        if labels:
            yield "members", c.among(member["vote"], labels)
            yield "members", len(member["probabilities"]) == len(labels)
        yield "members", check_evidence(member["evidence"], len(labels) or 1)


def bodies(answer: EnsembleAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of ensembles, for each query."""
    names, is_numeric = answer.base.names, answer.data.is_numeric.tolist()
    weights = zip(names, numbers(answer.data.weights), strict=True)
    distance = [{"name": name, "weight": weight} for name, weight in weights]
    for query in range(len(queries)):
        here = slice(query, query + 1)
        row = Queries(answer.queries.codes[here], answer.queries.values[here])
        codes = answer.data.code(row)[0]
        member_query = MemberQuery(answer.data, row, codes, names, is_numeric)
        drawn = draw_weights(answer.bags, query, answer.data.n_rows)
        outputs, closing = _outcome(answer, query)
        yield {
            "distance": distance,
            "neighbors": _neighbors(answer, query, member_query),
            "bags": _bags(answer, query, drawn),
            "members": _members(answer, query, member_query, drawn, outputs),
            **closing,
        }


def brief_bodies(answer: EnsembleAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the outcome and the nearest cases, without members and bags."""
    names, is_numeric = answer.base.names, answer.data.is_numeric.tolist()
    for query in range(len(queries)):
        here = slice(query, query + 1)
        row = Queries(answer.queries.codes[here], answer.queries.values[here])
        codes = answer.data.code(row)[0]
        member_query = MemberQuery(answer.data, row, codes, names, is_numeric)
        if answer.data.target.kind == "nominal":
            closing = _decide(answer, query)
        else:
            closing = {"answer": number(answer.values[query, 0])}
        yield {"neighbors": _neighbors(answer, query, member_query), **closing}


def _neighbors(answer: EnsembleAnswer, query: int, member_query: MemberQuery) -> Plain:
    rows, learner = answer.bags.neighbors[query], answer.learner
    n_listed = min(len(rows), MOST_LISTED)
    distances = answer.neighbors.distances[query, :n_listed]
    return {
        "k": len(rows),
        "beta": learner.beta if learner.n_neighbors is None else None,
        **answer.data.describe_cases(rows),
        "listed": describe_cases(member_query, rows[:n_listed], distances),
    }


def _bags(answer: EnsembleAnswer, query: int, drawn: np.ndarray[Any, Any]) -> Plain:
    """How many of the rows drawn are neighbors, and how many would be by chance."""
    near, n_bags = answer.bags.neighbors[query], len(drawn)
    return {
        "n_bags": n_bags,
        "n_rows": int(drawn.sum()) // n_bags,
        "neighbor_share": number(drawn[:, near].sum() / drawn.sum()),
        "expected_share": number(len(near) / answer.data.n_rows),
    }


def _members(
    answer: EnsembleAnswer,
    query: int,
    member_query: MemberQuery,
    drawn: np.ndarray[Any, Any],
    outputs: list[Plain],
) -> list[Plain]:
    near = answer.bags.neighbors[query]
    columns = zip(
        find_evidence(answer, query),
        outputs,
        numbers(answer.weights[query]),
        (drawn > 0).sum(axis=1).tolist(),
        numbers(drawn[:, near].sum(axis=1) / drawn.sum(axis=1)),
        strict=True,
    )
    return [
        {
            "bag": bag,
            "name": name,
            **output,
            "weight": weight,
            "n_distinct": n_distinct,
            "neighbor_share": share,
            "evidence": describe_member(evidence, member_query),
        }
        for bag, ((name, evidence), output, weight, n_distinct, share) in enumerate(
            columns
        )
    ]


def _outcome(answer: EnsembleAnswer, query: int) -> tuple[list[Plain], Plain]:
    """Outputs of each member for a query, and the combined outcome."""
    if answer.data.target.kind == "nominal":
        return _outcome_class(answer, query)
    return _outcome_number(answer, query)


def _outcome_class(answer: EnsembleAnswer, query: int) -> tuple[list[Plain], Plain]:
    labels, votes = answer.base.class_labels, answer.votes[query]
    decision = int(answer.decisions[query])
    outputs = [
        {"vote": labels[vote], "probabilities": numbers(shares)}
        for vote, shares in zip(votes.tolist(), answer.outputs[query], strict=True)
    ]
    return outputs, {
        "agreement": number((votes == decision).mean()),
        "diversity": _diversity(answer, query),
        **_decide(answer, query),
    }


def _decide(answer: EnsembleAnswer, query: int) -> Plain:
    base, votes = answer.base, answer.votes[query]
    counts = np.bincount(votes, answer.weights[query], len(base.class_labels))
    decision = int(answer.decisions[query])
    return describe_decision(base, counts, answer.probabilities[query], decision)


def _outcome_number(answer: EnsembleAnswer, query: int) -> tuple[list[Plain], Plain]:
    # Squares are taken in the units of the data: others might have none.
    errors, unit = losses_around(answer, query), answer.data.unit
    deviation = answer.outputs[query, :, 0].std()
    return [{"value": value} for value in numbers(answer.member_values[query])], {
        "diversity": {
            "std": number(deviation / unit),
            "nearby": {
                "n_cases": len(errors),
                "error": number(np.sqrt(errors.mean()) / unit),
            },
        },
        "answer": number(answer.values[query, 0]),
    }


def _diversity(answer: EnsembleAnswer, query: int) -> Plain:
    """How far members differ: on the query, and as to who is right around it."""
    votes = answer.votes[query]
    first, second = np.triu_indices(len(votes), k=1)
    if not len(first):
        return {"disagreement": None, "nearby": None}
    right = losses_around(answer, query) == 0
    measures = diversity_measures(np.ones(len(right), bool), right)
    return {
        "disagreement": number((votes[first] != votes[second]).mean()),
        "nearby": {
            "n_cases": len(right),
            "accuracy": number(right.mean()),
            **{name: number(value) for name, value in measures.items()},
        },
    }


FAMILY = Family(
    "ensembles",
    EnsembleAnswer,
    bodies,
    draw_ensemble,
    check_parts,
    classes=fields(True),
    numbers=fields(False),
    contribute=contribute,
    brief=brief_bodies,
)
