"""Exact HEOM distances of single rows, and the votes they decide."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import entry, inlined, kernel, lean_kernel


@lean_kernel
def insert_sorted(nearest, value):
    """Put a value into a rising list, dropping its largest."""
    i = nearest.size - 1
    while i > 0 and nearest[i - 1] > value:
        nearest[i] = nearest[i - 1]
        i -= 1
    nearest[i] = value


class RawCases(NamedTuple):
    """Cases as they are, and the ranges that differences of numbers are divided by.

    Attributes
    ----------
    codes : int32 array of shape (n_attributes, capacity)
    numeric : int64 array of shape (n_attributes,)
        The place of an attribute among the numbers, below 0 for a nominal one.
    numbers : float64 array of shape (n_numeric, capacity)
    widths : float64 array of shape (n_attributes,)
    """

    codes: NDArray[np.int32]
    numeric: NDArray[np.int64]
    numbers: NDArray[np.float64]
    widths: NDArray[np.float64]


class RawQuery(NamedTuple):
    """A query as it is.

    Attributes
    ----------
    codes, values : int32 and float64 arrays of shape (n_attributes,)
    attributes : int32 array of shape (n_used,)
    """

    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    attributes: NDArray[np.int32]


@inlined
def measure_cell(row, attribute, query, cases):
    """Exact difference of one row in one attribute."""
    column, width = cases.numeric[attribute], cases.widths[attribute]
    if column < 0:
        code = query.codes[attribute]
        return 0.0 if code >= 0 and cases.codes[attribute, row] == code else 1.0
    number, value = cases.numbers[column, row], query.values[attribute]
    if width > 0.0:
        scaled = (number - value) / width
        return 1.0 if np.isnan(scaled) else scaled
    return 0.0 if number == value else 1.0


@lean_kernel
def measure_row(row, query, cases):
    """Exact squared distance of one row, added in the order of the attributes."""
    total = 0.0
    for attribute in query.attributes:
        difference = measure_cell(row, attribute, query, cases)
        total += difference * difference
    return total


@lean_kernel
def measure_listed(rows, query, cases, exact):
    """Write the exact squared distances of some rows; see `measure_row`."""
    for i in range(rows.size):
        exact[i] = measure_row(rows[i], query, cases)


@lean_kernel
def add_attribute(sums, attribute, query, cases):
    """Add the squared differences of all rows in one attribute.

    Equal to `measure_cell` row by row; what is the same for all rows is read once, so
    that several rows are measured at a time.
    """
    n_rows, column = np.uintp(sums.size), cases.numeric[attribute]
    if column < 0:
        code, labels = query.codes[attribute], cases.codes[attribute]
        for row in range(n_rows):
            same = (labels[row] == code) & (code >= 0)
            sums[row] += 0.0 if same else 1.0
        return
    value, width = query.values[attribute], cases.widths[attribute]
    cells = cases.numbers[column]
    if width > 0.0:
        for row in range(n_rows):
            scaled = (cells[row] - value) / width
            difference = 1.0 if np.isnan(scaled) else scaled
            sums[row] += difference * difference
        return
    for row in range(n_rows):
        sums[row] += 0.0 if cells[row] == value else 1.0


@entry
def measure_rows(
    n_rows, codes, values, attributes, case_codes, numeric, numbers, widths
):
    """Exact squared distances of all rows; see `measure_row`.

    Parameters
    ----------
    n_rows : int
    codes, values : int32 and float64 arrays of shape (n_attributes,)
        The query.
    attributes : int32 array of shape (n_used,)
    case_codes, numeric, numbers, widths
        As in `search_mixed`.
    """
    exact = np.zeros(n_rows)
    cases = RawCases(case_codes, numeric, numbers, widths)
    query = RawQuery(codes, values, attributes)
    for attribute in attributes:
        add_attribute(exact, attribute, query, cases)
    return exact


@entry
def measure_queries(
    n_rows, codes, values, attributes, counts, case_codes, numeric, numbers, widths
):
    """Exact squared distances of all rows from some queries, (n_queries, n_rows).

    As `measure_rows`, with an axis of queries before those of its arrays.
    """
    exact = np.zeros((counts.size, n_rows))
    for i in range(counts.size):
        cases = RawCases(case_codes, numeric, numbers, widths[i])
        query = RawQuery(codes[i], values[i], attributes[i, : counts[i]])
        for attribute in query.attributes:
            add_attribute(exact[i], attribute, query, cases)
    return exact


@kernel
def drop_row(rows, excluded):
    """The rows but the excluded one, in a new array."""
    left = np.empty(rows.size, np.int64)
    n_left = 0
    for row in rows:
        if row != excluded:
            left[n_left] = row
            n_left += 1
    return left[:n_left]


@lean_kernel
def vote_for_sure(rows, sums, sure, limit, classes, votes):
    """Let the rows below `sure` vote; the others within the limit are left, counted."""
    n_open = 0
    for i in range(rows.size):
        if sums[i] < sure:
            votes[classes[rows[i]]] += 1
        elif sums[i] <= limit:
            rows[n_open] = rows[i]
            n_open += 1
    return n_open


@lean_kernel
def find_kth(exact, smallest):
    """The k-th smallest distance, infinite if there are fewer; `smallest` has room."""
    last = smallest.size - 1
    smallest[:] = np.inf
    for i in range(exact.size):
        if exact[i] < smallest[last]:
            insert_sorted(smallest, exact[i])
    return smallest[last]


@lean_kernel
def vote_for_nearest(rows, exact, kth, classes, votes, tied):
    """Let the rows within the k-th smallest of the exact distances vote."""
    for i in range(exact.size):
        if exact[i] <= kth:
            votes[classes[rows[i]]] += 1
            if exact[i] == kth:
                tied[classes[rows[i]]] += 1
