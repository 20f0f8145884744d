"""Kernel ridge regression whose left-out answers are exact and free.

With K the similarities of the cases, r the ridge and G the inverse of K + rI, targets y
less a center c have the coefficients G(y - c). Without row i the answer for it is
y_i - (G(y - c))_i / G_ii; c is the mean of the other rows then, too.

With weights w of rows and S the diagonal matrix of their roots, G is the inverse of
SKS + rI and the coefficients are SGS(y - c). The fit of row i is f_i = y_i less
r (GSy)_i / s_i, and without a share p of its weight the row's error is
(y_i - f_i) / (1 - p (1 - r G_ii)).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDING = 1e-12  # of the sum of all weights


class Solution(NamedTuple):
    """A system solved.

    Attributes
    ----------
    coefficients : float64 array of shape (n_targets, n_rows)
    left_out : float64 array of shape (n_rows, n_targets)
        The answer for every row from the others.
    in_part : float64 array of shape (n_rows, n_targets)
        The same without that share of the row's weight by which settings are chosen.
    """

    coefficients: Floats
    left_out: Floats
    in_part: Floats


class Decomposition(NamedTuple):
    """Similarities by their eigenvectors, from which every ridge is solved at once.

    Attributes
    ----------
    values : float64 array of shape (n_rows,)
    vectors, squares : float64 arrays of shape (n_rows, n_rows)
    along : float64 array of shape (n_rows, n_targets + 1)
        Targets, and ones, along the vectors.
    targets : float64 array of shape (n_rows, n_targets)
    weights : RowWeights, or None where all rows weigh 1
        All above 0.
    """

    values: Floats
    vectors: Floats
    squares: Floats
    along: Floats
    targets: Floats
    weights: RowWeights | None = None


def decompose(
    similarities: Floats, targets: Floats, weights: RowWeights | None = None
) -> Decomposition:
    """Prepare to solve for many ridges."""
    sides = _with_ones(targets)
    if weights is not None:
        roots = np.sqrt(weights.values)[:, None]
        similarities, sides = weigh_system(similarities, weights), sides * roots
    values, vectors = np.linalg.eigh(similarities)
    # Rounding alone makes an eigenvalue negative.
    positive, along = np.maximum(values, 0.0), vectors.T @ sides
    return Decomposition(positive, vectors, vectors**2, along, targets, weights)


def weigh_system(similarities: Floats, weights: RowWeights) -> Floats:
    """Similarities times the roots of the weights of both rows."""
    roots = np.sqrt(weights.values)
    weighed: Floats = similarities * roots[:, None] * roots
    return weighed


def leave_rows_out(parts: Decomposition, ridge: float) -> Floats:
    """The left-out answers with one ridge, (n_rows, n_targets)."""
    inverse = 1.0 / (parts.values + ridge)
    solved = parts.vectors @ (inverse[:, None] * parts.along)
    diagonal = parts.squares @ inverse
    if parts.weights is None:
        return _left_out(parts.targets, solved, diagonal)
    roots = np.sqrt(parts.weights.values)[:, None]
    fitted = _with_ones(parts.targets) - ridge * solved / roots
    free = find_free(diagonal, ridge, parts.weights.shares)
    return leave_weights_out(parts.targets, fitted, free, parts.weights)


def find_free(diagonal: Floats, ridge: float, shares: Floats) -> Floats:
    """One less the leverages of the shares of weights that are left out."""
    free: Floats = 1.0 - shares * (1.0 - ridge * diagonal)
    return free


def leave_weights_out(
    targets: Floats, fitted: Floats, free: Floats, weights: RowWeights
) -> Floats:
    """The answers without shares of weights, (n_rows, n_targets).

    Parameters
    ----------
    targets : float64 array of shape (n_rows, n_targets)
    fitted : float64 array of shape (n_rows, n_targets + 1)
        The fits of the targets, and of ones.
    free : float64 array of shape (n_rows,)
        As of `find_free`.
    weights : RowWeights
    """
    others = mean_of_others(targets, weights=weights)
    residuals = targets - others - fitted[:, :-1] + others * fitted[:, -1:]
    left_out: Floats = targets - residuals / free[:, None]
    return left_out


def invert(similarities: Floats, ridge: float) -> Floats:
    """The inverse of similarities with a ridge on the diagonal."""
    return invert_system(_add_ridge(similarities, ridge))


def invert_system(system: Floats) -> Floats:
    """The inverse of a system in Fortran's order, which is overwritten."""
    inverse, _ = lapack.dpotri(factorize_system(system), lower=1, overwrite_c=1)
    lower = np.tril(inverse, -1)
    lower += lower.T
    lower[np.diag_indices_from(lower)] = np.diag(inverse)
    return np.asarray(lower)


