"""Numbers written as text with a unit, a currency, a percent sign or separators.

The forms: "decimal-point" (1,234.50) and "decimal-comma" (1.234,50); blanks and
apostrophes may separate thousands in both. A column has one unit, before the number (a
currency) or behind it. A percentage is its number: 12 % is 12.
"""

import re
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from sklazy.tables.labels import EXACT
from sklazy.tables.reading import Reading

FORMS = ("decimal-point", "decimal-comma")

_SIGNS = "$€£¥₹₩₽₺₪฿"
_CURRENCIES = {
    *_SIGNS,
    *("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK"),
    *("NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW"),
    *("US$", "A$", "C$", "R$", "Fr.", "kr", "kr.", "zł", "Euro", "euro", "dollars"),
}
_WITH_POINTS = {"$", "£", "¥", "₹", "US$", "A$", "C$", "USD", "GBP", "JPY", "INR"}
_CLOSE_UNITS = {
    *("%", "‰", "°", "°C", "°F", "g", "kg", "mg", "\u00b5g", "t", "lb", "lbs", "oz"),
    *("m", "cm", "mm", "km", "\u00b5m", "nm", "ft", "mi", "m²", "m2", "km²", "m³"),
    *("km/h", "mph", "l", "ml", "cl", "dl", "h", "min", "s", "ms", "\u00b5s", "Hz"),
    *("kHz", "MHz", "GHz", "kW", "MW", "kWh", "mAh", "kcal", "kJ", "hPa", "mmHg"),
    *("px", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB"),
}
_GROUP = "[ \u00a0\u202f\u2009'\u2019{other}]"
_BODIES = {
    form: re.compile(
        rf"[1-9]\d{{0,2}}(?P<mark>{_GROUP.format(other=other)})\d{{3}}(?:(?P=mark)\d{{3}})*"
        rf"(?:{mark}\d+)?|\d+(?:{mark}\d+)?|{mark}\d+"
    )
    for form, mark, other in (
        ("decimal-point", r"\.", ","),
        ("decimal-comma", ",", "."),
    )
}
_CELL = re.compile(
    r"(?P<sign>[+\u2212-]?)"
    r"(?P<before>[^\d\s.,'+\u2212-][^\d\s,+\u2212-]{0,2})?[ \u00a0]?"
    r"(?P<inner>[+\u2212-]?)(?P<body>[.,]?\d[\d.,'\u2019 \u00a0\u202f\u2009]*?)"
    r"(?P<gap>[ \u00a0\u202f]?)(?P<after>[^\d\s.,'\u2019][^\d\s]{0,10}[23]?)?"
)
_FOREIGN = re.compile(r"[^\D0-9]")  # digits of other scripts
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")


class _Amount(NamedTuple):
    is_negative: bool
    body: str
    unit: str


LIMIT = re.compile(r"(?P<mark>[<>≤≥]=?)\s*(?P<rest>\S.*)")
"""A limit that a measurement is below or above."""

MARKS = frozenset(
    [
        *("-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "n/a", "na", "n.a."),
        *("n. a.", "nan", "nd", "n.d.", "n. d.", "null", "none", "k.a.", "k. a."),
        *("n.v.t.", "n. v. t.", "nvt"),
    ]
)
"""Texts that mean "missing" in a column of limits, in lower case."""


def read_amount(text: str, reading: Reading) -> float | None:
    """The number that a text stands for under a reading, or None.

    A number without a unit is one of the reading's. Limits are numbers, too, halved
    unless the reading is "at-limit"; where it has limits, marks are NaN.
    """
    form, _, taking = reading.form.partition(", ")
    if taking and text.casefold() in MARKS:
        return float("nan")
    limit = LIMIT.fullmatch(text)
    amount = _taken_apart(limit["rest"] if limit else text)
    if amount is None or amount.unit not in ("", reading.unit):
        return None
    value = _value(amount, form)
    is_half = limit is not None and taking != "at-limit" and limit["mark"][0] in "<≤"
    return value / 2 if is_half and value is not None and value > 0 else value


def find_amounts(
    texts: Collection[str], forms: Collection[str] = FORMS, plain: bool = False
) -> tuple[Reading | None, str]:
    """The reading under which all texts are amounts of one unit, if any.

    The second result names what to decide where several are possible. Texts that are
    all plain numbers are left alone unless `plain` is set.
    """
    amounts = [_taken_apart(text) for text in texts]
    known = [amount for amount in amounts if amount is not None]
    is_plain = not plain and all(map(_PLAIN.fullmatch, texts))
    if len(known) < len(amounts) or is_plain:
        return None, ""
    fitting = [f for f in forms if all(_value(a, f) is not None for a in known)]
    units = Counter(amount.unit for amount in known)
    if len(units) > 1:
        return None, _mixed(units) if fitting else ""
    if len(fitting) > 1:
        fitting = _surest(known, fitting)
    if len(fitting) == 1:
        return Reading("amount", fitting[0], known[0].unit), ""
    return None, (
        "its cells could be thousands or numbers with a decimal comma; choose "
        "'decimal-point' or 'decimal-comma'"
        if fitting
        else ""
    )


def _mixed(units: Counter[str]) -> str:
    if "" in units:
        return ""  # numbers beside labels that start with one
    shown = ", ".join(map(repr, sorted(units)[:3]))
    return f"its cells are amounts of several units, {shown}; bring them to one"


def _surest(amounts: list[_Amount], forms: list[str]) -> list[str]:
    """The forms that are left when one that can be ruled out is.

    Both fit where at most one mark stands in a cell and three digits follow it. In
    money these are thousands, but a point of an English currency is a decimal point,
    and so is one in anything but money.
    """
    values = {f: [_value(amount, f) for amount in amounts] for f in forms}
    has_comma = any("," in amount.body for amount in amounts)
    if values[forms[0]] == values[forms[1]]:
        return forms[:1]
    unit = amounts[0].unit
    if unit not in _CURRENCIES:
        return forms if has_comma else ["decimal-point"]
    has_points = has_comma or unit in _WITH_POINTS
    return ["decimal-point" if has_points else "decimal-comma"]


def _taken_apart(text: str) -> _Amount | None:
    match = None if _FOREIGN.search(text) else _CELL.fullmatch(text)
    if match is None or (match["sign"] and match["inner"]):
        return None
    before, after = match["before"] or "", match["after"] or ""
    if before and (after or before not in _CURRENCIES):
        return None
    is_close = bool(after) and not match["gap"]
    if is_close and after not in _CLOSE_UNITS | _CURRENCIES:
        return None
    negative = (match["sign"] or match["inner"]) in ("-", "\u2212")
    return _Amount(negative, match["body"], before or after)


def _value(amount: _Amount, form: str) -> float | None:
    match = _BODIES[form].fullmatch(amount.body)
    if match is None:
        return None
    body = amount.body.replace(match["mark"], "") if match["mark"] else amount.body
    number = float(body.replace(",", ".") if form == "decimal-comma" else body)
    if number >= EXACT:
        return None  # digits would be lost
    return -number if amount.is_negative else number
