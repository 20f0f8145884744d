"""Quantiles, cached: a race needs the same few again and again."""

import functools

from scipy import special

_cached = functools.lru_cache(maxsize=4096)


@_cached
def chi_square_above(freedom: int, alpha: float) -> float:
    """Return what a chi-square variable exceeds with probability `alpha`."""
    return float(special.chdtri(freedom, alpha))


@_cached
def student_above(freedom: int, alpha: float) -> float:
    """Return what a Student variable exceeds with probability `alpha`."""
    return -float(special.stdtrit(freedom, alpha))


@_cached
def normal_above(alpha: float) -> float:
    """Return what a standard normal variable exceeds with probability `alpha`."""
    return -float(special.ndtri(alpha))
