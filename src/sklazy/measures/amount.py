"""How many of the attributes: one rule for counts and fractions everywhere."""

from math import floor, isnan, nan
from numbers import Integral, Real

from sklazy.errors import BadInputError


def how_many(n_attributes: object, n_available: int) -> int:
    """The number of attributes that a count or a fraction stands for.

    A whole number is a count; another number f in (0, 1] is a fraction and stands for
    ``max(1, floor(f * n_available + 0.5))``.

    Examples
    --------
    >>> from sklazy.measures import how_many
    >>> how_many(3, 13), how_many(0.3, 13), how_many(0.01, 13), how_many(1.0, 13)
    (3, 4, 1, 13)
    """
    is_number = isinstance(n_attributes, Real) and not isinstance(n_attributes, bool)
    number = float(n_attributes) if is_number else nan  # type: ignore[arg-type]
    if isinstance(n_attributes, Integral) and 1 <= number <= n_available:
        return int(n_attributes)
    if not isinstance(n_attributes, Integral) and 0.0 < number <= 1.0:
        return max(1, floor(number * n_available + 0.5))
    raise BadInputError(
        f"n_attributes={n_attributes!r} {_complaint(number)}; give a count of 1 "
        f"to {n_available} or a fraction in (0, 1]."
    )


def _complaint(number: float) -> str:
    if isnan(number):
        return "is not a number"
    return "selects nothing" if number <= 0 else "is more than there is"
