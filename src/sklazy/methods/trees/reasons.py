"""Contributions of features to a lazy tree: changes of class shares by its tests."""

import numpy as np

from sklazy.answer.batch import Batch
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Shares, Wish, pick_outputs
from sklazy.measures.shapley import keep_scores, share_rest, share_terms
from sklazy.methods.plain import count_along
from sklazy.methods.trees.learner import TreeAnswer


def contribute(
    learner: AnyLearner, answer: TreeAnswer, batch: Batch, wish: Wish
) -> Shares:
    """The change of the class shares by each test, credited to its attribute."""
    features, totals = wish.features, pick_outputs(answer, wish)
    values, base = np.zeros((len(batch), len(features.names))), np.zeros(len(batch))
    whole = answer.base.cases.class_counts
    for query, total in enumerate(totals.tolist()):
        tested = [int(j) for j in answer.steps[query] if j >= 0]
        counts = count_along(answer.base, answer.queries.codes[query], tested)
        shares = np.array([row / row.sum() for row in map(np.array, [whole, *counts])])
        terms = np.zeros((len(features.of_attribute), len(whole)))
        np.add.at(terms, tested, np.diff(shares, axis=0))
        values[query], base[query] = share_terms(
            features.add_up(terms),
            shares[0],
            keep_scores,
            int(wish.outputs[query]),
            wish.power,
        )
        values[query] = share_rest(values[query], total - base[query])
    return Shares(values, base, totals, np.zeros(values.shape))
