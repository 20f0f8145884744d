"""Weighted ridge regression in its plainest form: normal equations, solved anew."""

import numpy as np


def kernel_answer(near, among, weights, ridge, targets, side):
    """The answer by sums over landmarks, of rows that have weights.

    The least of ``sum_i w_i (y_i - c - near_i a)^2 + ridge a' among a`` over a, where c
    is the weighted mean of the targets; then c plus `side` times a.
    """
    total = sum(weights)
    center = sum(w * y for w, y in zip(weights, targets, strict=True)) / total
    # In coordinates where `among` is the identity; landmarks may be equal.
    sizes, vectors = np.linalg.eigh(np.array(among, float))
    kept = sizes > 1e-12 * sizes.max()
    places = vectors[:, kept] / np.sqrt(sizes[kept])
    system, right = ridge * np.eye(int(kept.sum())), np.zeros(int(kept.sum()))
    for row, weight, target in zip(near, weights, targets, strict=True):
        placed = np.asarray(row) @ places
        system += weight * np.outer(placed, placed)
        right += weight * placed * (target - center)
    return center + (np.asarray(side) @ places) @ np.linalg.solve(system, right)


def without(weights, row, share=1.0):
    """The weights, that of one row less a share of it."""
    return [w * (1 - share) if i == row else w for i, w in enumerate(weights)]
