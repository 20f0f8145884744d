"""Local models of every size at once: recursive least squares with its PRESS score.

Neighbors are added from near to far. With `gain = V z`, `growth = 1 + z'gain` and
`error = y - z'theta` of the new neighbor, every earlier neighbor needs one product
`along = z_i'gain` to bring its leverage and residual up to date:

    leverage_i -= along^2 / growth          residual_i -= along * error / growth

so the leave-one-out errors `residual / (1 - leverage)` of all sizes k cost O(k p) a
step instead of a new fit. Coordinates are centered on the query: the prediction is the
intercept.

Of n rows that have equal inputs, j among the k nearest count like all n of them, each
with the part j / n of its weight. As far as the fit goes, that is j rows with the mean
of the n as their target. In the score each of the n is left out by itself: with its own
residual, the squares of which are that of the mean and the spread around it, and with
the part j / n of the leverage.
"""

from typing import Any, NamedTuple

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.vectors import (
    add_scaled,
    copy_into,
    dot,
    lower_leverage,
    multiply_matrix,
    project_terms,
    shrink_matrix,
    sum_loo_squares,
)

_ZERO_SCORE = 1e-20  # what a score of 0 counts, whose weight 1/score has no value


class _Work(NamedTuple):
    """The arrays that one query after the other is worked in."""

    terms: Any  # (p, k_most), times sqrt(weight)
    priors: Any  # (p,), prior variances of the coefficients
    thetas: Any  # (3, k_most, n_targets, p), the models of each degree
    scores: Any  # (n_targets, 3, k_most)
    targets: Any  # (n_targets, k_most)
    scaled: Any  # (n_targets, k_most), times sqrt(weight)
    weights: Any  # (k_most,)
    roots: Any  # (k_most,), sqrt(weight)
    weight_sums: Any  # (k_most,), the weights of the first k summed: k if all weigh 1
    leverage: Any  # (k_most,)
    residual: Any  # (n_targets, k_most), times sqrt(weight)
    along: Any  # (4, k_most), terms along the gains of four steps
    spreads: Any  # (n_targets, k_most), times the weight
    sizes: Any  # (k_most,), how many rows are alike
    firsts: Any  # (k_most,), the first neighbor that is alike
    counts: Any  # (k_most,), of the first of those alike: how many are taken in
    shares: Any  # (k_most,), the part of the rows alike that is taken in


