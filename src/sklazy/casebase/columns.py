"""Cases and queries as distances see them: numbers on a scale, categories as codes.

Whatever measures distances has its columns from here, so that an attribute is
prepared in one way and a query stands where an equal case stands.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.magnitudes import find_unit
from sklazy.casebase.sums import deviation, sum_exactly
from sklazy.errors import BadInputError
from sklazy.flow import MISSING, Cases, Columns, Queries
from sklazy.kernels.columns import METRICS, NOMINAL, NUMERIC, NUMERIC_MISSING

Scale = Literal["std", "range", "none", "raw"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Where = NDArray[np.integer] | slice


class Placement(NamedTuple):
    """Where the cells of attributes stand in columns.

    Attributes
    ----------
    attributes : int64 array of shape (n_columns,)
    nominal : bool array of shape (n_columns,)
        Whether cells stand at their codes. The others are numbers.
    constant : bool array of shape (n_columns,)
        Whether numbers are equal or not, as codes are, since all cases have the same.
    units, origins, factors, widths : float64 arrays of shape (n_columns,)
        A number x stands at (x * unit - origin) * factor / width.
    absents : float64 array of shape (n_columns,)
        The difference that counts for a missing cell or another code.
    """

    attributes: Ints
    nominal: NDArray[np.bool_]
    constant: NDArray[np.bool_]
    units: Floats
    origins: Floats
    factors: Floats
    widths: Floats
    absents: Floats


def place_by_range(cases: Cases, attributes: Ints, unit: float = 1.0) -> Placement:
    """Numbers from 0 to 1 over the range of all cases, which a missing cell counts.

    Parameters
    ----------
    cases : Cases
    attributes : int64 array
    unit : float
        What numbers are multiplied by first: halves have a range that is finite even
        where that of the numbers is not.
    """
    lows, highs = ranges_of(cases, attributes)
    with np.errstate(over="ignore"):
        widths = unit * highs - unit * lows
    wide, nominal = widths > 0, cases.numeric[attributes] < 0
    ones = np.ones(len(attributes))
    return Placement(
        attributes,
        nominal,
        ~nominal & ~wide,
        np.full(len(attributes), unit),
        np.where(nominal, 0.0, unit * lows),
        ones,
        np.where(wide, widths, 1.0),
        ones,
    )


def ranges_of(cases: Cases, attributes: Ints) -> tuple[Floats, Floats]:
    """Smallest and largest number of attributes, NaN for nominal ones."""
    lows, highs = np.full((2, len(attributes)), np.nan)
    sources = cases.numeric[attributes]
    numeric = sources >= 0
    lows[numeric], highs[numeric] = cases.ranges[sources[numeric]].T
    return lows, highs


def place_by_scale(cases: Cases, rows: Where, scale: Scale) -> Placement:
    """Numbers about their middle, divided by their deviation or range among some rows.

    A missing cell counts as much as the range. A column of one number says nothing:
    its factor is 0, unless nothing is scaled.

    Parameters
    ----------
    cases : Cases
    rows : int array or slice
    scale : {"std", "range", "none", "raw"}
        What a number is divided by. With "raw" cells stand at their numbers, however
        large; else numbers whose squares no float holds are put in other units, those
        of a column or, if nothing is scaled, those of all columns and categories.
    """
    n_attributes = len(cases.numeric)
    units = _find_units(cases, rows, scale)
    measures = np.tile([0.0, 1.0, 1.0], (n_attributes, 1))
    measures[:, 2] = units
    for j in np.flatnonzero(cases.numeric >= 0):
        numbers = cases.numbers[cases.numeric[j], rows]
        measures[j] = _measure(numbers * units[j], scale)
    centers, factors, absents = measures.T.copy()
    ones = np.ones(n_attributes)
    return Placement(
        np.arange(n_attributes),
        cases.numeric < 0,
        np.zeros(n_attributes, np.bool_),
        units,
        centers,
        factors,
        ones,
        absents,
    )


def _find_units(cases: Cases, rows: Where, scale: Scale) -> Floats:
    """What the numbers of each attribute are multiplied by; 1 for nominal ones.

    Where nothing is scaled, differences of columns are added up as they are: all have
    the unit of the largest, also the difference of 1 between two categories.
    """
    is_numeric, units = cases.numeric >= 0, np.ones(len(cases.numeric))
    if scale == "none":
        numbers = cases.numbers[:, rows]
        unit = find_unit(numbers)
        return units * (unit if is_numeric.all() else min(unit, 1.0))
    for j in np.flatnonzero(is_numeric) if scale != "raw" else ():
        units[j] = find_unit(cases.numbers[cases.numeric[j], rows])
    return units


def _measure(values: Floats, scale: Scale) -> tuple[float, float, float]:
    """Center and factor of a column, and the difference a missing cell counts."""
    present = values[~np.isnan(values)]
    low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
    if scale in ("none", "raw"):
        with np.errstate(over="ignore"):  # no float may hold the range
            return 0.0, 1.0, high - low
    center = low + 0.5 * (high - low)
    if low == high:
        return center, 0.0, 0.0
    width = high - low if scale == "range" else _deviation(present)
    return center, 1.0 / width, (high - low) / width


def _deviation(values: Floats) -> float:
    """The standard deviation, whatever the order of the values."""
    (total,), (squares,) = (
        sum_exactly(values, squared=squared).whole() for squared in (False, True)
    )
    return deviation(len(values), total, squares)


def fill_columns(
    cases: Cases, rows: Where, placement: Placement, out: NDArray[np.floating]
) -> Ints:
    """Write cases into columns, missing cells as NaN; return the kinds of the columns.

    Parameters
    ----------
    cases : Cases
    rows : int array or slice
    placement : Placement
    out : float array of shape (n_columns, n_rows), written
    """
    kinds = np.full(len(out), NOMINAL, np.int64)
    for i, attribute in enumerate(placement.attributes):
        if placement.nominal[i]:
            out[i] = _as_floats(cases.codes[attribute, rows])
            continue
        numbers = cases.numbers[cases.numeric[attribute], rows]
        with np.errstate(over="ignore", invalid="ignore"):
            out[i] = _place_numbers(numbers, placement, i)
        if not placement.constant[i]:
            kinds[i] = NUMERIC_MISSING if np.isnan(out[i]).any() else NUMERIC
    return kinds


def label_codes(cases: Cases) -> NDArray[np.int32]:
    """The codes as kernels take them that compare numbers, and codes of labels alone.

    None are made where there are no labels to compare.
    """
    if (cases.numeric >= 0).all():
        return np.zeros((len(cases.codes), 0), np.int32)
    return cases.codes.whole


def make_columns(
    cases: Cases,
    rows: NDArray[np.integer],
    placement: Placement,
    weights: Floats,
    metric: str,
) -> Columns:
    """Cases as `find_nearest` takes them; the order of rows breaks ties.

    Parameters
    ----------
    cases : Cases
    rows : int array
    placement : Placement
    weights : float64 array of shape (n_columns,)
    metric : {"euclidean", "manhattan"}
    """
    values = np.empty((len(placement.attributes), len(rows)))
    kinds = fill_columns(cases, rows, placement, values)
    return Columns(values, kinds, weights, placement.absents, find_metric(metric))


def place_cells(placement: Placement, queries: Queries) -> Floats:
    """Queries as the columns see them, shape (n_queries, n_columns)."""
    numbers = queries.values[:, placement.attributes]
    with np.errstate(over="ignore", invalid="ignore"):
        placed = _place_numbers(numbers, placement, slice(None))
    codes = _as_floats(queries.codes[:, placement.attributes])
    return np.where(placement.nominal, codes, placed)


def find_metric(metric: str) -> int:
    """The code of a metric."""
    if metric not in METRICS:
        names = " or ".join(map(repr, METRICS))
        raise BadInputError(f"metric={metric!r}; expected {names}.")
    return METRICS[metric]


def _place_numbers(numbers: Floats, placement: Placement, at: int | slice) -> Floats:
    units, origins = placement.units[at], placement.origins[at]
    factors, widths = placement.factors[at], placement.widths[at]
    placed: Floats = (numbers * units - origins) * factors / widths
    return placed


def _as_floats(codes: NDArray[np.int32]) -> Floats:
    """Codes as numbers, missing as NaN; an unseen code equals none."""
    return np.where(codes == MISSING, np.nan, codes)
