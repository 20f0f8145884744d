"""Receipts of blends: what each member says and counts, and its own receipt."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sklazy.answer import Answer
from sklazy.answer.blends import BlendAnswer
from sklazy.receipts import checks as c
from sklazy.receipts.plain import Plain, describe_decision, finite, number, numbers

Body = tuple[str, Iterator[Plain]]
"""A family and what is particular to its receipts, one for each query."""


def fields(classes: bool, families: Mapping[str, c.Check]) -> dict[str, c.Check]:
    """What the receipt of a blend holds, of classes or of numbers.

    Parameters
    ----------
    classes : bool
    families : dict
        What the own part of a member holds, by its family.
    """
    said = {"probabilities": c.list_of(c.share), "power": c.number}
    member = {
        "name": c.text,
        "weight": c.share,
        "left_out_loss": c.figure,
        **(said if classes else {"value": c.number}),
        "own": c.maybe(c.variant("kind", families)),
    }
    return {"members": c.list_of(c.record(member)), "n_left_out": c.count}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    members, n_classes = content["members"], len(content.get("votes", ()))
    names = [member["name"] for member in members]
    yield "members", 0 < len(set(names)) == len(names)
    yield "answer", not isinstance(content["answer"], list)
    if n_classes:
        yield "members", {len(m["probabilities"]) for m in members} == {n_classes}


def own_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The receipt of each member that has one: its family, and all that it says."""
    for member in content["members"]:
        if member["own"] is not None:
            head = {key: content[key] for key in ("query", "cases")}
            own = {k: value for k, value in member["own"].items() if k != "kind"}
            yield member["own"]["kind"], {**head, **own}


def bodies(
    answer: BlendAnswer,
    queries: list[list[Plain]],
    explain: Callable[[Answer, list[list[Plain]]], Body],
) -> Iterator[Plain]:
    """What is particular to blends, for each query.

    Parameters
    ----------
    answer : BlendAnswer
    queries : list
        The queries in the user's terms.
    explain : callable
        What gives the bodies of a member's answer.
    """
    own = [
        None if one.answer is None else (one.origin, *explain(one.answer, queries))
        for one in answer.said
    ]
    for query in range(len(queries)):
        members = [
            {**_said(answer, member, query), "own": _next(part)}
            for member, part in enumerate(own)
        ]
        yield {
            "members": members,
            "n_left_out": answer.ready.left_out.shape[1],
            **_outcome(answer, query),
        }


def _next(own: tuple[Mapping[str, Any], str, Iterator[Plain]] | None) -> Plain | None:
    """The own part of a member for the next query."""
    if own is None:
        return None
    origin, kind, body = own
    settings = {name: finite(value) for name, value in origin["settings"].items()}
    head = {"kind": kind, "estimator": origin["estimator"], "settings": settings}
    return {**head, **next(body)}


def _said(answer: BlendAnswer, member: int, query: int) -> Plain:
    ready, said = answer.ready, answer.outputs[member, query]
    known = {
        "name": ready.names[member],
        "weight": number(ready.weights[member]),
        "left_out_loss": number(ready.losses[member]),
    }
    if not answer.base.class_labels:
        return {**known, "value": number(said[0])}
    power = number(ready.powers[member])
    return {**known, "probabilities": numbers(said), "power": power}


def _outcome(answer: BlendAnswer, query: int) -> Plain:
    if not answer.base.class_labels:
        return {"answer": number(answer.values[query, 0])}
    return describe_decision(
        answer.base,
        answer.values[query],
        answer.probabilities[query],
        int(answer.decisions[query]),
    )
