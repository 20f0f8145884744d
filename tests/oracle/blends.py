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
