"""Linear models of all rows in their plainest form."""

import math

import numpy as np
from scipy.optimize import minimize

ROOT_OF_HALF = math.sqrt(0.5)


def linear_columns(rows, kinds, asked=()):
    """Rows and queries as lists of numbers: scaled, and indicators; not centered."""
    made = []
    for j, kind in enumerate(kinds):
        known = [row[j] for row in rows if row[j] is not None]
        if kind == "nominal":
            labels = sorted(set(known))
            if len(labels) <= 50:
                made += [(j, label, 0.0, ROOT_OF_HALF) for label in labels]
        elif known and min(known) < max(known):
            mean = sum(known) / len(known)
            size = math.sqrt(sum((x - mean) ** 2 for x in known) / len(known))
            made.append((j, None, mean, size))
    return [[_cell(row, *column) for column in made] for row in [*rows, *asked]]


def _cell(row, j, label, mean, size):
    if label is not None:
        return (1.0 if row[j] == label else 0.0) / size
    if row[j] is None:
        return 0.0
    return min(max((row[j] - mean) / size, -4.0), 4.0)


def ridge_line(rows, targets, ridge):
    """Intercept and coefficients of a ridge regression whose intercept is free."""
    design = np.column_stack([np.ones(len(rows)), np.asarray(rows, float)])
    penalties = np.diag([0.0] + [ridge] * (design.shape[1] - 1))
    return np.linalg.solve(design.T @ design + penalties, design.T @ targets)


def logistic(rows, outcomes, ridge):
    """Intercept and coefficients of a ridge logistic regression, by a general search.

    The penalty of the intercept is 0.0001.
    """
    design = np.column_stack([np.ones(len(rows)), np.asarray(rows, float)])
    penalties = np.array([1e-4] + [ridge] * (design.shape[1] - 1))
    outcomes = np.asarray(outcomes, float)

    def badness(beta):
        scores = design @ beta
        return (
            np.logaddexp(0, scores).sum()
            - outcomes @ scores
            + 0.5 * penalties @ beta**2
        )

    def slope(beta):
        means = 1 / (1 + np.exp(-(design @ beta)))
        return design.T @ (means - outcomes) + penalties * beta

    start = np.zeros(design.shape[1])
    found = minimize(badness, start, jac=slope, method="BFGS", options={"gtol": 1e-9})
    return found.x


def one_against_rest(scores):
    """Scores of classes as probabilities."""
    shares = [1 / (1 + math.exp(-score)) for score in scores]
    return [share / sum(shares) for share in shares]


def lines_left_out(rows, classes, n_classes, ridges, temperatures, n_judged):
    """Class probabilities by lines on indicators, fitted anew without each row.

    The center is the mean of the other rows, whose columns stay as they are. Ridge and
    temperature have the least log loss, kept off zero, over the first rows that are
    not alone in their class among these.
    """
    rows, n_rows = np.asarray(rows, float), len(rows)
    judged = list(range(min(n_rows, n_judged)))
    counts = [sum(classes[i] == c for i in judged) for c in range(n_classes)]
    judged = [i for i in judged if counts[classes[i]] > 1] or judged
    best = None
    for ridge in ridges:
        scores = [
            _score_by_lines(rows, classes, n_classes, ridge, i) for i in range(n_rows)
        ]
        for temperature in temperatures:
            losses = []
            for i in judged:
                odds = [
                    math.exp(temperature * (s - scores[i][classes[i]]))
                    for s in scores[i]
                ]
                losses.append(-math.log(0.999 / sum(odds) + 0.001 / n_classes))
            loss = sum(losses) / len(losses)
            if best is None or loss < best[0] - 1e-12:
                best = loss, temperature, scores
    return [
        _softmax_of_seen(own, [*classes[:i], *classes[i + 1 :]], best[1])
        for i, own in enumerate(best[2])
    ]


def _score_by_lines(rows, classes, n_classes, ridge, left_out):
    others = [i for i in range(len(rows)) if i != left_out]
    seen, penalties = rows[others], ridge * np.eye(rows.shape[1])
    scores = []
    for c in range(n_classes):
        own = np.array([float(classes[i] == c) for i in others])
        beta = np.linalg.solve(seen.T @ seen + penalties, seen.T @ (own - own.mean()))
        scores.append(own.mean() + rows[left_out] @ beta)
    return scores


def _softmax_of_seen(scores, others, temperature):
    odds = [
        math.exp(temperature * score) if c in others else 0.0
        for c, score in enumerate(scores)
    ]
    return [own / sum(odds) for own in odds]
