"""Local regression: distances, models of every size, their combination."""

import math

import numpy as np


def difference(x, q, kind, absent):
    """How far two cells are apart; None is missing."""
    if x is None or q is None:
        return absent
    if kind == "nominal":
        return 0.0 if x == q else absent
    return abs(x - q)


TERMS = {"euclidean": lambda d: d * d, "manhattan": lambda d: d}


def distance(row, query, kinds, weights, absents, metric):
    total = 0.0
    for x, q, kind, w, absent in zip(row, query, kinds, weights, absents, strict=True):
        d = difference(x, q, kind, absent)
        total += w * TERMS[metric](d)
    return total


def nearest(rows, query, n_nearest, kinds, weights, absents, metric, hidden=()):
    """Indices of the nearest rows that are not hidden; ties by index."""
    seen = [i for i in range(len(rows)) if i not in hidden]
    by_distance = sorted(
        seen,
        key=lambda i: (distance(rows[i], query, kinds, weights, absents, metric), i),
    )
    return by_distance[:n_nearest]


def local_terms(row, query, degree):
    """1, the centered values, their products i <= j; NaN stands where the query is."""
    centered = [
        0.0 if x != x or q != q else x - q for x, q in zip(row, query, strict=True)
    ]
    terms = [1.0]
    if degree >= 1:
        terms += centered
    if degree == 2:
        for a in range(len(centered)):
            for b in range(a, len(centered)):
                terms.append(centered[a] * centered[b])
    return terms


def local_ridge(rows, weights, query, degree, ridge, as_in_r):
    """What holds each coefficient; a constant is free.

    R's ridge is the same for all, the intercept too. Ours leaves the intercept free
    and is relative to the mean square of the neighbors' centered values.
    """
    d = len(query) if degree else 0
    n_products = d * (d + 1) // 2 if degree == 2 else 0
    if as_in_r and degree:
        return [ridge] * (1 + d + n_products)
    total = sum(
        w * sum(z * z for z in local_terms(row, query, 1)[1:])
        for row, w in zip(rows, weights, strict=True)
    )
    square = total / (sum(weights) * d) if d and total else 1.0
    return [0.0] + [ridge * square] * d + [ridge * square**2] * n_products


def local_fit(terms, targets, weights, penalties):
    """Weighted least squares with a ridge."""
    Z, y, w = np.array(terms), np.array(targets), np.array(weights)
    held = Z.T @ (w[:, None] * Z) + np.diag(penalties)
    return np.linalg.solve(held, Z.T @ (w * y))


def local_score(members, degree, n_scored, penalties, as_in_r):
    """Leave every member out, fit without it, predict it; the mean squared error.

    A member that is like others is left out as if it weighed what these do on average.
    """
    terms, targets, weights, losses, scored = map(list, zip(*members, strict=True))
    if degree == 0 and as_in_r and n_scored:
        n, mean = sum(scored), sum(targets) / len(targets)
        squares = sum((y - mean) ** 2 for y in targets[: int(n)])
        return n / (n - 1) * squares
    total = 0.0
    for i, (row, target) in enumerate(zip(terms, targets, strict=True)):
        if scored[i]:
            others = [w - losses[i] * (j == i) for j, w in enumerate(weights)]
            theta = local_fit(terms, targets, others, penalties)
            error = target - float(row @ theta)
            total += weights[i] * scored[i] * error**2
    return total / sum(weights)


def local_members(k, n_scored, terms, alike):
    """All rows that k neighbors stand for: (terms, target, weight, loss, scored) each.

    Of n rows alike, j neighbors make each count the part j / n of its weight; leaving
    one out costs that part of the mean weight. `scored` is how much of a row's error
    counts: the part of these j that are among the nearest ones scored.
    """
    members, groups = [], [group for group, _ in alike[:k]]
    for i, (group, rows) in enumerate(alike[:k]):
        if group in groups[:i]:
            continue
        n, share = len(rows), groups.count(group) / len(rows)
        scored = groups[: n_scored or k].count(group) / groups.count(group)
        loss = share * sum(w for _, w in rows) / n
        members += [(terms[i], y, w * share, loss, scored) for y, w in rows]
    return members


