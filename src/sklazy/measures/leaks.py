"""How much of the target one column explains by itself, each row left out."""

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.contingency import Floats


def explained_errors(
    counts: NDArray[np.int64], class_counts: NDArray[np.int64]
) -> float:
    """The share of a guess's errors that a column alone avoids.

    A row is guessed right if its class is more frequent than any other among the other
    rows of its value; missing is a value. The guess without the column is the most
    frequent class.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Rows by value and class.
    class_counts : int64 array of shape (n_classes,)

    Examples
    --------
    >>> explained_errors(np.array([[5, 0], [1, 4]]), np.array([6, 4]))
    0.75
    """
    missing = class_counts - counts.sum(axis=0)
    whole = np.vstack([counts, missing])
    order = np.sort(whole, axis=1)
    n_classes = whole.shape[1]
    first = order[:, -1]
    second = order[:, -2] if n_classes > 1 else np.zeros_like(first)
    n_right = int(first[first - 1 > second].sum())
    n_rows, guessed = int(class_counts.sum()), int(class_counts.max())
    return (n_right - guessed) / (n_rows - guessed) if n_rows > guessed else 0.0


def explained_variance(values: Floats, targets: Floats) -> float:
    """The share of a target's variance that a column of numbers explains.

    A row is guessed by the mean of the other rows of its value, or by those of the
    next lower and the next higher value if it has none; a missing value, by the mean of
    all other rows.

    Parameters
    ----------
    values, targets : float64 arrays of shape (n_rows,)
        In an order that does not depend on how rows came, since sums do.

    Examples
    --------
    >>> line = np.arange(10.0)
    >>> explained_variance(line, 3 * line) > 0.9, explained_variance(line % 2, line) > 0
    (True, False)
    """
    known = ~np.isnan(values)
    steps, groups = np.unique(values[known], return_inverse=True)
    guesses = _means_of_others(targets, np.zeros(len(targets), np.int64))
    if not len(steps):
        return 0.0
    group_means = _means_of_others(targets[known], groups)
    between = _mean_beside(_group_means(targets[known], groups), groups)
    sizes = np.bincount(groups)[groups]
    guesses[known] = np.where(sizes > 1, group_means, between)
    return _explained_part(targets, guesses)


def explained_by_label(codes: NDArray[np.integer], targets: Floats) -> float:
    """The same of a nominal column; a label no other row has explains nothing.

    Examples
    --------
    >>> explained_by_label(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 5.0, 5.0]))
    1.0
    """
    groups = codes.astype(np.int64) + 1  # missing is a value
    others = _means_of_others(targets, np.zeros(len(targets), np.int64))
    sizes = np.bincount(groups)[groups]
    group_means = _means_of_others(targets, groups)
    return _explained_part(targets, np.where(sizes > 1, group_means, others))


def _group_means(targets: Floats, groups: NDArray[np.int64]) -> Floats:
    means: Floats = np.bincount(groups, targets) / np.bincount(groups)
    return means


def _means_of_others(targets: Floats, groups: NDArray[np.int64]) -> Floats:
    """The mean of the other rows of each row's group; of its own if it is alone."""
    sums, sizes = np.bincount(groups, targets)[groups], np.bincount(groups)[groups]
    alone = sizes == 1
    means: Floats = (sums - targets * ~alone) / np.maximum(sizes - 1, 1)
    return means


def _mean_beside(means: Floats, groups: NDArray[np.int64]) -> Floats:
    """The mean of the groups before and after each row's own; the only one's own."""
    if len(means) == 1:
        return means[groups]
    before = np.concatenate([means[1:2], means[:-1]])
    after = np.concatenate([means[1:], means[-2:-1]])
    return (0.5 * (before + after))[groups]


def _explained_part(targets: Floats, guesses: Floats) -> float:
    guess = _means_of_others(targets, np.zeros(len(targets), np.int64))
    total = float(((targets - guess) ** 2).sum())
    return 1.0 - float(((targets - guesses) ** 2).sum()) / total if total > 0 else 0.0
