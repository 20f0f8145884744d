"""Columns of numbers with cells such as <0.05 and > 100, and marks for "missing".

Measurements below or above what a device can tell are written as a limit. A column of
amounts with some of them is read as numbers: "<0.05" as half of it, "> 100" as 100
("half-limit"), or both as the limit itself ("at-limit"). In such a column, and in one
of numbers or dates with nothing else, a dash, a dot and the like are missing cells.
Where the cases have numbers, marks of later rows are missing and limits are halved,
whatever the first had.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from sklazy.errors import warn_once
from sklazy.tables.amounts import FORMS, LIMIT, MARKS, find_amounts, read_amount
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Label

HALF, WHOLE = "half-limit", "at-limit"

_FEWEST = 3  # numbers that make a column of measurements with limits
_FEWEST_WITH_MARKS = 5  # that make one of numbers with marks alone
_MANY = 20  # different whole numbers are hardly labels
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}\.?[0-9]*|\.[0-9]+)")
_LIMITED = re.compile(rf"[<>≤≥]=?\s*{_NUMBER.pattern}")
_HALVED = Reading("amount", f"decimal-point, {HALF}")
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


def read_limited(text: str) -> float | None:
    """The number for a limit, NaN for a mark, where others write plain numbers.

    Examples
    --------
    >>> read_limited("<0.05"), read_limited("> 7"), read_limited("-")
    (0.025, 7.0, nan)
    >>> read_limited("< 5 mg") is None
    True
    """
    is_known = is_mark(text) or _LIMITED.fullmatch(text)
    return read_amount(text, _HALVED) if is_known else None


def write_numbers(texts: Collection[str]) -> bool:
    """Whether texts are many plain numbers, or measured ones: no codes.

    Examples
    --------
    >>> write_numbers(["1.5", "2"]), write_numbers(["1", "2"]), write_numbers(["07.5"])
    (True, False, False)
    """
    if not all(map(_NUMBER.fullmatch, texts)) or any(map(_LEADING_ZERO.match, texts)):
        return False
    return len(texts) > _MANY or any("." in text for text in texts)


def without_marks(texts: Collection[str]) -> list[str]:
    """The texts that are not marks; all of them where too few would be left.

    Examples
    --------
    >>> without_marks(["a", "b", "c", "d", "e", "-"]), without_marks(["a", "-"])
    (['a', 'b', 'c', 'd', 'e'], ['a', '-'])
    """
    plain = [text for text in texts if not is_mark(text)]
    return plain if len(plain) >= _FEWEST_WITH_MARKS else list(texts)


def read_numbers(column: Column) -> Column:
    """Labels of later rows as numbers, where the cases have numbers.

    Texts of plain numbers are numbers, limits are halved and marks are missing, with a
    warning. A column with any other word is returned as it is.
    """
    labels = column.used_labels() if column.kind == "nominal" else ()
    words = [label.strip() for label in labels if isinstance(label, str)]
    reading = _later_reading(words)
    if reading is None:
        return column
    texts = [word for word in words if not (LIMIT.fullmatch(word) or is_mark(word))]
    limits = describe_limits(words, reading).removeprefix(", ")
    numbers = f"text such as {texts[0]!r} as numbers" if texts else ""
    remark = " and ".join(filter(None, [numbers, limits]))
    warn_once(
        f"column {column.name!r}: {remark}, since the other rows have numbers there."
    )
    none = [np.nan, np.nan]  # reached by the codes -2 and -1
    values = [_number_of(label, reading) for label in column.categories]
    return Column(column.name, "numeric", np.array([*values, *none])[column.data])


def _later_reading(words: Sequence[str]) -> Reading | None:
    """The way to read texts of later rows where the cases have plain numbers.

    A decimal comma is taken for one beside limits alone: these make a column text of
    which a program would else have read the commas.
    """
    if not words or all(map(is_number_or_limit, words)):
        return _HALVED if words else None
    return find_later_form(words, FORMS) if any(map(LIMIT.fullmatch, words)) else None


def find_later_form(texts: Collection[str], forms: Collection[str]) -> Reading | None:
    """The way to read texts where the cases have plain numbers, None for other words.

    Of several forms the decimal comma is one only where no cell could be a number with
    a decimal point: some rows alone are read as all of them.

    Examples
    --------
    >>> find_later_form(["0,5", "<0,05"], ["decimal-point", "decimal-comma"])
    Reading(style='amount', form='decimal-comma, half-limit', unit='')
    >>> find_later_form(["0,5", "1.250"], ["decimal-point", "decimal-comma"])
    """
    plain = [text for text in texts if not (is_mark(text) or LIMIT.fullmatch(text))]
    limits = [match["rest"] for text in texts if (match := LIMIT.fullmatch(text))]
    numbers = [*plain, *limits]
    if not numbers:
        return _HALVED
    found, _ = find_amounts(numbers, forms, plain=True)
    if found is None or found.unit:
        return None
    is_guess = found.form == "decimal-comma" and len(forms) > 1
    if is_guess and any("." in text and "," not in text for text in numbers):
        return None
    is_plain = len(plain) == len(texts)
    return found if is_plain else replace(found, form=f"{found.form}, {HALF}")


def _number_of(label: Label, reading: Reading) -> float:
    """The number of a label, NaN for other words."""
    if isinstance(label, str):
        text, is_point = label.strip(), reading == _HALVED
        is_plain = is_point and _NUMBER.fullmatch(text)
        number = float(text) if is_plain else read_amount(text, reading)
        return float("nan") if number is None else number
    return float(label)


def is_number_or_limit(text: str) -> bool:
    """Whether a text is a plain number, a limit or a mark."""
    return bool(_NUMBER.fullmatch(text)) or read_limited(text) is not None


def has_limits_beside_numbers(column: Column) -> bool:
    """Whether a column has numbers, and limits and marks for its only texts."""
    labels = column.used_labels() if column.kind == "nominal" else ()
    words = [label.strip() for label in labels if isinstance(label, str)]
    has_bools = any(isinstance(label, bool) for label in labels)
    is_mixed = 0 < len(words) < len(labels) and not has_bools
    return is_mixed and all(read_limited(word) is not None for word in words)


def clear_marks(column: Column) -> Column:
    """A column of numbers and marks alone as numbers, with a warning."""
    labels = column.used_labels() if column.kind == "nominal" else ()
    words = [label for label in labels if isinstance(label, str)]
    is_settled = column.declared or len(words) in (0, len(labels))
    if is_settled or any(isinstance(label, bool) for label in labels):
        return column
    only_marks = all(is_mark(word.strip()) for word in words)
    return read_numbers(column) if only_marks else column


def fits_numbers(column: Column) -> bool:
    """Whether the known cells are marks and limits, or these beside numbers.

    Numbers may be text then: one limit makes all cells of a column of a frame text.
    """
    labels = column.used_labels()
    words = [str(label).strip() for label in labels]
    is_text = all(isinstance(label, str) for label in labels)
    has_limits = any(is_mark(word) or LIMIT.fullmatch(word) for word in words)
    only_limits = all(read_limited(word) is not None for word in words)
    as_text = is_text and has_limits and _later_reading(words) is not None
    return only_limits or as_text or has_limits_beside_numbers(column)


def warn_of_marks(column: Column, reading: Reading) -> None:
    """Warn of limits and marks among later rows, if the first rows had none."""
    texts = [str(label).strip() for label in column.used_labels()]
    known = reading if reading.style == "amount" else None
    remark = describe_limits(texts, _HALVED if known else reading).removeprefix(", ")
    has_marks = reading.form.endswith((HALF, WHOLE))
    if remark and not has_marks and reading.style != "yes-no":
        warn_once(f"column {column.name!r}: {remark}.")


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


def remark_on_limits(texts: Collection[str], reading: Reading | None = None) -> str:
    """Remark on limits and marks among texts of a column of numbers, "" if none.

    Examples
    --------
    >>> remark_on_limits(["1", "-"]), remark_on_limits(["1"])
    ("'-' as missing", '')
    """
    is_whole = reading is not None and reading.form.endswith(WHOLE)
    known = reading if reading is not None and is_whole else _HALVED
    return describe_limits(texts, known).removeprefix(", ")


def _list(texts: list[str]) -> str:
    shown = ", ".join(map(repr, texts[:2]))
    return f"{shown} and {len(texts) - 2} more" if len(texts) > 2 else shown
