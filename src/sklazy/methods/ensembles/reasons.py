"""Contributions of features to ensembles.

Along a path each split changes the class shares, or the mean, from those of a node to
those of the query's side; the change belongs to the feature that is split by. Other
members are asked again with features made missing, on the same bags.
"""

import numpy as np
from numpy.typing import NDArray

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
from sklazy.methods.ensembles.members import BagMember, RandomTreeMember, TreeMember
from sklazy.methods.ensembles.tree_changes import trace_trees

_N_ASKED = 100  # subsets, for each of which all members are built again


def contribute(
    learner: EnsembleLearner, answer: EnsembleAnswer, batch: Batch, wish: Wish
) -> Shares:
    """Contributions by changes along random paths, or by asking on the same bags."""
    traced = None
    if len(learner.members) == 1 and learner.combine in ("probability", "mean"):
        traced = _trace(learner.members[0], answer, batch)
    if traced is None:
        return _ask_on_bags(answer, batch, wish)
    return _share_paths(*traced, answer, batch, wish)


def _trace(
    member: BagMember, answer: EnsembleAnswer, batch: Batch
) -> tuple[Floats, Floats] | None:
    """Changes along the paths of trees, and where they start; None of other members."""
    if isinstance(member, TreeMember):
        return trace_trees(member, answer, batch.queries)
    if answer.traced is not None or not isinstance(member, RandomTreeMember):
        return answer.traced
    return member.trace(answer.data, batch.queries, answer.bags)[1:]


def _share_paths(
    changes: Floats, starts: Floats, answer: EnsembleAnswer, batch: Batch, wish: Wish
) -> Shares:
    features, totals = wish.features, pick_outputs(answer, wish)
    values, errors = np.zeros((2, len(batch), len(features.names)))
    base, known = np.zeros(len(batch)), find_known(batch.base, batch.queries)
    for query, total in enumerate(totals.tolist()):
        in_use = np.zeros(len(features.names), np.bool_)
        in_use[features.of_attribute[known[query]]] = True
        unit = answer.data.unit
        terms = features.add_up(changes[query].mean(axis=0) / unit)
        start = starts[query].mean(axis=0) / unit
        if answer.base.class_labels:
            terms, start = _keep_shares(terms, start, in_use)
        else:
            terms, start = terms * in_use[:, None], start + terms[~in_use].sum(axis=0)
        output = int(wish.outputs[query])
        found, _ = share_terms(terms, start, keep_scores, output, wish.power)
        values[query] = found
        base[query] = total - found.sum()
    return Shares(values, base, totals, errors)


def _keep_shares(
    terms: Floats, start: Floats, in_use: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Changes of class shares by the features in use, and the shares without them.

    Missing cells lead a path, too; a start that they would take out of 0 to 1 stays
    within, and the changes that are left are scaled to lead to the same leaf.
    """
    leaf = start + terms.sum(axis=0)
    start = np.clip(start + terms[~in_use].sum(axis=0), 0.0, 1.0)
    terms = terms * in_use[:, None]
    for c in range(terms.shape[1]):
        if terms[:, c].any():
            terms[:, c] = share_rest(terms[:, c], leaf[c] - start[c])
        else:
            start[c] = leaf[c]
    return terms, start


def _ask_on_bags(answer: EnsembleAnswer, batch: Batch, wish: Wish) -> Shares:
    """Ask members again, built on the bags that were drawn for each query."""
    parts = []
    for query in range(len(batch)):

        def ask(queries: Queries, query: int = query) -> Floats:
            return _answer_again(answer, query, queries)

        one = batch.part(query, query + 1)
        parts.append(ask_contributions(ask, one, wish.part(query), _N_ASKED))
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
