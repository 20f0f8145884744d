"""How the user writes each column: dates, units, and parts that belong to a date."""

from typing import Any

import numpy as np

from sklazy.answer.reasons import map_features
from sklazy.casebase import CaseBase
from sklazy.tables import Column, Table
from sklazy.tables.origins import Origin, expand_columns
from sklazy.tables.reading import CALENDAR, Reading

Format = dict[str, str]

_UNITS = {"time": "h", "duration": "days"}
_PLAIN = Format(style="", unit="")


def list_features(base: CaseBase) -> list[str]:
    """The user's columns that are learned from, each under its own name.

    A date has further attributes, its month and weekday; they are not listed.
    """
    features = map_features(base)
    return [features.names[j] for j in np.unique(features.of_attribute).tolist()]


def list_parts(base: CaseBase) -> dict[str, list[str]]:
    """The attributes that each of the user's columns is learned from."""
    features = map_features(base)
    parts: dict[str, list[str]] = {}
    for name, j in zip(base.names, features.of_attribute.tolist(), strict=True):
        parts.setdefault(features.names[j], []).append(name)
    return parts


def describe_format(base: CaseBase, name: str) -> Format:
    """The style and the unit of a column; empty if it is plain.

    The style is "date", "datetime", "month" or "year" for days since 1970-01-01, and
    empty for everything else.
    """
    origin = find_origin(base, name)
    written = describe_reading(None if origin is None else origin.reading)
    if written["style"] == "datetime" and _has_no_times(base, name):
        return {**written, "style": "date"}
    return written


def _has_no_times(base: CaseBase, name: str) -> bool:
    """Whether all points in time are midnights."""
    cases = base.cases
    days = cases.numbers[cases.numeric[base.names.index(name)], : cases.n_rows]
    known = days[~np.isnan(days)]
    return bool((known == np.floor(known)).all())


def describe_reading(reading: Reading | None) -> Format:
    """The style and the unit of cells that are read in this way."""
    if reading is None:
        return _PLAIN
    if reading.style in CALENDAR:
        return Format(style=reading.style, unit="")
    unit = reading.unit if reading.style == "amount" else _UNITS.get(reading.style, "")
    return Format(style="", unit=unit)


def find_origin(base: CaseBase, name: str) -> Origin | None:
    """The user's column of this name, if it is read in a special way."""
    return next((one for one in base.schema.origins if one.name == name), None)


def expand_date(base: CaseBase, name: str, days: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """The cells of all attributes of a column, from the column's numbers.

    Parameters
    ----------
    base : CaseBase
    name : str
        A feature with a special reading.
    days : array-like of float
    """
    origin = find_origin(base, name)
    reading = None if origin is None else origin.reading
    numbers = np.asarray(days, float)
    column = Column(name, "numeric", numbers, reading=reading)
    expanded = expand_columns(Table((column,), len(numbers), named=True))
    return {part.name: list(part.cells()) for part in expanded}


def is_date(base: CaseBase, name: str) -> bool:
    """Whether a column holds dates."""
    return bool(describe_format(base, name)["style"])


def spell_number(value: float) -> str:
    """A number with four digits, not in scientific notation below 1e15.

    Examples
    --------
    >>> spell_number(140_213.0), spell_number(0.25)
    ('140200', '0.25')
    """
    return f"{float(f'{value:.4g}'):.15g}"
