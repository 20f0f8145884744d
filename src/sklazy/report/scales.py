"""Scales of bars and axes, for numbers as small, as large or as far apart as any."""

import math
import sys
from collections.abc import Iterable

_LARGEST = sys.float_info.max
_ROOM = 0.06  # of a range, on either side
_ROUND = 1e-300, 1e300  # steps that have round numbers


def find_share(value: float, low: float, high: float) -> float:
    """Where a value lies from `low` (0) to `high` (1); 0 if these are equal.

    Equal to ``(value - low) / (high - low)`` where no difference overflows and none
    of the numbers is so small that it lacks digits.

    Examples
    --------
    >>> find_share(3.0, 2.0, 4.0), find_share(1e308, -1e308, 1e308)
    (0.5, 1.0)
    >>> find_share(0.0, 0.0, 0.0)
    0.0
    """
    # One bit more than the largest: no difference of two is beyond floats.
    exponent = 1 + math.frexp(max(abs(value), abs(low), abs(high)))[1]
    value, low, high = (math.ldexp(x, -exponent) for x in (value, low, high))
    return (value - low) / (high - low) if high != low else 0.0


def clip_share(share: float) -> float:
    """A share from 0 to 1; 0 for NaN.

    Examples
    --------
    >>> clip_share(0.25), clip_share(7.0), clip_share(float("nan"))
    (0.25, 1.0, 0.0)
    """
    return float(max(0.0, min(share, 1.0)))


def half_width(low: float, high: float) -> float:
    """Half of what lies between two finite numbers, which any float can hold.

    Examples
    --------
    >>> half_width(-1.5e308, 1.5e308)
    1.5e+308
    """
    return high / 2 - low / 2


def find_range(values: Iterable[float]) -> tuple[float, float]:
    """The smallest and the largest of finite numbers, with a little room.

    Examples
    --------
    >>> find_range([0.0, 50.0, 100.0]), find_range([2.0, 2.0])
    ((-6.0, 106.0), (2.0, 2.0))
    """
    known = list(values)
    low, high = min(known), max(known)
    room = 2 * _ROOM * half_width(low, high)
    return max(low - room, -_LARGEST), min(high + room, _LARGEST)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`, as many as reads well.

    Where no number between them is round, the ends themselves.

    Examples
    --------
    >>> ticks(0.0, 1.0), ticks(-3.0, 11.0), ticks(0.0, 3e-200, 3)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0], [0.0, 1e-200, 2e-200, 3e-200])
    """
    if low >= high:
        return [low]
    raw = 2 * (half_width(low, high) / most)
    if not _ROUND[0] < raw < _ROUND[1]:
        return [low, high]
    digits = math.floor(math.log10(raw))
    power = 10.0**digits
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12 - digits) for i in range(first, last + 1)]
