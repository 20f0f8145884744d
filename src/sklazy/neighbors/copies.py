"""Rows that are equal, and how far the others are from their nearest other row."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.canonical import (
    Words,
    content_hashes,
    number_words,
    sort_hashed,
)
from sklazy.casebase.columns import place_by_range, place_cells
from sklazy.flow import Cases, Queries
from sklazy.neighbors.nearest import find_nearest, place_queries, weigh_columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


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
    groups = number_equal_rows(cases)
    firsts = np.full(groups.max() + 1, -1, np.int64)
    firsts[groups[order[::-1]]] = order[::-1]
    return firsts[groups]


def number_equal_rows(cases: Cases, known: Bools | None = None) -> Ints:
    """Number the rows so that those whose inputs are all the same share a number.

    Two missing cells are the same here. The target does not count.

    Parameters
    ----------
    cases : Cases
    known : bool array of shape (n_attributes,), optional
        The attributes that are compared; all by default.

    Returns
    -------
    groups : int64 array of shape (n_rows,)
        From 0, with no number left out.
    """
    columns = input_words(cases, np.arange(cases.n_rows), known)
    hashes = content_hashes(columns) if columns else np.zeros(cases.n_rows, np.uint64)
    order = sort_hashed(hashes, lambda rows: (own[rows] for own in columns))
    is_new = np.zeros(cases.n_rows, bool)
    for own in columns:
        is_new[1:] |= own[order[1:]] != own[order[:-1]]
    groups = np.empty(cases.n_rows, np.int64)
    groups[order] = np.cumsum(is_new)
    return groups


def input_words(cases: Cases, rows: Ints, known: Bools | None = None) -> list[Words]:
    """Write the inputs of rows as words, column by column; equal cells are equal."""
    known = np.ones(len(cases.numeric), bool) if known is None else known
    nominal = np.flatnonzero((cases.numeric < 0) & known)
    codes = cases.codes[np.ix_(nominal, rows)].astype(np.int64)
    numbers = cases.numbers[np.ix_(cases.numeric[(cases.numeric >= 0) & known], rows)]
    return [*codes.view(np.uint64), *map(number_words, numbers)]


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
