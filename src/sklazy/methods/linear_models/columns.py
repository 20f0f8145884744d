"""Columns of linear models: scaled numbers, and an indicator of each category."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_CATEGORIES = 50
"""A nominal attribute with more categories has no indicators."""

_FARTHEST = 4.0  # standard deviations: further away a line is a guess
_INDICATED = 0.5**-0.5  # two categories differ by 2, as two numbers may
_SAMPLED = 1000  # rows in which the directions of many columns are looked for
_NEGLIGIBLE = 1e-10  # of the largest variance


class LinearColumns(NamedTuple):
    """How cells become columns, all centered.

    Attributes
    ----------
    attributes, categories : int64 arrays of shape (n_columns,)
        The attribute of a column, and the category that it indicates or -1.
    units, centers, factors : float64 arrays of shape (n_columns,)
        A number x stands at (x * unit - center) * factor, but no further than four
        standard deviations from the middle.
    means : float64 array of shape (n_columns,)
        Subtracted last.
    """

    attributes: Ints
    categories: Ints
    units: Floats
    centers: Floats
    factors: Floats
    means: Floats


def make_columns(
    cases: Cases, rows: Queries, weights: RowWeights | None = None
) -> tuple[LinearColumns, Floats]:
    """Find the columns of some cases, and place these.

    A number that is the same in all rows, or nowhere known, has no column.

    Parameters
    ----------
    cases : Cases
    rows : Queries
        The cells of the cases, in an order that depends on their content alone.
    weights : RowWeights, optional

    Returns
    -------
    columns : LinearColumns
    placed : float64 array of shape (n_rows, n_columns)
    """
    lines: list[tuple[float, ...]] = []
    values = None if weights is None else weights.values
    for j, numeric in enumerate(cases.numeric.tolist()):
        width = int(cases.offsets[j + 1] - cases.offsets[j])
        if numeric >= 0:
            lines += _scale(j, rows.values[:, j], values)
        elif width <= MOST_CATEGORIES:
            lines += [(j, category, 1.0, 0.0, _INDICATED) for category in range(width)]
    table = np.array(lines).reshape(-1, 5)
    attributes, categories = table[:, :2].T.astype(np.int64)
    units, centers, factors = table[:, 2:].T.copy()
    means = np.zeros(len(table))
    columns = LinearColumns(attributes, categories, units, centers, factors, means)
    placed = place(columns, rows)
    means = placed.mean(axis=0) if values is None else values @ placed / values.sum()
    return columns._replace(means=means), placed - means


def _scale(
    attribute: int, numbers: Floats, weights: Floats | None
) -> list[tuple[float, ...]]:
    """The column of a number: its standard deviation is 1."""
    used = ~np.isnan(numbers)
    if weights is not None:
        used &= weights > 0
        weights = weights[used]
    known = numbers[used]
    if not len(known) or known.min() == known.max():
        return []
    unit = find_unit(known)
    center = float(np.average(known * unit, weights=weights))
    variance = np.average((known * unit - center) ** 2, weights=weights)
    size = float(np.sqrt(variance))
    return [(attribute, -1, unit, center, 1.0 / size)] if size > 0 else []


def place(columns: LinearColumns, queries: Queries) -> Floats:
    """Queries as the models see them, (n_queries, n_columns).

    A missing number stands at the mean; a category that is missing or that no case has
    is none of them.
    """
    numbers = queries.values[:, columns.attributes]
    with np.errstate(over="ignore"):
        placed = (numbers * columns.units - columns.centers) * columns.factors
    placed = np.clip(np.where(np.isnan(numbers), 0.0, placed), -_FARTHEST, _FARTHEST)
    codes = queries.codes[:, columns.attributes]
    indicated = np.where(codes == columns.categories, columns.factors, 0.0)
    return np.where(columns.categories >= 0, indicated, placed) - columns.means


def find_directions(rows: Floats, most: int) -> Floats | None:
    """The directions in which rows vary most, (n_columns, n_directions).

    None where there are at most `most` columns: nothing is left out then. Nor is it
    where there are at most `most` rows. Directions are found in the first 1000 rows.

    Parameters
    ----------
    rows : float64 array of shape (n_rows, n_columns)
    most : int
        How many directions at most.
    """
    if rows.shape[1] <= most:
        return None
    sample = rows[:_SAMPLED]
    sizes, vectors = np.linalg.eigh(sample @ sample.T)
    sizes, vectors = sizes[::-1][:most], vectors[:, ::-1][:, :most]
    real = sizes > _NEGLIGIBLE * sizes[0]
    return np.asarray(sample.T @ vectors[:, real] / np.sqrt(sizes[real]))
