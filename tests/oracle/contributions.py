"""Contributions of features in their plainest form: all orders, and many steps."""

import itertools
import math

import numpy as np


def shapley(value, players):
    """The mean gain of each player over all orders in which they may come.

    `value` is a function of a frozenset of players.
    """
    totals = dict.fromkeys(players, 0.0)
    for order in itertools.permutations(players):
        known = frozenset()
        for player in order:
            totals[player] += value(known | {player}) - value(known)
            known |= {player}
    n_orders = math.factorial(len(players))
    return {player: total / n_orders for player, total in totals.items()}


def product_score(coefficients, factors, means, known):
    """The sum over cases of a coefficient times factors, or means where not known."""
    total = 0.0
    for i, coefficient in enumerate(coefficients):
        product = 1.0
        for j in range(len(factors)):
            product *= factors[j][i] if j in known else means[j][i]
        total += coefficient * product
    return total


def partly_known(coefficients, factors, means, places):
    """The same where feature j is known with probability ``places[j]``."""
    total = 0.0
    for i, coefficient in enumerate(coefficients):
        product = 1.0
        for j, place in enumerate(places):
            product *= means[j][i] + place * (factors[j][i] - means[j][i])
        total += coefficient * product
    return total


def along_diagonal(scores_at, output_of, n_features, n_steps=400, tiny=1e-6):
    """Aumann-Shapley values: the integral of each feature's part of the derivative.

    `scores_at` gives the scores at places of all features, and is linear in each place;
    `output_of` is the output at scores, whose slopes are taken by differences.
    """
    values = np.zeros(n_features)
    for step in range(n_steps):
        places = np.full(n_features, (step + 0.5) / n_steps)
        scores = np.array(scores_at(places))
        slopes = []
        for c in range(len(scores)):
            shift = np.eye(len(scores))[c] * tiny
            rise = output_of(scores + shift) - output_of(scores - shift)
            slopes.append(rise / (2 * tiny))
        for j in range(n_features):
            ends = [np.where(np.arange(n_features) == j, e, places) for e in (0.0, 1.0)]
            rise = np.array(scores_at(ends[1])) - np.array(scores_at(ends[0]))
            values[j] += float(np.dot(slopes, rise)) / n_steps
    return values


def softmax(scores, temperature):
    powers = [math.exp(temperature * (s - max(scores))) for s in scores]
    return [p / sum(powers) for p in powers]


def against_rest(scores):
    """Shares of classes whose scores are those of logistic models."""
    parts = [1 / (1 + math.exp(-s)) for s in scores]
    return [p / sum(parts) for p in parts]


def tempered(shares, power):
    """Raised to a power and made to sum to 1, kept off zero before."""
    raised = [(0.999 * p + 0.001 / len(shares)) ** power for p in shares]
    return [r / sum(raised) for r in raised]
