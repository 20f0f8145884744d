"""Long work in calls of a fraction of a second: between two of them Python can stop.

An interrupt is handled by Python alone, never inside a kernel, so no call of a kernel
may take long. How many items a call can take is learned from the calls before it.
"""

import time
from collections.abc import Callable

LONGEST = 0.25
"""Seconds that a call may take, about."""

_GROWTH = 4  # the most items of a call, in multiples of the call before
_CAUTION = 16  # the factor by which untimed estimates may be too low


class Pace:
    """How many items the next call should take.

    Parameters
    ----------
    n_items : int
        All of them.
    nanoseconds : float
        The time of an item, roughly; 0 if unknown: one is tried first.

    Examples
    --------
    >>> pace = Pace(1000, 0.0)
    >>> pace.size
    1
    >>> pace.learn(1, seconds=0.001)
    >>> pace.size
    4
    >>> pace.learn(4, seconds=0.5)
    >>> pace.size
    2
    """

    def __init__(self, n_items: int, nanoseconds: float = 0.0) -> None:
        self.nanoseconds = nanoseconds
        self.size = min(n_items, self.fitting(_CAUTION)) if nanoseconds > 0 else 1

    def fitting(self, caution: int = 1) -> int:
        """How many items fit into a call, by what one is known to take."""
        return max(1, int(1e9 * LONGEST / (caution * max(self.nanoseconds, 1e-3))))

    def learn(self, n_items: int, seconds: float) -> None:
        """Adapt to the time that a call took for its items."""
        self.nanoseconds = 1e9 * seconds / n_items
        self.size = min(self.fitting(), _GROWTH * n_items)


def in_turn(call: Callable[[int, int], object], n_items: int) -> None:
    """Call ``call(first, last)`` for all items, none of the calls being long.

    Examples
    --------
    >>> in_turn(lambda first, last: print(first, last), 3)
    0 1
    1 3
    """
    pace, first = Pace(n_items), 0
    while first < n_items:
        last = min(n_items, first + pace.size)
        begin = time.perf_counter()
        call(first, last)
        pace.learn(last - first, time.perf_counter() - begin)
        first = last
