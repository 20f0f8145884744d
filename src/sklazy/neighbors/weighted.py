"""The nearest cases by a HEOM difference in which attributes have weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import MISSING, Cases, Columns, Queries
from sklazy.kernels.nearest import NOMINAL, NUMERIC, NUMERIC_MISSING

Floats = NDArray[np.float64]


_FAR = 1e100  # as far away as a number can be; its square is finite


class WeightedColumns(NamedTuple):
    """Cases in a given order, ready for `find_nearest`.

    Attributes
    ----------
    columns : Columns
        Of the attributes that have a weight; numbers in terms of their range.
    attributes : int64 array of shape (n_columns,)
    lows, widths : float64 arrays of shape (n_columns,)
        A number x is placed at (x / 2 - low) / width: half the smallest number and
        half the range, which is finite even where the range is not.
    codes : bool array of shape (n_columns,)
        Whether codes are compared, not numbers.
    """

    columns: Columns
    attributes: NDArray[np.int64]
    lows: Floats
    widths: Floats
    codes: NDArray[np.bool_]


def weigh_columns(
    cases: Cases, rows: NDArray[np.integer], weights: Floats
) -> WeightedColumns:
    """Make cases ready; their order breaks ties.

    Parameters
    ----------
    cases : Cases
    rows : int array
        The rows in order.
    weights : float64 array of shape (n_attributes,)
        What the squared difference in an attribute counts; 0 leaves it out.
    """
    attributes = np.flatnonzero(weights > 0)
    sources = cases.numeric[attributes]
    lows, widths = np.zeros(len(attributes)), np.ones(len(attributes))
    kinds = np.full(len(attributes), NOMINAL, np.int64)
    values = np.empty((len(attributes), len(rows)))
    for i, (attribute, source) in enumerate(zip(attributes, sources, strict=True)):
        if source < 0:
            values[i] = _as_floats(cases.codes[attribute, rows])
            continue
        numbers, (low, high) = cases.numbers[source, rows], cases.ranges[source]
        width = 0.5 * high - 0.5 * low
        if width > 0:  # else numbers are equal or not, as codes are
            lows[i], widths[i] = 0.5 * low, width
            kinds[i] = NUMERIC_MISSING if np.isnan(numbers).any() else NUMERIC
        values[i] = (0.5 * numbers - lows[i]) / widths[i]
    columns = Columns(values, kinds, weights[attributes], np.ones(len(sources)), True)
    return WeightedColumns(columns, attributes, lows, widths, sources < 0)


def place_queries(cases: WeightedColumns, queries: Queries) -> Floats:
    """Queries as the columns see them, shape (n_queries, n_columns)."""
    halves = 0.5 * queries.values[:, cases.attributes]
    with np.errstate(over="ignore"):
        numbers = ((halves - cases.lows) / cases.widths).clip(-_FAR, _FAR)
    codes = _as_floats(queries.codes[:, cases.attributes])
    return np.where(cases.codes, codes, numbers)


def _as_floats(codes: NDArray[np.int32]) -> Floats:
    """Codes as numbers, missing as NaN; an unseen code equals none."""
    return np.where(codes == MISSING, np.nan, codes)
