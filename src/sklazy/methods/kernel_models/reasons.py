"""Exact contributions of features to the answers of a product kernel.

Similarity is a product over features. One that is not known has in its place the mean
factor over all cases, so the expected score is a polynomial in the probability that
features are known, and Shapley values are integrals of it (`measures.shapley`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from sklazy.answer.batch import Batch, Floats, Ints
from sklazy.answer.learner import AnyLearner
from sklazy.answer.reasons import FeatureMap, Shares, Wish, find_known, pick_outputs
from sklazy.flow import KernelColumns
from sklazy.kernels.contributions import (
    add_along,
    add_decays,
    fill_factors,
    fill_means,
    share_along,
)
from sklazy.kernels.kernel_models import MISMATCH, measure_distances
from sklazy.measures.shapley import (
    N_NODES,
    Link,
    Slopes,
    find_slopes,
    is_exact,
    keep_scores,
    place_nodes,
    share_rest,
    soften,
)
from sklazy.methods.kernel_models.data import KernelData
from sklazy.methods.kernel_models.learner import KernelAnswer, weigh_neighbors

_MOST_NODES = 64  # so many are exact for twice as many features


class Centers(NamedTuple):
    """Rows whose similarities to a query are added up.

    Attributes
    ----------
    columns : KernelColumns
        The rows alone.
    rate : float
        Of the decay of similarity.
    coefficients : float64 array of shape (n_scores, n_rows)
    start : float64 array of shape (n_scores,)
        The scores without any row.
    means : float64 array of shape (n_features, n_rows)
        The mean factor of each feature over all cases.
    """

    columns: KernelColumns
    rate: float
    coefficients: Floats
    start: Floats
    means: Floats


def contribute(
    learner: AnyLearner, answer: KernelAnswer, batch: Batch, wish: Wish
) -> Shares:
    """Contributions of features to the answers of a kernel model."""
    features, totals = wish.features, pick_outputs(answer, wish)
    values, errors = np.zeros((2, len(batch), len(features.names)))
    base, known = np.zeros(len(batch)), find_known(batch.base, batch.queries)
    link, unit = _find_link(answer.data), answer.data.unit
    for query, total in enumerate(totals.tolist()):
        placed = answer.placed[query]
        centers = _find_centers(answer.data, placed, features)
        players = np.unique(features.of_attribute[known[query]])
        output = int(wish.outputs[query])
        start, values[query] = share_product(
            centers, placed, features, players, link, output, wish.power
        )
        base[query] = start / unit
        values[query] = share_rest(values[query] / unit, total - base[query])
    return Shares(values, base, totals, errors)


def _find_link(data: KernelData) -> Link:
    """From scores of the classes that have cases to probabilities of all classes."""
    n_classes = len(data.base.class_labels)
    if not n_classes:
        return keep_scores

    def link(scores: Floats) -> tuple[Floats, Slopes]:
        shares, slopes = soften(scores, data.settings.temperature)
        outputs = np.zeros((len(scores), n_classes))
        outputs[:, data.present] = shares
        return outputs, lambda by_output: slopes(by_output[:, data.present])

    return link


def _find_centers(data: KernelData, placed: Floats, features: FeatureMap) -> Centers:
    """The rows that answer a query: all of them, landmarks, or its nearest."""
    rate = data.settings.rate
    if data.solution is not None:
        key, places = (find_means, data.limits), data.anchor_places
        means = data.base.derive(
            key, lambda: find_means(data.columns, rate, features, places)
        )
        coefficients = data.solution.coefficients
        return Centers(data.anchors, rate, coefficients, data.center, means)
    near, _ = weigh_neighbors(data, placed[None, :], np.array([-1]))
    rows = near[0]
    values = np.ascontiguousarray(data.columns.values[:, rows])
    columns, start = data.columns._replace(values=values), data.center
    system = np.empty((len(rows), len(rows)))
    measure_distances(columns, np.ascontiguousarray(values.T), system)
    system = np.exp(-rate * system)
    system[np.diag_indices_from(system)] += data.settings.ridge
    solved = cho_solve(cho_factor(system, lower=True), data.targets[rows] - start)
    means = find_means(data.columns, rate, features, rows)
    return Centers(columns, rate, np.ascontiguousarray(solved.T), start, means)


def find_means(
    columns: KernelColumns, rate: float, features: FeatureMap, rows: Ints | None = None
) -> Floats:
    """The mean factor of each feature over all cases, for some rows.

    Parameters
    ----------
    columns : KernelColumns
        All cases.
    rate : float
    features : FeatureMap
    rows : int64 array of shape (n_rows,), optional
        Default: all cases.

    Returns
    -------
    means : float64 array of shape (n_features, n_rows)
        1 for a feature that does not matter.
    """
    wanted = np.arange(columns.values.shape[1]) if rows is None else rows
    means = np.ones((len(features.names), len(wanted)))
    for feature in range(len(means)):
        columns_here = np.flatnonzero(
            (features.of_attribute == feature) & (columns.weights > 0)
        )
        if len(columns_here) == 1:
            means[feature] = _mean_factor(columns, rate, int(columns_here[0]))[wanted]
        elif len(columns_here):
            fill_means(columns, wanted, rate, columns_here, means[feature])
    return means


def _mean_factor(columns: KernelColumns, rate: float, j: int) -> Floats:
    """The mean factor of one column over all cases, for each of them.

    Of n numbers in order it takes n steps, in place of n squared.
    """
    cells, scale = columns.values[j], rate * columns.weights[j]
    missing = np.isnan(cells)
    n_missing, gone = int(missing.sum()), np.exp(-scale * columns.absents[j])
    sums, known = np.empty(len(cells)), np.flatnonzero(~missing)
    sums[missing] = n_missing + len(known) * gone
    if columns.nominal[j]:
        _, at, counts = np.unique(cells[known], return_inverse=True, return_counts=True)
        same = counts[at]
        found = same + (len(known) - same) * np.exp(-scale * MISMATCH)
    else:
        order = np.argsort(cells[known], kind="stable")
        found = np.empty(len(known))
        decays = np.empty(len(known))
        add_decays(np.ascontiguousarray(cells[known][order]), scale, decays)
        found[order] = decays
    sums[known] = found + n_missing * gone
    return np.asarray(sums / len(cells))


def share_product(
    centers: Centers,
    placed: Floats,
    features: FeatureMap,
    players: Ints,
    link: Link,
    output: int,
    power: float | None,
) -> tuple[float, Floats]:
    """Where a sum over products starts, and the contributions of features to it.

    Parameters
    ----------
    centers : Centers
    placed : float64 array of shape (n_attributes,)
        The query as the kernel sees it.
    features : FeatureMap
    players : int64 array
        The features that contribute; the others stay as they are.
    link, output, power
        As in `measures.shapley.find_slopes`.

    Returns
    -------
    base : float
    values : float64 array of shape (n_features,)
    """
    factors = np.empty(centers.means.shape)
    fill_factors(centers.columns, placed, centers.rate, features.of_attribute, factors)
    matters = np.zeros(len(factors), np.bool_)
    matters[features.of_attribute[centers.columns.weights > 0]] = True
    active = players[matters[players]]
    rest = np.delete(factors, active, axis=0).prod(axis=0)
    values = np.zeros(len(factors))
    exact_nodes = min(max(-(-len(active) // 2), 1), _MOST_NODES)
    base, values[active] = _integrate(
        factors[active],
        centers.means[active],
        centers._replace(coefficients=centers.coefficients * rest),
        lambda scores: find_slopes(link, scores, output, power),
        exact_nodes if link is keep_scores else N_NODES,
    )
    return base, values


def _integrate(
    factors: Floats,
    means: Floats,
    centers: Centers,
    find: Callable[[Floats], tuple[Floats, Floats]],
    n_nodes: int,
) -> tuple[float, Floats]:
    """Where the diagonal starts, and the features' parts of the way to its end.

    `find` gives the output at scores, and its slopes. More nodes are taken until the
    parts add up.
    """
    values, coefficients = np.zeros(len(factors)), centers.coefficients
    for n_pieces in (1, 4, 16):
        diagonal = place_nodes(n_nodes, n_pieces)
        nodes = np.concatenate([[0.0, 1.0], diagonal.nodes])
        products = np.empty((len(nodes), factors.shape[1]))
        scores = np.empty((len(nodes), len(coefficients)))
        add_along(factors, means, coefficients, nodes, products, scores)
        outputs, slopes = find(centers.start + scores)
        slopes = slopes[2:] * diagonal.weights[:, None]
        ways = coefficients, nodes[2:], slopes, products[2:]
        share_along(factors, means, *ways, values)
        if is_exact(values, outputs[1] - outputs[0]):
            break
    return float(outputs[0]), values
