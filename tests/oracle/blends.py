"""Blends in their plainest form: weights by general optimizers."""

import math

import numpy as np
from scipy.optimize import minimize

POWERS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6, 2.0)


def tempered(shares, power):
    """A member's probabilities of one row, kept off zero and raised to a power."""
    raised = [(0.999 * p + 0.001 / len(shares)) ** power for p in shares]
    return [value / sum(raised) for value in raised]


def loss_of_power(left_out, classes, power):
    """The mean log loss of a member with a power."""
    rows = zip(left_out, classes, strict=True)
    losses = [-math.log(tempered(shares, power)[own]) for shares, own in rows]
    return sum(losses) / len(losses)


def mixture_badness(weights, likelihoods, prior=5.0):
    """What the weights of a mixture make least."""
    n_members = len(weights)
    rows = -np.log(np.asarray(likelihoods) @ weights).sum()
    return rows - prior / n_members * np.log(weights).sum()


def mixture_weights(likelihoods, prior=5.0):
    """Weights that sum to 1, by a general search without constraints (softmax)."""

    def badness(free):
        shares = np.exp(free - free.max())
        return mixture_badness(shares / shares.sum(), likelihoods, prior)

    start = np.zeros(len(likelihoods[0]))
    found = minimize(badness, start, method="BFGS", options={"gtol": 1e-8})
    shares = np.exp(found.x - found.x.max())
    return shares / shares.sum()


def square_badness(weights, left_out, targets):
    """The squared error of a weighted mean."""
    return float(((np.asarray(left_out) @ weights - targets) ** 2).sum())


def blend_classes(said, weights, powers):
    """Probabilities of one query from those of each member."""
    members = [tempered(shares, p) for shares, p in zip(said, powers, strict=True)]
    columns = zip(*members, strict=True)
    mixed = [sum(w * p for w, p in zip(weights, own, strict=True)) for own in columns]
    return [value / sum(mixed) for value in mixed]


def label_means(codes, targets, weights, learned, n_labels):
    """How far a label's mean lies from that of all, shrunken, of one attribute.

    The mean of all counts for as many rows as the variance within labels is times that
    between them, both by the analysis of variance.
    """
    rows = [i for i in learned if codes[i] >= 0]
    total = sum(weights[i] for i in rows)
    if not total:
        return [0.0] * n_labels
    center = sum(weights[i] * targets[i] for i in rows) / total
    away = {}
    for i in rows:
        away.setdefault(codes[i], []).append((weights[i], targets[i] - center))
    away = {k: own for k, own in away.items() if sum(w for w, _ in own) > 0}
    counts = {k: sum(w for w, _ in own) for k, own in away.items()}
    middles = {k: sum(w * x for w, x in own) / counts[k] for k, own in away.items()}
    free = total - len(away)
    largest = total - sum(n**2 for n in counts.values()) / total
    if free <= 0 or largest <= 0:
        return [0.0] * n_labels
    within = sum(w * (x - middles[k]) ** 2 for k, own in away.items() for w, x in own)
    within /= free
    explained = sum(counts[k] * middles[k] ** 2 for k in away)
    between = (explained - (len(away) - 1) * within) / largest
    if between <= 0:
        return [0.0] * n_labels
    prior = within / between
    return [
        counts[k] * middles[k] / (counts[k] + prior) if k in away else 0.0
        for k in range(n_labels)
    ]


def label_means_of_rows(codes, targets, weights, learned, n_labels):
    """What stands for the label of every row: other folds' means where it is learned.

    The j-th row that is learned is in fold j modulo five.
    """
    everywhere = label_means(codes, targets, weights, learned, n_labels)
    found = [math.nan if code < 0 else everywhere[code] for code in codes]
    for j, i in enumerate(learned):
        others = [row for k, row in enumerate(learned) if k % 5 != j % 5]
        if codes[i] >= 0:
            found[i] = label_means(codes, targets, weights, others, n_labels)[codes[i]]
    return found
