"""Sums over rows that have the same digits in any order.

Similarities to landmarks are rounded to a grid of whole numbers, and targets are split
into parts of few bits, so that every product and every sum is a whole number that is
held exactly. A row that comes or goes is added or taken away, and what is left is what
all rows that are there add up to, bit for bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from sklazy.kernels.kernel_models import add_block, add_rows, fill_system

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 2048
"""Rows whose products a float64 sums exactly."""

_BITS, _MOST_ROWS = 21, 1 << 20
_FEWER_BITS = 18  # of similarities, beyond: their products leave room for more rows

_FEW = 8  # rows that are added one by one

_PART, _N_PARTS = 18, 3  # bits of a part of a number, and how many parts it has


class SumGrid(NamedTuple):
    """How similarities and targets become whole numbers.

    Attributes
    ----------
    bits : int
        A similarity is so many bits behind the point.
    exponent : int, or None for indicators of classes
        All targets are below this power of two.
    """

    bits: int
    exponent: int | None


class WholeSums(NamedTuple):
    """What rows add up to, in whole numbers.

    Attributes
    ----------
    products : int64 array of shape (n_landmarks, n_landmarks)
        K'K, its upper half.
    sides : int64 array of shape (n_landmarks, n_parts)
        K' times the parts of the targets, and times ones.
    """

    products: Ints
    sides: Ints


def find_bits(n_rows: int) -> int:
    """How fine similarities of so many rows are.

    Examples
    --------
    >>> find_bits(100_000), find_bits(10_000_000)
    (21, 18)
    """
    return _BITS if n_rows <= _MOST_ROWS else _FEWER_BITS


def find_grid(targets: Floats) -> SumGrid:
    """The grid of all rows."""
    if targets.shape[1] > 1:
        return SumGrid(find_bits(len(targets)), None)
    largest = max(-float(targets.min()), float(targets.max()))
    return SumGrid(find_bits(len(targets)), int(np.frexp(largest)[1]))


def is_within(targets: Floats, grid: SumGrid) -> bool:
    """Whether a grid holds all targets.

    Examples
    --------
    >>> is_within(np.array([[0.75], [-1.0]]), SumGrid(21, 1)), is_within(
    ...     np.array([[2.0]]), SumGrid(21, 1)
    ... )
    (True, False)
    """
    if grid.exponent is None:
        return True
    with np.errstate(over="ignore"):
        return bool((np.abs(targets) < np.ldexp(1.0, grid.exponent)).all())


def round_similarities(near: Floats, bits: int) -> Floats:
    """Similarities as whole numbers, in place."""
    near *= 2.0**bits
    return np.rint(near, out=near)


def split_targets(targets: Floats, grid: SumGrid) -> Floats:
    """Targets as parts that are whole numbers, and ones, (n_rows, n_parts).

    Examples
    --------
    >>> split_targets(np.array([[0.75], [-1.0]]), SumGrid(21, 1))[:, [0, -1]]
    array([[ 98304.,      1.],
           [-131072.,      1.]])
    """
    ones = np.ones((len(targets), 1))
    if grid.exponent is None:
        return np.hstack([targets, ones])
    parts, left = [], np.ldexp(targets, _PART - grid.exponent)
    for _ in range(_N_PARTS):
        parts.append(np.rint(left))
        left = np.ldexp(left - parts[-1], _PART)
    return np.hstack([*parts, ones])


def join_sides(sides: Ints, grid: SumGrid) -> Floats:
    """K' times targets, and times ones, from sums of parts, (n_landmarks, n_sides)."""
    sums = sides.astype(np.float64)
    if grid.exponent is not None:
        joined = sums[:, _N_PARTS - 1]
        for part in range(_N_PARTS - 2, -1, -1):
            joined = sums[:, part] + np.ldexp(joined, -_PART)
        sums = np.column_stack([np.ldexp(joined, grid.exponent - _PART), sums[:, -1]])
    return np.ldexp(sums, -grid.bits)


def start_sums(n_landmarks: int, n_parts: int) -> WholeSums:
    """The sums of no rows."""
    products = np.zeros((n_landmarks, n_landmarks), np.int64)
    return WholeSums(products, np.zeros((n_landmarks, n_parts), np.int64))


def add_many(sums: WholeSums, near: Floats, parts: Floats, step: float = 1.0) -> None:
    """Add up to `BLOCK` rows to sums, or take them away (step -1), in place.

    Parameters
    ----------
    sums : WholeSums
    near : float64 array of shape (n_rows, n_landmarks)
        As of `round_similarities`.
    parts : float64 array of shape (n_rows, n_parts)
        As of `split_targets`.
    """
    add_block(sums.products, dsyrk(step, near.T, lower=1).T)
    sums.sides[:] += (step * (near.T @ parts)).astype(np.int64)


def move_rows(sums: WholeSums, near: Floats, parts: Floats, steps: Ints) -> WholeSums:
    """The sums after some rows came (step 1) or went (-1); `sums` stay as they are."""
    moved = WholeSums(sums.products.copy(), sums.sides.copy())
    if len(near) <= _FEW:
        rows = near.astype(np.int64)
        add_rows(moved.products, rows, steps)
        moved.sides[:] += (rows * steps[:, None]).T @ parts.astype(np.int64)
        return moved
    for step in (1.0, -1.0):
        some = np.flatnonzero(steps == step)
        for first in range(0, len(some), BLOCK):
            block = some[first : first + BLOCK]
            add_many(moved, near[block], parts[block], step)
    return moved


def fill_sums(sums: WholeSums, grid: SumGrid, among: Floats, ridge: float) -> Floats:
    """K'K and the ridge times M, its lower half, in Fortran's order."""
    system = np.zeros(sums.products.shape)
    fill_system(sums.products, among, 0.25**grid.bits, ridge, system)
    return system.T
