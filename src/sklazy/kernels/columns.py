"""The columns that distances are measured on: their kinds, and what a difference adds.

The difference is HEOM's: how far two numbers are apart, nothing for equal categories,
and `absent` for other categories or a missing cell. A metric decides how much a
difference adds to a sum over the columns. Kernels take its code, since compiled code
that is handed a function cannot be cached; all else reads its record in `METRICS`,
which names what it supports. A new metric is such a record and a line of
`difference_term`.
"""

from typing import NamedTuple

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


class Metric(NamedTuple):
    """A distance that sums over the columns, and the searches that support it.

    Attributes
    ----------
    code : int
        Its code in kernels.
    name : str
    norm : int, or None
        The p of a Minkowski distance, whose `difference_term` is the p-th power of the
        difference. None for any other: a distance is then the sum itself, and every
        row is measured, since there is no tree.
    on_device : bool
        Whether `kernels/cuda/nearest.cu` has it.
    """

    code: int
    name: str
    norm: int | None = None
    on_device: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric(EUCLIDEAN, "euclidean", norm=2, on_device=True),
        Metric(MANHATTAN, "manhattan", norm=1, on_device=True),
    )
}


def metric_of(code: int) -> Metric:
    """Look up the record of a metric by its code.

    Examples
    --------
    >>> metric_of(MANHATTAN).name
    'manhattan'
    """
    return next(metric for metric in METRICS.values() if metric.code == code)


@inlined
def difference_term(difference, metric):
    """Compute the term of one column in the sum over the columns."""
    if metric == EUCLIDEAN:
        return difference * difference
    return abs(difference)


def to_distances(sums: NDArray[np.float64], metric: int) -> NDArray[np.float64]:
    """Turn sums over the columns into distances, by the code of their metric."""
    norm = metric_of(metric).norm
    if norm is None or norm == 1:
        return sums
    return np.sqrt(sums) if norm == 2 else sums ** (1.0 / norm)
