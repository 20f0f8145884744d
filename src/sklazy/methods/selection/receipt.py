"""Receipts of lazy selection: the attributes, the cases, the likelihoods, the votes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.measures import CountTable, find_measure
from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.naive_bayes import receipt as likelihoods
from sklazy.methods.plain import (
    MOST_LISTED,
    Plain,
    bin_labels,
    describe_decision,
    describe_rows,
    number,
    numbers,
)
from sklazy.methods.selection.drawing import draw_selection
from sklazy.methods.selection.host import BayesTerms, ModelUse, Neighborhood
from sklazy.methods.selection.reasons import contribute
from sklazy.methods.selection.recipe import STRATEGIES
from sklazy.methods.selection.result import Choice, SelectionAnswer

RULES = ("count", "fraction", "auto", "local", "vote", "set", "all")

_ATTRIBUTE = c.record(
    {
        "name": c.text,
        "value": c.cell,
        "bin": c.maybe(c.text),
        "lazy_score": c.figure,
        "value_score": c.figure,
        "attribute_score": c.figure,
        "n_same_value": c.maybe(c.count),
        "rank": c.count,
        "used": c.flag,
    }
)

_CASE = c.record(
    {
        "id": c.label,
        "class": c.label,
        "distance": c.number,
        "weight": c.number,
        "vote": c.number,
        "agree": c.list_of(c.text),
        "differ": c.list_of(c.text),
        "values": c.dict_of(c.cell),
    }
)

FIELDS = {
    "selection": c.record(
        {
            "strategy": c.one_of(*STRATEGIES),
            "measure": c.text,
            "n_attributes": c.count,
            "rule": c.one_of(*RULES),
            "score_if_uninformative": c.number,
            "score_if_perfect": c.number,
            "attributes": c.list_of(_ATTRIBUTE),
        }
    )
}

OPTIONAL = {
    "neighbors": c.record(
        {
            "k": c.count,
            "n_voting": c.count,
            "n_tied": c.count,
            "distance_of_last": c.figure,
            "listed": c.list_of(_CASE, MOST_LISTED),
            "nearest_other_class": c.maybe(_CASE),
        }
    ),
    "likelihoods": likelihoods.FIELD,
    "model": c.record(
        {
            "estimator": c.text,
            "attributes": c.list_of(c.text),
            "n_models_in_batch": c.count,
        }
    ),
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    names = [item["name"] for item in content["query"]]
    attributes = [item["name"] for item in content["selection"]["attributes"]]
    yield "selection.attributes", attributes == names
    if "likelihoods" in content:
        yield from likelihoods.check_parts(content)


def bodies(answer: SelectionAnswer, queries: list[list[Plain]]) -> Iterator[Plain]:
    """Yield the receipt fields of lazy selection, for each query."""
    bins = bin_labels(answer.base)
    for query, cells in enumerate(queries):
        selected = answer.selected
        used = selected.attributes[query, : selected.counts[query]].tolist()
        decision = int(answer.decisions[query])
        yield {
            "selection": _selection(answer, query, cells, bins),
            **_evidence(answer, query, used),
            **describe_decision(
                answer.base,
                answer.votes[query],
                answer.probabilities[query],
                decision,
            ),
        }


def _selection(
    answer: SelectionAnswer,
    query: int,
    cells: list[Plain],
    bins: Mapping[int, list[str]],
) -> Plain:
    choice = answer.choice(query)
    codes = answer.queries.codes[query].tolist()
    measure, base = answer.recipe.measure, answer.base
    worst, best = base.derive(
        (_score_extremes, measure), lambda: _score_extremes(base, measure)
    )
    return {
        "strategy": answer.recipe.selection,
        "measure": measure,
        "n_attributes": int(choice.used.sum()),
        "rule": answer.rule,
        "score_if_uninformative": worst,
        "score_if_perfect": best,
        "attributes": describe_attributes(choice, codes, cells, bins),
    }


def _score_extremes(base: CaseBase, measure: str) -> tuple[float, float]:
    """Score an uninformative attribute, and one that equals the class."""
    counts, rule = base.cases.class_counts, find_measure(measure)
    constant = CountTable(counts[None], np.array([0, 1]))
    twin = CountTable(np.diag(counts), np.array([0, counts.size]))
    return float(rule.attributes(constant)[0]), float(rule.attributes(twin)[0])


def describe_attributes(
    choice: Choice,
    codes: Sequence[int],
    cells: Sequence[Plain],
    bins: Mapping[int, list[str]],
) -> list[Plain]:
    """Why each attribute is used, or is not."""
    scores = zip(
        numbers(choice.lazy_scores),
        numbers(choice.value_scores),
        numbers(choice.attribute_scores),
        [None if n < 0 else n for n in choice.n_same.tolist()],
        choice.ranks.tolist(),
        choice.used.tolist(),
        strict=True,
    )
    keys = (
        "lazy_score",
        "value_score",
        "attribute_score",
        "n_same_value",
        "rank",
        "used",
    )
    return [
        {
            "name": cell["name"],
            "value": cell["value"],
            "bin": bins[j][code] if j in bins and code >= 0 else None,
            **dict(zip(keys, own, strict=True)),
        }
        for j, (cell, code, own) in enumerate(zip(cells, codes, scores, strict=True))
    ]


def _evidence(answer: SelectionAnswer, query: int, used: list[int]) -> Plain:
    """Evidence behind the decision, by kind of host."""
    found = answer.evidence(query)
    if isinstance(found, Neighborhood):
        return _neighbors(answer, found, used)
    if isinstance(found, BayesTerms):
        told = likelihoods.describe_likelihoods(answer.base, used, *found)
        return {"likelihoods": told}
    return _model(answer, found, used)


def _neighbors(answer: SelectionAnswer, found: Neighborhood, used: list[int]) -> Plain:
    rows, distances = found.rows[:MOST_LISTED], found.distances[:MOST_LISTED]
    agree, opposing = found.agree[:MOST_LISTED], None
    votes = found.votes[:MOST_LISTED]
    if found.opposing >= 0:
        own = found.votes[found.rows == found.opposing]
        votes = np.append(votes, own if own.size else 0.0)
        rows = np.append(rows, found.opposing)
        distances = np.append(distances, found.opposing_distance)
        agree = np.vstack([agree, found.opposing_agree])
    cases = _cases(answer, rows, distances, votes, agree, used)
    if found.opposing >= 0:
        opposing = cases.pop()
    last = found.distances[-1] if len(found.rows) else np.inf
    return {
        "neighbors": {
            "k": found.n_neighbors,
            "n_voting": len(found.rows),
            "n_tied": found.n_tied,
            "distance_of_last": number(last),
            "listed": cases,
            "nearest_other_class": opposing,
        }
    }


def _cases(
    answer: SelectionAnswer,
    rows: NDArray[np.int64],
    distances: NDArray[np.float64],
    votes: NDArray[np.float64],
    agree: NDArray[np.bool_],
    used: Sequence[int],
) -> list[Plain]:
    """Cases, as far as the attributes in use are concerned."""
    base, names = answer.base, [answer.base.names[j] for j in used]
    labels, own = base.class_labels, base.take(rows)
    columns = zip(
        own.ids.tolist(),
        own.classes.tolist(),
        numbers(distances),
        numbers(own.weights),
        numbers(votes),
        agree.tolist(),
        describe_rows(base, rows, used),
        strict=True,
    )
    return [
        {
            "id": name,
            "class": labels[code],
            "distance": distance,
            "weight": weight,
            "vote": vote,
            "agree": [n for n, same in zip(names, alike, strict=True) if same],
            "differ": [n for n, same in zip(names, alike, strict=True) if not same],
            "values": values,
        }
        for name, code, distance, weight, vote, alike, values in columns
    ]


def _model(answer: SelectionAnswer, found: ModelUse, used: list[int]) -> Plain:
    return {
        "model": {
            "estimator": found.estimator,
            "attributes": [answer.base.names[j] for j in used],
            "n_models_in_batch": found.n_models,
        }
    }


FAMILY = Family(
    "selection",
    SelectionAnswer,
    bodies,
    draw_selection,
    check_parts,
    classes=FIELDS,
    optional=OPTIONAL,
    contribute=contribute,
)
