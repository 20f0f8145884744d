"""Kernel ridge regression whose left-out answers are exact and free.

With K the similarities of the cases, r the ridge and G the inverse of K + rI, targets y
less a center c have the coefficients G(y - c). Without row i the answer for it is
y_i - (G(y - c))_i / G_ii; c is the mean of the other rows then, too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Solution(NamedTuple):
    """A system solved.

    Attributes
    ----------
    coefficients : float64 array of shape (n_targets, n_rows)
    left_out : float64 array of shape (n_rows, n_targets)
        The answer for every row from the others.
    """

    coefficients: Floats
    left_out: Floats


class Decomposition(NamedTuple):
    """Similarities by their eigenvectors, from which every ridge is solved at once.

    Attributes
    ----------
    values : float64 array of shape (n_rows,)
    vectors, squares : float64 arrays of shape (n_rows, n_rows)
    along : float64 array of shape (n_rows, n_targets + 1)
        Targets, and ones, along the vectors.
    targets : float64 array of shape (n_rows, n_targets)
    """

    values: Floats
    vectors: Floats
    squares: Floats
    along: Floats
    targets: Floats


def decompose(similarities: Floats, targets: Floats) -> Decomposition:
    """Prepare to solve for many ridges."""
    values, vectors = np.linalg.eigh(similarities)
    sides = _with_ones(targets)
    # Rounding alone makes an eigenvalue negative.
    positive = np.maximum(values, 0.0)
    return Decomposition(positive, vectors, vectors**2, vectors.T @ sides, targets)


def leave_rows_out(parts: Decomposition, ridge: float) -> Floats:
    """The left-out answers with one ridge, (n_rows, n_targets)."""
    inverse = 1.0 / (parts.values + ridge)
    solved = parts.vectors @ (inverse[:, None] * parts.along)
    return _left_out(parts.targets, solved, parts.squares @ inverse)


def invert(similarities: Floats, ridge: float) -> Floats:
    """The inverse of similarities with a ridge on the diagonal."""
    return invert_system(_add_ridge(similarities, ridge))


def invert_system(system: Floats) -> Floats:
    """The inverse of a system in Fortran's order, which is overwritten."""
    inverse, _ = lapack.dpotri(_factorize(system), lower=1, overwrite_c=1)
    lower = np.tril(inverse, -1)
    lower += lower.T
    lower[np.diag_indices_from(lower)] = np.diag(inverse)
    return np.asarray(lower)


def _add_ridge(similarities: Floats, ridge: float) -> Floats:
    system = similarities.copy(order="F")
    system[np.diag_indices_from(system)] += ridge
    return system


def _factorize(system: Floats) -> Floats:
    """The lower Cholesky factor; the system is overwritten."""
    factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
    assert not failed, "similarities are those of a kernel, and the ridge is above 0"
    return np.asarray(factor)


def solve(similarities: Floats, ridge: float, targets: Floats) -> Solution:
    """Solve the system of some rows.

    Of the inverse only its diagonal is needed: with L the Cholesky factor, the sums of
    squares of the columns of the inverse of L.
    """
    factor = _factorize(_add_ridge(similarities, ridge))
    solved, _ = lapack.dpotrs(factor, _with_ones(targets), lower=1)
    inverse, _ = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    diagonal = np.einsum("ij,ij->j", inverse, inverse)
    coefficients = solved[:, :-1] - targets.mean(axis=0) * solved[:, -1:]
    left_out = _left_out(targets, solved, diagonal)
    return Solution(np.ascontiguousarray(coefficients.T), left_out)


def mean_of_others(targets: Floats, rows: Ints | slice = slice(None)) -> Floats:
    """The mean of all rows but each of some, (n_wanted, n_targets)."""
    sums = targets.sum(axis=0) - targets[rows]
    others: Floats = sums / max(len(targets) - 1, 1)
    return others


def _with_ones(targets: Floats) -> Floats:
    return np.column_stack([targets, np.ones(len(targets))])


def _left_out(targets: Floats, solved: Floats, diagonal: Floats) -> Floats:
    coefficients = solved[:, :-1] - mean_of_others(targets) * solved[:, -1:]
    left_out: Floats = targets - coefficients / diagonal[:, None]
    return left_out
