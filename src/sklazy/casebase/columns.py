"""Cases and queries as distances see them: numbers on a scale, categories as codes.

Whatever measures distances has its columns from here, so that an attribute is
prepared in one way and a query stands where an equal case stands.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.sums import ExactSums, add_sums, deviation, sum_exactly
from sklazy.errors import BadInputError
from sklazy.flow import MISSING, Cases, Columns, Queries
from sklazy.kernels.columns import METRICS, NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.measures.magnitudes import find_unit

Scale = Literal["std", "range", "none", "raw"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Where = NDArray[np.integer] | slice
Sums = tuple[ExactSums, ExactSums]

_AT_ONCE = 1 << 15  # rows that are written together


class Placement(NamedTuple):
    """Where the cells of attributes stand in columns; arrays of shape (n_columns,)."""

    attributes: Ints
    # Whether cells stand at their codes; the others are numbers.
    nominal: NDArray[np.bool_]
    # Whether numbers are equal or not, as codes are, since all cases have the same.
    constant: NDArray[np.bool_]
    # A number x stands at (x * unit - origin) * factor / width.
    units: Floats
    origins: Floats
    factors: Floats
    widths: Floats
    # The difference that counts for a missing cell or another code.
    absents: Floats


def place_by_range(cases: Cases, attributes: Ints, unit: float = 1.0) -> Placement:
    """Numbers from 0 to 1 over the range of all cases, which a missing cell counts.

    Numbers are multiplied by `unit` first: halves have a range that is finite even
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


class ColumnSums(NamedTuple):
    """Counts, sums and ranges of numeric attributes; those of parts add up."""

    n_rows: int
    n_known: Ints  # (n_numeric,), the rows that know the attribute
    # (n_numeric,), NaN without a number.
    lows: Floats
    highs: Floats
    # Of the numbers and of their squares, n_numeric cells each, where asked for.
    sums: Sums | None


def sum_columns(
    cases: Cases, rows: Where, scale: Scale, sums: Sums | None = None
) -> ColumnSums:
    """Summarize some rows as far as a scale needs it; `sums` if they are known."""
    numbers = cases.numbers[:, rows]
    known = ~np.isnan(numbers)
    if scale == "std" and sums is None:
        sums = _sum_known(numbers, known)
    return ColumnSums(
        numbers.shape[1],
        known.sum(axis=1),
        np.fmin.reduce(numbers, axis=1, initial=np.nan),
        np.fmax.reduce(numbers, axis=1, initial=np.nan),
        sums,
    )


def _sum_known(numbers: Floats, known: NDArray[np.bool_]) -> Sums:
    """The sums of the numbers of each attribute, and of their squares."""
    cells = np.broadcast_to(np.arange(len(numbers))[:, None], numbers.shape)
    values, cells = numbers[known], cells[known]
    plain, squares = (
        sum_exactly(values, cells, len(numbers), squared=squared)
        for squared in (False, True)
    )
    return plain, squares


def add_columns(parts: Sequence[ColumnSums]) -> ColumnSums:
    """Combine the sums of parts to those of all rows."""
    counted = [part.sums for part in parts if part.sums is not None]
    sums = None
    if counted:
        plain, squares = zip(*counted, strict=True)
        sums = add_sums(plain), add_sums(squares)
    return ColumnSums(
        sum(part.n_rows for part in parts),
        np.sum([part.n_known for part in parts], axis=0),
        np.fmin.reduce([part.lows for part in parts]),
        np.fmax.reduce([part.highs for part in parts]),
        sums,
    )


def place_by_sums(
    numeric: Ints, parts: Sequence[ColumnSums], scale: Scale
) -> Placement:
    """Numbers about their middle, divided by their deviation or range.

    A missing cell counts as much as the range. A column of one number has no influence:
    its factor is 0, unless nothing is scaled. With "raw" cells stand at their numbers,
    however large; else numbers whose squares no float holds are put in other units,
    those of a column or, if nothing is scaled, those of all columns and categories.
    """
    n_attributes, totals = len(numeric), add_columns(parts)
    units = _find_units(numeric, totals, scale)
    measures = np.tile([0.0, 1.0, 1.0], (n_attributes, 1))
    measures[:, 2] = units
    widths = _find_deviations(numeric, totals, units) if scale == "std" else {}
    for j in np.flatnonzero(numeric >= 0).tolist():
        low, high = (
            units[j] * totals.lows[numeric[j]],
            units[j] * totals.highs[numeric[j]],
        )
        measures[j] = _measure(low, high, scale, widths.get(j))
    centers, factors, absents = measures.T.copy()
    ones = np.ones(n_attributes)
    return Placement(
        np.arange(n_attributes),
        numeric < 0,
        np.zeros(n_attributes, np.bool_),
        units,
        centers,
        factors,
        ones,
        absents,
    )


