"""Near rows of left-out cases, listed by sets of attributes, that follow the rows.

A case that is left out is classified with its first attribute, its first two, and so
on. Every such set has a list of the rows nearest to the case, more than vote. A row
that comes or goes enters or leaves lists; votes are found anew from a list, and all
rows are looked at only where a set is new or too few of its list are left.

Votes are those of `vote_nested_mixed`, digit for digit: rows of a list are measured in
the order of the attributes. In another order of the same attributes distances differ
by rounding; votes stay where no two distances are so close that this could matter, and
scores where they are not on an edge between two units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.exact import RawCases, RawQuery, measure_cell

OUTDATED, LOOSE, UNSURE, STALE = 1, 2, 4, 8
"""Votes to be found anew; votes, or scores, that hold for one order only; distances
that hold no more."""

ROUNDING = 1e-9
"""More than the order of additions moves a sum, as a share of it."""


class NearLists(NamedTuple):
    """Lists of near rows, some for each case; arrays begin (n_cases, n_lists).

    Attributes
    ----------
    keys : uint64 array
        The sum of the keys of the attributes, 0 where there is no list.
    sizes : int32 array
        How many attributes there are.
    orders : int16 array of shape (..., n_most)
        The attributes, in the order that distances were added up in.
    counts : int32 array
        How many rows are listed; -1 where too many are as near.
    rows : int32 array of shape (..., n_listed)
    squares : float64 array of shape (..., n_listed)
        Their squared distances, near to far, added up in the order of `orders`.
    bounds : float64 array
        All rows nearer than this squared distance are listed.
    spans : float64 array
        Rows farther than this change nothing.
    reach : float64 array
        The squared distance of the last row that votes.
    marks : uint8 array
    votes : float64 array of shape (..., n_ks, n_classes)
    units : int64 array of shape (..., n_ks)
        The scores of the votes.
    stamps : int32 array
        The number of the question that last read the list.
    chain : int16 array of shape (n_cases, n_most)
        The lists in use, by number of attributes.
    """

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    orders: NDArray[np.int16]
    counts: NDArray[np.int32]
    rows: NDArray[np.int32]
    squares: NDArray[np.float64]
    bounds: NDArray[np.float64]
    spans: NDArray[np.float64]
    reach: NDArray[np.float64]
    marks: NDArray[np.uint8]
    votes: NDArray[np.float64]
    units: NDArray[np.int64]
    stamps: NDArray[np.int32]
    chain: NDArray[np.int16]


@lean_kernel
def _note_distance(lists, case, i, terms, slot, step):
    """Put a row into a list, or take it out."""
    square, span = 0.0, lists.spans[case, i] * (1.0 + ROUNDING)
    for place in range(lists.sizes[case, i]):
        square += terms[lists.orders[case, i, place]]
        if square > span:
            return
    if square <= lists.reach[case, i] * (1.0 + ROUNDING):
        lists.marks[case, i] |= OUTDATED
    if step < 0:
        _take_out(lists, case, i, slot)
    elif square <= lists.bounds[case, i] * (1.0 + ROUNDING):
        _put_in(lists, case, i, slot, square)


@lean_kernel
def _take_out(lists, case, i, slot):
    """Take a row out of a list, if it is there."""
    rows, squares = lists.rows[case, i], lists.squares[case, i]
    n_listed, n_kept = np.int64(lists.counts[case, i]), 0
    for place in range(n_listed):
        rows[n_kept], squares[n_kept] = rows[place], squares[place]
        n_kept += rows[place] != slot
    if n_kept < n_listed:
        rows[n_kept], squares[n_kept] = 0, 0.0
        lists.counts[case, i] = n_kept


@lean_kernel
def _put_in(lists, case, i, slot, square):
    """Put a row into a list; the farthest goes where there is no room."""
    rows, squares = lists.rows[case, i], lists.squares[case, i]
    place = np.int64(lists.counts[case, i])
    if place < 0:
        return
    if place == rows.size:
        if (lists.marks[case, i] & STALE) != 0:
            lists.counts[case, i] = -1
            return
        place -= 1
        last = max(squares[place], square) * (1.0 - ROUNDING)
        lists.bounds[case, i] = min(lists.bounds[case, i], last)
        if square >= squares[place]:
            return
    else:
        lists.counts[case, i] += 1
    while place > 0 and squares[place - 1] > square:
        rows[place], squares[place] = rows[place - 1], squares[place - 1]
        place -= 1
    rows[place], squares[place] = slot, square


@entry
def note_row(
    slot,
    step,
    codes,
    numbers,
    numeric,
    now,
    used,
    case_codes,
    case_values,
    widths,
    latest,
    keys,
    sizes,
    orders,
    counts,
    rows,
    squares,
    bounds,
    spans,
    reach,
    marks,
    votes,
    units,
    stamps,
    chain,
):
    """Have all lists follow one row that came or went.

    Parameters
    ----------
    slot : int
        The number that lists know the row by.
    step : int
        1 for a row that came, -1 for one that went.
    codes, numbers : int32 and float64 arrays of shape (n_attributes,), (n_numeric,)
        The row.
    numeric : int64 array of shape (n_attributes,)
        As in `search_mixed`.
    now : int
        The number of the last question.
    used : bool array of shape (n_cases,)
        Which cases there are.
    case_codes, case_values, widths : arrays of shape (n_cases, n_attributes)
        The cases, and the ranges that each sees.
    latest : int16 array of shape (n_cases, n_most)
        The order of each case's attributes.
    keys, ..., chain
        See `NearLists`; written.
    """
    lists = NearLists(
        keys,
        sizes,
        orders,
        counts,
        rows,
        squares,
        bounds,
        spans,
        reach,
        marks,
        votes,
        units,
        stamps,
        chain,
    )
    terms = np.empty(numeric.size)
    labels = codes.reshape((codes.size, 1))
    columns = numbers.reshape((numbers.size, 1))
    for case in range(used.size):
        if not used[case]:
            continue
        cases = RawCases(labels, numeric, columns, widths[case])
        query = RawQuery(case_codes[case], case_values[case], latest[case])
        for j in range(numeric.size):
            difference = measure_cell(0, j, query, cases)
            terms[j] = difference * difference
        total = 0.0
        for r in range(latest.shape[1]):
            total += terms[latest[case, r]]
            i = chain[case, r]
            if total <= spans[case, i] * (1.0 + ROUNDING):
                _note_distance(lists, case, i, terms, slot, step)
        for i in range(sizes.shape[1]):
            if sizes[case, i] > 0 and stamps[case, i] != now:
                _note_distance(lists, case, i, terms, slot, step)
