"""Nearest neighbors of rows among those shortly before them, ties and all."""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import insert_sorted, vote_for_nearest
from sklazy.kernels.votes import weigh_distances

_BLOCK = 32  # rows that are looked at together


@kernel
def _find_range(column, start, end):
    """The smallest and the largest number of a part of a column; NaN without any."""
    low = high = np.nan
    for row in range(start, end):
        number = column[row]
        if number == number:
            low = number if not low <= number else low
            high = number if not high >= number else high
    return low, high


@entry
def find_widths(column, starts, ends, widths):
    """The ranges of a column among the rows that each query sees.

    Parameters
    ----------
    column : float64 array of shape (n_rows,), NaN where missing
    starts, ends : int64 arrays of shape (n_queries,)
        Which rows a query sees; neither ever falls.
    widths : float64 array of shape (n_queries,), written
    """
    low, high = _find_range(column, starts[0], ends[0])
    widths[0] = high - low
    for query in range(1, starts.size):
        for row in range(ends[query - 1], ends[query]):
            number = column[row]
            if number == number:
                low = number if not low <= number else low
                high = number if not high >= number else high
        for row in range(starts[query - 1], starts[query]):
            if column[row] == low or column[row] == high:
                low, high = _find_range(column, starts[query], ends[query])
                break
        widths[query] = high - low


@kernel
def _add_column(column, value, width, is_number, squares):
    """Add a column's squared differences from a value; see `measure_cell`."""
    if not is_number or not width > 0.0:
        for i in range(squares.size):
            squares[i] += 0.0 if column[i] == value else 1.0
        return
    for i in range(squares.size):
        scaled = (column[i] - value) / width
        squares[i] += scaled * scaled if scaled == scaled else 1.0


@kernel
def _is_any_within(squares, first, last, limit):
    """Whether one of a few rows is as near as a limit; several at a time."""
    is_within = False
    for i in range(first, last):
        is_within |= squares[i] <= limit
    return is_within


@kernel
def _find_kth(squares, smallest):
    """The k-th smallest distance, infinite if there are fewer; see `find_kth`."""
    smallest[:] = np.inf
    last = smallest.size - 1
    for first in range(0, squares.size, _BLOCK):
        end = min(first + _BLOCK, squares.size)
        if _is_any_within(squares, first, end, smallest[last]):
            for i in range(first, end):
                if squares[i] < smallest[last]:
                    insert_sorted(smallest, squares[i])
    return smallest[last]


@kernel
def _take_within(squares, kth, rows, near):
    """List the rows as near as the k-th, with their distances; how many they are."""
    n_near = 0
    for first in range(0, squares.size, _BLOCK):
        end = min(first + _BLOCK, squares.size)
        if _is_any_within(squares, first, end, kth):
            for i in range(first, end):
                if squares[i] <= kth:
                    rows[n_near], near[n_near] = i, squares[i]
                    n_near += 1
    return n_near


@entry
def vote_moving(
    cells,
    is_number,
    widths,
    classes,
    starts,
    ends,
    query_rows,
    k,
    first,
    last,
    votes,
    tied,
    weighted,
):
    """The votes of each query's nearest rows among those that it sees.

    Parameters
    ----------
    cells : float64 array of shape (n_attributes, n_rows)
        Numbers or codes, NaN where missing.
    is_number : bool array of shape (n_attributes,)
    widths : float64 array of shape (n_attributes, n_queries)
    classes : int32 array of shape (n_rows,)
    starts, ends, query_rows : int64 arrays of shape (n_queries,)
        The rows that a query sees, and the one that it is.
    k : int
    first, last : int
        The queries to answer.
    votes, tied : int64 arrays of shape (n_queries, n_classes), written
    weighted : float64 array of shape (n_queries, n_classes + 1), or no rows
        Written where distances count; see `weigh_distances`.
    """
    rows, near = np.empty(classes.size, np.int64), np.empty(classes.size)
    space, smallest = np.empty(classes.size), np.empty(k)
    order = np.empty(k, np.int64)
    for query in range(first, last):
        start, end, row = starts[query], ends[query], query_rows[query]
        squares = space[: end - start]
        squares[:] = 0.0
        for j in range(cells.shape[0]):
            value, width = cells[j, row], widths[j, query]
            _add_column(cells[j, start:end], value, width, is_number[j], squares)
        kth = _find_kth(squares, smallest)
        n_near = _take_within(squares, kth, rows, near)
        near_rows, exact, seen = rows[:n_near], near[:n_near], classes[start:end]
        vote_for_nearest(near_rows, exact, kth, seen, votes[query], tied[query])
        if weighted.shape[0]:
            weigh_distances(near_rows, exact, kth, order, seen, weighted[query])
