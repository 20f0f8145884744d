"""Dates, times, durations and periods as numbers, and the parts of a date.

A date or a point in time is the number of days since 1970-01-01, to the microsecond;
one with a zone is taken in UTC. A time of day is the number of hours since midnight, a
duration the number of days. A period stands for its start.
"""

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import MISSING
from sklazy.tables.reading import CALENDAR, Reading, Style
from sklazy.tables.table import Column

WEEKDAYS = (
    *("Monday", "Tuesday", "Wednesday", "Thursday"),
    *("Friday", "Saturday", "Sunday"),
)
MICROSECONDS = 86_400_000_000
"""Of a day."""

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_ABSENT = {"NoneType", "NAType", "NaTType"}
_UNITS: dict[str, Style] = {"Y": "year", "M": "month", "W": "date", "D": "date"}
_PERIODS: dict[str, Style] = {
    **dict.fromkeys("YA", "year"),
    **dict.fromkeys("QM", "month"),
    **dict.fromkeys("WDB", "date"),
}


# --- to numbers -----------------------------------------------------------------------


def from_microseconds(name: str, values: NDArray[Any], reading: Reading) -> Column:
    """Make a column of days out of microseconds, NaN where missing."""
    return Column(name, "numeric", values / float(MICROSECONDS), reading=reading)


def from_durations(name: str, values: NDArray[Any], cells: Sequence[object]) -> Column:
    """Make a column of durations, given as an array and as a list."""
    if values.dtype.kind == "m":
        return from_datetimes(name, values)
    missing = np.full(len(cells), np.nan)
    empty = Column(name, "numeric", missing, reading=Reading("duration"))
    return from_objects(name, cells) or empty


def from_datetimes(name: str, values: NDArray[Any]) -> Column:
    """Make a column of an array of numpy's datetime64 or timedelta64."""
    is_moment = values.dtype.kind == "M"
    unit = np.datetime_data(values.dtype)[0]
    style = _UNITS.get(unit, "datetime") if is_moment else "duration"
    exact = values.astype("M8[us]" if is_moment else "m8[us]")
    numbers = np.where(np.isnat(exact), np.nan, exact.astype(np.int64))
    return from_microseconds(name, numbers, Reading(style))


def from_objects(name: str, cells: Sequence[object]) -> Column | None:
    """Make a column of cells that are all dates, times or durations, or missing.

    None where a cell is anything else, where all are missing, or where they do not go
    together: points in time with and without a zone, durations beside dates.
    """
    if not _starts_with_time(cells):
        return None
    known = [cell for cell in cells if not _is_missing(cell)]
    readings = {_reading_of(cell) for cell in known}
    reading = _common(readings)
    if reading is None:
        return None
    convert = _NUMBER_OF[reading.style]
    numbers = iter([convert(cell) for cell in known])
    data = [np.nan if _is_missing(cell) else next(numbers) for cell in cells]
    return Column(name, "numeric", np.array(data), reading=reading)


def time_labels(cells: Sequence[object]) -> Sequence[object]:
    """The cells as words where they are dates or times; others as they are."""
    if not _starts_with_time(cells):
        return cells
    return [None if _is_missing(cell) else str(cell) for cell in cells]


def _starts_with_time(cells: Iterable[object]) -> bool:
    first = next((cell for cell in cells if not _is_missing(cell)), None)
    return _reading_of(first) is not None