def _find_units(numeric: Ints, totals: ColumnSums, scale: Scale) -> Floats:
    """Factor of the numbers of each attribute; 1 for nominal ones.

    Where nothing is scaled, differences of columns are added up as they are: all have
    the unit of the largest, also the difference of 1 between two categories.
    """
    is_numeric, units = numeric >= 0, np.ones(len(numeric))
    ends = np.stack([totals.lows, totals.highs])
    if scale == "none":
        unit = find_unit(ends)
        return units * (unit if is_numeric.all() else min(unit, 1.0))
    for j in np.flatnonzero(is_numeric) if scale != "raw" else ():
        units[j] = find_unit(ends[:, numeric[j]])
    return units


def _find_deviations(
    numeric: Ints, columns: ColumnSums, units: Floats
) -> dict[int, float]:
    """The standard deviations of numeric attributes, in their units."""
    assert columns.sums is not None
    totals, squares = (sums.whole() for sums in columns.sums)
    return {
        j: deviation(int(columns.n_known[i]), totals[i], squares[i], units[j])
        for j, i in enumerate(numeric.tolist())
        if i >= 0 and columns.n_known[i]
    }


def _measure(
    low: float, high: float, scale: Scale, width: float | None
) -> tuple[float, float, float]:
    """Center and factor of a column, and the difference a missing cell counts."""
    if np.isnan(low):  # there is no number
        low = high = 0.0
    if scale in ("none", "raw"):
        with np.errstate(over="ignore"):  # no float may hold the range
            return 0.0, 1.0, high - low
    center = low + 0.5 * (high - low)
    if low == high:
        return center, 0.0, 0.0
    width = high - low if width is None else width
    return center, 1.0 / width, (high - low) / width


def fill_columns(
    cases: Cases, rows: Where, placement: Placement, out: NDArray[np.floating]
) -> Ints:
    """Write cases to `out` (n_columns, n_rows), NaN if missing; the columns' kinds."""
    n_rows = out.shape[1]
    if not isinstance(rows, slice) or n_rows <= _AT_ONCE:
        return _fill_block(cases, rows, placement, out)
    begin, kinds = rows.start or 0, []
    for first in range(0, n_rows, _AT_ONCE):
        last = min(n_rows, first + _AT_ONCE)
        some = slice(begin + first, begin + last)
        kinds.append(_fill_block(cases, some, placement, out[:, first:last]))
    return np.asarray(np.max(kinds, axis=0))  # a cell missing anywhere counts


def _fill_block(
    cases: Cases, rows: Where, placement: Placement, out: NDArray[np.floating]
) -> Ints:
    """The same of few rows, whose cells stay in the cache meanwhile."""
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

    None are made where there are no labels to compare, nor of columns of numbers.
    """
    nominal = np.flatnonzero(cases.numeric < 0)
    if not len(nominal):
        return np.zeros((len(cases.numeric), 0), np.int32)
    return cases.codes.only(nominal, cases.n_rows)


def columns_of_cases(
    cases: Cases,
    rows: NDArray[np.integer],
    placement: Placement,
    weights: Floats,
    metric: str,
) -> Columns:
    """Cases as `find_nearest` takes them; the order of rows breaks ties."""
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
    """Look up the code of a metric."""
    if metric not in METRICS:
        names = " or ".join(map(repr, METRICS))
        raise BadInputError(f"metric={metric!r}; expected {names}.")
    return METRICS[metric].code


def _place_numbers(numbers: Floats, placement: Placement, at: int | slice) -> Floats:
    units, origins = placement.units[at], placement.origins[at]
    factors, widths = placement.factors[at], placement.widths[at]
    placed: Floats = (numbers * units - origins) * factors / widths
    return placed


def _as_floats(codes: NDArray[np.int32]) -> Floats:
    """Codes as numbers, missing as NaN; an unseen code equals none."""
    return np.where(codes == MISSING, np.nan, codes)
