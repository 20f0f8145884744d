"""Receipts of lazy selection for numbers: the attributes, the cases, their targets."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sklazy.casebase.cuts import interval_labels
from sklazy.methods import checks as c
from sklazy.methods.family import Family
from sklazy.methods.number_selection.data import number_cases
from sklazy.methods.number_selection.drawing import draw_number_selection
from sklazy.methods.number_selection.learner import NumberSelectionAnswer
from sklazy.methods.plain import (
    MOST_LISTED,
    MOST_NEAREST,
    Plain,
    describe_rows,
    number,
    numbers,
)
from sklazy.methods.selection import receipt as selection

_CASE = c.record(
    {
        "id": c.label,
        "target": c.number,
        "distance": c.figure,
        "weight": c.number,
        "share": c.share,
        "agree": c.list_of(c.text),
        "differ": c.list_of(c.text),
        "values": c.dict_of(c.cell),
    }
)
FIELDS = {
    **selection.FIELDS,
    "neighbors": c.record(
        {
            "k": c.count,
            "n_voting": c.count,
            "n_tied": c.count,
            "distance_of_last": c.figure,
            "min": c.number,
            "max": c.number,
            "listed": c.list_of(_CASE, MOST_LISTED),
        }
    ),
    "answers_by_n_attributes": c.list_of(c.number),
}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    yield from selection.check_parts(content)
    rule, found = content["selection"]["rule"], content["neighbors"]
    n_expected = len(content["query"]) if rule == "vote" else 0
    yield (
        "answers_by_n_attributes",
        len(content["answers_by_n_attributes"]) == n_expected,
    )
    most = MOST_NEAREST if "detail" in content else MOST_LISTED
    yield "neighbors.listed", len(found["listed"]) == min(found["n_voting"], most)


def bodies(
    answer: NumberSelectionAnswer, queries: list[list[Plain]]
) -> Iterator[Plain]:
    """Yield the receipt fields of lazy selection for numbers, for each query."""
    bins = _bin_labels(answer)
    for query, cells in enumerate(queries):
        yield {
            "selection": _selection(answer, query, cells, bins),
            "neighbors": _neighbors(answer, query),
            "answers_by_n_attributes": []
            if answer.ballots is None
            else numbers(answer.ballots[query]),
            "answer": number(answer.values[query, 0]),
        }


def _bin_labels(answer: NumberSelectionAnswer) -> dict[int, list[str]]:
    """The names of the bins of each numeric attribute, by the target's cuts."""
    cuts = number_cases(answer.base).cuts
    numeric = np.flatnonzero(answer.base.cases.numeric >= 0).tolist()
    return {j: interval_labels(cuts[j]) for j in numeric}


def _selection(
    answer: NumberSelectionAnswer,
    query: int,
    cells: list[Plain],
    bins: Mapping[int, list[str]],
) -> Plain:
    choice = answer.choice(query)
    codes = answer.asked.queries.codes[query].tolist()
    return {
        "strategy": answer.recipe.selection,
        "measure": answer.recipe.measure,
        "n_attributes": int(choice.used.sum()),
        "rule": answer.rule,
        "score_if_uninformative": 1.0,
        "score_if_perfect": 0.0,
        "attributes": selection.describe_attributes(choice, codes, cells, bins),
    }


def _neighbors(answer: NumberSelectionAnswer, query: int) -> Plain:
    found, base = answer.voters(query), answer.base
    targets, distances = base.cases.targets[0, found.rows], np.sqrt(found.squares)
    return {
        "k": answer.search.voting.n_neighbors,
        "n_voting": len(found.rows),
        "n_tied": found.n_tied,
        "distance_of_last": number(distances[-1]),
        "min": float(targets.min()),
        "max": float(targets.max()),
        "listed": _listed(answer, query),
    }


def _listed(answer: NumberSelectionAnswer, query: int) -> list[Plain]:
    """The nearest cases, as far as the attributes in use are concerned."""
    found, base = answer.voters(query), answer.base
    rows = found.rows[:MOST_LISTED]
    used = answer.selected.attributes[query, : answer.selected.counts[query]].tolist()
    known = base.names
    names = [known[j] for j in used]
    shares = found.weights / found.weights.sum()
    columns = zip(
        base.ids[rows].tolist(),
        numbers(base.cases.targets[0, rows]),
        numbers(np.sqrt(found.squares[:MOST_LISTED])),
        numbers(base.cases.weights[rows]),
        numbers(shares[:MOST_LISTED]),
        answer.agree(query, rows).tolist(),
        describe_rows(base, rows, used),
        strict=True,
    )
    return [
        {
            "id": name,
            "target": target,
            "distance": distance,
            "weight": weight,
            "share": share,
            "agree": [n for n, same in zip(names, alike, strict=True) if same],
            "differ": [n for n, same in zip(names, alike, strict=True) if not same],
            "values": values,
        }
        for name, target, distance, weight, share, alike, values in columns
    ]


FAMILY = Family(
    "number_selection",
    NumberSelectionAnswer,
    bodies,
    draw_number_selection,
    check_parts,
    numbers=FIELDS,
)
