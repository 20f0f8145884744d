"""Small loops over flat arrays, shaped so that the compiler vectorizes them."""

import math

import numpy as np

from sklazy.kernels.compiling import fast_kernel, kernel, lean_entry


@fast_kernel
def dot(a, b):
    """`a @ b`."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@fast_kernel
def shrink_matrix(matrix, vector, factor):
    """Matrix -= factor * outer(vector, vector)."""
    size = vector.size
    for a in range(size):
        row = matrix[a]
        scaled = vector[a] * factor
        for b in range(size):
            row[b] -= scaled * vector[b]


@fast_kernel
def multiply_matrix(matrix, vector, product):
    """`vector @ matrix`, of a square matrix: four rows per pass."""
    size = vector.size
    for b in range(size):
        product[b] = 0.0
    a = 0
    while a + 4 <= size:
        row0, row1, row2, row3 = matrix[a], matrix[a + 1], matrix[a + 2], matrix[a + 3]
        v0, v1, v2, v3 = vector[a], vector[a + 1], vector[a + 2], vector[a + 3]
        for b in range(size):
            product[b] += (row0[b] * v0 + row1[b] * v1) + (row2[b] * v2 + row3[b] * v3)
        a += 4
    while a < size:
        row0, v0 = matrix[a], vector[a]
        for b in range(size):
            product[b] += row0[b] * v0
        a += 1


@fast_kernel
def project_terms(terms, gains, along, size):
    """`along[:, :size] = gains @ terms[:, :size]`, for four gains at once.

    The terms of a quadratic model do not fit the first-level cache; four terms and
    four gains per pass read them once where a step by step product reads them four
    times.
    """
    along0, along1, along2, along3 = along[0], along[1], along[2], along[3]
    gain0, gain1, gain2, gain3 = gains[0], gains[1], gains[2], gains[3]
    for i in range(size):
        along0[i], along1[i], along2[i], along3[i] = 0.0, 0.0, 0.0, 0.0
    n_terms = gain0.size
    a = 0
    while a + 4 <= n_terms:
        row0, row1, row2, row3 = terms[a], terms[a + 1], terms[a + 2], terms[a + 3]
        g00, g01, g02, g03 = gain0[a], gain0[a + 1], gain0[a + 2], gain0[a + 3]
        g10, g11, g12, g13 = gain1[a], gain1[a + 1], gain1[a + 2], gain1[a + 3]
        g20, g21, g22, g23 = gain2[a], gain2[a + 1], gain2[a + 2], gain2[a + 3]
        g30, g31, g32, g33 = gain3[a], gain3[a + 1], gain3[a + 2], gain3[a + 3]
        for i in range(size):
            z0, z1, z2, z3 = row0[i], row1[i], row2[i], row3[i]
            along0[i] += (z0 * g00 + z1 * g01) + (z2 * g02 + z3 * g03)
            along1[i] += (z0 * g10 + z1 * g11) + (z2 * g12 + z3 * g13)
            along2[i] += (z0 * g20 + z1 * g21) + (z2 * g22 + z3 * g23)
            along3[i] += (z0 * g30 + z1 * g31) + (z2 * g32 + z3 * g33)
        a += 4
    while a < n_terms:
        row0 = terms[a]
        g00, g10, g20, g30 = gain0[a], gain1[a], gain2[a], gain3[a]
        for i in range(size):
            along0[i] += row0[i] * g00
            along1[i] += row0[i] * g10
            along2[i] += row0[i] * g20
            along3[i] += row0[i] * g30
        a += 1


@fast_kernel
def add_scaled(values, along, factor):
    """Values += factor * along."""
    for i in range(along.size):
        values[i] += factor * along[i]


@kernel
def solve_in_place(matrix, vector):
    """Replace a vector by inv(matrix) times it, by Cholesky; the matrix is used up."""
    factor_in_place(matrix)
    solve_factored(matrix, vector)


@kernel
def factor_in_place(matrix):
    """Replace the lower half of a matrix by its Cholesky factor."""
    for i in range(matrix.shape[0]):
        for k in range(i):
            factor = matrix[i, k] - dot(matrix[i, :k], matrix[k, :k])
            matrix[i, k] = factor / matrix[k, k]
        pivot = matrix[i, i] - dot(matrix[i, :i], matrix[i, :i])
        matrix[i, i] = math.sqrt(pivot)


@kernel
def solve_factored(matrix, vector):
    """Replace a vector by the inverse times it of the matrix that was factored."""
    n = vector.size
    for i in range(n):
        vector[i] = (vector[i] - dot(matrix[i, :i], vector[:i])) / matrix[i, i]
    for i in range(n - 1, -1, -1):
        vector[i] /= matrix[i, i]
        add_scaled(vector[:i], matrix[i, :i], -vector[i])


@kernel
def copy_into(source, copy):
    """Copy an array (an assignment compiles error messages with it)."""
    for i in range(source.size):
        copy[i] = source[i]


@fast_kernel
def lower_leverage(leverage, along, factor):
    """Leverage -= factor * along**2."""
    for i in range(along.size):
        leverage[i] -= factor * along[i] * along[i]


@fast_kernel
def sum_loo_squares(residual, leverage):
    """The sum of squared leave-one-out residuals."""
    total = 0.0
    for i in range(residual.size):
        error = residual[i] / (1.0 - leverage[i])
        total += error * error
    return total


@lean_entry
def add_terms(rows, coefficients, intercepts, scores):
    """Write ``scores = rows @ coefficients.T + intercepts``, query by query.

    A product of matrices rounds a query differently among others than alone.

    Parameters
    ----------
    rows : float64 array of shape (n_queries, n_columns)
    coefficients : float64 array of shape (n_outputs, n_columns)
    intercepts : float64 array of shape (n_outputs,)
    scores : float64 array of shape (n_queries, n_outputs), written
    """
    for query in range(np.uintp(rows.shape[0])):
        for output in range(np.uintp(intercepts.size)):
            total = intercepts[output]
            for column in range(np.uintp(rows.shape[1])):
                total += rows[query, column] * coefficients[output, column]
            scores[query, output] = total
