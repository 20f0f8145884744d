"""Asking the members of an ensemble in calls that are short, whatever the table."""

import numpy as np

from sklazy.answer.batch import Floats
from sklazy.flow import Bags, Queries
from sklazy.kernels.pacing import in_turn
from sklazy.methods.ensembles.data import EnsembleData
from sklazy.methods.ensembles.members import BagMember

_SHORT = 2e7  # nanoseconds, by an estimate that may be ten times too low


def ask_member(
    member: BagMember, data: EnsembleData, queries: Queries, bags: Bags, *, share: bool
) -> Floats:
    """Predict by a kind of member from each bag, (n_queries, n_bags, n_outputs).

    Bags are independent of each other, and so are queries unless they share bags: they
    can be asked one after the other, which lets an interrupt through in between.

    Parameters
    ----------
    member : BagMember
    data : EnsembleData
    queries : Queries
    bags : Bags
    share : bool
        Whether queries share what is drawn from all rows.
    """
    n_queries, n_bags = bags.seeds.shape[1:]
    if member.cost(data) * n_queries * n_bags <= _SHORT:
        return member.answer(data, queries, bags)
    outputs = np.zeros((n_queries, n_bags, data.n_outputs))
    step = n_queries if share else 1
    for query in range(0, n_queries, step):
        here = slice(query, query + step)
        few = Queries(queries.codes[here], queries.values[here])
        few_bags = bags.part(query, query + step)
        _ask_in_turn(member, data, few, few_bags, outputs[here])
    return outputs


def _ask_in_turn(
    member: BagMember, data: EnsembleData, queries: Queries, bags: Bags, outputs: Floats
) -> None:
    """Write what a member answers to some queries, a few bags at a time."""

    def ask(first: int, last: int) -> None:
        chosen = bags.choose(np.arange(first, last))
        outputs[:, first:last] = member.answer(data, queries, chosen)

    in_turn(ask, outputs.shape[1])
