"""Which rows are unlike all cases, by distances to the nearest case."""

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.contingency import Floats

UNLIKE = 0.99  # of the cases are nearer to another
_FENCE = 3.0  # ranges of the middle half: Tukey's "far out"
_TIMES = 2.0  # the median at least: ranges may be nil but for rounding


def find_unlike(distances: Floats, shares: Floats, known: Floats) -> NDArray[np.bool_]:
    """Which rows are so far from their nearest case that they are unlike all cases.

    They are farther than 99 % of the cases are from theirs, and farther than usual:
    more than three ranges of the middle half above that half, and more than twice the
    median. Cases that are equal to another one do not count for what is usual.

    Parameters
    ----------
    distances, shares : float64 arrays of shape (n_rows,)
        To the nearest case, and the share of other cases that are nearer to theirs.
    known : float64 array of shape (n_cases,)
        Distances of cases to their nearest other case.

    Examples
    --------
    >>> known = np.array([1.0, 1.1, 1.2, 1.3, 0.0])
    >>> find_unlike(np.array([1.9, 5.0]), np.array([1.0, 1.0]), known).tolist()
    [False, True]
    """
    return (shares >= UNLIKE) & (distances > _find_limit(known))


def usual_distance(known: Floats) -> float:
    """The median distance of cases that are not equal to another; 0 if all are."""
    apart = _drop_equal(known)
    return float(np.median(apart)) if len(apart) else 0.0


def _find_limit(known: Floats) -> float:
    apart = _drop_equal(known)
    if not len(apart):
        return 0.0
    low, middle, high = np.quantile(apart, [0.25, 0.5, 0.75])
    return float(max(high + _FENCE * (high - low), _TIMES * middle))


def _drop_equal(known: Floats) -> Floats:
    return known[np.isfinite(known) & (known > 0)]
