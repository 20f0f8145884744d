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
    numeric = np.flatnonzero(cases.numeric >= 0)
    own, (lows, highs) = {}, edges
    queries = np.flatnonzero(excluded >= 0)
    cells = np.ix_(cases.numeric[numeric], excluded[queries])
    for query, at in zip(queries.tolist(), cases.numbers[cells].T, strict=True):
        low = np.where(at == lows[:, 0], lows[:, 1], lows[:, 0])
        high = np.where(at == highs[:, 0], highs[:, 1], highs[:, 0])
        if not np.array_equal(high - low, widths[numeric], equal_nan=True):
            own[query] = widths.copy()
            own[query][numeric] = high - low
    return own


def two_least(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two smallest numbers of each row, NaN where there are fewer."""
    padded = np.pad(numbers, ((0, 0), (0, 2)), constant_values=np.nan)
    return np.sort(np.partition(padded, 1, axis=1)[:, :2], axis=1)
