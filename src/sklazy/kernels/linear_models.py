"""Scores of a linear model, added up in one order for every query."""

import numpy as np

from sklazy.kernels.compiling import lean_entry


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
