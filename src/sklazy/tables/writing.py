"""Numbers, dates and times written as a column of the user's writes them.

A text is written after the pattern of another cell, an object in its type. A date is
whole days where its column has no times of day; all else is to the second.
"""

import datetime
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from sklazy.tables.dates import CLOCK_ONLY, DATE_PATTERNS, MONTHS, read_zone
from sklazy.tables.reading import CALENDAR, Reading

_EPOCH = datetime.datetime(1970, 1, 1)
_DAYS = -719_162, 2_932_896  # of the first and the last date that there is
_BODY = re.compile(r"[+\u2212-]?\d[\d.,'\u2019 \u00a0\u202f\u2009]*\d|[+\u2212-]?\d")
_GROUPED = re.compile(r"\d(?P<mark>[.,'\u2019 \u00a0\u202f\u2009])\d{3}(?!\d)")
_DATES = {
    "iso": "2024-01-01",
    "day-first": "01.01.2024",
    "month-first": "01/01/2024",
    "names": "1 January 2024",
}


def find_group(cells: Iterable[str], point: str) -> str:
    """The mark between thousands in some cells, "" for none.

    Examples
    --------
    >>> find_group(["12", "1,200.50"], ".")
    ','
    """
    groups = filter(None, (_GROUPED.search(cell) for cell in cells))
    return next((m["mark"] for m in groups if m["mark"] != point), "")


def spell_number(number: float, least: int, point: str, group: str) -> str:
    """A number with at least so many decimals.

    Examples
    --------
    >>> spell_number(1234.5, 2, ",", "."), spell_number(2.0, 0, ".", "")
    ('1.234,50', '2')
    """
    _, _, needed = f"{number:.10f}".rstrip("0").partition(".")
    spelled = f"{number:,.{max(least, len(needed))}f}"
    swaps = {",": group, ".": point}
    return "".join(swaps.get(letter, letter) for letter in spelled)


def respell_number(cell: str, number: float, point: str, group: str) -> str | None:
    """A cell with another number in it; None if there is none.

    Examples
    --------
    >>> respell_number("EUR 3,10", 12.5, ",", "")
    'EUR 12,50'
    """
    body = _BODY.search(cell)
    if body is None:
        return None
    _, _, decimals = body[0].partition(point)
    text = spell_number(number, len(decimals), point, group)
    return cell[: body.start()] + text + cell[body.end() :]


def round_to_style(value: float, reading: Reading) -> float:
    """A number of a column as exact as its cells are: whole days, or seconds.

    Dates end in the years 1 and 9999.
    """
    if reading.style in CALENDAR:
        spare = bool(reading.unit)  # in another zone it may be the day after
        value = float(np.clip(value, _DAYS[0] + spare, _DAYS[1] - spare))
    if reading.style in ("date", "month", "year"):
        return float(np.floor(value + 0.5))
    if reading.style == "time":
        return float(np.clip(np.round(value * 3600.0), 0, 86_399) / 3600.0)
    return value if reading.style == "amount" else float(_to_seconds(value) / 86_400)


def _to_seconds(days: float) -> int:
    return int(np.round(days * 86_400.0))


def write_like(value: float, reading: Reading, example: object) -> Any:  # noqa: ANN401
    """A number of days, hours or units as the cells of its column.

    Parameters
    ----------
    value : float
    reading : Reading
    example : text, date, ... or None
        A known cell. Without one a text is written in the form of the reading.

    Examples
    --------
    >>> day = Reading("date", "day-first")
    >>> write_like(19845.3, day, "03/02/2023"), write_like(19845.3, day, None)
    ('02/05/2024', '02.05.2024')
    >>> write_like(12.345, Reading("amount", "decimal-comma", "€"), "3,10 €")
    '12,35 €'
    >>> write_like(1.5, Reading("duration"), datetime.timedelta(days=2))
    datetime.timedelta(days=1, seconds=43200)
    """
    value = round_to_style(value, reading)
    if isinstance(example, int | float):
        return value
    if example is None:
        example = _make_example(reading)
    if isinstance(example, str):
        return _write_text(value, reading, example.strip())
    return _write_object(value, reading, example)


