"""Receipts of blends: prediction, weight and own receipt of each member."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sklazy.methods import checks as c
from sklazy.methods.blends.drawing import draw_blend
from sklazy.methods.blends.learner import BlendAnswer
from sklazy.methods.blends.members import MemberAnswer
from sklazy.methods.blends.reasons import answer_without, contribute
from sklazy.methods.family import (
    DECISION,
    NUMBER,
    ORIGIN,
    Family,
    check_answer,
    check_query,
)
from sklazy.methods.plain import (
    Plain,
    describe_decision,
    number,
    numbers,
    spell_infinities,
)

Families = Mapping[str, Family]
"""The families of members by their kind."""

MemberParts = tuple[Plain, Iterator[Plain]]
"""Kind, estimator and settings of a member, and its part of each receipt."""


def fields(classes: bool, families: Families) -> dict[str, c.Check]:
    """The checks of a blend's receipts, of classes or of numbers."""
    predicted = {"probabilities": c.list_of(c.share), "power": c.number}
    member = {
        "name": c.text,
        "weight": c.share,
        "left_out_loss": c.figure,
        **(predicted if classes else {"value": c.number}),
        "receipt": c.maybe(c.variant("kind", _of_members(classes, families))),
    }
    return {"members": c.list_of(c.record(member)), "n_left_out": c.count}


def _of_members(classes: bool, families: Families) -> dict[str, c.Check]:
    """The checks of the own parts of members, by kind."""
    answer = DECISION if classes else NUMBER
    return {
        kind: c.record({**ORIGIN, **answer, **fields}, family.optional)
        for kind, family in families.items()
        if (fields := family.fields(classes)) is not None
    }


def check_parts(
    content: Mapping[str, Any], families: Families
) -> Iterator[tuple[str, bool]]:
    """Whether parts fit together, one after the other, by name."""
    members, n_classes = content["members"], len(content.get("votes", ()))
    names = [member["name"] for member in members]
    yield "members", 0 < len(set(names)) == len(names)
    yield "answer", not isinstance(content["answer"], list)
    if n_classes:
        yield "members", {len(m["probabilities"]) for m in members} == {n_classes}
    for kind, member in _own_parts(content):
        checks = check_query, check_answer, families[kind].check_parts
        for part, fits in [found for check in checks for found in check(member)]:
            yield f"members' {part}", fits


def _own_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The receipt of each member that has one: its kind, and what stands in it."""
    for member in content["members"]:
        if member["receipt"] is not None:
            head = {key: content[key] for key in ("query", "cases")}
            own = {k: value for k, value in member["receipt"].items() if k != "kind"}
            yield member["receipt"]["kind"], {**head, **own}


def bodies(
    answer: BlendAnswer, queries: list[list[Plain]], families: Families
) -> Iterator[Plain]:
    """Yield the receipt fields of blends, for each query."""
    parts = [_explain(one, queries, families) for one in answer.by_member]
    for query in range(len(queries)):
        members = [
            {**_member_fields(answer, member, query), "receipt": _next(part)}
            for member, part in enumerate(parts)
        ]
        yield {
            "members": members,
            "n_left_out": answer.ready.left_out.shape[1],
            **_outcome(answer, query),
        }


def brief_bodies(
    answer: BlendAnswer, queries: list[list[Plain]], families: Families
) -> Iterator[Plain]:
    """Yield the receipt fields without the members' receipts."""
    alone = [MemberAnswer(one.outputs) for one in answer.by_member]
    return bodies(replace(answer, by_member=alone), queries, families)


def _explain(
    member: MemberAnswer, queries: list[list[Plain]], families: Families
) -> MemberParts | None:
    """Describe the answers of a member that has receipts of its own."""
    if member.answer is None:
        return None
    family = next(one for one in families.values() if one.answer is type(member.answer))
    origin = member.origin
    settings = spell_infinities(origin["settings"])
    head = {"kind": family.kind, "estimator": origin["estimator"], "settings": settings}
    return head, family.bodies(member.answer, queries)


def _next(parts: MemberParts | None) -> Plain | None:
    """Return a member's part of the next receipt."""
    if parts is None:
        return None
    head, bodies_left = parts
    return {**head, **next(bodies_left)}


def _member_fields(answer: BlendAnswer, member: int, query: int) -> Plain:
    ready, outputs = answer.ready, answer.outputs[member, query]
    known = {
        "name": ready.names[member],
        "weight": number(ready.weights[member]),
        "left_out_loss": number(ready.losses[member]),
    }
    if not answer.base.class_labels:
        return {**known, "value": number(outputs[0])}
    power = number(ready.powers[member])
    return {**known, "probabilities": numbers(outputs), "power": power}


def _outcome(answer: BlendAnswer, query: int) -> Plain:
    if not answer.base.class_labels:
        return {"answer": number(answer.values[query, 0])}
    return describe_decision(
        answer.base,
        answer.values[query],
        answer.probabilities[query],
        int(answer.decisions[query]),
    )


def make_family(members: Sequence[Family]) -> Family:
    """The family of blends of members of these families."""
    families = {one.kind: one for one in members}
    by_answer = {one.answer: one for one in members}
    return Family(
        "blends",
        BlendAnswer,
        partial(bodies, families=families),
        partial(draw_blend, families=families),
        partial(check_parts, families=families),
        classes=fields(True, families),
        numbers=fields(False, families),
        contribute=partial(contribute, families=by_answer),
        answer_without=partial(answer_without, families=by_answer),
        brief=partial(brief_bodies, families=families),
    )
