"""The ranges of numbers, and what they are without one of the rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases


class Edges(NamedTuple):
    """The two smallest and largest numbers of each column, (n_numeric, 2) each."""

    lows: NDArray[np.float64]
    highs: NDArray[np.float64]


def find_edges(cases: Cases) -> Edges:
    """Find the two least and two largest numbers: the ranges without any one row."""
    columns = cases.numeric[cases.numeric >= 0]
    numbers = cases.numbers[columns, : cases.n_rows]
    return Edges(two_least(numbers), -two_least(-numbers))


def widths_without(
    cases: Cases,
    widths: NDArray[np.float64],
    edges: Edges,
    excluded: NDArray[np.int64],
) -> dict[int, NDArray[np.float64]]:
    """Return the ranges of queries whose excluded row lies alone at an edge.

    Parameters
    ----------
    cases : Cases
    widths : float64 array of shape (n_attributes,)
        The ranges of all rows, as in `ScaledColumns`.
    edges : Edges
    excluded : int64 array of shape (n_queries,)
        -1 for none.
    """
    numeric, queries = np.flatnonzero(cases.numeric >= 0), np.flatnonzero(excluded >= 0)
    at = cases.numbers[np.ix_(cases.numeric[numeric], excluded[queries])].T
    low = np.where(at == edges.lows[:, 0], edges.lows[:, 1], edges.lows[:, 0])
    high = np.where(at == edges.highs[:, 0], edges.highs[:, 1], edges.highs[:, 0])
    left, shared = high - low, widths[numeric]
    same = (left == shared) | (np.isnan(left) & np.isnan(shared))
    own = {}
    for i in np.flatnonzero(~same.all(axis=1)).tolist():
        own[int(queries[i])] = widths.copy()
        own[int(queries[i])][numeric] = left[i]
    return own


def two_least(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two smallest numbers of each row, NaN where there are fewer."""
    padded = np.pad(numbers, ((0, 0), (0, 2)), constant_values=np.nan)
    return np.sort(np.partition(padded, 1, axis=1)[:, :2], axis=1)
