"""Rows that are equal, and how far the others are from their nearest other row."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.columns import place_by_range, place_cells
from sklazy.flow import Cases, Queries
from sklazy.neighbors.nearest import find_nearest, place_queries, weigh_columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Nearest(NamedTuple):
    """The nearest other row of each of some rows.

    Attributes
    ----------
    rows : int64 array of shape (n_asked,)
        -1 where there is no other row.
    distances : float64 array of shape (n_asked,)
        By the HEOM difference; infinite where there is no other row.
    """

    rows: Ints
    distances: Floats


def find_equal_rows(cases: Cases, order: Ints) -> Ints:
    """For each row the first one, in this order, whose inputs are all the same.

    Two missing cells are the same here. The target does not count.

    Parameters
    ----------
    cases : Cases
    order : int64 array of shape (n_rows,)
        All rows.
    """
    columns = [*cases.codes[cases.numeric < 0], *cases.numbers]
    groups = np.zeros(cases.n_rows, np.int64)
    for column in columns:
        values = column[: cases.n_rows]
        _, codes = np.unique(values, return_inverse=True, equal_nan=True)
        _, groups = np.unique(groups * (codes.max() + 1) + codes, return_inverse=True)
    firsts = np.full(groups.max() + 1, -1, np.int64)
    firsts[groups[order[::-1]]] = order[::-1]
    return firsts[groups]


def find_nearest_others(cases: Cases, asked: Ints, candidates: Ints) -> Nearest:
    """The nearest candidate of each row asked for that is another row.

    Numbers differ by the range of all cases, and a missing cell by 1 from any.

    Parameters
    ----------
    cases : Cases
    asked, candidates : int64 arrays of rows
        The order of the candidates breaks ties.
    """
    weighed = weigh_columns(cases, candidates, np.ones(len(cases.numeric)))
    queries = place_queries(weighed, rows_as_queries(cases, asked))
    found = find_nearest(weighed.columns, queries, 1, groups=(candidates, asked))
    places, squares = found.rows[:, 0], found.distances[:, 0]
    rows = np.where(places >= 0, candidates[places], -1)
    return Nearest(rows, np.sqrt(squares))


def rows_as_queries(cases: Cases, rows: Ints) -> Queries:
    """Cases as they would ask."""
    codes = np.ascontiguousarray(cases.codes[:, rows].T)
    values = np.full(codes.shape, np.nan)
    numeric = np.flatnonzero(cases.numeric >= 0)
    values[:, numeric] = cases.numbers[np.ix_(cases.numeric[numeric], rows)].T
    return Queries(codes, values)


def differ_by_attribute(cases: Cases, rows: Ints, others: Ints) -> Floats:
    """How far pairs of rows differ in each attribute, 1 at most.

    Parameters
    ----------
    cases : Cases
    rows, others : int64 arrays of shape (n_pairs,)

    Returns
    -------
    apart : float64 array of shape (n_pairs, n_attributes)
    """
    placement = place_by_range(cases, np.arange(len(cases.numeric)), unit=0.5)
    one, two = (
        place_cells(placement, rows_as_queries(cases, own)) for own in (rows, others)
    )
    alike = placement.nominal | placement.constant
    apart = np.where(alike, (one != two).astype(float), np.abs(one - two))
    both_missing = np.isnan(one) & np.isnan(two)
    return np.where(both_missing, 0.0, np.where(np.isnan(apart), 1.0, apart))
