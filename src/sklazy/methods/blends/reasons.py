"""Contributions of features to a blend: those to its members, by their weights."""

from collections.abc import Mapping

import numpy as np

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.reasons import Shares, Wish, add_shares, ask_contributions
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.methods.blends.draws import DrawnLearner, DrawnMember, move_to_draw
from sklazy.methods.blends.learner import BlendAnswer, BlendLearner
from sklazy.methods.blends.members import LearnerMember, Member
from sklazy.methods.family import (
    Blocks,
    Family,
    find_contributions,
    find_outputs_without,
)


def contribute(
    learner: BlendLearner,
    answer: BlendAnswer,
    batch: Batch,
    wish: Wish,
    families: Mapping[type, Family],
) -> Shares:
    """The weighted sum of the members' contributions, each to its tempered output."""
    ready, parts = answer.ready, []
    members = [one for one in learner.members if one.name in ready.names]
    for i, member in enumerate(members):
        if ready.weights[i]:
            power = float(ready.powers[i]) if answer.base.class_labels else None
            tempered = wish._replace(power=power)
            shares = _share_member(member, answer, i, batch, tempered, families)
            parts.append((float(ready.weights[i]), shares))
    return add_shares(parts)


def _share_member(
    member: Member,
    answer: BlendAnswer,
    i: int,
    batch: Batch,
    wish: Wish,
    families: Mapping[type, Family],
) -> Shares:
    if isinstance(member, DrawnMember):
        member, batch = member.member, move_to_draw(batch)
    if isinstance(member, LearnerMember):
        answered = answer.by_member[i].answer
        return find_contributions(
            member.learner, batch, wish, families, answer=answered
        )

    def ask(queries: Queries) -> Floats:
        return member.answer(Batch(batch.base, batch.cases, queries)).outputs

    return ask_contributions(ask, batch, wish)


def answer_without(
    learner: BlendLearner,
    answer: BlendAnswer,
    batch: Batch,
    wish: Wish,
    blocks: Blocks,
    families: Mapping[type, Family],
) -> Floats:
    """Outputs without each block of cases; weights and powers of members stay."""
    ready, total = answer.ready, np.zeros((len(batch), len(blocks)))
    members = [one for one in learner.members if one.name in ready.names]
    for i, member in enumerate(members):
        if ready.weights[i]:
            own = member.member if isinstance(member, DrawnMember) else member
            if not isinstance(own, LearnerMember):
                raise BadInputError(
                    f"the member {member.name!r} of the blend is not an estimator of "
                    "sklazy and cannot leave out single cases; use a blend without it."
                )
            power = float(ready.powers[i]) if answer.base.class_labels else None
            answered, tempered = answer.by_member[i].answer, wish._replace(power=power)
            assert answered is not None
            one = DrawnLearner(own.learner) if own is not member else own.learner
            total += ready.weights[i] * find_outputs_without(
                one, answered, batch, tempered, blocks, families
            )
    return total
