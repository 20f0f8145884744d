"""Lists of the rows that vote, fetched from a device."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Voters(NamedTuple):
    """The rows near one query, in no order.

    Attributes
    ----------
    query : int
    rows : int array
    distances : float64 array
    """

    query: int
    rows: NDArray[np.integer]
    distances: NDArray[np.float64]


class ListingSearch(Protocol):
    """A search that can list its voters."""

    def voters(self, first: int, last: int) -> Iterator[Voters]:
        """The rows that vote for the queries ``first..last - 1``."""


def count_enough(weights: NDArray[np.float64], wanted: float) -> int:
    """The number of rows that reach a weight, whichever they are, if all rows do.

    Examples
    --------
    >>> count_enough(np.array([0.0, 0.5, 2.0, 1.0, 1.0, 3.0]), 2)
    5
    """
    present = weights[weights > 0]
    if not present.size:
        return 1
    with np.errstate(over="ignore"):  # weights may have faded to next to nothing
        # A row more than enough: the sum is rounded.
        needed = np.ceil(wanted / present.min() * (1 + 1e-9)) + 1
    return int(min(needed, present.size))


def cut_by_size(sizes: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Consecutive items whose sizes add up to `most` at most, or one by itself.

    Examples
    --------
    >>> list(cut_by_size(np.array([2, 2, 9, 1, 1]), 4))
    [(0, 2), (2, 3), (3, 5)]
    """
    begin, total = 0, 0
    for i, size in enumerate(sizes.tolist()):
        if i > begin and total + size > most:
            yield begin, i
            begin, total = i, 0
        total += size
    if len(sizes) > begin:
        yield begin, len(sizes)
