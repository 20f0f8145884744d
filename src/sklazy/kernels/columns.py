"""The columns that distances are measured on: their kinds, and what a difference adds.

The difference is HEOM's: how far two numbers are apart, nothing for equal categories,
and `absent` for other categories or a missing cell. A metric says what a difference
adds to a sum over the columns; it is a code, since compiled code that is handed a
function cannot be cached. A new metric is a code, its name in `METRICS`, a line of
`add_up` and one of `to_distances`.
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import inlined

NUMERIC = 0
"""A column of numbers without a missing cell."""

NUMERIC_MISSING = 1
"""A column of numbers that may hold NaN, for a missing cell."""

NOMINAL = 2
"""A column of codes that are equal or not, NaN for a missing cell."""

EUCLIDEAN = 0
"""The root of the sum of squares."""

MANHATTAN = 1
"""The sum of absolute differences."""

METRICS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN}


@inlined
def add_up(difference, metric):
    """What a difference in one column adds to the sum over the columns."""
    if metric == EUCLIDEAN:
        return difference * difference
    return abs(difference)


def to_distances(sums: NDArray[np.float64], metric: int) -> NDArray[np.float64]:
    """Turn sums over the columns into distances."""
    return np.sqrt(sums) if metric == EUCLIDEAN else sums
