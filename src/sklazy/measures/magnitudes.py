"""Units for numbers whose squares no float holds.

A unit is a power of two, so that multiplying by it loses no digit, and 1 for all
ordinary numbers, whose answers it leaves as they are, bit for bit.
"""

import math

import numpy as np
from numpy.typing import NDArray

ORDINARY = 2.0**160  # about 1e48: even a fourth power is a float
_LARGEST_EXPONENT = 1000  # of units; a float has no power of two beyond 1023


def find_unit(values: NDArray[np.float64], ordinary: float = ORDINARY) -> float:
    """Factor to bring numbers near 1 if the largest is too large or small to square.

    The exponent is even: the unit of weights has a root without loss.

    Parameters
    ----------
    values : float64 array
        NaN where missing.
    ordinary : float
        The unit is 1 where the largest is between this and one over this.

    Examples
    --------
    >>> find_unit(np.array([0.0, -3e4])), find_unit(np.array([2.0**300, 1.0]))
    (1.0, 4.909093465297727e-91)
    """
    largest = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
    if largest == 0.0 or 1.0 / ordinary <= largest <= ordinary:
        return 1.0
    exponent = math.frexp(largest)[1]
    exponent = min(max(exponent, -_LARGEST_EXPONENT), _LARGEST_EXPONENT)
    return math.ldexp(1.0, -(exponent - exponent % 2))
