"""Exact sums of numbers: they add up, whatever the order and the parts of the rows."""

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.sums import BITS, add_exactly, span_of

_SMALLEST = 1074  # the smallest number is 2 to minus this
_SPARE = 5  # parts behind the last place of a square
# Numbers that are summed one by one before the compiler would have begun.
_PER_VALUE = 5e-7  # seconds, in whole numbers of Python


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Sums without rounding, one for each cell."""

    exponent: int  # part i of a sum counts times ``2 ** (32 * i + exponent)``
    parts: NDArray[np.int64]  # (n_parts, n_cells)

    def __add__(self, other: "ExactSums") -> "ExactSums":
        """The sums of all numbers of both."""
        low = min(self.exponent, other.exponent)
        ends = [s.exponent + BITS * len(s.parts) for s in (self, other)]
        parts = np.zeros(((max(ends) - low) // BITS, self.parts.shape[1]), np.int64)
        for one in (self, other):
            first = (one.exponent - low) // BITS
            parts[first : first + len(one.parts)] += one.parts
        return ExactSums(low, parts)

    def __sub__(self, other: "ExactSums") -> "ExactSums":
        """The sums of the numbers of this that are not in another."""
        return self + ExactSums(other.exponent, -other.parts)

    def whole(self) -> list[Fraction]:
        """The sums as they are."""
        above, below = 1 << max(self.exponent, 0), 1 << max(-self.exponent, 0)
        columns = self.parts.T.tolist()
        return [Fraction(_joined(column) * above, below) for column in columns]

    def rounded(self) -> NDArray[np.float64]:
        """The floats nearest to the sums."""
        used = np.flatnonzero(self.parts.any(axis=0))
        floats = np.zeros(self.parts.shape[1])
        for cell in used.tolist():
            floats[cell] = nearest_float(
                _joined(self.parts[:, cell].tolist()) * Fraction(2) ** self.exponent
            )
        return floats


def add_sums(sums: Iterable[ExactSums]) -> ExactSums:
    """The sums of all."""
    return reduce(operator.add, sums)


def _joined(parts: list[int]) -> int:
    """One number from its parts, the last counts most."""
    total = 0
    for part in reversed(parts):
        total = (total << BITS) + part
    return total


def nearest_float(exact: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def sum_exactly(
    values: NDArray[np.float64],
    cells: NDArray[np.int64] | None = None,
    n_cells: int = 1,
    *,
    squared: bool = False,
) -> ExactSums:
    """Add up numbers, or their squares, without rounding; NaN is passed over.

    `cells` has the sum that each number goes to; all go to one by default.

    Examples
    --------
    >>> import numpy as np
    >>> sum_exactly(np.array([1e300, 1.0, -1e300])).rounded()
    array([1.])
    >>> left, right = sum_exactly(np.array([0.1])), sum_exactly(np.array([0.2]))
    >>> (left + right).rounded()
    array([0.3])
    >>> ((left + right) - left).rounded()
    array([0.2])
    """
    if cells is None:
        cells = np.zeros(len(values), np.int64)
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    factor = 2 if squared else 1
    if not add_exactly.is_due(_PER_VALUE * len(values)):
        return _sum_few(values, cells, n_cells, factor)
    least, most = map(int, span_of(bits))
    first = factor * (least - 1) // BITS * BITS if most else 0
    n_parts = (factor * most - first) // BITS + _SPARE if most else 1
    sums = np.zeros((n_parts, n_cells), np.int64)
    if most:
        add_exactly(bits, cells, first, squared, sums)
    return ExactSums(first - factor * _SMALLEST, sums)


def _sum_few(
    values: NDArray[np.float64], cells: NDArray[np.int64], n_cells: int, power: int
) -> ExactSums:
    """The same for few numbers, in whole numbers of Python; equal as a sum."""
    totals, scale = [0] * n_cells, 1 << _SMALLEST
    known = ~np.isnan(values)
    for value, cell in zip(values[known].tolist(), cells[known].tolist(), strict=True):
        above, below = value.as_integer_ratio()
        totals[cell] += (above * (scale // below)) ** power
    longest = max((abs(total).bit_length() for total in totals), default=0)
    parts = np.zeros((longest // BITS + 1, n_cells), np.int64)
    for cell, total in enumerate(totals):
        size, sign = abs(total), -1 if total < 0 else 1
        for i in range(len(parts)):
            parts[i, cell] = sign * (size >> (BITS * i) & ((1 << BITS) - 1))
    return ExactSums(-power * _SMALLEST, parts)


def deviation(
    n_values: int, total: Fraction, total_of_squares: Fraction, unit: float = 1.0
) -> float:
    """The standard deviation of numbers times a unit, from their exact sums.

    Examples
    --------
    >>> deviation(2, Fraction(4), Fraction(10))
    1.0
    """
    (t, of_t), (s, of_s) = (
        exact.as_integer_ratio() for exact in (total, total_of_squares)
    )
    above, below = unit.as_integer_ratio()
    # The mean square less the square of the mean, in whole numbers: one division.
    variance = (n_values * s * of_t**2 - t**2 * of_s) * above**2
    try:
        return math.sqrt(variance / (n_values**2 * of_s * of_t**2 * below**2))
    except OverflowError:
        return math.inf
