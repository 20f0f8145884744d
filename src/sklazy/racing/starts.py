"""Sets to start a search with: random ones, or by the ranking of a filter."""

import numpy as np
from numpy.typing import NDArray

from sklazy.racing.masks import mask_of

Floats = NDArray[np.float64]


def random_sets(
    n_attributes: int, n_sets: int, rng: np.random.Generator, most: int
) -> list[int]:
    """Draw different sets of every size up to `most`, all sizes equally likely."""
    masks: dict[int, None] = {}
    for _ in range(20 * n_sets):
        if len(masks) == n_sets:
            break
        size = int(rng.integers(1, min(most, n_attributes) + 1))
        drawn = rng.choice(n_attributes, size, replace=False)
        masks[mask_of(drawn.tolist())] = None
    return list(masks)


def sets_of_ranking(
    ranking: list[int], n_sets: int, rng: np.random.Generator
) -> list[int]:
    """Combine the first attributes of a ranking: its heads, then draws from them.

    The heads (the first, the first two, ...) come first; the rest are random sets in
    which an attribute is more likely the earlier it ranks.
    """
    masks: dict[int, None] = {}
    for size in range(1, min(len(ranking), max(1, n_sets // 2)) + 1):
        masks[mask_of(ranking[:size])] = None
    probabilities = np.linspace(0.9, 0.1, len(ranking))
    for _ in range(20 * n_sets):
        if len(masks) >= n_sets:
            break
        drawn = rng.random(len(ranking)) < probabilities
        if drawn.any():
            masks[mask_of(np.array(ranking)[drawn].tolist())] = None
    return list(masks)


def correlation_ranking(columns: Floats, target: Floats, most: int) -> list[int]:
    """Rank columns by their absolute Pearson correlation with the target.

    Parameters
    ----------
    columns : array of shape (n_rows, n_columns)
    target : array of shape (n_rows, n_targets)
        The largest correlation with any of them counts.
    most : int
        How many to rank.
    """
    return _strongest_first(_strength(columns, target))[:most]


def quadratic_ranking(columns: Floats, target: Floats) -> list[int]:
    """Rank columns by their own correlation or that of their squared deviations.

    The larger of the two counts: a column with a U-shaped effect may have no
    correlation with the target by itself.
    """
    squares = np.where(np.isnan(columns), np.nan, _unit(columns) ** 2)
    strength = np.maximum(_strength(columns, target), _strength(squares, target))
    return _strongest_first(strength)


def _strength(columns: Floats, target: Floats) -> Floats:
    """The largest absolute correlation of each column with any target."""
    return np.abs(_unit(columns).T @ _unit(target)).max(axis=1)


def _strongest_first(strength: Floats) -> list[int]:
    """Columns by strength, rounded so that equal ones keep their order."""
    return np.argsort(-strength.round(10), kind="stable").tolist()


def gram_schmidt_ranking(columns: Floats, target: Floats, most: int) -> list[int]:
    """Rank columns by Gram-Schmidt orthogonalization.

    Each next column is the one that explains most of what its predecessors leave of
    the target; the others are then made orthogonal to it (forward regression).
    """
    rest, left = _unit(columns), _unit(target)
    sizes = np.ones(rest.shape[1])
    ranking: list[int] = []
    for _ in range(min(most, rest.shape[1])):
        explained = ((rest.T @ left) ** 2).sum(axis=1)
        # A column in the span of its predecessors explains nothing more.
        gain = np.where(sizes > 1e-10, explained / np.maximum(sizes, 1e-10), -1.0)
        gain[ranking] = -2.0
        # Rounded, so that equal columns keep their order.
        best = int(np.argmax(gain.round(10)))
        ranking.append(best)
        if gain[best] <= 0:
            continue
        axis = rest[:, best] / np.sqrt(sizes[best])
        left = left - np.outer(axis, axis @ left)
        rest = rest - np.outer(axis, axis @ rest)
        sizes = (rest**2).sum(axis=0)
    return ranking


def _unit(columns: Floats) -> Floats:
    """Center columns and give them length 1; missing cells are set to the mean.

    Each is divided by its largest number first, whose square might overflow.
    """
    known = ~np.isnan(columns)
    numbers = np.where(known, columns, 0.0)
    largest = np.abs(numbers).max(axis=0)
    numbers = numbers / np.where(largest > 0, largest, 1.0)
    means = numbers.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centered = np.where(known, numbers - means, 0.0)
    lengths = np.sqrt((centered**2).sum(axis=0))
    return centered / np.where(lengths > 0, lengths, 1.0)
