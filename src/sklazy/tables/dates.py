"""Dates, times and durations written as text.

The forms: "iso" (2024-05-31, 2024/05/31), "day-first" (31.5.2024, 31/05/2024,
31-05-2024), "month-first" (05/31/2024, 5-31-2024), "names" (31 May 2024, May 31, 2024),
each with a time of day or without; for times and durations "clock" (13:30, 1:30 pm) and
"days" (1 days 02:00:00). Years have four digits.
"""

import datetime
import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from sklazy.tables.reading import CALENDAR, Reading
from sklazy.tables.times import MICROSECONDS, days_of, hours_of

_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?:\ ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_TIME = rf"(?:(?:[Tt]|,?\ +){_CLOCK}\ ?(?P<zone>Z|UTC|[+-]\d{{2}}:?\d{{2}})?)?"
_FORMS = {
    "iso": r"(?P<y>\d{4})([-/])(?P<m>\d{1,2})\2(?P<d>\d{1,2})",
    "day-first": r"(?P<d>\d{1,2})([./-])(?P<m>\d{1,2})\2(?P<y>\d{4})",
    "month-first": r"(?P<m>\d{1,2})([/-])(?P<d>\d{1,2})\2(?P<y>\d{4})",
    "names": (
        r"(?:(?P<d>\d{1,2})[ -]|(?=[A-Za-z]))(?P<m>[A-Za-z]{3,9})\.?[ -]"
        r"(?:(?P<d2>\d{1,2}),?[ ])?(?P<y>\d{4})"
    ),
}
DATE_PATTERNS = {
    form: re.compile(date + _TIME, re.ASCII) for form, date in _FORMS.items()
}
CLOCK_ONLY = re.compile(_CLOCK, re.ASCII)
_DAYS = re.compile(r"(?P<days>-?\d{1,7}) days?(?:,? \+?(?P<clock>[\d:.]+))?", re.ASCII)
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH_OF = {
    "sept": 9,
    **{name: i for i, name in enumerate(MONTHS, 1)},
    **{name[:3]: i for i, name in enumerate(MONTHS, 1)},
}
_DOTS = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")


class Moment(NamedTuple):
    """A parsed date: a number, and whether the text has a time and a zone."""

    number: float
    has_time: bool = False
    has_zone: bool = False


def read_moment(text: str, reading: Reading) -> float | None:
    """The number that a text stands for under a reading, or None.

    A date written 2024-05-31 means the same under every reading.
    """
    if reading.style in CALENDAR:
        moment = _date(text, reading.form or "iso") or _date(text, "iso")
        fits = moment and (moment.has_zone == (reading.unit == "UTC"))
        return moment.number if moment and fits else None
    return _READERS["clock" if reading.style == "time" else "days"](text)


def find_dates(texts: Collection[str], wish: str | None) -> tuple[Reading | None, str]:
    """The reading under which all texts are dates, times or durations, if any.

    A column that can be read day first and month first, with different results, is not
    read unless it is written with points; the second result reports it.
    """
    forms = (wish,) if wish in _FORMS else tuple(_FORMS)
    fitting = [
        form for form in forms if all(_date(text, form) is not None for text in texts)
    ]
    if not fitting:
        return (None if wish in _FORMS else _find_clock(texts)), ""
    if len(fitting) > 1 and not all(map(_DOTS.match, texts)):
        return None, (
            "its cells could be dates with the day first or with the month first; "
            "choose 'day-first' or 'month-first'"
        )
    moments = [moment for text in texts if (moment := _date(text, fitting[0]))]
    zones = {moment.has_zone for moment in moments}
    if len(zones) > 1:
        return None, "some of its dates have a time zone, others do not"
    has_time = any(moment.has_time for moment in moments)
    zone = "UTC" if zones == {True} else ""
    return Reading("datetime" if has_time else "date", fitting[0], zone), ""


def _find_clock(texts: Collection[str]) -> Reading | None:
    for style, form in (("time", "clock"), ("duration", "days")):
        if all(_READERS[form](text) is not None for text in texts):
            return Reading(style, form)  # type: ignore[arg-type]
    return None


def _date(text: str, form: str) -> Moment | None:
    match = DATE_PATTERNS[form].fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    has_time = parts["hour"] is not None
    try:
        day = datetime.date(int(parts["y"]), _month(parts["m"]), _day(parts))
        clock = _time(parts) if has_time else datetime.time()
        moment = datetime.datetime.combine(day, clock, read_zone(parts["zone"]))
        return Moment(days_of(moment), has_time, parts["zone"] is not None)
    except (ValueError, OverflowError):
        return None


def _day(parts: dict[str, str | None]) -> int:
    first, second = parts["d"], parts.get("d2")
    if (first is None) == (second is None):
        raise ValueError("no day, or two")
    return int(first or second or 0)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    return _MONTH_OF.get(text.lower(), 0)


def _time(parts: dict[str, str | None]) -> datetime.time:
    hour, half = int(parts["hour"] or 0), (parts["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        raise ValueError("an hour of half a day is 1 to 12")
    if half:
        hour = hour % 12 + 12 * (half == "p")
    microsecond = int((parts["part"] or "").ljust(6, "0")[:6])
    return datetime.time(
        hour, int(parts["minute"] or 0), int(parts["second"] or 0), microsecond
    )


def read_zone(text: str | None) -> datetime.timezone | None:
    """The zone that a text has behind its time of day."""
    if text is None:
        return None
    if text in ("Z", "UTC"):
        return datetime.UTC
    sign = -1 if text[0] == "-" else 1
    minutes = 60 * int(text[1:3]) + int(text[-2:])
    return datetime.timezone(sign * datetime.timedelta(minutes=minutes))


def _clock(text: str) -> float | None:
    match = CLOCK_ONLY.fullmatch(text)
    try:
        return hours_of(_time(match.groupdict())) if match else None
    except ValueError:
        return None


def _duration(text: str) -> float | None:
    match = _DAYS.fullmatch(text)
    if match is None:
        return None
    hours = _clock(match["clock"]) if match["clock"] else 0.0
    if hours is None:
        return None
    return (int(match["days"]) * MICROSECONDS + round(hours * 3.6e9)) / MICROSECONDS


_READERS: dict[str, Callable[[str], float | None]] = {
    "clock": _clock,
    "days": _duration,
}
