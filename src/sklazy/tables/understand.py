"""Read columns of text as dates, amounts, yes and no, or nothing to learn from.

A column of strings is understood as a whole and from its distinct cells alone, so that
neither the order of rows nor how often a cell occurs matters (but for columns set
aside, whose cells are nearly all different). The result is a `Reading`; remarks
about it go to the notes. Declared categories are left as they are.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError, warn_once
from sklazy.tables.amounts import FORMS, LIMIT, find_amounts, read_amount
from sklazy.tables.dates import find_dates, read_moment
from sklazy.tables.finding import DATES, WORDS, find_reading, name_of
from sklazy.tables.labels import to_nominal, with_labels
from sklazy.tables.limits import (
    HALF,
    WHOLE,
    describe_limits,
    find_later_form,
    find_limited,
    is_mark,
    is_number_or_limit,
    write_numbers,
)
from sklazy.tables.naming import names_rows
from sklazy.tables.numbers import to_numeric
from sklazy.tables.reading import CALENDAR, Reading
from sklazy.tables.remarks import (
    if_missing,
    list_odd,
    remark_on_words,
)
from sklazy.tables.table import Column, Label, Table, Wish
from sklazy.tables.text import parse_numbers
from sklazy.tables.thousands import (
    WHICH,
    are_groups,
    are_thousands_or_decimals,
    find_thousands,
    has_fractions,
)

WAY_OUT = (
    "Set the kind of a column with categorical_features, as in "
    "categorical_features={'name': 'nominal'}."
)
"""The way out of what was understood wrongly, for estimators and tables."""

FILE_WAY_OUT = "Set the kind of a column with kinds, as in kinds={'name': 'nominal'}."
"""The way out for files."""

_MOST_IN_LINE = 2  # remarks; of more each has its own


def check_wishes(kinds: Mapping[str, Wish], names: Collection[str]) -> None:
    """Refuse unknown columns, and words that are not a kind."""
    for name, wish in kinds.items():
        if name not in names or wish not in get_args(Wish):
            raise BadInputError(
                f"categorical_features={dict(kinds)!r} or kinds: {name!r} is to be "
                f"{wish!r}; expected names among {list(names)} and one of "
                f"{', '.join(get_args(Wish))}."
            )


def understand_table(
    table: Table,
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str] = FORMS,
    *,
    is_text: bool = False,
) -> Table:
    """Return the table with every column read by `understand_column`.

    It may be of a file of text, see `settle_thousands`.
    """
    table = settle_thousands(table, wishes, notes, forms, is_text=is_text)
    columns = [understand_column(c, wishes.get(c.name), notes, forms) for c in table]
    return Table(tuple(columns), table.n_rows, table.named)


def settle_thousands(
    table: Table,
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str],
    *,
    is_text: bool = False,
) -> Table:
    """Return the table with points read as thousands where other columns settle it.

    In a file of text (`is_text`) those that no column settles are plain numbers, and
    columns of fractions have decimal points.
    """
    labels = [c for c in table if c.kind == "nominal" and not c.declared]
    cells = {c.name: list_texts(c) for c in labels if c.reading is None}
    has_points = is_text and any(map(has_fractions, table))
    found = (
        {}
        if has_points
        else find_thousands(cells, [c.reading for c in table], wishes, forms)
    )
    columns = []
    for column in table:
        reading, texts = found.get(column.name), cells.get(column.name, [])
        if reading is not None:
            column = read_thousands(column, reading, texts, notes)
        elif is_text and column.name not in wishes and _are_plain(texts):
            numbers = parse_numbers(
                [None if c is None else str(c) for c in column.cells()]
            )
            column = Column(column.name, "numeric", numbers)
        columns.append(column)
    return Table(tuple(columns), table.n_rows, table.named)


def _are_plain(texts: list[str]) -> bool:
    """Whether texts are thousands or decimals, with one point each at most."""
    is_open = are_groups(texts) and are_thousands_or_decimals(texts)
    return is_open and all(text.count(".") < 2 for text in texts)


def read_thousands(
    column: Column, reading: Reading, texts: Collection[str], notes: list[str]
) -> Column:
    """The column of labels as numbers whose points separate thousands, with a note."""
    example = min(text for text in texts if text[0].isdigit() and "." in text)
    notes.append(
        f"{column.name!r}: {describe_reading(reading)}{describe_limits(texts, reading)}"
        f", so {example!r} has thousands, since other columns have decimal commas "
        "('decimal-point' if not)"
    )
    return read_labels(column, reading)


def remark_on_numbers(table: Table, wishes: Mapping[str, Wish]) -> list[str]:
    """Remarks on labels of a frame that write numbers, which may be meant as such."""
    labels = [c for c in table if c.kind == "nominal" and not c.declared]
    meant = [c for c in labels if c.name not in wishes and write_numbers(list_texts(c))]
    return [f"{c.name!r}: {_way_to_numbers(c)}" for c in meant]


def _way_to_numbers(column: Column) -> str:
    """Remark on labels that write numbers: how they become some."""
    if are_thousands_or_decimals(list_texts(column)):
        return WHICH
    return (
        "text that writes numbers, and not taken as numbers; if they are, "
        f"categorical_features={{{column.name!r}: 'numeric'}} or pandas.to_numeric"
    )


def warn_of_notes(notes: Collection[str], where: str, way_out: str = WAY_OUT) -> None:
    """Warn once of all that was found out about the columns of a table."""
    if notes:
        remarks = [note.rstrip(".") for note in notes]
        text = f" {'; '.join(remarks)}. "
        if len(remarks) > _MOST_IN_LINE:
            text = "\n  " + "\n  ".join(remarks) + "\n"
        warn_once(f"{where}:{text}{way_out}")


def is_amounts(column: Column, decimal: str) -> bool:
    """Whether all labels are amounts, in one way only, or limits among them."""
    texts, forms = list_texts(column), forms_of(decimal)
    has_limits = find_limited(texts, forms, HALF, asked=True) is not None
    if any(map(LIMIT.fullmatch, texts)) and not all(map(is_number_or_limit, texts)):
        has_limits |= find_later_form(texts, forms) is not None  # limits alone
    return has_limits or find_amounts(texts, forms, plain=True)[0] is not None


def forms_of(decimal: str) -> tuple[str, ...]:
    """Forms of amounts that are allowed with the given decimal mark."""
    return FORMS if decimal == "." else ("decimal-comma",)


def are_dates(column: Column) -> bool:
    """Whether all labels are dates, in one way only."""
    texts = list_texts(column)
    return bool(texts) and find_dates(texts, None)[0] is not None


def understand_column(
    column: Column, wish: Wish | None, notes: list[str], forms: Collection[str] = FORMS
) -> Column:
    """Return the column as dates, amounts, ...; a plain one as it is.

    The user may have given its kind, `wish`. Remarks about it go to the notes. Amounts
    may be written in these forms.
    """
    if (plain := _take_at_word(column, wish)) is not None:
        return plain
    texts = [] if column.declared and wish is None else list_texts(column)
    reading, note = find_reading(texts, wish, forms)
    limits = ""
    if reading is None:
        reading, limits = find_limits(column, texts, wish, forms)
    elif reading.style not in ("amount", "yes-no"):
        limits = describe_limits(texts, reading)
    note = note or ("" if reading or wish else remark_on_words(texts, forms))
    if reading is not None:
        column, note = read_labels(column, reading), describe_reading(reading) + limits
    elif wish is not None:
        _check_wish(column, wish, note, forms)
    elif texts and not note and names_rows(column):
        column, note = replace(column, reading=Reading("aside")), _why_aside(column)
    if note and wish is None:
        notes.append(f"{column.name!r}: {note}")
    return _note_limits(column, forms) if wish == WHOLE else column


def _note_limits(column: Column, forms: Collection[str]) -> Column:
    """The column with the way to read limits of later rows: as such."""
    reading = column.reading or Reading("amount", next(iter(forms)))
    if reading.style != "amount" or reading.form.endswith(WHOLE):
        return column
    return replace(column, reading=replace(reading, form=f"{reading.form}, {WHOLE}"))


def _take_at_word(column: Column, wish: Wish | None) -> Column | None:
    """The column as the user wants it, where its cells need not be looked at."""
    if wish in ("ignore", "nominal"):
        aside = wish == "ignore"
        column = column if aside else to_nominal(column)
        return replace(column, reading=Reading("aside") if aside else None)
    if wish == "numeric" and not _has_words(column):
        return to_numeric(column)
    if wish in DATES and column.reading is None and column.missing.all():
        return adopt_reading(
            column, Reading("date", "" if wish == "date" else str(wish))
        )
    return None


def _has_words(column: Column) -> bool:
    return any(isinstance(label, str) for label in column.categories)


def list_texts(column: Column) -> list[str]:
    """The distinct cells that occur, if all are strings."""
    labels = column.used_labels()
    texts = [label.strip() for label in labels if isinstance(label, str)]
    return texts if len(texts) == len(labels) else []


def _texts_beside_numbers(column: Column) -> list[str]:
    """The distinct cells as texts, if some are strings and the others numbers."""
    labels = column.used_labels()
    has_bools = any(isinstance(label, bool) for label in labels)
    if column.declared or has_bools or not _has_words(column):
        return []
    return [
        label.strip() if isinstance(label, str) else repr(label) for label in labels
    ]


def find_limits(
    column: Column, texts: list[str], wish: Wish | None, forms: Collection[str]
) -> tuple[Reading | None, str]:
    """The reading of a column of numbers, limits and marks, and a remark on them."""
    texts = texts or _texts_beside_numbers(column)
    if not texts or not (wish in (None, "numeric", WHOLE) or wish in FORMS):
        return None, ""
    allowed = forms if wish not in FORMS else (str(wish),)
    taking = WHOLE if wish == WHOLE else HALF
    reading = find_limited(texts, allowed, taking, asked=wish is not None)
    return reading, describe_limits(texts, reading) if reading else ""


def _check_wish(column: Column, wish: Wish, note: str, forms: Collection[str]) -> None:
    """Refuse a column that is not of the kind that the user gave."""
    style = column.reading.style if column.reading else None
    is_fine = style in CALENDAR if wish in DATES else column.kind == "numeric"
    if is_fine or column.missing.all():
        return
    allowed = forms if wish not in FORMS else (str(wish),)
    texts = list_texts(column) or _texts_beside_numbers(column)
    odd = list_odd(texts, wish, allowed)
    if 0 < len(odd) < len(texts):
        row = next(i for i, c in enumerate(column.cells()) if str(c).strip() in odd)
        raise BadTypeError(
            f"column {column.name!r} cannot be read as {wish!r}: row {row} (counted "
            f"from 0) holds {column.cells()[row]!r}{note and f' ({note})'}. Write a "
            f"{'date' if wish in DATES else 'number'} there; {if_missing(odd)}."
        )
    raise BadTypeError(
        f"column {column.name!r} cannot be read as {wish!r}; it has cells such as "
        f"{_examples(column)}{note and f' ({note})'}. Fix them, or choose 'nominal'."
    )


def _examples(column: Column) -> str:
    known = [cell for cell in column.cells() if cell is not None]
    return ", ".join(map(repr, known[:2]))


def _why_aside(column: Column) -> str:
    n_distinct, n_known = len(column.used_labels()), (~column.missing).sum()
    return (
        f"set aside, since {n_distinct} of its {n_known} cells differ: an id or free "
        "text ('nominal' keeps it)"
    )


def describe_reading(reading: Reading) -> str:
    """How a column is understood, in words.

    Examples
    --------
    >>> describe_reading(Reading("amount", "decimal-point", "kg"))
    "numbers of 'kg' (decimal-point)"
    """
    if reading.style == "yes-no":
        return f"spellings of {' and '.join(reading.form.split())} are taken as one"
    if reading.style != "amount":
        details = [reading.form, "in UTC" if reading.unit else ""]
        shown = ", ".join(filter(None, details))
        return f"{reading.style} ({shown})" if shown else reading.style
    unit = f" of {reading.unit!r}" if reading.unit else ""
    return f"numbers{unit} ({reading.form.partition(',')[0]})"


# --- labels to readings ---------------------------------------------------------------


def read_labels(column: Column, reading: Reading) -> Column:
    """Apply a reading to a nominal column; a cell that does not fit is refused.

    A number is an amount of the unit, and no date; a bool is neither.
    """
    if reading.style == "yes-no":
        return _folded(column, reading)
    values: list[float] = []
    for label in column.categories:
        value = _value_of(label, reading)
        if value is None and np.any(column.data == len(values)):
            raise unreadable_cell(column, column.data == len(values), label, reading)
        values.append(np.nan if value is None else value)
    # The two last entries are reached by the codes -2 and -1.
    data = np.array([*values, np.nan, np.nan])[column.data]
    return Column(column.name, "numeric", data, reading=reading)


def _value_of(label: Label, reading: Reading) -> float | None:
    """The number that a label stands for, or None."""
    is_amount = reading.style == "amount"
    if isinstance(label, str) and is_mark(label.strip()):
        return np.nan
    if isinstance(label, str):
        return (read_amount if is_amount else read_moment)(label.strip(), reading)
    return float(label) if is_amount and not isinstance(label, bool) else None


def unreadable_cell(
    column: Column, rows: NDArray[np.bool_], cell: Label, reading: Reading
) -> BadTypeError:
    """The error for a cell of these rows that a reading does not fit."""
    return BadTypeError(
        f"column {column.name!r} is read as {describe_reading(reading)}, but row "
        f"{int(rows.argmax())} (counted from 0) holds {cell!r}. Write it the same way, "
        "or leave it missing (None)."
    )


def _folded(column: Column, reading: Reading) -> Column:
    """The labels with one spelling for yes and one for no; others as they are."""
    words = next(words for words in WORDS if name_of(words) == reading.form)
    labels = [
        words.get(c.strip().casefold(), c) if isinstance(c, str) else c
        for c in column.categories
    ]
    return replace(with_labels(column, labels), reading=reading)


def adopt_reading(column: Column, reading: Reading | None) -> Column:
    """The column with the reading that it has already, or which no cell contradicts."""
    are_words = reading is None or reading.style in ("aside", "yes-no")
    if are_words or column.kind == "numeric":
        return replace(column, reading=reading)
    return Column(column.name, "numeric", np.full(len(column), np.nan), reading=reading)
