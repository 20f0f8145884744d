"""Groups of alike rows that have a least size, and figures that stand for a group."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_ROUNDS = 8  # of the power method: a direction need not be exact
_EMPTY_SPREAD = 1e-300


def group_rows(points: Floats, least: int, random: np.random.Generator) -> list[Places]:
    """Split rows into groups of alike ones, each of `least` to ``2 * least - 1`` rows.

    Rows are halved across the direction in which they spread most, until a half would
    be too small: microaggregation by a tree. No rows are a group where there are fewer
    than `least`.

    Parameters
    ----------
    points : float64 array of shape (n_rows, n_columns)
        Rows in comparable units, without missing cells.
    least : int
    random : numpy.random.Generator
        Where the search for directions starts.

    Returns
    -------
    groups : list of int64 arrays
        The rows of each group.

    Examples
    --------
    >>> points = np.array([[0.0], [9.0], [1.0], [8.0], [10.0]])
    >>> groups = group_rows(points, 2, np.random.default_rng(0))
    >>> [sorted(group.tolist()) for group in groups]
    [[0, 2], [1, 3, 4]]
    """
    if len(points) < least:
        return []
    return list(_halve(points, np.arange(len(points)), least, random))


def _halve(
    points: Floats, rows: Places, least: int, random: np.random.Generator
) -> Iterator[Places]:
    n_groups = len(rows) // least
    if n_groups < 2:
        yield rows
        return
    some = points[rows]
    along = some @ _find_direction(some - some.mean(axis=0), random)
    # Whole groups on the left, so that few rows are left over.
    n_left = n_groups // 2 * least
    order = np.argsort(along, kind="stable")
    yield from _halve(points, rows[order[:n_left]], least, random)
    yield from _halve(points, rows[order[n_left:]], least, random)


def _find_direction(centered: Floats, random: np.random.Generator) -> Floats:
    """Find the direction of the largest spread, by the power method.

    Its sign is that of its largest entry.
    """
    direction: Any = random.normal(size=centered.shape[1])
    for _ in range(_ROUNDS):
        turned = centered.T @ (centered @ direction)
        length = float(np.sqrt(turned @ turned))
        if not length > _EMPTY_SPREAD:
            return np.asarray(direction, np.float64)
        direction = turned / length
    turned = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return np.asarray(turned, np.float64)
