"""Members of ensembles on weighted rows, for classes and for numbers."""

import math

import numpy as np

from oracle.path_means import reduction_of, squares_of
from oracle.paths import ALIKE, class_weights_of


def bayes_answer(codes, widths, classes, n_classes, weights, query, alpha):
    """Naive Bayes on weighted rows; codes below 0 are missing or unseen."""
    scores = []
    for c in range(n_classes):
        rows = [(r, w) for r, w in enumerate(weights) if classes[r] == c]
        size = sum(w for _, w in rows)
        score = (size + alpha) / (sum(weights) + alpha * n_classes)
        for j, value in enumerate(query):
            if value >= 0:
                known = sum(w for r, w in rows if codes[j][r] >= 0)
                count = sum(w for r, w in rows if codes[j][r] == value)
                score *= (count + alpha) / (known + alpha * widths[j])
        scores.append(score)
    return [score / sum(scores) for score in scores]


def rule_answer(codes, classes, n_classes, weights, query):
    """One rule (Holte 1993): class shares of a value of the attribute that errs least.

    Missing (-1) counts as a value of its own; a value without rows: all rows.
    """
    bag = [(row, w) for row, w in enumerate(weights) if w > 0]

    def n_right(column):
        return sum(
            max(
                class_weights_of(
                    [(r, w) for r, w in bag if column[r] == value], classes, n_classes
                )
            )
            for value in set(column)
        )

    rights = [n_right(column) for column in codes]
    best = rights.index(max(rights))
    own = [(r, w) for r, w in bag if codes[best][r] == query[best]]
    sums = class_weights_of(own or bag, classes, n_classes)
    return [s / sum(sums) for s in sums]


def neighbors_answer(order, distances, classes, n_classes, weights, n_neighbors):
    """Rows vote by weight from near to far until they reach k, with all ties."""
    reached, reach = 0, math.inf
    for row, distance in zip(order, distances, strict=True):
        reached += weights[row]
        if reached >= n_neighbors:
            reach = distance
            break
    near = [
        (r, weights[r]) for r, d in zip(order, distances, strict=True) if d <= reach
    ]
    sums = class_weights_of(near, classes, n_classes)
    return [s / sum(sums) for s in sums]


def ridge_answer(rows, targets, weights, query, ridge):
    """Ridge regression with a free intercept, by the normal equations."""
    design = np.column_stack([np.ones(len(rows)), rows])
    penalty = np.diag([0.0] + [ridge] * rows.shape[1])
    weighted = design * np.asarray(weights, float)[:, None]
    solution = np.linalg.solve(design.T @ weighted + penalty, weighted.T @ targets)
    return np.concatenate([[1.0], query]) @ solution


def neighbors_mean(order, distances, targets, weights, n_neighbors):
    """The mean of rows from near to far until their weights reach k, with all ties."""
    reached, reach = 0, math.inf
    for row, distance in zip(order, distances, strict=True):
        reached += weights[row]
        if reached >= n_neighbors:
            reach = distance
            break
    near = [r for r, d in zip(order, distances, strict=True) if d <= reach]
    return np.average(targets[near], weights=[weights[r] for r in near])


def rule_mean(codes, targets, weights, query):
    """The mean of a value of the attribute whose values leave least squares.

    Missing (-1) counts as a value of its own; a value without rows: all rows.
    """
    bag = [(row, float(w)) for row, w in enumerate(weights) if w > 0]
    squares = squares_of(bag, targets)[2]
    chosen, best = 0, 0.0
    for j, column in enumerate(codes):
        values = sorted({column[row] for row, _ in bag})
        parts = [[(r, w) for r, w in bag if column[r] == v] for v in values]
        worth = reduction_of(parts, targets)
        if worth > best + ALIKE * squares:
            chosen, best = j, worth
    own = [(r, w) for r, w in bag if codes[chosen][r] == query[chosen]]
    return squares_of(own or bag, targets)[1]
