"""Plain data in words: numbers, labels and lists as people read them.

Names and labels come from the user's data and may hold anything. `visible` makes
them safe to show on one line: what would move the cursor, reverse the direction of
the text or break the line is spelled out.
"""

import datetime
import re
import unicodedata
from collections.abc import Iterable, Sequence

# Control characters, line separators, directional marks, overrides and isolates,
# invisible blanks, and halves of surrogate pairs (which no file can hold).
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ud800-\udfff]"
)
_LONGEST = 160


def visible(text: str) -> str:
    r"""Spell out the characters that cannot be seen or that disturb their surroundings.

    Examples
    --------
    >>> visible("a\nb"), visible("caf\u00e9"), visible("\u202egnp.exe")
    ('a\\nb', 'caf\xe9', '\\u202egnp.exe')
    """
    return _INVISIBLE.sub(lambda match: ascii(match[0])[1:-1], text)


class Day(float):
    """A number of days since 1970-01-01, shown as a date."""


def format_day(days: float) -> str:
    """The date that is `days` after 1970-01-01, and the time of day if there is one.

    Examples
    --------
    >>> format_day(19845.0), format_day(19845.5), format_day(1e9)
    ('2024-05-02', '2024-05-02 12:00', '1e+09')
    """
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(days=days)
    except OverflowError:  # no calendar goes that far
        return f"{days:.6g}"
    text = moment.isoformat(" ", "seconds")
    return text.removesuffix(":00").removesuffix(" 00:00")


def format_value(value: object) -> str:
    """One value of the user's, as short as it can be on one line.

    Examples
    --------
    >>> [format_value(value) for value in ("red", 2.0, 0.1 + 0.2, None, True, "")]
    ['red', '2', '0.3', 'missing', 'True', "''"]
    """
    if value is None:
        return "missing"
    if isinstance(value, Day):
        return format_day(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return shorten(visible(str(value)), _LONGEST) or "''"


def format_class(label: object) -> str:
    """A class in a sentence; one that might be taken for a number is called a class.

    Examples
    --------
    >>> format_class("red"), format_class(2), format_class("2"), format_class(True)
    ('red', 'class 2', 'class 2', 'class True')
    """
    word = format_value(label)
    return (
        word if isinstance(label, str) and not word[:1].isdigit() else f"class {word}"
    )


def shorten(text: str, width: int) -> str:
    """Take the middle out of a text that is too wide.

    Examples
    --------
    >>> shorten("alcohol", 20), shorten("total_sulfur_dioxide", 11)
    ('alcohol', 'total…oxide')
    """
    if wide(text) <= width:
        return text
    tail = max(0, (width - 1) // 2)
    head = max(0, width - 1 - tail)
    return _front(text, head) + "…" + _front(text[::-1], tail)[::-1]


def _front(text: str, width: int) -> str:
    """As many characters from the front as fit."""
    taken = 0
    for i, character in enumerate(text):
        taken += wide(character)
        if taken > width:
            return text[:i]
    return text


def wide(text: str) -> int:
    """How many columns of a terminal a text takes.

    Examples
    --------
    >>> wide("hue"), wide("色相")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def format_fixed(number: float | None, digits: int = 3) -> str:
    """A figure with a fixed number of decimals, a dash where there is none.

    Examples
    --------
    >>> format_fixed(0.25), format_fixed(None), format_fixed(-0.0001)
    ('0.250', '-', '0.000')
    """
    if number is None:
        return "-"
    text = f"{number:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def format_number(number: float | None, digits: int = 4) -> str:
    """A number with `digits` digits, a dash where there is none.

    Examples
    --------
    >>> format_number(0.123456), format_number(12345.678), format_number(None)
    ('0.1235', '12346', '-')
    """
    if number is None:
        return "-"
    if isinstance(number, Day):
        return format_day(number)
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e7 else f"{number:.{digits}g}"


def format_percent(share: float | None) -> str:
    """A share in percent, a dash where there is none.

    Examples
    --------
    >>> format_percent(0.25), format_percent(0.98765), format_percent(None)
    ('25 %', '98.8 %', '-')
    """
    return "-" if share is None else f"{100 * share:.3g} %"


def format_probability(probability: float) -> str:
    """A probability with three decimals; only what is certain is 1.000 or 0.000.

    Examples
    --------
    >>> [format_probability(p) for p in (0.25, 0.99951, 1.0, 1e-9)]
    ['0.250', '>0.999', '1.000', '<0.001']
    """
    if 0.9995 <= probability < 1.0:
        return ">0.999"
    return "<0.001" if 0.0 < probability < 0.0005 else format_fixed(probability)


def join(words: Iterable[str], most: int = 4) -> str:
    """Words as a list in a sentence, at most `most` of them.

    Examples
    --------
    >>> join(["hue", "ash"]), join("abcdef", most=3)
    ('hue and ash', 'a, b and 4 more')
    """
    words = list(words)
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def pluralize(n: float, noun: str, plural: str = "") -> str:
    """A number of things.

    Examples
    --------
    >>> pluralize(1, "case"), pluralize(3, "case"), pluralize(2.5, "vote")
    ('1 case', '3 cases', '2.5 votes')
    """
    count = str(n) if isinstance(n, int) else f"{n:g}"
    return f"{count} {noun if n == 1 else plural or noun + 's'}"


def count_more(n: int, nouns: str) -> str:
    """How many more things there are, from their plural.

    Examples
    --------
    >>> count_more(2, "rows"), count_more(1, "rows"), count_more(1, "missing classes")
    ('2 more rows', '1 more row', '1 more missing class')
    >>> count_more(1, "features that add nothing")
    '1 more feature that adds nothing'
    """
    if n != 1:
        return f"{n} more {nouns}"
    noun, of, rest = re.split("( of | that |$)", nouns, maxsplit=1)
    one = noun[:-2] if noun.endswith("classes") else noun.removesuffix("s")
    return f"1 more {one}{of}{re.sub(r'^add ', 'adds ', rest)}"


def ordinal(n: int) -> str:
    """The place of a thing in a row.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 5, 11, 22)]
    ['1st', '2nd', '3rd', '5th', '11th', '22nd']
    """
    endings: Sequence[str] = ("th", "st", "nd", "rd", *["th"] * 6)
    return f"{n}{'th' if n % 100 in (11, 12, 13) else endings[n % 10]}"