def _make_example(reading: Reading) -> str | datetime.timedelta:
    """A cell as a reading has them."""
    if reading.style == "amount":
        point = "," if reading.form.startswith("decimal-comma") else "."
        return f"0{point}00 {reading.unit}".rstrip()
    if reading.style not in CALENDAR:
        clock = "00:00:00" if reading.form else ""
        return clock if reading.style == "time" else datetime.timedelta()
    clock = " 00:00:00" if reading.style == "datetime" else ""
    return _DATES[reading.form or "iso"] + clock + "Z" * (reading.unit == "UTC")


# --- objects --------------------------------------------------------------------------


def _write_object(value: float, reading: Reading, example: Any) -> Any:  # noqa: ANN401
    if reading.style == "time":
        return (_EPOCH + datetime.timedelta(hours=value)).time()
    span = datetime.timedelta(seconds=_to_seconds(value))
    if reading.style == "duration":
        is_numpy = isinstance(example, np.timedelta64)
        return np.timedelta64(span) if is_numpy else span
    return _write_moment(_EPOCH + span, example)


def _write_moment(moment: datetime.datetime, example: Any) -> Any:  # noqa: ANN401
    if isinstance(example, np.datetime64):
        return np.datetime64(moment).astype(example.dtype)
    if not isinstance(example, datetime.date):
        return type(example)(moment, freq=example.freqstr)  # a period of pandas
    if not isinstance(example, datetime.datetime):
        return moment.date()
    zone = example.tzinfo
    return moment.replace(tzinfo=datetime.UTC).astimezone(zone) if zone else moment


# --- texts ----------------------------------------------------------------------------


def _write_text(value: float, reading: Reading, example: str) -> str:
    if reading.style == "amount":
        return _write_amount(value, reading, example)
    if reading.style == "duration":
        return str(datetime.timedelta(seconds=_to_seconds(value)))
    if reading.style == "time":
        moment = _EPOCH + datetime.timedelta(seconds=round(value * 3600.0))
        match = CLOCK_ONLY.fullmatch(example)
    else:
        match = DATE_PATTERNS[reading.form or "iso"].fullmatch(example)
        zone = read_zone(match["zone"]) if match else None
        offset = datetime.timedelta() if zone is None else zone.utcoffset(None)
        moment = _EPOCH + datetime.timedelta(seconds=_to_seconds(value)) + offset
    return example if match is None else _fill_pattern(example, match, moment)


def _write_amount(value: float, reading: Reading, example: str) -> str:
    point = "," if reading.form.startswith("decimal-comma") else "."
    body = _BODY.search(example)
    decimals = len(body[0].partition(point)[2]) if body else 2
    number = round(value, decimals)
    written = respell_number(example, number, point, find_group([example], point))
    return f"{number}" if written is None else written


def _fill_pattern(example: str, match: re.Match[str], moment: datetime.datetime) -> str:
    """The text of another moment, written part by part from the end."""
    parts = [name for name, text in match.groupdict().items() if text]
    for name in sorted(parts, key=match.start, reverse=True):
        new = _spell_part(name, match[name], moment, has_half=bool(match["half"]))
        example = example[: match.start(name)] + new + example[match.end(name) :]
    return example


def _spell_part(
    name: str, old: str, moment: datetime.datetime, *, has_half: bool
) -> str:
    """A part of a date or a time, as long as another one or as it needs."""
    if name == "zone":
        return old
    if name == "half":
        new = "ap"[moment.hour >= 12]
        return new.upper() if old.isupper() else new
    if name == "m" and not old.isdigit():
        new = MONTHS[moment.month - 1].capitalize()
        return new[:3] if len(old) <= 3 else new
    hour = (moment.hour - 1) % 12 + 1 if has_half else moment.hour
    numbers = {"y": moment.year, "m": moment.month, "d": moment.day, "d2": moment.day}
    clock = {"hour": hour, "minute": moment.minute, "second": moment.second, "part": 0}
    is_padded = old.startswith("0") or name in ("minute", "second", "part")
    return str((numbers | clock)[name]).zfill(len(old) if is_padded else 1)
