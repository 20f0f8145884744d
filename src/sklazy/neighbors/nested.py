"""Votes with one attribute, two, three, ... of numbers, without the compiler."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries
from sklazy.neighbors.voting import Voting, finish_votes, vote_by_distances

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """Queries put to cases.

    Attributes
    ----------
    cases : Cases
    queries : Queries
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    """

    cases: Cases
    queries: Queries
    widths: Floats


def vote_nested(
    asked: Asked,
    classes: NDArray[np.int64],
    order: NDArray[np.int32],
    votings: Sequence[Voting],
) -> Floats:
    """Vote as `vote_nested_mixed`, all queries at a time; equal digit for digit.

    Parameters
    ----------
    asked : Asked
    classes : int64 array of shape (n_queries, n_rows)
        Of the rows, -1 for the one that a query excludes.
    order : int32 array of shape (n_queries, n_most)
    votings : sequence of Voting
        For each number of neighbors.

    Returns
    -------
    float64 array of shape (n_votings, n_queries, n_most, n_classes)
    """
    n_queries, n_classes = len(order), asked.cases.class_counts.size
    squares = np.where(classes < 0, np.inf, 0.0)
    nowhere = np.full((n_queries, 1), np.inf)
    nobody = np.zeros((n_queries, 1, n_classes), np.int64)
    votes = np.empty((len(votings), *order.shape, n_classes))
    for r in range(order.shape[1]):
        squares += square_column(asked, order[:, r])
        for i, voting in enumerate(votings):
            counted = vote_by_distances(squares, classes, nowhere, nobody, voting)
            votes[i, :, r] = finish_votes(counted, voting)
    return votes


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
