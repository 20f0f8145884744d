"""Weighted city-block distances, and sums of similarities over cases.

Every query is worked out by itself, in the order of columns and rows, so that its
answer does not depend on the batch. Similarity is ``exp(-rate * distance)``.
"""

import numpy as np

from sklazy.kernels.compiling import entry, fast_kernel, kernel, loop_kernel
from sklazy.kernels.sorting import select_kth
from sklazy.kernels.vectors import dot, solve_in_place

MISMATCH = 2.0 * 2.0**0.5
"""The difference of two categories, in standard deviations of a number."""


@loop_kernel
def _add_missing(distances, column, gap):
    for i in range(distances.size):
        distances[i] += 0.0 if np.isnan(column[i]) else gap


@loop_kernel
def _add_nominal(distances, column, value, weight, gap):
    mismatch = weight * MISMATCH
    for i in range(distances.size):
        other = 0.0 if column[i] == value else mismatch
        distances[i] += gap if np.isnan(column[i]) else other


@loop_kernel
def _add_numeric(distances, column, value, weight, gap):
    for i in range(distances.size):
        difference = abs(column[i] - value)
        distances[i] += gap if np.isnan(difference) else weight * difference


@kernel
def _fill_distances(cases, values, query, distances):
    """Distances of the first rows of `values`, (n_columns, n_rows), from one query."""
    distances[:] = 0.0
    for j in range(query.size):
        weight, column, value = cases.weights[j], values[j, : distances.size], query[j]
        if weight == 0.0:
            continue
        gap = weight * cases.absents[j]
        if np.isnan(value):
            _add_missing(distances, column, gap)
        elif cases.nominal[j]:
            _add_nominal(distances, column, value, weight, gap)
        else:
            _add_numeric(distances, column, value, weight, gap)


@entry
def measure_distances(cases, queries, distances):
    """Fill `distances`, (n_queries, n_rows).

    Parameters
    ----------
    cases : flow.KernelColumns
    queries : float64 (n_queries, n_columns)
    distances : float64 (n_queries, n_rows)
    """
    for q in range(queries.shape[0]):
        _fill_distances(cases, cases.values, queries[q], distances[q])


@kernel
def _sum_missing(weights, column):
    total = 0.0
    for i in range(weights.size):
        total += 0.0 if np.isnan(column[i]) else weights[i]
    return total


@fast_kernel
def _sum_nominal(weights, column, value, absent):
    total = 0.0
    for i in range(weights.size):
        other = 0.0 if column[i] == value else MISMATCH
        total += weights[i] * (absent if np.isnan(column[i]) else other)
    return total


@fast_kernel
def _sum_numeric(weights, column, value, absent):
    total = 0.0
    for i in range(weights.size):
        difference = abs(column[i] - value)
        total += weights[i] * (absent if np.isnan(difference) else difference)
    return total


@entry
def sum_differences(cases, queries, pairs, sums):
    """Fill `sums` with the differences of queries and cases, each times its weight.

    Parameters
    ----------
    cases : flow.KernelColumns
    queries : float64 (n_queries, n_columns)
    pairs : float64 (n_queries, n_rows)
        The weights of the pairs.
    sums : float64 (n_columns,)
    """
    sums[:] = 0.0
    for i in range(pairs.shape[0]):
        for j in range(sums.size):
            column, absent = cases.values[j], cases.absents[j]
            value = queries[i, j]
            if np.isnan(value):
                sums[j] += absent * _sum_missing(pairs[i], column)
            elif cases.nominal[j]:
                sums[j] += _sum_nominal(pairs[i], column, value, absent)
            else:
                sums[j] += _sum_numeric(pairs[i], column, value, absent)


@kernel
def _to_similarities(distances, rate):
    for i in range(distances.size):
        distances[i] = np.exp(-rate * distances[i])


@entry
def sum_similarities(cases, queries, rate, coefficients, sums):
    """Fill `sums`: over all cases, coefficient times similarity.

    Parameters
    ----------
    cases : flow.KernelColumns
    queries : float64 (n_queries, n_columns)
    rate : float
    coefficients : float64 (n_targets, n_rows)
    sums : float64 (n_queries, n_targets)
    """
    near = np.empty(coefficients.shape[1])
    for q in range(queries.shape[0]):
        _fill_distances(cases, cases.values, queries[q], near)
        _to_similarities(near, rate)
        for t in range(coefficients.shape[0]):
            sums[q, t] = dot(coefficients[t], near)