def _add_ridge(similarities: Floats, ridge: float) -> Floats:
    system = similarities.copy(order="F")
    system[np.diag_indices_from(system)] += ridge
    return system


def factorize_system(system: Floats) -> Floats:
    """The lower Cholesky factor; the system is overwritten."""
    factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
    assert not failed, "similarities are those of a kernel, and the ridge is above 0"
    return np.asarray(factor)


def solve(
    similarities: Floats,
    ridge: float,
    targets: Floats,
    weights: RowWeights | None = None,
) -> Solution:
    """Solve the system of some rows; weights may be 0.

    Of the inverse only its diagonal is needed: with L the Cholesky factor, the sums of
    squares of the columns of the inverse of L.
    """
    if weights is not None:
        return _solve_weighted(similarities, ridge, targets, weights)
    solved, diagonal = _solve_system(similarities, ridge, _with_ones(targets))
    coefficients = solved[:, :-1] - targets.mean(axis=0) * solved[:, -1:]
    left_out = _left_out(targets, solved, diagonal)
    return Solution(np.ascontiguousarray(coefficients.T), left_out, left_out)


def _solve_system(
    similarities: Floats, ridge: float, sides: Floats
) -> tuple[Floats, Floats]:
    """The solutions, and the diagonal of the inverse."""
    factor = factorize_system(_add_ridge(similarities, ridge))
    solved, _ = lapack.dpotrs(factor, sides, lower=1)
    inverse, _ = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    return solved, np.einsum("ij,ij->j", inverse, inverse)


def _solve_weighted(
    similarities: Floats, ridge: float, targets: Floats, weights: RowWeights
) -> Solution:
    roots = np.sqrt(weights.values)[:, None]
    system, sides = weigh_system(similarities, weights), roots * _with_ones(targets)
    solved, diagonal = _solve_system(system, ridge, sides)
    solved *= roots
    fitted = similarities @ solved
    center = mean_of_all(targets, weights)
    coefficients = solved[:, :-1] - center * solved[:, -1:]
    whole = weights._replace(shares=np.ones(len(targets)))
    left_out, in_part = (
        leave_weights_out(
            targets, fitted, find_free(diagonal, ridge, some.shares), some
        )
        for some in (whole, weights)
    )
    return Solution(np.ascontiguousarray(coefficients.T), left_out, in_part)


def mean_of_all(targets: Floats, weights: RowWeights | None) -> Floats:
    """The mean of the targets, (n_targets,)."""
    if weights is None:
        return np.asarray(targets.mean(axis=0))
    return np.asarray(weights.values @ targets / weights.values.sum())


def mean_of_others(
    targets: Floats,
    rows: Ints | slice = slice(None),
    weights: RowWeights | None = None,
) -> Floats:
    """The mean of all rows but each of some, (n_wanted, n_targets).

    Where rows have weights, it is the mean without the share of each that is left out.
    """
    if weights is None:
        sums = targets.sum(axis=0) - targets[rows]
        return np.asarray(sums / max(len(targets) - 1, 1))
    gone = (weights.values * weights.shares)[rows, None]
    sums = weights.values @ targets - gone * targets[rows]
    left = weights.values.sum() - gone
    # What rounding leaves of a single row is nothing.
    some = left > _ROUNDING * weights.values.sum()
    return np.asarray(np.where(some, sums, 0.0) / np.where(some, left, 1.0))


def _with_ones(targets: Floats) -> Floats:
    return np.column_stack([targets, np.ones(len(targets))])


def _left_out(targets: Floats, solved: Floats, diagonal: Floats) -> Floats:
    coefficients = solved[:, :-1] - mean_of_others(targets) * solved[:, -1:]
    left_out: Floats = targets - coefficients / diagonal[:, None]
    return left_out
