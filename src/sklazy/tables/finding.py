"""Find the reading of texts alone: dates, amounts, or words for yes and no."""

from collections.abc import Collection

from sklazy.tables.amounts import FORMS, find_amounts
from sklazy.tables.dates import find_dates
from sklazy.tables.limits import WHOLE, without_marks
from sklazy.tables.reading import Reading
from sklazy.tables.table import Wish

DATES = ("date", "day-first", "month-first")
WORDS: tuple[dict[str, str], ...] = (
    {"yes": "yes", "y": "yes", "no": "no", "n": "no"},
    {"true": "true", "t": "true", "false": "false", "f": "false"},
    {"ja": "ja", "j": "ja", "nein": "nein", "n": "nein"},
    {"on": "on", "off": "off"},
)


def is_date_or_amount(text: str) -> bool:
    """Whether a text alone is a date, a time or an amount rather than a word."""
    reading, note = find_reading([text.strip()], None, FORMS)
    return reading is not None or bool(note)


def find_reading(
    texts: list[str], wish: Wish | None, forms: Collection[str]
) -> tuple[Reading | None, str]:
    """The reading of all texts, and what to decide where several are possible."""
    if not texts:
        return None, ""
    candidates: list[tuple[Reading | None, str]] = []
    if wish is None or wish in DATES:
        candidates.append(find_dates(without_marks(texts), wish))
    if wish in (None, "numeric", WHOLE) or wish in FORMS:
        allowed = forms if wish not in FORMS else (str(wish),)
        candidates.append(find_amounts(texts, allowed, plain=wish is not None))
    if wish is None:
        candidates.append((_find_words(texts), ""))
    notes = [note for _, note in candidates if note]
    reading = next((r for r, _ in candidates if r is not None), None)
    return reading, "".join(notes[:1])


def _find_words(texts: list[str]) -> Reading | None:
    """The words for yes and no that all texts are, if some differ in spelling only."""
    for words in WORDS:
        meant = {words.get(text.casefold()) for text in texts}
        if None not in meant and len(meant) == 2 < len(texts):
            return Reading("yes-no", name_of(words))
    return None


def name_of(words: dict[str, str]) -> str:
    """The form of a reading of these words for yes and no."""
    return " ".join(dict.fromkeys(words.values()))
