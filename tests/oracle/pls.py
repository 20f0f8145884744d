"""Partial least squares by NIPALS, its neighbors, and what it leaves unexplained."""

import math

import numpy as np


def pls_place(rows, weights, scale):
    """Centered rows, scaled if asked for, the center and the deviations.

    A missing cell stands at the mean of its column.
    """
    known = ~np.isnan(rows)
    sums = (np.where(known, rows, 0.0) * weights[:, None]).sum(0)
    totals = (known * weights[:, None]).sum(0)
    center = np.divide(sums, totals, where=totals > 0, out=np.full(len(sums), np.nan))
    X = np.where(known, rows - center, 0.0)
    for j in range(X.shape[1]):
        if np.unique(rows[known[:, j], j]).size <= 1:
            X[:, j] = 0.0
    deviations = np.ones(X.shape[1])
    if scale:
        deviations = np.sqrt((weights[:, None] * X**2).sum(0) / weights.sum())
        deviations[deviations == 0] = 1.0
    return X / deviations, center, deviations


def pls_fit(rows, targets, weights, n_components, scale):
    """Weighted PLS1: (center, deviations, mean, W, P, c, T), X deflated as it goes.

    Fewer components come out where nothing is left to explain, or to explain it with.
    """
    weights = np.asarray(weights, float)
    X, center, deviations = pls_place(np.array(rows, float), weights, scale)
    mean = (weights * targets).sum() / weights.sum()
    y = np.asarray(targets, float) - mean
    size, spread = math.sqrt((weights * y**2).sum()), math.sqrt((X**2).sum())
    W, P, c, T = [], [], [], []
    for _ in range(n_components):
        w = X.T @ (weights * y)
        length = math.sqrt(w @ w)
        left = math.sqrt((weights * y**2).sum())
        if left <= 1e-13 * size or length <= 1e-11 * spread * left:
            break
        w = w / length
        t = X @ w
        square = (weights * t * t).sum()
        p = X.T @ (weights * t) / square
        step = (weights * t * y).sum() / square
        X = X - np.outer(t, p)
        y = y - step * t
        W.append(w), P.append(p), c.append(step), T.append(t)
    return center, deviations, mean, W, P, c, T


def pls_scores(fit, query):
    """The query's score in each component, and what these leave of its cells."""
    center, deviations, _, W, P, _, _ = fit
    rest, scores = np.nan_to_num((np.asarray(query, float) - center) / deviations), []
    for w, p in zip(W, P, strict=True):
        scores.append(rest @ w)
        rest = rest - scores[-1] * p
    return scores, rest


def pls_path(rows, targets, weights, query, n_components, scale):
    """Predictions with 0, 1, ... components; columns that the query lacks are out."""
    query = np.asarray(query, float)
    seen = ~np.isnan(query)
    rows = np.asarray(rows, float)[:, seen]
    fit = pls_fit(rows, targets, weights, n_components, scale)
    scores, _ = pls_scores(fit, query[seen])
    said = [fit[2]]
    for score, step in zip(scores, fit[5], strict=True):
        said.append(said[-1] + score * step)
    return said + [said[-1]] * (n_components + 1 - len(said))


def pls_left_out_errors(rows, targets, weights, query, n_components, scale):
    """Mean squared errors of the rows, each left out, with 0, 1, ... components.

    Cells that are missing, and scales, stay at what they are among all rows.
    """
    query = np.asarray(query, float)
    rows = np.asarray(rows, float)[:, ~np.isnan(query)]
    weights, targets = np.asarray(weights, float), np.asarray(targets, float)
    rows, *_ = pls_place(rows, weights, scale)
    squares = []
    for i in range(len(rows)):
        others = np.arange(len(rows)) != i
        given = rows[others], targets[others], weights[others]
        said = pls_path(*given, rows[i], n_components, False)
        squares.append((targets[i] - np.array(said)) ** 2)
    return (weights[:, None] * np.array(squares)).sum(0) / weights.sum()


def pls_judge(rows, weights, targets, query, n_components, scale):
    """Leverage and squared residual (Q) of a query; weights have the mean 1."""
    query = np.asarray(query, float)
    seen = ~np.isnan(query)
    fit = pls_fit(
        np.asarray(rows, float)[:, seen], targets, weights, n_components, scale
    )
    scores, rest = pls_scores(fit, query[seen])
    squares = [(weights * t * t).sum() for t in fit[6]]
    leverage = 1 / len(rows) + sum(
        s * s / square for s, square in zip(scores, squares, strict=True)
    )
    return leverage, float(rest @ rest)


def localize(distances, localization):
    """LWPLS: weights exp(-phi d / deviation of d), with the mean 1."""
    distances = np.asarray(distances, float)
    deviation = distances.std()
    if deviation == 0 or localization == 0:
        return np.ones(len(distances))
    weights = np.exp(-localization * (distances - distances.min()) / deviation)
    return weights / weights.mean()


def direction(row, centered):
    """A spectrum of length 1, about its own mean if centered; nothing if it is flat."""
    row = np.asarray(row, float)
    row = row - row.mean() if centered else row
    length = math.sqrt(row @ row)
    return row / length if length > 0 else row * 0.0


def principal_scores(rows, query, n_scores):
    """Scores of rows and a query on principal components, each of variance 1."""
    rows = np.asarray(rows, float)
    mean = rows.mean(0)
    _, sizes, axes = np.linalg.svd(rows - mean, full_matrices=False)
    kept = (sizes > 1e-6 * sizes[0])[:n_scores]
    axes = axes[:n_scores][kept] / (sizes[:n_scores][kept, None] / math.sqrt(len(rows)))
    return (rows - mean) @ axes.T, (np.asarray(query, float) - mean) @ axes.T
