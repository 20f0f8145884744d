"""Points that may separate thousands: 10.000 is ten, or ten thousand.

A column can be read both ways if all its numbers have one to three digits and then
groups of three, such as 950, 10.000 and 249.000. Its cells alone do not tell. Columns
of the same table that have a decimal comma do: then the point separates thousands,
unless another column of the file has a decimal point.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from sklazy.tables.amounts import FORMS, LIMIT, find_amounts
from sklazy.tables.finding import find_reading
from sklazy.tables.limits import HALF, find_limited, is_mark
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Wish

COMMA = "decimal-comma"

WHICH = (
    "its cells could be thousands or numbers with a decimal point; choose "
    "'decimal-point' or 'decimal-comma'"
)
"""The decision where no column settles it."""

_GROUPS = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,2}(?:\.[0-9]{3})*)")


def are_groups(texts: Iterable[str]) -> bool:
    """Whether all points may separate thousands; there may be none.

    Examples
    --------
    >>> are_groups(["950", "10.000"]), are_groups(["0.123"]), are_groups(["1.25"])
    (True, False, False)
    """
    return all(map(_GROUPS.fullmatch, texts))


def are_thousands_or_decimals(texts: Collection[str]) -> bool:
    """Whether all numbers may be thousands with points, and some have one.

    Marks for "missing" and limits may be among them.

    Examples
    --------
    >>> are_thousands_or_decimals(["950", "10.000", "k.A."])
    True
    >>> are_thousands_or_decimals(["950"])
    False
    """
    return are_groups(_plain(texts)) and any("." in text for text in _plain(texts))


def _plain(texts: Iterable[str]) -> Iterator[str]:
    """The numbers among texts, those of limits without their marks."""
    for text in texts:
        if not is_mark(text):
            limit = LIMIT.fullmatch(text)
            yield limit["rest"] if limit else text


def find_thousands(
    cells: Mapping[str, Collection[str]],
    readings: Iterable[Reading | None],
    wishes: Mapping[str, Wish],
    forms: Collection[str] = FORMS,
) -> dict[str, Reading]:
    """Find columns whose points separate thousands, by the other columns.

    `cells` are the distinct texts of the columns of labels; others have `readings`
    already.
    """
    asked = {n for n, t in cells.items() if n not in wishes and _is_open(t)}
    if not asked or COMMA not in forms:
        return {}
    found = [
        _find(list(texts), wishes.get(name), forms)
        for name, texts in cells.items()
        if name not in asked and wishes.get(name) not in ("nominal", "ignore")
    ]
    amounts = [r.form for r in (*readings, *found) if r is not None and _is_amount(r)]
    if not any(form.startswith(COMMA) for form in amounts):
        return {}
    thousands = {name: _find(list(cells[name]), None, (COMMA,)) for name in asked}
    return {name: reading for name, reading in thousands.items() if reading}


def _is_open(texts: Collection[str]) -> bool:
    return bool(texts) and are_thousands_or_decimals(texts)


def _is_amount(reading: Reading) -> bool:
    return reading.style == "amount"


def _find(
    texts: list[str], wish: Wish | None, forms: Collection[str]
) -> Reading | None:
    """The reading of texts by themselves."""
    allowed = (str(wish),) if wish in FORMS else forms
    limited = find_limited(texts, allowed, HALF, asked=wish is not None)
    if limited is not None or not texts:
        return limited
    if tuple(allowed) == (COMMA,):
        return find_amounts(texts, allowed, plain=True)[0]
    return find_reading(texts, wish, allowed)[0]


def has_fractions(column: Column) -> bool:
    """Whether a column of plain numbers has some that are not whole."""
    if column.kind != "numeric" or column.reading is not None:
        return False
    known = column.data[~np.isnan(column.data)]
    return bool((known % 1.0).any())
