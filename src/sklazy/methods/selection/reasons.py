"""Contributions of features to naive Bayes: log likelihoods, through softmax."""

import numpy as np

from sklazy.answer.batch import Batch
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Shares, Wish, pick_outputs
from sklazy.measures.shapley import share_rest, share_terms, soften
from sklazy.methods.selection.host import BayesTerms
from sklazy.methods.selection.result import SelectionAnswer

_ALIKE = 1e-9


def contribute(
    learner: AnyLearner, answer: SelectionAnswer, batch: Batch, wish: Wish
) -> Shares | None:
    """Contributions to the probabilities of naive Bayes; None for other hosts.

    Also None where terms are infinite, or not all that the probability is made of.
    """
    features, totals = wish.features, pick_outputs(answer, wish)
    values, base = np.zeros((len(batch), len(features.names))), np.zeros(len(batch))
    for query, total in enumerate(totals.tolist()):
        evidence = answer.evidence(query)
        if not isinstance(evidence, BayesTerms):
            return None
        used = answer.selected.attributes[query, : answer.selected.counts[query]]
        terms = np.zeros((len(features.of_attribute), len(evidence.priors)))
        # Ratios to the first class: equal likelihoods add exactly nothing.
        terms[used] = evidence.terms - evidence.terms[:, :1]
        output = int(wish.outputs[query])
        if not np.isfinite(terms).all():
            return None
        values[query], base[query] = share_terms(
            features.add_up(terms),
            evidence.priors,
            lambda scores: soften(scores, 1.0),
            output,
            wish.power,
        )
        if abs(base[query] + values[query].sum() - total) > _ALIKE:
            return None
        values[query] = share_rest(values[query], total - base[query])
    return Shares(values, base, totals, np.zeros(values.shape))
