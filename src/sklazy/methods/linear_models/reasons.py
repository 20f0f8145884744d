"""Contributions of features to linear models: coefficient times (value - mean)."""

import numpy as np
from scipy.special import expit

from sklazy.answer.batch import Batch, Floats
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import Shares, Wish, find_known, pick_outputs
from sklazy.measures.shapley import Slopes, keep_scores, share_rest, share_terms
from sklazy.methods.linear_models.columns import place
from sklazy.methods.linear_models.learner import LinearAnswer


def contribute(
    learner: AnyLearner, answer: LinearAnswer, batch: Batch, wish: Wish
) -> Shares:
    """Terms of the scores, through the link where classes are predicted."""
    columns, fit, features = answer.ready.columns, answer.ready.fit, wish.features
    is_class = bool(answer.base.class_labels)
    totals = pick_outputs(answer, wish)
    values, errors = np.zeros((2, len(batch), len(features.names)))
    base, known = np.zeros(len(batch)), find_known(batch.base, batch.queries)
    placed = place(columns, batch.queries)
    for query, total in enumerate(totals.tolist()):
        by_column = (fit.coefficients * placed[query]).T
        terms = np.zeros((len(features.names), by_column.shape[1]))
        np.add.at(terms, features.of_attribute[columns.attributes], by_column)
        missing = np.bincount(features.of_attribute[known[query]], minlength=len(terms))
        start = fit.intercepts + terms[missing == 0].sum(axis=0)
        terms[missing == 0] = 0.0
        found = share_terms(
            terms,
            start,
            _link_classes if is_class else keep_scores,
            int(wish.outputs[query]),
            wish.power,
        )
        base[query] = found[1]
        values[query] = share_rest(found[0], total - base[query])
    return Shares(values, base, totals, errors)


def _link_classes(scores: Floats) -> tuple[Floats, Slopes]:
    """Scores of classes against the rest as shares, and their slopes."""
    parts = expit(np.clip(scores, -700.0, 700.0))
    totals = parts.sum(axis=1, keepdims=True)
    shares = parts / totals

    def slopes(by_output: Floats) -> Floats:
        apart = by_output - (by_output * shares).sum(axis=1, keepdims=True)
        return np.asarray(apart * parts * (1.0 - parts) / totals)

    return shares, slopes
