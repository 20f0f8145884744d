"""Kernel models in their plainest form: a system for every row that is left out.

Rows are lists of cells: float, str, or None where missing; `kinds` says which columns
are "numeric" and which "nominal".
"""

import math
from statistics import NormalDist

import numpy as np

MISMATCH = 2 * math.sqrt(2)
SHARES = (0.0, 0.5, 1.0)
RIDGES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.003)
TEMPERATURES = [0.5 * 120 ** (i / 24) for i in range(25)]


def rank(number, known):
    """How many numbers lie below, equal ones counted half."""
    return sum(x < number for x in known) + sum(x == number for x in known) / 2


def normal_score(number, known):
    return NormalDist().inv_cdf((rank(number, known) + 0.5) / (len(known) + 1))


def difference(one, other, column, kind):
    """Of two cells, one of a case and one of any row; `column` has all cases' cells."""
    known = [cell for cell in column if cell is not None]
    if one is None or other is None:
        return 0.0 if one is other else missing_difference(known, kind)
    if kind == "nominal":
        return 0.0 if one == other else MISMATCH
    return abs(normal_score(one, known) - normal_score(other, known))


def missing_difference(known, kind):
    """Half of a mismatch, or half of the largest score."""
    if kind == "nominal" or not known:
        return MISMATCH / 2
    return NormalDist().inv_cdf(1 - 0.5 / (len(known) + 1)) / 2


def fifth(number, known):
    """Which of five bins of equal count a number is in."""
    return min(int(5 * rank(number, known) / len(known)), 4)


def counted(column, kind):
    """Cells as values that can be counted; a missing one is a value, too."""
    known = [cell for cell in column if cell is not None]
    if kind == "nominal":
        return list(column)
    return [None if cell is None else fifth(cell, known) for cell in column]


def information(column, kind, classes):
    """Mutual information of cells and classes in nats, less its bias."""
    values, n = counted(column, kind), len(classes)
    total = 0.0
    for value in set(values):
        for label in set(classes):
            pairs = zip(values, classes, strict=True)
            both = sum(v == value and c == label for v, c in pairs)
            if both:
                expected = values.count(value) * classes.count(label) / n
                total += both / n * math.log(both / expected)
    bias = (len(set(values)) - 1) * (len(set(classes)) - 1) / (2 * n)
    return max(total - bias, 0.0)


def attribute_weights(rows, told, share):
    """Equal weights and information mixed; columns without a difference weigh 0."""
    columns = list(zip(*rows, strict=True))
    telling = [len(set(column)) > 1 for column in columns]
    weights = []
    for own, differs in zip(told, telling, strict=True):
        informed = sum(telling) * own / sum(told) if sum(told) > 0 else 1.0
        weights.append((share * informed + 1 - share) if differs else 0.0)
    return weights


def distance(one, other, rows, kinds, weights):
    """Differences of two rows, each times its weight, added up."""
    columns = zip(one, other, zip(*rows, strict=True), kinds, weights, strict=True)
    return sum(w * difference(a, b, column, k) for a, b, column, k, w in columns)


def median_distance(rows, kinds, weights):
    """The median of distances above 0, each pair once; 1 if there is none."""
    found = []
    for i, row in enumerate(rows):
        for other in rows[:i]:
            far = distance(row, other, rows, kinds, weights)
            if far > 0:
                found.append(far)
    return float(np.median(found)) if found else 1.0


def similarities(ones, others, rows, kinds, weights, rate):
    """A matrix; `rows` are the cases that ranks are taken among."""
    return np.array(
        [
            [math.exp(-rate * distance(a, b, rows, kinds, weights)) for b in others]
            for a in ones
        ]
    ).reshape(len(ones), len(others))


def solve_for(system, side, ridge, targets, center):
    """The answer for a row: similarities among cases, and of the row to these."""
    ridged = system + ridge * np.eye(len(system))
    return center + side @ np.linalg.solve(ridged, targets - center)


def answer(system, side, ridge, targets):
    return solve_for(system, side, ridge, targets, targets.mean(axis=0))


def left_out(system, ridge, targets):
    """The answer for every row from a system of all others, solved anew."""
    found = []
    for i in range(len(targets)):
        others = [j for j in range(len(targets)) if j != i]
        part = system[np.ix_(others, others)]
        found.append(answer(part, system[i, others], ridge, targets[others]))
    return np.array(found)


