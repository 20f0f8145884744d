"""Remarks on columns of text that nearly are something else, and their ways out."""

from collections.abc import Collection, Iterable

from sklazy.tables.amounts import LIMIT
from sklazy.tables.dates import find_dates
from sklazy.tables.finding import DATES, find_reading, is_date_or_amount
from sklazy.tables.limits import find_later_form, is_mark, is_number_or_limit
from sklazy.tables.table import Wish

MOSTLY = 0.9
"""The share of dates or amounts from which on other cells are remarkable."""

_SAMPLE = 1000  # texts that are looked at one by one
_FEWEST_ALIKE = 10  # texts that make a remarkable column

_MOST_WORDS = 3  # words that a message lists
_LONGEST_WORD = 40


def remark_on_words(texts: list[str], forms: Collection[str]) -> str:
    """Remark on labels among which a few may mean "missing"."""
    return remark_on_nearly(texts, forms) or remark_on_marks(texts)


def remark_on_nearly(texts: list[str], forms: Collection[str]) -> str:
    """Remark on texts that are dates, numbers or amounts but for a few."""
    sample = texts[:_SAMPLE]
    if not any(map(is_date_or_amount, sample)):
        return ""  # plain numbers, which are judged where types are
    words = [text for text in sample if not _stands_alone(text, forms)]
    if len(sample) < _FEWEST_ALIKE or len(words) > (1 - MOSTLY) * len(sample):
        return ""
    what = _name_cells([text for text in sample if text not in words], forms)
    if not words:
        return f"nearly all its cells are {what}, but not written alike; correct them"
    return (
        f"nearly all its cells are {what}, but not {list_words(words)}; correct it; "
        f"{if_missing(words)}"
    )


def _stands_alone(text: str, forms: Collection[str]) -> bool:
    """Whether a text alone is a date, a number, an amount, a limit or a mark."""
    if is_number_or_limit(text):
        return True
    return is_date_or_amount(text) or find_later_form([text], forms) is not None


def _name_cells(texts: Collection[str], forms: Collection[str]) -> str:
    """The name of most of the texts: dates, numbers, or amounts of a unit."""
    n_dates = sum(find_dates([text], None)[0] is not None for text in texts)
    if 2 * n_dates > len(texts):
        return "dates"
    plain = [
        find_later_form([text], forms) or is_number_or_limit(text) for text in texts
    ]
    return "numbers" if 2 * sum(map(bool, plain)) > len(texts) else "amounts"


def list_odd(
    texts: Iterable[str], wish: Wish | None, forms: Collection[str]
) -> list[str]:
    """The texts that are, alone, not of a kind that was asked for."""
    return [text for text in texts if not _fits_alone(text, wish, forms)]


def _fits_alone(text: str, wish: Wish | None, forms: Collection[str]) -> bool:
    if is_mark(text):
        return True
    if wish not in DATES:
        limit = LIMIT.fullmatch(text)
        text = limit["rest"] if limit else text
    reading, note = find_reading([text], wish, forms)
    return reading is not None or bool(note)


def list_words(words: Collection[str]) -> str:
    """Some words in quotes, for a message.

    Examples
    --------
    >>> list_words(["b", "a"]), list_words("abcde")
    ("'a' and 'b'", "'a', 'b' and 3 more")
    """
    shown = [repr(word[:_LONGEST_WORD]) for word in sorted(words)]
    if len(shown) > _MOST_WORDS:
        return f"{', '.join(shown[:2])} and {len(shown) - 2} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def if_missing(words: Collection[str]) -> str:
    """The way out for words that may mean "missing"."""
    named = sorted(words)[:_MOST_WORDS]
    them = "it means missing, replace it"
    if len(words) > 1:
        them = "they mean missing, replace them"
    return f"if {them} by None, or read the file with missing={named!r}"


def remark_on_marks(texts: list[str]) -> str:
    """Remark on dashes and dots among labels, which may mean "missing"."""
    marks = [t for t in texts if is_mark(t) and not any(map(str.isalnum, t))]
    are_words = all(
        any(map(str.isalnum, text)) for text in set(texts).difference(marks)
    )
    if not marks or not are_words or len(marks) == len(texts):
        return ""
    mark = repr(marks[0])
    return f"{mark} is a label here; {if_missing(marks[:1])}"
