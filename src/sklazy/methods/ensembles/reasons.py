"""Contributions of features to ensembles.

Along a path each split changes the class shares, or the mean, from those of a node to
those of the query's side; the change belongs to the feature that is split by. Other
members are asked again with features made missing, on the same bags.
"""

import numpy as np

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.reasons import (
    Shares,
    Wish,
    ask_contributions,
    find_known,
    pick_outputs,
)
from sklazy.flow import Neighbors, Queries
from sklazy.measures.shapley import keep_scores, share_rest, share_terms
from sklazy.methods.ensembles.learner import EnsembleAnswer, EnsembleLearner
from sklazy.methods.ensembles.members import RandomTreeMember


def contribute(
    learner: EnsembleLearner, answer: EnsembleAnswer, batch: Batch, wish: Wish
) -> Shares:
    """Contributions by changes along random paths, or by asking on the same bags."""
    (member, *others) = learner.members
    if others or not isinstance(member, RandomTreeMember):
        return _ask_on_bags(answer, batch, wish)
    if learner.combine not in ("probability", "mean"):
        return _ask_on_bags(answer, batch, wish)
    return _share_paths(member, answer, batch, wish)


def _share_paths(
    member: RandomTreeMember, answer: EnsembleAnswer, batch: Batch, wish: Wish
) -> Shares:
    features, totals = wish.features, pick_outputs(answer, wish)
    values, errors = np.zeros((2, len(batch), len(features.names)))
    base, known = np.zeros(len(batch)), find_known(batch.base, batch.queries)
    changes, starts = member.trace(answer.data, batch.queries, answer.bags)
    for query, total in enumerate(totals.tolist()):
        terms = features.add_up(changes[query].mean(axis=0) / answer.data.unit)
        in_use = np.zeros(len(terms), np.bool_)
        in_use[features.of_attribute[known[query]]] = True
        start = starts[query].mean(axis=0) / answer.data.unit
        start = start + terms[~in_use].sum(axis=0)
        terms[~in_use] = 0.0
        output = int(wish.outputs[query])
        found = share_terms(terms, start, keep_scores, output, wish.power)
        base[query] = found[1]
        values[query] = share_rest(found[0], total - base[query])
    return Shares(values, base, totals, errors)


def _ask_on_bags(answer: EnsembleAnswer, batch: Batch, wish: Wish) -> Shares:
    """Ask members again, built on the bags that were drawn for each query."""
    parts = []
    for query in range(len(batch)):

        def ask(queries: Queries, query: int = query) -> Floats:
            return _answer_again(answer, query, queries)

        one = batch.part(query, query + 1)
        parts.append(ask_contributions(ask, one, wish.part(query)))
    return Shares(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _answer_again(answer: EnsembleAnswer, query: int, queries: Queries) -> Floats:
    """Outputs of queries by the neighbors and bags of another one."""
    again = np.full(len(queries.codes), query)
    near, bags = answer.neighbors, answer.bags.take(again)
    neighbors = Neighbors(near.rows[again], near.distances[again])
    learner, data = answer.learner, answer.data
    outputs = learner.ask(data, queries, bags)
    combined = learner.combine_outputs(data, neighbors, bags, outputs)
    return np.asarray(combined.outputs / data.unit)