def _is_missing(cell: object) -> bool:
    if isinstance(cell, float | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return type(cell).__name__ in _ABSENT


def _reading_of(cell: object) -> Reading | None:
    """Reading of one cell, or None."""
    if type(cell).__name__ == "Period":
        return _period(cell)
    return next(
        (read(cell) for types, read in _READINGS if isinstance(cell, types)), None
    )


def _period(cell: Any) -> Reading:  # noqa: ANN401
    return Reading(_PERIODS.get(cell.freqstr.lstrip("-0123456789")[:1], "datetime"))


def _moment(cell: datetime.datetime) -> Reading:
    return Reading("datetime", "", "" if cell.utcoffset() is None else "UTC")


def _numpy_moment(cell: np.datetime64) -> Reading:
    return Reading(_UNITS.get(np.datetime_data(cell.dtype)[0], "datetime"))


# A datetime is a date, too, so the order matters.
_READINGS: tuple[tuple[Any, Callable[[Any], Reading]], ...] = (
    (datetime.datetime, _moment),
    (datetime.date, lambda _: Reading("date")),
    (datetime.time, lambda _: Reading("time")),
    (np.datetime64, _numpy_moment),
    ((datetime.timedelta, np.timedelta64), lambda _: Reading("duration")),
)


def _common(readings: set[Reading | None]) -> Reading | None:
    """The reading of a column whose cells have these."""
    known = [reading for reading in readings if reading is not None]
    if len(known) < len(readings):
        return None
    if len(known) == 1:
        return known[0]
    units = {reading.unit for reading in known}
    if len(units) > 1 or any(r.style not in CALENDAR for r in known):
        return None
    finest: Sequence[Style] = ("datetime", "date", "month", "year")
    styles = {reading.style for reading in known}
    return Reading(next(s for s in finest if s in styles), "", units.pop())


def days_of(cell: Any) -> float:  # noqa: ANN401
    """The days since 1970-01-01 of a date, a point in time or a period."""
    if isinstance(cell, np.datetime64):
        return int(cell.astype("M8[us]").astype(np.int64)) / MICROSECONDS
    if type(cell).__name__ == "Period":
        cell = cell.start_time
    if not isinstance(cell, datetime.datetime):
        return float(cell.toordinal() - _EPOCH)
    if cell.utcoffset() is not None:
        cell = cell.astimezone(datetime.UTC)
    whole = (cell.toordinal() - _EPOCH) * MICROSECONDS
    return (whole + _microseconds(cell)) / MICROSECONDS


def hours_of(cell: Any) -> float:  # noqa: ANN401
    """The hours since midnight of a time of day."""
    return _microseconds(cell) / (MICROSECONDS // 24)


def _microseconds(cell: Any) -> int:  # noqa: ANN401
    """Since midnight."""
    seconds = (cell.hour * 60 + cell.minute) * 60 + cell.second
    return seconds * 1_000_000 + cell.microsecond


def _duration(cell: Any) -> float:  # noqa: ANN401
    if isinstance(cell, np.timedelta64):
        return int(cell.astype("m8[us]").astype(np.int64)) / MICROSECONDS
    return cell // datetime.timedelta(microseconds=1) / MICROSECONDS


_NUMBER_OF: dict[str, Callable[[Any], float]] = {
    **dict.fromkeys(CALENDAR, days_of),
    "time": hours_of,
    "duration": _duration,
}


# --- calendar parts -------------------------------------------------------------------


def calendar_parts(column: Column) -> Iterable[Column]:
    """The month, the weekday and the hour of a column of days, as far as it has them.

    Month (1 to 12) and hour (13.5 is half past one, to the second) are numbers, the
    weekday is a label: its order means little. All follow from the reading, so that
    rows that come later have the same parts.
    """
    style = column.reading.style if column.reading else None
    if style not in CALENDAR or style == "year":
        return
    known = ~column.missing
    days = np.floor(column.data[known])
    yield _part(column, "month", _months(days), known)
    if style == "month":
        return
    yield _weekday(column, days, known)
    if style == "datetime":
        yield _part(column, "hour", _hours_of(column.data[known] - days), known)


def _months(days: NDArray[np.float64]) -> NDArray[Any]:
    months = days.astype("i8").astype("M8[D]").astype("M8[M]").astype("i8")
    return months % 12 + 1


def _hours_of(fractions: NDArray[np.float64]) -> NDArray[np.float64]:
    # Days from 1881 to 2059 hold their microseconds exactly.
    seconds = np.rint(fractions * MICROSECONDS) // 1_000_000
    return np.minimum(seconds, 86_399) / 3600


def _weekday(column: Column, days: NDArray[Any], known: NDArray[np.bool_]) -> Column:
    codes = np.full(len(column), MISSING, np.int32)
    codes[known] = (days + 3) % 7  # 1970-01-01 was a Thursday
    name = part_name(column.name, "weekday")
    return Column(name, "nominal", codes, WEEKDAYS, declared=True)


def _part(
    column: Column, part: str, values: NDArray[Any], known: NDArray[np.bool_]
) -> Column:
    data = np.full(len(column), np.nan)
    data[known] = values
    return Column(part_name(column.name, part), "numeric", data)


def part_name(name: str, part: str) -> str:
    """The name of a calendar part.

    Examples
    --------
    >>> part_name("sold", "month")
    'sold: month'
    """
    return f"{name}: {part}"
