"""The distance of each query to its nearest row, on all attributes."""

import numpy as np

from sklazy.kernels.compiling import entry, kernel, loop_kernel
from sklazy.kernels.exact import RawCases, RawQuery, measure_row

BLOCK = 1024
"""Rows that are measured at a time, so that they stay near while queries pass."""

# A product with the inverse of a range is off by less, in relation and in all.
_RELATIVE, _ABSOLUTE = 1.0 + 1e-12, 1e-300
# Ranges whose inverse is a normal number.
_LEAST_WIDTH, _MOST_WIDTH = 1e-290, 1e290


@loop_kernel
def _add_labels(sums, labels, code):
    for i in range(sums.size):
        sums[i] += 0.0 if labels[i] == code else 1.0


@loop_kernel
def _add_numbers(sums, numbers, value, inverse):
    for i in range(sums.size):
        scaled = (numbers[i] - value) * inverse
        difference = 1.0 if np.isnan(scaled) else scaled
        sums[i] += difference * difference


@kernel
def _bound_block(sums, first, query, cases):
    """Fill `sums` with distances of the rows from `first` on, rounding aside.

    Where a range has no inverse that is a number, 0 is added: no row is passed over.
    """
    last = first + sums.size
    sums[:] = 0.0
    for attribute in range(cases.numeric.size):
        column, width = cases.numeric[attribute], cases.widths[attribute]
        if column < 0:
            code = query.codes[attribute]
            if code >= 0:
                _add_labels(sums, cases.codes[attribute, first:last], code)
            else:
                sums += 1.0
        elif _LEAST_WIDTH < width < _MOST_WIDTH:
            numbers, value = cases.numbers[column, first:last], query.values[attribute]
            _add_numbers(sums, numbers, value, 1.0 / width)


@entry
def find_closest(
    n_rows, codes, values, excluded, case_codes, numeric, numbers, widths, closest
):
    """Fill `closest` with the least of the distances that `measure_rows` finds.

    Rows are measured exactly only where they may be nearer than all before.

    Parameters
    ----------
    n_rows : int
    codes, values : int32 and float64 arrays of shape (n_queries, n_attributes)
    excluded : int64 array of shape (n_queries,)
        A row that does not count, below 0 for none.
    case_codes, numeric, numbers, widths
        As in `measure_rows`.
    closest : float64 array of shape (n_queries,), written
        Squared; infinite where there is no row.
    """
    cases = RawCases(case_codes, numeric, numbers, widths)
    every, room = np.arange(numeric.size).astype(np.int32), np.empty(BLOCK)
    closest[:] = np.inf
    for first in range(0, n_rows, BLOCK):
        sums = room[: min(BLOCK, n_rows - first)]
        for number in range(closest.size):
            query = RawQuery(codes[number], values[number], every)
            _bound_block(sums, first, query, cases)
            limit = closest[number] * _RELATIVE + _ABSOLUTE
            for i in range(sums.size):
                if sums[i] <= limit and first + i != excluded[number]:
                    exact = measure_row(first + i, query, cases)
                    if exact < closest[number]:
                        closest[number] = exact
                        limit = exact * _RELATIVE + _ABSOLUTE