def probabilities(scores, temperature, seen):
    """Softmax of one row's scores, over the classes that are seen."""
    powers = [
        math.exp(temperature * (s - max(scores))) if there else 0.0
        for s, there in zip(scores, seen, strict=True)
    ]
    return [p / sum(powers) for p in powers]


def log_loss(scores, classes, temperature):
    """Mean over rows whose class other rows have, too (all rows if there are none)."""
    judged = [i for i, c in enumerate(classes) if classes.count(c) > 1]
    losses = []
    for i in judged or range(len(classes)):
        every = [True] * len(scores[i])
        share = probabilities(scores[i], temperature, every)[classes[i]]
        losses.append(-math.log(0.999 * share + 0.001 / len(every)))
    return sum(losses) / len(losses)


def least_log_loss(scores, classes):
    """The least loss over the temperatures, and its temperature."""
    return min((log_loss(scores, classes, t), t) for t in TEMPERATURES)


def influences(system, side, ridge, targets, center):
    """What the answer changes by if a target is one more; the center stays."""
    plain = solve_for(system, side, ridge, targets, center)
    found = []
    for i in range(len(targets)):
        more = targets.copy()
        more[i] += 1.0
        found.append((solve_for(system, side, ridge, more, center) - plain)[0])
    return found


def left_out_around(system, ridge, targets, center):
    """As `left_out`, with one center for all."""
    found = []
    for i in range(len(targets)):
        others = [j for j in range(len(targets)) if j != i]
        part, side = system[np.ix_(others, others)], system[i, others]
        found.append(solve_for(part, side, ridge, targets[others], center))
    return np.array(found)


def plain_log_loss(scores, classes, temperature):
    """As `log_loss`, without a floor under the probabilities."""
    judged = [i for i, c in enumerate(classes) if classes.count(c) > 1]
    losses = []
    for i in judged or range(len(classes)):
        every = [True] * len(scores[i])
        losses.append(
            -math.log(probabilities(scores[i], temperature, every)[classes[i]])
        )
    return sum(losses) / len(losses)


def on_grid(near):
    """Similarities of rows to landmarks, rounded to 21 bits behind the point."""
    return np.rint(np.asarray(near) * 2**21) / 2**21


def small_ridge(near, among, ridge):
    """What keeps landmarks apart that are nearly equal: it stays as for all rows."""
    near = on_grid(near)
    return 1e-10 * np.trace(near.T @ near + ridge * among) / len(among)


def fit_landmarks(near, among, ridge, targets, center, small=None):
    """Coefficients of landmarks, from the similarities of rows to these."""
    small = small_ridge(near, among, ridge) if small is None else small
    near = on_grid(near)
    system = near.T @ near + ridge * among + small * np.eye(len(among))
    return np.linalg.solve(system, near.T @ (targets - center))


def answer_by_landmarks(near, among, side, ridge, targets):
    """The answer for rows whose similarities to the landmarks are `side`."""
    center = targets.mean(axis=0)
    return center + side @ fit_landmarks(near, among, ridge, targets, center)


def estimate_leverages(near, among, ridge, n_rows):
    """Leverages of rows among so many, of which each other one stands for some."""
    scale, found = max(n_rows / len(near), 1.0), []
    small = 1e-10 * np.trace(scale * near.T @ near + ridge * among) / len(among)
    ridged = ridge * among + small * np.eye(len(among))
    for i in range(len(near)):
        others = np.delete(near, i, axis=0)
        system = scale * others.T @ others + np.outer(near[i], near[i]) + ridged
        found.append(near[i] @ np.linalg.solve(system, near[i]))
    return np.array(found)


def left_out_of_landmarks(near, among, ridge, targets):
    """The answer for every row from landmarks that were fitted to the others."""
    found, small = [], small_ridge(near, among, ridge)
    for i in range(len(targets)):
        others = [j for j in range(len(targets)) if j != i]
        left, center = targets[others], targets[others].mean(axis=0)
        fitted = fit_landmarks(near[others], among, ridge, left, center, small)
        found.append(center + on_grid(near[i]) @ fitted)
    return np.array(found)
