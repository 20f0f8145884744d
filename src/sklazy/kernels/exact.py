"""Exact HEOM distances of single rows, and the votes they decide."""

import numpy as np

from sklazy.kernels.compiling import entry, inlined, kernel, lean_kernel


@lean_kernel
def insert_sorted(nearest, value):
    """Put a value into a rising list, dropping its largest."""
    i = nearest.size - 1
    while i > 0 and nearest[i - 1] > value:
        nearest[i] = nearest[i - 1]
        i -= 1
    nearest[i] = value


@inlined
def measure_cell(row, attribute, codes, values, case_codes, numeric, numbers, widths):
    """Exact difference of one row in one attribute."""
    column = numeric[attribute]
    if column < 0:
        known = codes[attribute] >= 0
        return 0.0 if known and case_codes[attribute, row] == codes[attribute] else 1.0
    if widths[attribute] > 0.0:
        scaled = (numbers[column, row] - values[attribute]) / widths[attribute]
        return 1.0 if np.isnan(scaled) else scaled
    return 0.0 if numbers[column, row] == values[attribute] else 1.0


@lean_kernel
def measure_row(
    row, codes, values, attributes, n_used, case_codes, numeric, numbers, widths
):
    """Exact squared distance of one row, added in the order of the attributes."""
    total = 0.0
    for i in range(n_used):
        difference = measure_cell(
            row, attributes[i], codes, values, case_codes, numeric, numbers, widths
        )
        total += difference * difference
    return total


@lean_kernel
def measure_listed(
    rows, codes, values, attributes, n_used, case_codes, numeric, numbers, widths, exact
):
    """Write the exact squared distances of some rows; see `measure_row`."""
    for i in range(rows.size):
        exact[i] = measure_row(
            rows[i],
            codes,
            values,
            attributes,
            n_used,
            case_codes,
            numeric,
            numbers,
            widths,
        )


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
    exact = np.empty(n_rows)
    measure_listed(
        np.arange(n_rows),
        codes,
        values,
        attributes,
        attributes.size,
        case_codes,
        numeric,
        numbers,
        widths,
        exact,
    )
    return exact


@kernel
def leave_out(rows, excluded):
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
