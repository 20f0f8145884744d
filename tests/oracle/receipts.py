"""The figures that receipts show, each worked out in the longest way."""

import math

import numpy as np

from oracle.local_models import (
    choose_models,
    fit_models,
    local_fit,
    local_members,
    local_ridge,
    local_terms,
)


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


def tree_steps(node, query, depth=0, share=1.0):
    """What a receipt shows of each node that a query passes in a whole tree.

    (depth, attribute, relation, bound, weight, share), branch by branch where a value
    is missing. A category that no row of a node has ends the way there.
    """
    j, weight = node["attribute"], sum(node["weights"])
    if j is None:
        return [(depth, None, None, None, weight, share)]
    cut, cell = node["cut"], query[j]
    if cell is None:
        steps = [(depth, j, "missing", cut, weight, share)]
        for son, part in zip(node["sons"], node["shares"], strict=True):
            if son is not None:
                steps += tree_steps(son, query, depth + 1, share * part)
        return steps
    branch = int(cell > cut) if cut is not None else cell
    son = node["sons"][branch] if branch < len(node["sons"]) else None
    if son is None:
        return [(depth, None, None, None, weight, share)]
    test = ("=", cell) if cut is None else ((">" if cell > cut else "<="), cut)
    return [
        (depth, j, *test, weight, share),
        *tree_steps(son, query, depth + 1, share),
    ]


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
            ends = {"min": sorted(known)[0], "max": sorted(known)[-1]}
            found.append({"column": names[j], "value": cell, **ends})
    return found


def local_figures(rows, targets, alike, query, models, units):
    """What a receipt shows of the models that answer a query.

    Rows are the neighbors, nearest first, and the query as regressors; `units` turn
    their coefficients into those of the data. `models` is what `chosen_models` gave,
    `alike` as in `fit_models`. Influences and leverages are found by asking what a
    target of 1 would do.
    """
    inverse = [1 / (score or 1e-20) for _, _, score, _ in models]
    shares = [own / sum(inverse) for own in inverse]
    highest, most = (max(model[i] for model in models) for i in (0, 1))
    units_of = [1.0, *units]
    units_of += [a * b for i, a in enumerate(units) for b in units[i:]]
    coefficients = [0.0] * len(local_terms(rows[0], query, highest))
    influences = [0.0] * most
    for (degree, k, _, penalties), share in zip(models, shares, strict=True):
        terms, means, weights = _near(rows, alike, query, degree, k)
        theta = local_fit(terms, means, weights, penalties)
        for a, value in enumerate(theta):
            coefficients[a] += share * value * units_of[a]
        for i in range(k):
            alone = local_fit(terms, _only(i, k), weights, penalties)
            influences[i] += share * alone[0]
    error = math.sqrt(sum(s * m[2] for s, m in zip(shares, models, strict=True)))
    leverages, residuals = _left_out(rows, targets, alike, query, models[0])
    unknown = [None] * (most - len(leverages))
    return {
        "shares": shares,
        "error": error,
        "coefficients": coefficients,
        "influence": influences,
        "leverage": leverages + unknown,
        "residual": residuals + unknown,
    }


def chosen_models(rows, targets, alike, query, ranges, n_best, ridge, as_in_r):
    """(degree, k, score, penalties) of the models chosen, best first; every score."""
    weights = [_mean([w for _, w in own]) for _, own in alike]
    fitted = fit_models(rows, targets, weights, query, ranges, ridge, as_in_r, alike)
    scores = {key: score for key, (score, _) in fitted.items()}
    chosen = sorted(choose_models(scores, n_best), key=lambda key: (scores[key], key))
    penalties = {
        degree: local_ridge(rows, weights, query, degree, ridge, as_in_r)
        for degree in ranges
    }
    return [(d, k, scores[d, k], penalties[d]) for d, k in chosen], scores


def _left_out(rows, targets, alike, query, model):
    """Leverages of a model's neighbors, and the errors where each is left out.

    A neighbor that is like other rows is one of them, and the model rests on all.
    """
    degree, k, _, penalties = model
    terms = [np.array(local_terms(row, query, degree)) for row in rows[:k]]
    members = local_members(k, 0, terms, alike)
    stand, outcomes, weights = [list(own) for own in zip(*members, strict=True)][:3]
    groups = [group for group, _ in alike[:k]]
    leverages, residuals = [], []
    for i, (group, own) in enumerate(alike[:k]):
        loss = groups.count(group) / len(own) * _mean([w for _, w in own])
        alone = _solve_for(stand, weights, penalties, terms[i])
        leverages.append(loss * float(terms[i] @ alone))
        without = local_fit(
            [*stand, terms[i]], [*outcomes, targets[i]], [*weights, -loss], penalties
        )
        residuals.append(targets[i] - float(terms[i] @ without))
    return leverages, residuals


def _solve_for(terms, weights, penalties, row):
    """What a target of 1 at a row of weight 1 adds to the coefficients."""
    table = np.array(terms)
    held = table.T @ (np.array(weights)[:, None] * table) + np.diag(penalties)
    return np.linalg.solve(held, row)


def _mean(values):
    return sum(values) / len(values)


def _near(rows, alike, query, degree, k):
    """The terms, mean targets and mean weights of the nearest."""
    terms = [np.array(local_terms(row, query, degree)) for row in rows[:k]]
    weights = [_mean([w for _, w in own]) for _, own in alike[:k]]
    means = [sum(y * w for y, w in own) / sum(w for _, w in own) for _, own in alike]
    return terms, means[:k], weights


def _only(i, k):
    return [1.0 if j == i else 0.0 for j in range(k)]
