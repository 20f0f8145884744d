"""Rows in folds and samples that have all classes in proportion."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]


def stratified_folds(classes: ArrayLike, n_folds: int, shuffled: ArrayLike) -> Ints:
    """Assign a fold to each row: shuffled rows, class by class, dealt in turn.

    As in Weka, dealing goes on from one class to the next, so that the sizes of folds
    differ by at most one and rare classes are spread.

    Examples
    --------
    >>> stratified_folds([0, 0, 0, 1, 1, 1], 3, [5, 3, 1, 0, 2, 4])
    array([1, 0, 2, 1, 2, 0])
    """
    order = _class_by_class(classes, shuffled)
    folds = np.empty(len(order), np.int64)
    folds[order] = np.arange(len(order)) % n_folds
    return folds


def stratified_sample(classes: ArrayLike, n_rows: int, shuffled: ArrayLike) -> Ints:
    """Sample shuffled rows, ascending, with all classes in proportion."""
    order = _class_by_class(classes, shuffled)
    if n_rows >= len(order):
        return np.arange(len(order))
    picked = np.linspace(0, len(order) - 1, n_rows).round().astype(np.int64)
    return np.sort(order[picked])


def _class_by_class(classes: ArrayLike, shuffled: ArrayLike) -> Ints:
    rows = np.asarray(shuffled, np.int64)
    return rows[np.argsort(np.asarray(classes)[rows], kind="stable")]
