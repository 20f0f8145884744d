"""Checks of plain data: small ones that are combined into larger ones.

A check takes a value and the place where it stands, and raises `ReceiptError`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from sklazy.errors import ReceiptError

Check = Callable[[object, str], None]

_MOST = 2**63  # things that can be counted
_DEEPEST = 12  # levels of free data
_ROUNDING = 1e-9
_DIGITS = set("0123456789abcdef")


def text(value: object, place: str) -> None:
    """A string."""
    if not isinstance(value, str):
        raise _wrong(place, "a string", value)


def fingerprint(value: object, place: str) -> None:
    """64 hexadecimal digits, in lower case."""
    if not isinstance(value, str) or len(value) != 64 or not set(value) <= _DIGITS:
        raise _wrong(place, "64 hexadecimal digits", value)


def flag(value: object, place: str) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise _wrong(place, "true or false", value)


def count(value: object, place: str) -> None:
    """A whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST:
        raise _wrong(place, "a whole number of at least 0", value)


def degree(value: object, place: str) -> None:
    """The degree of a local model: constant, linear or quadratic."""
    count(value, place)
    if value not in (0, 1, 2):
        raise _wrong(place, "0, 1 or 2", value)


def number(value: object, place: str) -> None:
    """A finite number, within the range of floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(place, "a number", value)
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise _wrong(place, "a finite number", value)


def share(value: object, place: str) -> None:
    """A number from 0 to 1, but for rounding."""
    number(value, place)
    if not -_ROUNDING <= value <= 1.0 + _ROUNDING:  # type: ignore[operator]
        raise _wrong(place, "a number from 0 to 1", value)


def label(value: object, place: str) -> None:
    """A string, a bool or a finite number."""
    if not isinstance(value, str | bool):
        number(value, place)


def maybe(check: Check) -> Check:
    """None, or what the check wants."""

    def run(value: object, place: str) -> None:
        if value is not None:
            check(value, place)

    return run


figure = maybe(number)
"""A finite number, or None where there is none."""

cell = maybe(label)
"""A value of the user's, None where it is missing."""


VALUE = {"attribute": text, "value": cell, "bin": maybe(text)}
"""A value of the query that cases were compared with."""


def number_or_numbers(value: object, place: str) -> None:
    """A number, or a list of several; None where one is not finite."""
    if isinstance(value, list):
        list_of(figure)(value, place)
    else:
        figure(value, place)


def one_of(*choices: str) -> Check:
    """One of these strings."""

    def run(value: object, place: str) -> None:
        if value not in choices or not isinstance(value, str):
            raise _wrong(place, f"one of {list(choices)}", value)

    return run


def list_of(check: Check, most: int | None = None) -> Check:
    """A list, each item of which passes a check."""

    def run(value: object, place: str) -> None:
        if not isinstance(value, list):
            raise _wrong(place, "a list", value)
        if most is not None and len(value) > most:
            raise ReceiptError(f"{place} has {len(value)} items; at most {most} fit.")
        for i, item in enumerate(value):
            check(item, f"{place}[{i}]")

    return run


def dict_of(check: Check) -> Check:
    """A dict from strings to what the check wants."""

    def run(value: object, place: str) -> None:
        for key, item in _entries(value, place).items():
            check(item, f"{place}[{key!r}]")

    return run


def record(
    required: Mapping[str, Check], optional: Mapping[str, Check] | None = None
) -> Check:
    """A dict with these keys and no others."""
    known = {**required, **(optional or {})}

    def run(value: object, place: str) -> None:
        entries = _entries(value, place)
        _refuse("lacks", [key for key in required if key not in entries], place)
        _refuse("has unknown", [key for key in entries if key not in known], place)
        for key, item in entries.items():
            known[key](item, f"{place}.{key}")

    return run


def variant(key: str, kinds: Mapping[str, Check]) -> Check:
    """A dict whose entry under `key` selects the check."""
    choice = one_of(*kinds)

    def run(value: object, place: str) -> None:
        entries = _entries(value, place)
        if key not in entries:
            _refuse("lacks", [key], place)
        choice(entries[key], f"{place}.{key}")
        kinds[str(entries[key])](value, place)

    return run


def free(value: object, place: str, depth: int = _DEEPEST) -> None:
    """Anything that JSON holds, not too deep."""
    if depth == 0:
        raise ReceiptError(f"{place} is nested too deeply.")
    if isinstance(value, dict):
        for key, item in _entries(value, place).items():
            free(item, f"{place}[{key!r}]", depth - 1)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            free(item, f"{place}[{i}]", depth - 1)
    elif value is not None:
        label(value, place)


def same(one: object, other: object) -> bool:
    """Equal as data: numbers by value, but True is not 1.

    Examples
    --------
    >>> same([1, "a"], [1.0, "a"]), same([1], [True])
    (True, False)
    """
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def among(value: object, values: Iterable[object]) -> bool:
    """Whether a value is one of several."""
    return any(same(value, other) for other in values)


def _entries(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _wrong(place, "a dict", value)
    for key in value:
        text(key, f"a key of {place}")
    return value


def _refuse(what: str, keys: Sequence[str], place: str) -> None:
    if keys:
        raise ReceiptError(f"{place} {what} {short(keys[:5])}; see docs/receipts.md.")


def _wrong(place: str, expected: str, value: object) -> ReceiptError:
    kind = type(value).__name__
    return ReceiptError(f"{place} must be {expected}; got {short(value)} ({kind}).")


def short(value: object) -> str:
    """A value as it is written, cut where it is long; never an error itself."""
    try:
        written = ascii(value)
    except (RecursionError, ValueError):  # too deep, or too many digits
        return "something"
    return written if len(written) <= 60 else f"{written[:57]}..."