@kernel
def _take_nearest(distances, rows):
    """Fill `rows` with the nearest, in the order of rows; of ties the first."""
    last = select_kth(distances.copy(), rows.size - 1)
    n_tied = rows.size
    for i in range(distances.size):
        n_tied -= distances[i] < last
    n_taken = 0
    for i in range(distances.size):
        is_tied = distances[i] == last and n_tied > 0
        if is_tied or distances[i] < last:
            rows[n_taken] = i
            n_taken += 1
            n_tied -= is_tied


@kernel
def _fill_system(cases, rows, rate, ridge, part, system):
    """The lower half of the similarities of some rows, the ridge on the diagonal."""
    for j in range(part.shape[0]):
        for i in range(rows.size):
            part[j, i] = cases.values[j, rows[i]]
    query = np.empty(part.shape[0])
    for i in range(rows.size):
        for j in range(query.size):
            query[j] = part[j, i]
        similarities = system[i, :i]
        _fill_distances(cases, part, query, similarities)
        _to_similarities(similarities, rate)
        system[i, i] = 1.0 + ridge


@entry
def weigh_nearest(cases, queries, hidden, rate, ridge, near, influences):
    """Find each query's nearest rows, and what their targets count in its answer.

    Parameters
    ----------
    cases : flow.KernelColumns
    queries : float64 (n_queries, n_columns)
    hidden : int64 (n_queries,)
        The row that a query does not see, -1 if it sees all.
    rate, ridge : float
    near : int64 (n_queries, n_near)
        Filled with the nearest rows, in the order of rows.
    influences : float64 (n_queries, n_near)
        Filled with the solution of the system of these rows: similarities to each
        other, the ridge on the diagonal; on the right side those to the query.
    """
    n_near = near.shape[1]
    distances = np.empty(cases.values.shape[1])
    part = np.empty((queries.shape[1], n_near))
    system = np.empty((n_near, n_near))
    for q in range(queries.shape[0]):
        _fill_distances(cases, cases.values, queries[q], distances)
        if hidden[q] >= 0:
            distances[hidden[q]] = np.inf
        rows, side = near[q], influences[q]
        _take_nearest(distances, rows)
        _fill_system(cases, rows, rate, ridge, part, system)
        for i in range(n_near):
            side[i] = distances[rows[i]]
        _to_similarities(side, rate)
        solve_in_place(system, side)


@loop_kernel
def _add_whole(sums, numbers):
    for i in range(sums.size):
        sums[i] += np.int64(numbers[i])


@entry
def add_block(products, block):
    """Add to the upper half of sums of products, in whole numbers.

    Parameters
    ----------
    products : int64 (n, n), written
    block : float64 (n, n)
        Whole numbers; its lower half does not matter.
    """
    for i in range(products.shape[0]):
        _add_whole(products[i, i:], block[i, i:])


@loop_kernel
def _add_multiple(sums, row, factor):
    for i in range(sums.size):
        sums[i] += factor * row[i]


@entry
def add_rows(products, rows, steps):
    """Add ``step * row' row`` of each row to the upper half of sums of products.

    Parameters
    ----------
    products : int64 (n, n), written
    rows : int64 (n_rows, n)
    steps : int64 (n_rows,)
    """
    for i in range(products.shape[0]):
        for k in range(rows.shape[0]):
            factor = steps[k] * rows[k, i]
            if factor != 0:
                _add_multiple(products[i, i:], rows[k, i:], factor)


@loop_kernel
def _add_ridge(system, products, among, scale, ridge):
    for i in range(system.size):
        system[i] = products[i] * scale + ridge * among[i]


@entry
def fill_system(products, among, scale, ridge, system):
    """Fill the upper half of ``scale * products + ridge * among``.

    Parameters
    ----------
    products : int64 (n, n)
    among : float64 (n, n)
    scale, ridge : float
    system : float64 (n, n)
    """
    for i in range(system.shape[0]):
        _add_ridge(system[i, i:], products[i, i:], among[i, i:], scale, ridge)
