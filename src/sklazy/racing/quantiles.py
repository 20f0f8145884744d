"""Quantiles, remembered: a race asks for the same few again and again."""

import functools

from scipy import special

_remember = functools.lru_cache(maxsize=4096)


@_remember
def chi_square_above(freedom: int, alpha: float) -> float:
    """Return what a chi-square variable exceeds with probability `alpha`."""
    return float(special.chdtri(freedom, alpha))


@_remember
def student_above(freedom: int, alpha: float) -> float:
    """Return what a Student variable exceeds with probability `alpha`."""
    return -float(special.stdtrit(freedom, alpha))


@_remember
def normal_above(alpha: float) -> float:
    """Return what a standard normal variable exceeds with probability `alpha`."""
    return -float(special.ndtri(alpha))
