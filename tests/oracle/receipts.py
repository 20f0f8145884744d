"""The figures that receipts show, each worked out in the longest way."""

import math

import numpy as np

from oracle.local_models import local_fit, local_ridge, local_score, local_terms


def bayes_logs(codes, widths, classes, n_classes, weights, query, alpha):
    """log P(class), and by attribute log P(value | class), on weighted rows."""
    rows = range(len(classes))
    every = sum(weights) + alpha * n_classes
    priors, terms = [], {j: [] for j, value in enumerate(query) if value >= 0}
    for c in range(n_classes):
        own = [r for r in rows if classes[r] == c]
        priors.append(math.log((sum(weights[r] for r in own) + alpha) / every))
        for j, term in terms.items():
            known = sum(weights[r] for r in own if codes[j][r] >= 0)
            same = sum(weights[r] for r in own if codes[j][r] == query[j])
            term.append(math.log((same + alpha) / (known + alpha * widths[j])))
    return priors, terms


def linear_parts(rows, targets, weights, query, ridge):
    """A ridge regression of weighted rows: the means, and what each regressor adds.

    Rows are repeated as often as they weigh, and the ridge is rows of its own.
    """
    repeated = np.repeat(rows, weights, axis=0)
    outcomes = np.repeat(targets, weights, axis=0)
    middle, means = repeated.mean(axis=0), outcomes.mean(axis=0)
    width = rows.shape[1]
    design = np.vstack([repeated - middle, math.sqrt(ridge) * np.eye(width)])
    wanted = np.vstack([outcomes - means, np.zeros((width, targets.shape[1]))])
    coefficients = np.linalg.lstsq(design, wanted, rcond=None)[0]
    return means, [(query[a] - middle[a]) * coefficients[a] for a in range(width)]


def rule_share(column, classes, weights):
    """The share of the rows that have the most frequent class of their value."""
    right = 0
    for value in set(column):
        by_class = {}
        for own, c, w in zip(column, classes, weights, strict=True):
            if own == value:
                by_class[c] = by_class.get(c, 0) + w
        right += max(by_class.values())
    return right / sum(weights)


def rule_explained(column, targets, weights):
    """The share of the variance that the means of the values explain."""
    rows = [
        (v, y)
        for v, y, w in zip(column, targets, weights, strict=True)
        for _ in range(w)
    ]
    mean = sum(y for _, y in rows) / len(rows)
    total = sum((y - mean) ** 2 for _, y in rows)
    left = 0.0
    for value in {v for v, _ in rows}:
        own = [y for v, y in rows if v == value]
        left += sum((y - sum(own) / len(own)) ** 2 for y in own)
    return 1 - left / total if total > 0 else 0.0


def path_weights(cells, weights, steps):
    """The weight of the rows that pass the tests before each step, in order.

    `cells[name][row]`; no cell is missing. Steps are (name, relation, bound).
    """
    left, found = list(range(len(weights))), []
    for name, relation, bound in steps:
        found.append(sum(weights[r] for r in left))
        if relation == "<=":
            left = [r for r in left if cells[name][r] <= bound]
        elif relation == ">":
            left = [r for r in left if cells[name][r] > bound]
        elif relation == "=":
            left = [r for r in left if cells[name][r] == bound]
    return found


def drawn_path_weights(cells, weights, steps):
    """The weight of each node on a path of drawn splits, the leaf's last."""
    inside = [row for row, weight in enumerate(weights) if weight > 0]
    found = [sum(weights[row] for row in inside)]
    for step in steps:
        column = cells[step["attribute"]]
        if step["relation"] == "in":
            inside = [r for r in inside if column[r] in step["categories"]["listed"]]
        else:
            above = step["relation"] == ">"
            inside = [r for r in inside if (column[r] > step["cut"]) == above]
        found.append(sum(weights[row] for row in inside))
    return found


def voting_times(order, distances, weights, n_neighbors):
    """(row, times, distance) of the nearest rows of a bag, and all that tie."""
    drawn = [
        (d, r) for r, d in zip(order, distances, strict=True) for _ in range(weights[r])
    ]
    last = drawn[min(n_neighbors, len(drawn)) - 1][0]
    found = dict.fromkeys(r for d, r in drawn if d <= last)
    return [(r, weights[r], distances[order.index(r)]) for r in found]


def outside_columns(query, near, kinds, names):
    """Columns in which no neighbor has the category, or none lies beyond the number."""
    found = []
    for j, (cell, kind) in enumerate(zip(query, kinds, strict=True)):
        known = [row[j] for row in near if row[j] is not None]
        if cell is None:
            continue
        if kind == "nominal":
            if all(x != cell for x in known):
                found.append({"column": names[j], "value": cell})
        elif known and (all(x > cell for x in known) or all(x < cell for x in known)):
            ends = {"least": sorted(known)[0], "most": sorted(known)[-1]}
            found.append({"column": names[j], "value": cell, **ends})
    return found


def local_figures(rows, targets, query, degrees, ridge, units):
    """What a receipt shows of models of several degrees on the same neighbors.

    Rows and query are regressors; `units` turn their coefficients into those of the
    data. Influences and leverages are found by asking what a target of 1 would do.
    """
    k, weights = len(rows), [1.0] * len(rows)
    models = {}
    for degree in degrees:
        penalties = local_ridge(rows, weights, query, degree, ridge, False)
        terms = [np.array(local_terms(row, query, degree)) for row in rows]
        score = local_score(terms, targets, weights, degree, None, penalties, False)
        models[degree] = score, terms, penalties
    best = min(models, key=lambda degree: (models[degree][0], degree))
    inverse = {degree: 1 / (found[0] or 1e-20) for degree, found in models.items()}
    shares = {degree: w / sum(inverse.values()) for degree, w in inverse.items()}
    units_of = [1.0, *units]
    units_of += [a * b for i, a in enumerate(units) for b in units[i:]]
    coefficients = [0.0] * len(local_terms(rows[0], query, max(degrees)))
    influences = [0.0] * k
    for degree, (_, terms, penalties) in models.items():
        theta = local_fit(terms, targets, weights, penalties)
        for a, value in enumerate(theta):
            coefficients[a] += shares[degree] * value * units_of[a]
        for i in range(k):
            alone = local_fit(terms, _only(i, k), weights, penalties)
            influences[i] += shares[degree] * alone[0]
    _, terms, penalties = models[best]
    leverages, residuals = [], []
    for i in range(k):
        alone = local_fit(terms, _only(i, k), weights, penalties)
        leverages.append(float(terms[i] @ alone))
        others = [j for j in range(k) if j != i]
        without = local_fit(
            [terms[j] for j in others],
            [targets[j] for j in others],
            [1.0] * (k - 1),
            penalties,
        )
        residuals.append(targets[i] - float(terms[i] @ without))
    return {
        "scores": {degree: found[0] for degree, found in models.items()},
        "shares": shares,
        "coefficients": coefficients,
        "influences": influences,
        "leverages": leverages,
        "residuals": residuals,
    }


def _only(i, k):
    return [1.0 if j == i else 0.0 for j in range(k)]
