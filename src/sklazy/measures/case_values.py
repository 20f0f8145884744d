"""Shapley values of cases in a vote, or a mean, of the nearest ones.

Cases stand in the order of their distance to a query. A set of cases is worth what its
k nearest give: the sum of their shares (votes), or the error of the mean of their
numbers. Values follow from one pass over the sorted cases, in O(n).

The value of votes is that of Jia et al., "Efficient task-specific data valuation for
nearest neighbor algorithms" (VLDB 2019); that of means is derived likewise, from the
difference that two cases at neighboring places make.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def value_votes(shares: Floats, n_neighbors: int) -> Floats:
    """Find the values of cases where a set is worth the shares of its k nearest / k.

    Parameters
    ----------
    shares : float64 array of shape (n,)
        By distance, the nearest first: 1 for the class of the query, else 0, times the
        weight of the case.
    n_neighbors : int

    Examples
    --------
    >>> value_votes(np.array([1.0, 0.0, 1.0]), 1)
    array([ 0.833, -0.167,  0.333])
    """
    places = np.arange(1, len(shares) + 1)
    chances = np.minimum(n_neighbors, places) / places  # to be among the nearest
    steps = (shares[:-1] - shares[1:]) * chances[:-1]
    return _add_up(shares[-1] * chances[-1], steps) / n_neighbors


def value_means(numbers: Floats, target: float, n_neighbors: int) -> Floats:
    """Find the values of cases where a set is worth less by its squared error.

    A set predicts the sum of the numbers of its k nearest, divided by k: numbers are
    differences from the prediction without cases, and so is the target.

    Parameters
    ----------
    numbers : float64 array of shape (n,)
        By distance, the nearest first.
    target : float
    n_neighbors : int

    Examples
    --------
    >>> value_means(np.array([1.0, 1.0]), 1.0, 2)
    array([0.5, 0.5])
    """
    n, k = len(numbers), n_neighbors
    places = np.arange(1, n + 1)
    near = np.minimum(k, places)
    chances = near / places
    # The chance that a nearer case is there, and no more than k - 1 such cases are.
    both = near * (near - 1) / (2.0 * places * np.maximum(places - 1, 1))
    before = np.append(0.0, np.cumsum(numbers)[:-1]) * both
    # The chance that a farther case is among the k - 1 nearest of the others.
    others = np.maximum(np.minimum(k - 1, places - 2), 0)
    far = others * (others + 1) / (2.0 * np.maximum((places - 1) * (places - 2), 1))
    behind = np.append(np.cumsum((numbers * far)[::-1])[::-1], [0.0, 0.0])[2 : n + 2]
    last = numbers[-1] * (
        2.0 * target / k * chances[-1]
        - (numbers[-1] * chances[-1] + 2.0 * before[-1]) / k**2
    )
    squares = (numbers[:-1] + numbers[1:]) * chances[:-1]
    products = squares + 2.0 * (before + behind)[:-1]
    slopes = 2.0 * target / k * chances[:-1] - products / k**2
    steps = (numbers[:-1] - numbers[1:]) * slopes
    return _add_up(last, steps)


def _add_up(last: float, steps: Floats) -> Floats:
    """Find values from that of the last case, and the differences of neighbors."""
    return np.cumsum(np.append(last, steps[::-1]))[::-1]
