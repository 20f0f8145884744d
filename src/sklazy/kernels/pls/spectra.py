"""What spectra weigh as neighbors, and their directions."""

import math

from sklazy.kernels.compiling import entry
from sklazy.kernels.pls.blocks import power_of_two
from sklazy.kernels.vectors import dot

_LIGHTEST = 1e-12  # a neighbor's weight, that of the nearest being 1


@entry
def weigh_neighbors(distances, localization, rows, row_weights, weights):
    """Write the weights of neighbors, their mean 1.

    Parameters
    ----------
    distances : float64 (n_queries, k)
    localization : float
        How fast a weight falls off, in deviations of the distances; 0 not at all.
    rows : int64 (n_queries, k)
    row_weights : float64 (n_rows,), or empty
    weights : float64 (n_queries, k), written
    """
    k = distances.shape[1]
    for q in range(distances.shape[0]):
        mean, square = 0.0, 0.0
        for i in range(k):
            mean += distances[q, i] / k
        unit = power_of_two(mean)
        for i in range(k):
            off = (distances[q, i] - mean) * unit
            square += off * off / k
        deviation, total = math.sqrt(square), 0.0
        for i in range(k):
            weight = 1.0
            if deviation > 0.0:
                off = (distances[q, i] - distances[q, 0]) * unit / deviation
                weight = max(math.exp(-localization * off), _LIGHTEST)
            if row_weights.size:
                weight *= row_weights[rows[q, i]]
            weights[q, i] = weight
            total += weight
        for i in range(k):
            weights[q, i] *= k / total


@entry
def to_directions(rows, centered, directions):
    """Write rows of length 1, about their own mean if centered; zeros if flat.

    Parameters
    ----------
    rows, directions : float64 (n_rows, n_columns)
    centered : bool
    """
    n = rows.shape[1]
    for i in range(rows.shape[0]):
        mean, largest, first = 0.0, 0.0, rows[i, 0] if n else 0.0
        for c in range(n):  # about the first, so that a flat row is flat to the digit
            mean += (rows[i, c] - first) / n
        mean = first + mean if centered else 0.0
        for c in range(n):
            directions[i, c] = rows[i, c] - mean
            largest = max(largest, abs(directions[i, c]))
        unit = power_of_two(largest)
        for c in range(n):
            directions[i, c] *= unit
        length = math.sqrt(dot(directions[i], directions[i]))
        for c in range(n):
            directions[i, c] = directions[i, c] / length if length > 0.0 else 0.0
