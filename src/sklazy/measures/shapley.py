"""Shapley values on plain arrays: along the diagonal, by enumeration, by sampling.

If every feature is known with probability t, the expected answer is a function of t;
the Shapley value of a feature is the integral of its part of the derivative over t in
[0, 1] (Owen 1972). Through a link such as softmax the same diagonal gives the values
of Aumann and Shapley. Both add up to the answer less that without any feature.

References
----------
Owen, G.: Multilinear extensions of games. Management Science 18 (1972).
Aumann, R. J., Shapley, L. S.: Values of non-atomic games. Princeton (1974).
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from sklazy.measures.blending import temper_probabilities, temper_slopes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Link = Callable[[Floats], tuple[Floats, "Slopes"]]
"""From scores, (n_nodes, n_scores), to outputs of the same shape and their slopes."""

Slopes = Callable[[Floats], Floats]
"""From the slopes of a figure by the outputs to those by the scores."""

N_NODES = 24
"""Nodes of the diagonal through a link."""

MOST_ASKED = 1024
"""Subsets that are all tried; where there are more, orders are sampled."""

_FEWEST_PAIRS, _MOST_PAIRS = 4, 32


class Diagonal(NamedTuple):
    """Places in [0, 1] at which functions of t are looked at, and their weights."""

    nodes: Floats
    weights: Floats


@functools.cache
def place_nodes(n_nodes: int, n_pieces: int = 1) -> Diagonal:
    """Nodes of Gauss and Legendre, exact for polynomials of degree 2n - 1.

    Examples
    --------
    >>> nodes, weights = place_nodes(3)
    >>> bool(abs(weights @ nodes**5 - 1 / 6) < 1e-15)
    True
    """
    nodes, weights = leggauss(n_nodes)
    starts = np.arange(n_pieces)[:, None]
    placed = ((nodes + 1.0) / 2.0 + starts) / n_pieces
    return Diagonal(placed.ravel(), np.tile(weights / (2.0 * n_pieces), n_pieces))


def keep_scores(scores: Floats) -> tuple[Floats, Slopes]:
    """The link of answers that are scores themselves."""
    return scores, lambda slopes: slopes


def soften(scores: Floats, temperature: float) -> tuple[Floats, Slopes]:
    """The link of softmax, ``exp(temperature * score)`` made to sum to 1.

    Scores of minus infinity have the probability 0.
    """
    above = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(temperature * above)
    shares /= shares.sum(axis=1, keepdims=True)

    def slopes(by_output: Floats) -> Floats:
        mean = (by_output * shares).sum(axis=1, keepdims=True)
        return np.asarray(temperature * shares * (by_output - mean))

    return shares, slopes


def find_slopes(
    link: Link, scores: Floats, output: int, power: float | None
) -> tuple[Floats, Floats]:
    """An output at some scores, and its slopes by the scores.

    Parameters
    ----------
    link : Link
    scores : float64 array of shape (n_nodes, n_scores)
    output : int
        Which output.
    power : float, optional
        That the outputs are tempered with; see `temper_probabilities`.

    Returns
    -------
    values : float64 array of shape (n_nodes,)
    slopes : float64 array of shape (n_nodes, n_scores)
    """
    outputs, slopes = link(scores)
    by_output = np.zeros(outputs.shape)
    by_output[:, output] = 1.0
    if power is None:
        return outputs[:, output], slopes(by_output)
    tempered = temper_probabilities(outputs, np.array(power))
    return tempered[:, output], slopes(temper_slopes(outputs, power, output))


def share_terms(
    terms: Floats, start: Floats, link: Link, output: int, power: float | None = None
) -> tuple[Floats, float]:
    """Values of features that add to scores, through a link.

    Parameters
    ----------
    terms : float64 array of shape (n_features, n_scores)
        The amount that each feature adds to each score.
    start : float64 array of shape (n_scores,)
        The scores without any feature.
    link, output, power
        As in `find_slopes`.

    Returns
    -------
    values : float64 array of shape (n_features,)
    base : float
        The output without any feature.

    Examples
    --------
    >>> terms, start = np.array([[2.0, 0.0], [-1.0, 0.0]]), np.zeros(2)
    >>> values, base = share_terms(terms, start, lambda s: soften(s, 1.0), 0)
    >>> base, (base + values.sum()).round(6).item()
    (0.5, 0.731059)
    """
    ends = np.stack([start, start + terms.sum(axis=0)])
    (base, answer), _ = find_slopes(link, ends, output, power)
    for n_pieces in (1, 4, 16):
        nodes, weights = place_nodes(N_NODES, n_pieces)
        scores = start + nodes[:, None] * (ends[1] - start)
        _, slopes = find_slopes(link, scores, output, power)
        values = terms @ (weights @ slopes)
        if is_exact(values, answer - base):
            break
    return share_rest(values, answer - base), float(base)


def is_exact(values: Floats, total: float) -> bool:
    """Whether values add up to a total, within rounding of what they are made of."""
    size = max(abs(total), float(np.abs(values).sum()), 1e-300)
    return abs(float(values.sum()) - total) <= 1e-12 * size + 1e-14 * (size <= 1.0)


def share_rest(values: Floats, total: float) -> Floats:
    """Values that add up to a total: each takes of the rest by its size.

    Examples
    --------
    >>> share_rest(np.array([3.0, 0.0, -1.0]), 2.4).tolist()
    [3.3, 0.0, -0.9]
    """
    sizes = np.abs(values)
    whole = float(sizes.sum())
    if whole == 0.0:
        return values
    return np.asarray(values + (total - values.sum()) * (sizes / whole))


class Subsets(NamedTuple):
    """Subsets of features to ask about, and how answers to them become values.

    Attributes
    ----------
    masks : bool array of shape (n_subsets, n_features)
        Distinct; the first has no feature, the last has all.
    with_feature, without : int64 arrays of shape (n_orders, n_features)
        For each order in which features become known, and each feature, the subset
        after it became known and the one before.
    shares : float64 array of shape (n_orders, n_features)
        The weight of a difference, which sum to 1 for every feature.
    n_pairs : int
        Of sampled orders, each with its reverse; 0 where all subsets are asked.
    """

    masks: Bools
    with_feature: NDArray[np.int64]
    without: NDArray[np.int64]
    shares: Floats
    n_pairs: int


@functools.lru_cache(maxsize=64)
def plan_subsets(n_features: int, n_asked: int = MOST_ASKED) -> Subsets:
    """All subsets of few features; else those of orders drawn in antithetic pairs.

    The draw depends on the numbers of features and of pairs alone.

    Examples
    --------
    >>> plan_subsets(3).masks.shape, plan_subsets(3).n_pairs
    ((8, 3), 0)
    >>> plan_subsets(12).n_pairs, plan_subsets(12, 100).n_pairs
    (32, 8)
    """
    if 2**n_features <= n_asked:
        return _list_all(n_features)
    return _draw_orders(n_features, n_asked)


def _list_all(n_features: int) -> Subsets:
    numbers, bits = np.arange(2**n_features), 1 << np.arange(n_features)
    masks = (numbers[:, None] & bits) > 0
    n_without = len(numbers) // 2 if n_features else 0
    without = np.empty((n_without, n_features), np.int64)
    for j in range(n_features):
        without[:, j] = numbers[~masks[:, j]]
    orders = [n_features * math.comb(n_features - 1, s) for s in range(n_features)]
    shares = 1.0 / np.array([*orders, 1.0])[masks[without].sum(axis=2)]
    return Subsets(masks, without + bits, without, shares, 0)


def _draw_orders(n_features: int, n_asked: int = MOST_ASKED) -> Subsets:
    n_pairs = int(np.clip(n_asked // n_features, _FEWEST_PAIRS, _MOST_PAIRS))
    random = np.random.default_rng(n_features)
    drawn = [random.permutation(n_features) for _ in range(n_pairs)]
    orders = [order for one in drawn for order in (one, one[::-1])]
    places = np.argsort(np.array(orders), axis=1)  # when each feature becomes known
    steps = np.arange(n_features + 1)[None, :, None]
    known = places[:, None, :] < steps  # (n_orders, n_features + 1, n_features)
    flat = known.reshape(-1, n_features)
    keys = np.packbits(flat, axis=1)
    sizes = flat.sum(axis=1)
    _, first, at = np.unique(
        np.column_stack([sizes, keys]), axis=0, return_index=True, return_inverse=True
    )
    at = at.reshape(known.shape[:2])
    rows = np.arange(len(orders))[:, None]
    shares = np.full(places.shape, 1.0 / len(orders))
    return Subsets(flat[first], at[rows, places + 1], at[rows, places], shares, n_pairs)


def share_subsets(plan: Subsets, answers: Floats) -> tuple[Floats, Floats]:
    """Values of features, and their standard errors, from the answers to subsets.

    Parameters
    ----------
    plan : Subsets
    answers : float64 array of shape (n_subsets,)

    Examples
    --------
    >>> answers = np.array([0.0, 1.0, 2.0, 5.0])  # none, first, second, both
    >>> share_subsets(plan_subsets(2), answers)[0].tolist()
    [2.0, 3.0]
    """
    gains = answers[plan.with_feature] - answers[plan.without]
    values = np.asarray((gains * plan.shares).sum(axis=0))
    if not plan.n_pairs:
        return values, np.zeros(values.shape)
    pairs = 0.5 * (gains[0::2] + gains[1::2])
    return values, np.asarray(pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs)))
