"""Votes with one attribute, two, three, ... of numbers, without the compiler."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries
from sklazy.neighbors.voting import finish_votes, weigh_squares

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """Queries put to cases.

    Attributes
    ----------
    cases : Cases
    queries : Queries
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    excluded : int64 array of shape (n_queries,)
    """

    cases: Cases
    queries: Queries
    widths: Floats
    excluded: NDArray[np.int64]


def vote_nested(
    asked: Asked,
    order: NDArray[np.int32],
    ks: NDArray[np.int64],
    *,
    shares: bool,
    by_distance: bool,
) -> Floats:
    """Vote as `vote_nested_mixed`, all queries at a time; equal digit for digit.

    Parameters
    ----------
    asked : Asked
    order : int32 array of shape (n_queries, n_most)
    ks : int64 array of shape (n_ks,)
        Numbers of neighbors.
    shares, by_distance : bool

    Returns
    -------
    float64 array of shape (n_ks, n_queries, n_most, n_classes)
    """
    cases, n_queries = asked.cases, len(order)
    squares = np.zeros((n_queries, cases.n_rows))
    without = np.flatnonzero(asked.excluded >= 0)
    squares[without, asked.excluded[without]] = np.inf
    votes = np.empty((len(ks), *order.shape, cases.class_counts.size))
    way = {"shares": shares, "by_distance": by_distance}
    for r in range(order.shape[1]):
        squares += square_column(asked, order[:, r])
        for i, k in enumerate(ks.tolist()):
            votes[i, :, r] = _vote(asked, squares, k, **way)
    return votes


def _vote(
    asked: Asked, squares: Floats, k: int, *, shares: bool, by_distance: bool
) -> Floats:
    """The votes of the k nearest rows of each query, (n_queries, n_classes)."""
    cases, without = asked.cases, np.flatnonzero(asked.excluded >= 0)
    kth = np.full((len(squares), 1), np.inf)
    if k <= cases.n_rows:
        kth = np.partition(squares, k - 1)[:, k - 1, None]
    at_last = squares == kth
    at_last[without, asked.excluded[without]] = False
    counted, tied = _count(cases, squares < kth), _count(cases, at_last)
    weighted = _weigh(cases, squares, kth[:, 0]) if by_distance else None
    return finish_votes(counted + tied, tied, k, shares=shares, weighted=weighted)


def square_column(asked: Asked, attributes: NDArray[np.int32]) -> Floats:
    """Squared differences of all rows in one attribute of each query, as kernels do it.

    Parameters
    ----------
    asked : Asked
    attributes : int32 array of shape (n_queries,)

    Returns
    -------
    float64 array of shape (n_queries, n_rows)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _measure_column(asked, attributes) ** 2


def _measure_column(asked: Asked, attributes: NDArray[np.int32]) -> Floats:
    cases, each = asked.cases, np.arange(len(attributes))
    columns = cases.numeric[attributes]
    if (columns >= 0).all():
        return _measure_numbers(asked, attributes, columns)
    codes = asked.queries.codes[each, attributes][:, None]
    same = (cases.codes[attributes, : cases.n_rows] == codes) & (codes >= 0)
    if not cases.numbers.size:
        return np.where(same, 0.0, 1.0)
    measured = _measure_numbers(asked, attributes, np.maximum(columns, 0))
    return np.where(columns[:, None] < 0, np.where(same, 0.0, 1.0), measured)


def _measure_numbers(
    asked: Asked, attributes: NDArray[np.int32], columns: NDArray[np.int64]
) -> Floats:
    """The same where attributes are numbers, which stand in these columns."""
    cases, each = asked.cases, np.arange(len(attributes))
    values = asked.queries.values[each, attributes][:, None]
    numbers = cases.numbers[columns, : cases.n_rows]
    widths = asked.widths[each, attributes][:, None]
    scaled = (numbers - values) / np.where(widths > 0, widths, 1.0)
    scaled = np.where(np.isnan(scaled), 1.0, scaled)
    if (widths > 0).all():
        return scaled
    level = np.where(numbers == values, 0.0, 1.0)
    return np.where(widths > 0, scaled, level)


def _count(cases: Cases, voting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Rows of each class among those that vote, (n_queries, n_classes)."""
    classes = cases.classes[: voting.shape[1], None]
    is_class = classes == np.arange(cases.class_counts.size)
    return voting.astype(np.int64) @ is_class.astype(np.int64)


def _weigh(cases: Cases, squares: Floats, kth: Floats) -> Floats:
    """Weights of nearer rows by class, added from near to far; that of a tied one."""
    n_nearer = (squares < kth[:, None]).sum(axis=1)
    each, most = np.arange(len(squares)), int(n_nearer.max(initial=0))
    order = np.argsort(squares, axis=1, kind="stable")[:, : max(1, most)]
    nearest = np.where(n_nearer > 0, squares[each, order[:, 0]], kth)
    weighted = np.zeros((len(squares), cases.class_counts.size + 1))
    for place in range(most):
        own = each[n_nearer > place]
        rows = order[own, place]
        weights = weigh_squares(nearest[own], squares[own, rows])
        weighted[own, cases.classes[rows]] += weights
    weighted[:, -1] = weigh_squares(nearest, kth)
    return weighted
