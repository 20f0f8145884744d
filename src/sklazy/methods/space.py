"""The space local models live in: columns that measure, columns that regress.

Every attribute gives one column to the distance. To the regression a numeric attribute
gives one column, too, and a nominal one an indicator of each category but the first.
A number that is the same in all rows is uninformative and gives no regressor.
Missing cells are as far as can be in the distance (HEOM), and stand where the query
stands in the regression, so they tilt no model.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.columns import (
    ColumnSums,
    Placement,
    Scale,
    Sums,
    add_columns,
    fill_columns,
    find_metric,
    place_by_sums,
    place_cells,
    sum_columns,
)
from sklazy.errors import BadInputError
from sklazy.flow import Cases, Columns, Queries
from sklazy.kernels.columns import NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.measures.magnitudes import find_unit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Space(NamedTuple):
    """Where cases and queries meet.

    Attributes
    ----------
    columns : Columns of n_attributes columns
        Distances are measured on these.
    placement : Placement
        Where cells stand in these columns.
    sources, categories : int64 arrays of shape (n_regressors,)
        The attribute a regressor comes from, and the category it indicates or -1.
    regressors : float64 array of shape (n_rows, n_regressors)
        Models are fitted on these.
    unit : float
        The factor of the sums that distances are found from: 1, but another power of
        two where weights or numbers are too large or too small to square.
    """

    columns: Columns
    placement: Placement
    sources: Ints
    categories: Ints
    regressors: Floats
    unit: float


def make_space(
    cases: Cases,
    rows: NDArray[np.integer],
    *,
    metric: str = "euclidean",
    weights: object = None,
    scale: Scale = "std",
    max_categories: int = 10,
    sums: Sums | None = None,
) -> Space:
    """Place cases, in the given order of rows, which also breaks ties.

    Parameters
    ----------
    cases : Cases
    rows : int array
        The rows to place, in order.
    metric : {"euclidean", "manhattan"}
    weights : array-like of shape (n_attributes,), optional
        The weight of an attribute in the distance; 0 leaves it to the regression.
    scale : {"std", "range", "none", "raw"}
        The divisor of a number; see `place_by_sums`.
    max_categories : int
        A nominal attribute with more is left to the distance.
    sums : pair of ExactSums, optional
        The sums of these rows, if they are known; see `ColumnSums`.
    """
    frame = make_frame(
        cases,
        [sum_columns(cases, rows, scale, sums)],
        metric=metric,
        weights=weights,
        scale=scale,
        max_categories=max_categories,
    )
    return fill_space(frame, cases, rows)


def make_frame(
    cases: Cases,
    sums: Sequence[ColumnSums],
    *,
    metric: str,
    weights: object,
    scale: Scale,
    max_categories: int,
) -> Space:
    """A space without cases, for those of several parts of the rows.

    Parameters
    ----------
    cases : Cases
        Of which no row is looked at.
    sums : sequence of ColumnSums
        The sums of the parts.
    metric, weights, scale, max_categories
        As for `make_space`.
    """
    placement = place_by_sums(cases.numeric, sums, scale)
    weights = attribute_weights(weights, len(cases.numeric))
    unit, totals = find_unit(weights), add_columns(sums)
    kinds = np.full(len(cases.numeric), NOMINAL, np.int64)
    has_gaps = totals.n_known < totals.n_rows
    numeric = np.flatnonzero(cases.numeric >= 0)
    kinds[numeric] = np.where(
        has_gaps[cases.numeric[numeric]], NUMERIC_MISSING, NUMERIC
    )
    columns = Columns(
        np.zeros((len(kinds), 0)),
        kinds,
        weights * unit,
        placement.absents,
        find_metric(metric),
    )
    sources, categories = _regressors_of(cases, placement.factors, max_categories)
    nothing = np.zeros((0, len(sources)))
    return Space(columns, placement, sources, categories, nothing, unit)


def fill_space(frame: Space, cases: Cases, rows: NDArray[np.integer]) -> Space:
    """The space with some cases, in this order."""
    values = np.empty((len(frame.placement.attributes), len(rows)))
    fill_columns(cases, rows, frame.placement, values)
    columns = frame.columns._replace(values=values)
    regressors = _regress(values.T, frame.sources, frame.categories, frame.placement)
    return frame._replace(columns=columns, regressors=regressors)


def place(space: Space, queries: Queries, far: float = np.inf) -> tuple[Floats, Floats]:
    """Queries as distances see them, and as regressions do.

    Parameters
    ----------
    space : Space
    queries : Queries
    far : float
        Further away from the middle all queries are the same.

    Returns
    -------
    columns : float64 array of shape (n_queries, n_attributes)
    regressors : float64 array of shape (n_queries, n_regressors)
    """
    placed = place_cells(space.placement, queries).clip(-far, far)
    sources, categories = space.sources, space.categories
    return placed, _regress(placed, sources, categories, space.placement)


def attribute_weights(weights: object, n_attributes: int) -> Floats:
    """One weight per attribute; all 1 if none are given."""
    if weights is None:
        return np.ones(n_attributes)
    array = np.array(weights, float)
    finite = np.isfinite(array).all() and (array >= 0).all()
    if array.shape != (n_attributes,) or not finite or not array.any():
        raise BadInputError(
            f"attribute_weights={weights!r}; expected {n_attributes} finite numbers of "
            "at least 0, one per attribute, one of them above 0."
        )
    return array


def _regressors_of(
    cases: Cases, factors: Floats, max_categories: int
) -> tuple[Ints, Ints]:
    """The attribute and category of each regressor; constant columns have none."""
    pairs: list[tuple[int, int]] = []
    for j, i in enumerate(cases.numeric):
        n_values = int(cases.offsets[j + 1] - cases.offsets[j])
        if i >= 0 and factors[j] > 0:
            pairs.append((j, -1))
        elif i < 0 and n_values <= max_categories:
            pairs += [(j, category) for category in range(1, n_values)]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def _regress(
    placed: Floats, sources: Ints, categories: Ints, placement: Placement
) -> Floats:
    """Placed rows as regressors: numbers, and indicators with NaN where unknown."""
    values = np.ascontiguousarray(placed[:, sources])
    indicating = categories >= 0
    codes = values[:, indicating]
    one = placement.units[sources[indicating]]
    indicators = np.where(codes == categories[indicating], one, 0.0)
    values[:, indicating] = np.where(codes >= 0, indicators, np.nan)
    return values