@kernel
def _count_terms(d, degree):
    """Coefficients of a model of d regressors, the intercept among them."""
    return 1 + (d if degree > 0 else 0) + (d * (d + 1) // 2 if degree > 1 else 0)


@kernel
def _make_work(d, n_targets, k_most, ranges):
    """Workspace; what a degree that is off would need is never touched."""
    n_terms = 1
    for degree in range(3):
        if ranges[degree, 0] > 0:
            n_terms = _count_terms(d, degree)
    work = _Work(
        np.empty((n_terms, k_most)),
        np.empty(n_terms),
        np.empty((3, k_most, n_targets, n_terms)),
        np.empty((n_targets, 3, k_most)),
        np.empty((n_targets, k_most)),
        np.empty((n_targets, k_most)),
        np.empty(k_most),
        np.empty(k_most),
        np.empty(k_most),
        np.empty(k_most),
        np.empty((n_targets, k_most)),
        np.empty((4, k_most)),
        np.empty((n_targets, k_most)),
        np.empty(k_most),
        np.empty(k_most, np.int64),
        np.empty(k_most),
        np.empty(k_most),
    )
    work.weights[:] = 1.0
    work.roots[:] = 1.0
    return work


@kernel
def _gather_neighbors(cases, rows, work):
    """Copy the neighbors' targets and weights; return how many there are."""
    total = 0.0
    for i in range(rows.size):
        if rows[i] < 0:
            return i
        if cases.weights.size:
            work.weights[i] = cases.weights[rows[i]]
            work.roots[i] = np.sqrt(work.weights[i])
        total += work.weights[i]
        work.weight_sums[i] = total
        for t in range(work.targets.shape[0]):
            work.targets[t, i] = cases.targets[rows[i], t]
            work.scaled[t, i] = work.targets[t, i] * work.roots[i]
    return rows.size


@kernel
def _gather_pools(pools, q, n_rows, work):
    """Let neighbors stand for all rows alike; return whether any is like another."""
    pooled = False
    for i in range(n_rows if pools.sizes.shape[0] else 0):
        pooled |= pools.sizes[q, i] > 1.0
    total = 0.0
    for i in range(n_rows if pooled else 0):
        weight = pools.weights[q, i]
        total += weight
        work.weights[i], work.roots[i] = weight, np.sqrt(weight)
        work.weight_sums[i] = total
        work.sizes[i], work.firsts[i] = pools.sizes[q, i], pools.firsts[q, i]
        for t in range(work.targets.shape[0]):
            work.targets[t, i] = pools.means[q, i, t]
            work.scaled[t, i] = work.targets[t, i] * work.roots[i]
            work.spreads[t, i] = pools.spreads[q, i, t] * weight
    return pooled


@kernel
def _take_in_neighbor(k, work):
    """Take in neighbor k: those alike before it share in it."""
    first = work.firsts[k]
    work.counts[first] = 1.0 if first == k else work.counts[first] + 1.0
    for i in range(first, k + 1):
        if work.firsts[i] == first:
            work.shares[i] = work.counts[first] / work.sizes[i]


@kernel
def _sum_pooled_squares(target, scored, work):
    """Sum the squared leave-one-out residuals of all rows alike, by their shares."""
    residual, spreads, total = work.residual[target], work.spreads[target], 0.0
    for i in range(scored):
        left = 1.0 - work.leverage[i] * work.shares[i]
        error = residual[i] / left
        total += error * error + spreads[i] / left / left
    return total


@kernel
def _fill_terms(regressors, query, rows, degree, work):
    """Fill terms[:p, :k]: 1, centered values, their products; times sqrt(weight).

    A value missing in the row or the query stands where the query stands: 0.
    """
    terms, d = work.terms, query.size
    for i in range(rows.size):
        row = regressors[rows[i]]
        terms[0, i] = 1.0
        for j in range(d):
            centered = row[j] - query[j]
            terms[1 + j, i] = 0.0 if np.isnan(centered) else centered
    term = 1 + d
    if degree == 2:
        for a in range(d):
            for b in range(a, d):
                for i in range(rows.size):
                    terms[term, i] = terms[1 + a, i] * terms[1 + b, i]
                term += 1
    for a in range(term):
        for i in range(rows.size):
            terms[a, i] *= work.roots[i]


@kernel
def _set_priors(regressors, query, rows, plan, work):
    """The prior variances of the coefficients.

    As R has it, all are the same. Else those of slopes are relative to the mean square
    of the neighbors' centered values, over all rows and columns, so that a ridge means
    the same wherever cases are dense or sparse.
    """
    priors, total = work.priors, 0.0
    priors[:] = plan.prior_variance
    for i in range(0 if plan.as_in_r else rows.size):
        row = regressors[rows[i]]
        for j in range(query.size):
            centered = row[j] - query[j]
            if not np.isnan(centered):
                total += work.weights[i] * centered * centered
    if total > 0.0:
        square = total / (work.weight_sums[rows.size - 1] * query.size)
        for a in range(1, priors.size):
            priors[a] /= square if a <= query.size else square * square


@kernel
def _begin_recursion(variance, theta, plan, work):
    """The state before the recursion; returns how many neighbors it has taken in.

    A free intercept has no prior. The state after the first neighbor is then known:
    it fits exactly, whatever the slopes, which have their prior variance still.
    """
    terms, priors = work.terms, work.priors
    for a in range(variance.shape[0]):
        variance[a, a] = priors[a]
    if plan.as_in_r:
        return 0
    root, squares = work.roots[0], 0.0
    for a in range(1, variance.shape[0]):
        centered = terms[a, 0] / root
        variance[0, a] = variance[a, 0] = -priors[a] * centered
        squares += priors[a] * centered * centered
    variance[0, 0] = 1.0 / work.weights[0] + squares
    work.leverage[0] = 1.0
    for t in range(theta.shape[0]):
        theta[t, 0] = work.targets[t, 0]
        work.residual[t, 0] = 0.0
    return 1


@kernel
def _grow_models(k_max, n_terms, degree, start, n_scored, plan, pooled, work):
    """Models and scores of the first k neighbors, from k = start on.

    Leaves the leverages and residuals of the last model in the workspace.
    """
    terms, leverage, residual = work.terms, work.leverage, work.residual
    n_targets, thetas = residual.shape[0], work.thetas[degree]
    variance = np.zeros((n_terms, n_terms))
    theta, new = np.zeros((n_targets, n_terms)), np.empty(n_terms)
    begun = _begin_recursion(variance, theta, plan, work)
    if pooled and begun:
        _take_in_neighbor(0, work)
    gains, shares, steps = np.empty((4, n_terms)), np.empty(4), np.empty((4, n_targets))
    for first in range(begun, k_max, 4):
        last = min(first + 4, k_max)
        gains[:] = 0.0
        for k in range(first, last):
            gain = gains[k - first]
            for a in range(n_terms):
                new[a] = terms[a, k]
            multiply_matrix(variance, new, gain)
            share = 1.0 / (1.0 + dot(new, gain))
            shares[k - first] = share
            for t in range(n_targets):
                step = (work.scaled[t, k] - dot(new, theta[t])) * share
                steps[k - first, t] = step
                add_scaled(theta[t], gain, step)
                copy_into(theta[t], thetas[k, t])
            shrink_matrix(variance, gain, share)
        project_terms(terms, gains, work.along, last)
        for k in range(first, last):
            along = work.along[k - first, :k]
            lower_leverage(leverage, along, shares[k - first])
            leverage[k] = 1.0 - shares[k - first]
            if pooled:
                _take_in_neighbor(k, work)
            scored = min(k + 1, n_scored) if n_scored > 0 else k + 1
            for t in range(n_targets):
                add_scaled(residual[t], along, -steps[k - first, t])
                residual[t, k] = steps[k - first, t]
                if k + 1 < start:
                    continue
                if pooled:
                    total = _sum_pooled_squares(t, scored, work)
                else:
                    total = sum_loo_squares(residual[t, :scored], leverage[:scored])
                work.scores[t, degree, k] = total / work.weight_sums[k]


@kernel
def _grow_means(target, k_max, start, n_scored, as_in_r, pooled, work):
    """Weighted means of the first k targets, and their scores, from k = start on.

    The mean moves from neighbor to neighbor, so that of equal targets is exact.
    R's score with an explicit n_scored is on another scale (`as_in_r`).
    """
    mean = 0.0
    values, residual = work.targets[target], work.residual[target]
    for k in range(k_max):
        weight_sum = work.weight_sums[k]
        mean += (values[k] - mean) * (work.weights[k] / weight_sum)
        work.thetas[0, k, target, 0] = mean
        if pooled:
            _take_in_neighbor(k, work)
        if k + 1 < start:
            continue
        for i in range(k + 1):
            residual[i] = (values[i] - mean) * work.roots[i]
            work.leverage[i] = work.weights[i] / weight_sum
        scored = min(k + 1, n_scored) if n_scored > 0 else k + 1
        if as_in_r:
            total = dot(residual[:scored], residual[:scored])
            work.scores[target, 0, k] = scored / (scored - 1.0) * total
        elif pooled:
            total = _sum_pooled_squares(target, scored, work)
            work.scores[target, 0, k] = total / weight_sum
        else:
            total = sum_loo_squares(residual[:scored], work.leverage[:scored])
            work.scores[target, 0, k] = total / weight_sum


@kernel
def _is_taken(models, degree, k):
    taken = False
    for m in range(models.shape[0]):
        taken |= models[m, 0] == degree and models[m, 1] == k
    return taken


@kernel
def _choose_models(all_scores, n_rows, plan, models, scores):
    """Fill the chosen (degree, k) and their scores, best first, then -1 and NaN.

    Equal scores: the lower degree, then the smaller k. NaN is never chosen.
    """
    models[:] = -1
    scores[:] = np.nan
    n_chosen = 0
    for only in range(-1, 3):
        for _ in range(plan.best[only + 1]):
            best, best_degree, best_k = np.inf, -1, 0
            for degree in range(3):
                if plan.ranges[degree, 0] == 0 or only not in (-1, degree):
                    continue
                most = min(plan.ranges[degree, 1], n_rows)
                for k in range(plan.ranges[degree, 0], most + 1):
                    score = all_scores[degree, k - 1]
                    if score < best and not _is_taken(models, degree, k):
                        best, best_degree, best_k = score, degree, k
            if best_degree < 0:
                break
            models[n_chosen, 0], models[n_chosen, 1] = best_degree, best_k
            scores[n_chosen] = best
            n_chosen += 1


@kernel
def _combine_models(work, q, target, d, n_rows, fitted):
    """Mean of the chosen models weighted by 1/score, and the same of their scores.

    The mean starts from the best model and moves towards the others, so that of equal
    models is exact. Where no model has a score, the mean of all neighbors without an
    error, or NaN.
    """
    models, scores = fitted.models[q, target], fitted.scores[q, target]
    coefficients = fitted.coefficients[q, target]
    coefficients[:] = 0.0
    if models[0, 0] < 0:
        fitted.errors[q, target] = np.nan
        coefficients[0] = 0.0 if n_rows > 0 else np.nan
        for i in range(n_rows):
            share = work.weights[i] / work.weight_sums[n_rows - 1]
            coefficients[0] += share * work.targets[target, i]
        return
    total, error = 0.0, 0.0
    for m in range(scores.size):
        if models[m, 0] >= 0:
            total += 1.0 / (scores[m] if scores[m] > 0.0 else _ZERO_SCORE)
    best = work.thetas[models[0, 0], models[0, 1] - 1, target]
    n_best = _count_terms(d, models[0, 0])
    copy_into(best[:n_best], coefficients)
    for m in range(scores.size):
        if models[m, 0] < 0:
            break
        share = 1.0 / (scores[m] if scores[m] > 0.0 else _ZERO_SCORE) / total
        error += share * scores[m]
        theta = work.thetas[models[m, 0], models[m, 1] - 1, target]
        n_terms = _count_terms(d, models[m, 0])
        for a in range(max(n_terms, n_best)):
            moved = theta[a] if a < n_terms else 0.0
            moved -= best[a] if a < n_best else 0.0
            coefficients[a] += share * moved
    fitted.errors[q, target] = error


@entry
def fit_local_models(cases, plan, queries, neighbors, pools, first, last, fitted):
    """Fit, score, choose and combine the local models of the queries first..last.

    Parameters
    ----------
    cases : flow.LocalCases
    plan : flow.LocalPlan
    queries : float64 (n_queries, n_regressors)
    neighbors : int64 (n_queries, k_most), nearest first, filled up with -1
    pools : flow.Pools
    first, last : int
    fitted : flow.LocalModels, which is filled
    """
    n_targets, k_most = cases.targets.shape[1], neighbors.shape[1]
    work = _make_work(queries.shape[1], n_targets, k_most, plan.ranges)
    with_curves = fitted.curves.shape[0] > 0
    for q in range(first, last):
        n_rows = _gather_neighbors(cases, neighbors[q], work)
        pooled = _gather_pools(pools, q, n_rows, work)
        _set_priors(cases.regressors, queries[q], neighbors[q, :n_rows], plan, work)
        work.scores[:] = np.nan
        for degree in range(3):
            least, most, n_scored = plan.ranges[degree]
            if least == 0:
                continue
            start = 2 if with_curves else least
            k_max = min(most, n_rows)
            if degree == 0:
                on_r_scale = plan.as_in_r and n_scored > 0
                for t in range(n_targets):
                    _grow_means(t, k_max, start, n_scored, on_r_scale, pooled, work)
            else:
                rows = neighbors[q, :k_max]
                _fill_terms(cases.regressors, queries[q], rows, degree, work)
                n_terms = _count_terms(queries.shape[1], degree)
                _grow_models(
                    k_max, n_terms, degree, start, n_scored, plan, pooled, work
                )
        for t in range(n_targets):
            _choose_models(
                work.scores[t], n_rows, plan, fitted.models[q, t], fitted.scores[q, t]
            )
            _combine_models(work, q, t, queries.shape[1], n_rows, fitted)
            if with_curves:
                for degree in range(3):
                    copy_into(work.scores[t, degree], fitted.curves[q, t, degree])
            if fitted.leverages.shape[0]:
                copy_into(work.leverage, fitted.leverages[q, t])
                copy_into(work.residual[t], fitted.residuals[q, t])
