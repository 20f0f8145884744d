"""Columns of numbers with cells such as <0.05 and > 100, and marks for "missing".

Measurements below or above what a device can tell are written as a limit. A column of
amounts with some of them is read as numbers: "<0.05" as half of it, "> 100" as 100
("half-limit"), or both as the limit itself ("at-limit"). In such a column, and in one
of numbers with nothing else, a dash, a dot and the like are missing cells.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from sklazy.tables.amounts import LIMIT, MARKS, find_amounts
from sklazy.tables.reading import Reading

HALF, WHOLE = "half-limit", "at-limit"

_FEWEST = 3  # numbers that make a column of measurements with limits
_FEWEST_WITH_MARKS = 5  # that make one of numbers with marks alone
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")  # as codes have


def find_limited(
    texts: Collection[str], forms: Collection[str], taking: str, asked: bool
) -> Reading | None:
    """The reading of amounts, limits and marks; None if they are something else.

    `asked` is whether the user wants numbers, of however few cells.

    Examples
    --------
    >>> find_limited(["0.1", "0.25", "3", "<0.05", "-"], ["decimal-point"], HALF, False)
    Reading(style='amount', form='decimal-point, half-limit', unit='')
    >>> find_limited(["<18", "18-65", ">65"], ["decimal-point"], HALF, False)
    """
    plain = [text for text in texts if not (is_mark(text) or LIMIT.fullmatch(text))]
    limits = [match["rest"] for text in texts if (match := LIMIT.fullmatch(text))]
    fewest = max(_FEWEST, len(limits)) if limits else _FEWEST_WITH_MARKS
    if len(plain) == len(texts) or len(plain) < (1 if asked else fewest):
        return None
    if not asked and any(map(_LEADING_ZERO.match, plain)):
        return None
    reading, _ = find_amounts([*plain, *limits], forms, plain=True)
    return reading and replace(reading, form=f"{reading.form}, {taking}")


def is_mark(text: str) -> bool:
    """Whether a text stands for nothing in a column of numbers."""
    return text.casefold() in MARKS


def describe_limits(texts: Collection[str], reading: Reading) -> str:
    """How limits and marks among the cells are taken, in words.

    Examples
    --------
    >>> reading = Reading("amount", "decimal-point, half-limit")
    >>> describe_limits(["1", "<2", "-"], reading)
    ", '<2' as half of its limit ('at-limit' takes the limit), '-' as missing"
    """
    limits = sorted(text for text in texts if LIMIT.fullmatch(text))
    marks = sorted(text for text in texts if is_mark(text))
    is_half = reading.form.endswith(HALF)
    below = [text for text in limits if text[0] in "<≤"]
    parts = []
    if below and is_half:
        parts.append(
            f"{_list(below)} as half of its limit ('at-limit' takes the limit)"
        )
    if above := [text for text in limits if text not in below or not is_half]:
        parts.append(f"{_list(above)} as its limit")
    if marks:
        parts.append(f"{_list(marks)} as missing")
    return "".join(f", {part}" for part in parts)


def _list(texts: list[str]) -> str:
    shown = ", ".join(map(repr, texts[:2]))
    return f"{shown} and {len(texts) - 2} more" if len(texts) > 2 else shown
