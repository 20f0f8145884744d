"""From the answer of an ensemble to its receipts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklazy.answer.ensembles.bagged import find_evidence
from sklazy.answer.ensembles.data import Gathering
from sklazy.answer.ensembles.learner import EnsembleAnswer, try_members
from sklazy.combine import diversity_measures
from sklazy.flow import Bags, Queries
from sklazy.local.bags import draw_weights
from sklazy.receipts.ensemble_kind import EnsembleReceipt
from sklazy.receipts.local_models import number
from sklazy.receipts.local_receipt import query_cells
from sklazy.receipts.members import MOST_LISTED, MemberTeller, numbers
from sklazy.receipts.plain import ReceiptList
from sklazy.receipts.seal import sealed
from sklazy.receipts.selection import describe, finite, version
from sklazy.tables import Table

Plain = dict[str, Any]


def build_ensemble_receipts(
    answer: EnsembleAnswer, table: Table, estimator: str, settings: Mapping[str, Any]
) -> ReceiptList[EnsembleReceipt]:
    """One receipt for each query of an answer.

    Parameters
    ----------
    answer : EnsembleAnswer
    table : Table of n_queries rows
        The queries as they were asked: it still knows the labels that no case has.
    estimator : str
        The name of the estimator's class.
    settings : dict
        Its parameters, as plain data.
    """
    base = answer.crowd.base
    head = {
        "schema": EnsembleReceipt.schema,
        "sklazy": version(),
        "estimator": estimator,
        "settings": {name: finite(value) for name, value in settings.items()},
        "cases": describe(base),
    }
    cells = query_cells(base, table)
    return ReceiptList(
        EnsembleReceipt(sealed({**head, "query": cells[q], **_content(answer, q)}))
        for q in range(len(answer.decisions))
    )


def _content(answer: EnsembleAnswer, query: int) -> Plain:
    teller = MemberTeller(answer.crowd, _asked(answer, query))
    return {
        "distance": describe_weights(answer.crowd),
        "neighbors": _neighbors(answer, query, teller),
        "bags": describe_bags(answer.crowd, answer.bags, query),
        "members": _members(answer, query, teller),
        **_decision(answer, query),
    }


def _asked(answer: EnsembleAnswer, query: int) -> Queries:
    """One query by itself."""
    here = slice(query, query + 1)
    return Queries(answer.queries.codes[here], answer.queries.values[here])


def describe_weights(crowd: Gathering) -> list[Plain]:
    """What each attribute counts in the distance."""
    pairs = zip(crowd.base.names, crowd.weights, strict=True)
    return [{"name": name, "weight": number(weight)} for name, weight in pairs]


def _neighbors(answer: EnsembleAnswer, query: int, teller: MemberTeller) -> Plain:
    rows, recipe = answer.bags.neighbors[query], answer.recipe
    distances = answer.neighbors.distances[query, : len(rows)]
    return {
        "k": len(rows),
        "beta": recipe.beta if recipe.n_neighbors is None else None,
        **answer.crowd.sum_up(rows),
        "listed": [
            teller.case(int(row), distance)
            for row, distance in zip(
                rows[:MOST_LISTED], distances[:MOST_LISTED], strict=True
            )
        ],
    }


def describe_bags(crowd: Gathering, bags: Bags, query: int) -> Plain:
    """How many of the rows drawn are neighbors, and how many would be by chance."""
    near = bags.neighbors[query]
    weights = draw_weights(bags, query, crowd.n_rows)
    return {
        "n_bags": len(weights),
        "n_rows": crowd.n_rows,
        "neighbor_share": number(weights[:, near].sum() / weights.sum()),
        "by_chance": number(len(near) / crowd.n_rows),
    }


def _members(answer: EnsembleAnswer, query: int, teller: MemberTeller) -> list[Plain]:
    crowd, near = answer.crowd, answer.bags.neighbors[query]
    labels = crowd.base.class_labels
    bags = draw_weights(answer.bags, query, crowd.n_rows)
    own = answer.bags.part(query, query + 1)
    told = find_evidence(crowd, _asked(answer, query), own, answer.recipe)
    return [
        {
            "bag": i,
            "name": name,
            "vote": labels[int(answer.votes[query, i])],
            "probabilities": numbers(answer.probabilities[query, i]),
            "weight": number(answer.weights[query, i]),
            "n_distinct": int((bags[i] > 0).sum()),
            "neighbor_share": number(bags[i, near].sum() / crowd.n_rows),
            "evidence": teller.tell(evidence),
        }
        for i, (name, evidence) in enumerate(told)
    ]


def _decision(answer: EnsembleAnswer, query: int) -> Plain:
    labels, decision = answer.crowd.base.class_labels, int(answer.decisions[query])
    votes, weights = answer.votes[query], answer.weights[query]
    counts = np.bincount(votes, weights, len(labels))
    shares = answer.shares[query]
    return {
        "agreement": number((votes == decision).mean()),
        "diversity": _diversity(answer, query),
        "votes": [
            {"label": label, "votes": number(n), "probability": number(share)}
            for label, n, share in zip(labels, counts, shares, strict=True)
        ],
        "answer": labels[decision],
        "probability": number(shares[decision]),
    }


def _diversity(answer: EnsembleAnswer, query: int) -> Plain:
    """How far members differ: on the query, and as to who is right around it."""
    votes = answer.votes[query]
    first, second = np.triu_indices(len(votes), k=1)
    if not len(first):
        return {"disagreement": None, "around": None}
    right = try_members(answer, query)
    measures = diversity_measures(np.ones(len(right), bool), right)
    return {
        "disagreement": number((votes[first] != votes[second]).mean()),
        "around": {
            "n_cases": len(right),
            "accuracy": number(right.mean()),
            **{name: number(value) for name, value in measures.items()},
        },
    }
