"""What travels between rooms, in the order it travels.

Arrays of a batch of queries; the first axis is always the query. Codes number the
values of an attribute from 0; two codes below zero have a meaning of their own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = -1
"""The code of a missing cell."""

UNSEEN = -2
"""The code of a value that no case has: it agrees with nothing."""


class Queries(NamedTuple):
    """Rows that ask, coded like the cases.

    Attributes
    ----------
    codes : int32 array of shape (n_queries, n_attributes)
        The category or bin of each cell, `MISSING` or `UNSEEN`.
    values : float64 array of shape (n_queries, n_attributes)
        The numbers as they came, NaN where missing and in nominal columns.
    """

    codes: NDArray[np.int32]
    values: NDArray[np.float64]


class Selected(NamedTuple):
    """The attributes each query uses.

    Attributes
    ----------
    attributes : int32 array of shape (n_queries, n_most)
        Column indices in order of rank, filled up with -1.
    counts : int32 array of shape (n_queries,)
        How many of them are in use.
    """

    attributes: NDArray[np.int32]
    counts: NDArray[np.int32]
