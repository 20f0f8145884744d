"""The nearest case of each class, by exact distances, block by block."""

import numpy as np

from sklazy.kernels.compiling import entry
from sklazy.kernels.exact import RawCases, RawQuery, add_attribute, measure_row

_BLOCK = 1024  # rows that stay in the cache while all queries are measured


@entry
def find_nearest_of_classes(
    codes,
    values,
    attributes,
    screened,
    excluded,
    case_codes,
    numeric,
    numbers,
    widths,
    classes,
    out,
):
    """Write the least squared distance of each query to the rows of each class.

    Equal to the minima of `measure_rows` by class.

    Parameters
    ----------
    codes, values : int32 and float64 arrays of shape (n_queries, n_attributes)
    attributes, screened : int32 arrays of shape (n_used,) and (n_screened,)
        Some of the attributes, in the same order, are added first: that sum is not
        above the whole one, not even by rounding. Rows whose sum is too large already
        need no other.
    excluded : int64 array of shape (n_queries,)
        The row that a query must not see, or -1.
    case_codes, numeric, numbers
        As in `measure_rows`.
    widths : float64 array of shape (n_queries, n_attributes)
        The ranges that each query sees.
    classes : int32 array of shape (n_rows,)
    out : float64 array of shape (n_queries, n_classes), written
    """
    n_rows = classes.size
    out[:] = np.inf
    for first in range(0, n_rows, _BLOCK):
        last = min(first + _BLOCK, n_rows)
        labels = np.ascontiguousarray(case_codes[:, first:last])
        cells = np.ascontiguousarray(numbers[:, first:last])
        sums = np.empty(last - first)
        for i in range(len(codes)):
            query = RawQuery(codes[i], values[i], attributes)
            block = RawCases(labels, numeric, cells, widths[i])
            sums[:] = 0.0
            if first <= excluded[i] < last:
                sums[excluded[i] - first] = np.inf
            for attribute in screened:
                add_attribute(sums, attribute, query, block)
            for row in range(sums.size):
                c = classes[first + row]
                if sums[row] < out[i, c]:
                    out[i, c] = min(out[i, c], measure_row(row, query, block))
