"""Folds by seed, the same for every version of the library."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.estimators.folds import stratified_folds


def class_folds(classes: ArrayLike, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row, all classes in proportion.

    Parameters
    ----------
    classes : array-like of int, shape (n_rows,)
    n_folds, seed : int

    Examples
    --------
    >>> folds = class_folds([0, 0, 0, 1, 1, 1], n_folds=3, seed=0)
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    labels = np.asarray(classes)
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    return stratified_folds(labels, n_folds, shuffled)


def plain_folds(n_rows: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row, at random, of sizes that differ by one at most."""
    return class_folds(np.zeros(n_rows, np.int64), n_folds, seed)
