"""Folds that every set gets the same way, whatever the library's version."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def stratified_folds(classes: ArrayLike, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row: rows in random order, class by class, dealt in turn.

    As in Weka, the dealing goes on from one class to the next, so that the folds'
    sizes differ by one at most and rare classes are spread.

    Parameters
    ----------
    classes : array-like of int, shape (n_rows,)
    n_folds, seed : int

    Examples
    --------
    >>> folds = stratified_folds([0, 0, 0, 1, 1, 1], n_folds=3, seed=0)
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    labels = np.asarray(classes)
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    dealt = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), np.int64)
    folds[dealt] = np.arange(len(labels)) % n_folds
    return folds


def plain_folds(n_rows: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row, at random, of sizes that differ by one at most."""
    return stratified_folds(np.zeros(n_rows, np.int64), n_folds, seed)
