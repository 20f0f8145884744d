"""Contributions of features to a blend: those to its members, by their weights."""

from collections.abc import Mapping

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.reasons import Shares, Wish, add_shares, ask_contributions
from sklazy.flow import Queries
from sklazy.methods.blends.learner import (
    BlendAnswer,
    BlendLearner,
    LearnerMember,
    Member,
)
from sklazy.methods.family import Family, find_contributions


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
            own = wish._replace(power=power)
            shares = _share_member(member, answer, i, batch, own, families)
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
    if isinstance(member, LearnerMember):
        said = answer.said[i].answer
        return find_contributions(member.learner, batch, wish, families, answer=said)

    def ask(queries: Queries) -> Floats:
        return member.answer(Batch(batch.base, batch.cases, queries)).outputs

    return ask_contributions(ask, batch, wish)