def fit_models(rows, targets, weights, query, ranges, ridge, as_in_r=False, alike=None):
    """Score and coefficients of every model: {(degree, k): (score, theta)}.

    Rows are the query's neighbors, nearest first; ranges maps a degree to the
    fewest and most neighbors and how many are scored. `alike` has for each neighbor
    something that all rows of equal inputs share, and (target, weight) of all of them;
    by default each is like no other.
    """
    if alike is None:
        pairs = zip(targets, weights, strict=True)
        alike = [(i, [pair]) for i, pair in enumerate(pairs)]
    models = {}
    means = [sum(w for _, w in own) / len(own) for _, own in alike]
    for degree, (least, most, n_scored) in ranges.items():
        penalties = local_ridge(rows, means, query, degree, ridge, as_in_r)
        terms = [np.array(local_terms(row, query, degree)) for row in rows]
        for k in range(least, min(most, len(rows)) + 1):
            members = local_members(k, n_scored, terms, alike)
            near = [list(own) for own in zip(*members, strict=True)][:3]
            models[degree, k] = (
                local_score(members, degree, n_scored, penalties, as_in_r),
                local_fit(*near, penalties),
            )
    return models


def rows_alike(near, inputs, query, targets, weights):
    """For each of some rows its inputs, and (target, weight) of all that share them.

    As far as the query sees them: not in cells that it lacks, nor where it has a label
    that no row has.
    """
    labels = [{row[j] for row in inputs} for j in range(len(query))]
    seen = [
        j
        for j, cell in enumerate(query)
        if cell is not None and (not isinstance(cell, str) or cell in labels[j])
    ]
    keys = [tuple(row[j] for j in seen) for row in inputs]
    everybody = range(len(inputs))
    return [
        (keys[i], [(targets[j], weights[j]) for j in everybody if keys[j] == keys[i]])
        for i in near
    ]


def choose_models(scores, n_best):
    """The best (degree, k): over all degrees, or (c0, c1, c2) of each degree."""
    ranked = sorted((score, degree, k) for (degree, k), score in scores.items())
    if isinstance(n_best, int):
        return [(degree, k) for _, degree, k in ranked[:n_best]]
    chosen = []
    for wanted, count in enumerate(n_best):
        chosen += [(degree, k) for _, degree, k in ranked if degree == wanted][:count]
    return chosen


def combine_models(models, chosen, n_terms):
    """Coefficients weighted by 1/score, shorter ones filled up with zeros."""
    total, combined = 0.0, [0.0] * n_terms
    for key in chosen:
        score, theta = models[key]
        weight = 1 / (score or 1e-20)
        total += weight
        for a, coefficient in enumerate(theta):
            combined[a] += weight * coefficient
    return [coefficient / total for coefficient in combined]


def local_space(rows, queries, kinds, scale):
    """Scale numbers by the cases; what a missing cell counts in the distance.

    Returns placed rows, placed queries and the absents; regressors are numbers and an
    indicator of each category but the first, NaN where unknown.
    """
    columns, absents, regress = [], [], []
    for j, kind in enumerate(kinds):
        cells = [row[j] for row in rows]
        asked = [query[j] for query in queries]
        present = [x for x in cells if x is not None]
        if kind == "nominal":
            columns.append((cells, asked))
            absents.append(1.0)
            for label in sorted(set(present))[1:]:
                regress.append(
                    (
                        [_indicate(x, label, present) for x in cells],
                        [_indicate(x, label, present) for x in asked],
                    )
                )
            continue
        spread = _spread(present, scale)
        factor = 1 / spread if spread else 0.0
        place = lambda xs, f=factor: [None if x is None else x * f for x in xs]  # noqa: E731
        columns.append((place(cells), place(asked)))
        absents.append((max(present) - min(present)) * factor if present else 0.0)
        if factor:
            regress.append(
                tuple([math.nan if x is None else x for x in xs] for xs in columns[-1])
            )
    placed = [list(zip(*(c[side] for c in columns), strict=True)) for side in (0, 1)]
    terms = [
        list(zip(*(c[side] for c in regress), strict=True)) if regress else [()] * n
        for side, n in ((0, len(rows)), (1, len(queries)))
    ]
    return placed, terms, absents


def _indicate(label, wanted, known):
    if label is None or label not in known:
        return math.nan
    return 1.0 if label == wanted else 0.0


def _spread(present, scale):
    """The standard deviation or range of a column, or 1; 0 if it says nothing."""
    if not present or min(present) == max(present):
        return 0.0
    if not scale:
        return 1.0
    if scale == "range":
        return max(present) - min(present)
    mean = math.fsum(present) / len(present)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in present) / len(present))
