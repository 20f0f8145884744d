"""Infer whether a column of text is numbers or labels, and when to warn about it.

A column is numeric if all its known cells write numbers in decimal, unless it looks
like an id or a code. It is then nominal, with a `DataWarning`, if

* a number has a leading zero (007, 02134),
* an integer is beyond 2^53, where float64 rounds, or
* its name has "id" for a word (id, row_id, customerID) and its cells are integers.

A column that is nearly all numbers is nominal, with a warning, too. An all-missing
column is numeric. Cells that are not plain numbers may still be dates or amounts:
`understand` finds out.
"""

import re
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.tables.labels import encode
from sklazy.tables.limits import HALF, describe_limits, read_limited
from sklazy.tables.reading import Reading
from sklazy.tables.remarks import if_missing, list_odd, list_words
from sklazy.tables.slices import distinct
from sklazy.tables.table import Column, Kind, Wish
from sklazy.tables.text import (
    BadCellError,
    all_numbers,
    is_infinite,
    is_long_integer,
    is_number,
    parse_numbers,
    shown,
)
from sklazy.tables.thousands import are_groups
from sklazy.tables.understand import forms_of, is_amounts

MOSTLY = 0.9
"""The share of numbers from which on a nominal column is remarkable."""

_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_ID_NAME = re.compile(r"(?:^|[\W_])(?i:id)(?:$|[\W_])|[a-z]I[dD]$")
_LIKE_NUMBER = re.compile(r"[<>≤≥]?=?\s*[-+]?[0-9.,]*[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?")
_SWAP = str.maketrans(".,", ",.")

Cells = Sequence[str | None]


def text_column(
    name: str,
    cells: Cells,
    kind: Wish | None,
    notes: list[str],
    decimal: str = ".",
    *,
    keep_groups: bool = False,
) -> Column:
    """Make a column of texts; what is remarkable about it goes to the notes.

    What is to be anything but plain numbers becomes a column of labels; so do numbers
    whose points may separate thousands, if they are to be kept (`settle_thousands`).
    """
    is_open = keep_groups and kind is None and decimal == "."
    numbers = cells
    if decimal == ",":
        numbers = [cell and with_point(cell, decimal) for cell in cells]
    if kind is None:
        kind, note = infer_kind(name, [cell for cell in numbers if cell is not None])
        if note:
            notes.append(f"column {name!r} is taken as {kind}: {note}")
    if kind != "numeric" or (is_open and _have_groups(cells)):
        return encode(name, cells)
    try:
        return Column(name, "numeric", parse_numbers(numbers))
    except BadCellError:
        labels = encode(name, cells)
        if is_amounts(labels, decimal):
            return labels
        try:
            return Column(name, "numeric", _parse_marked(name, numbers, notes))
        except BadCellError as error:
            raise _explain_bad(error, name, cells, forms_of(decimal)) from None


def _have_groups(cells: Cells) -> bool:
    """Whether all numbers may be thousands with points, and one has some."""
    texts = [text for text in distinct(cells) if text is not None]
    return are_groups(texts) and any("." in text for text in texts)


def _parse_marked(name: str, cells: Cells, notes: list[str]) -> NDArray[np.float64]:
    """Numbers; limits are halved and marks such as a dash missing, with a note."""
    limits = {t: n for t in distinct(cells) if t and (n := read_limited(t)) is not None}
    plain = [None if cell in limits else cell for cell in cells]
    values = parse_numbers(plain)
    for row in (row for row, cell in enumerate(cells) if cell in limits):
        values[row] = limits[str(cells[row])]
    remark = describe_limits(limits, Reading("amount", HALF)).removeprefix(", ")
    notes.append(f"column {name!r}: {remark}.")
    return values


def _explain_bad(
    error: BadCellError, name: str, cells: Cells, forms: Collection[str]
) -> BadCellError:
    """The error for the first cell that is no number in any form, with a way out.

    Where there is none, the cells are numbers in more than one form or unit.
    """
    text = str(cells[error.index])
    if is_infinite(text) or is_number(text):
        return error
    words = set(list_odd(distinct(cell for cell in cells if cell), "numeric", forms))
    if not words:
        why = f"{shown(text)} is not written like the other numbers of the column"
        choice = "If the comma is a decimal mark, read the file with decimal=','"
        kind = f"kinds={{{name!r}: 'decimal-comma'}}"
        way_out = f"{choice}, or choose {kind}" if "," in text else "Write them alike"
        return BadCellError(error.index, f"{why}. {way_out}")
    first = next(index for index, cell in enumerate(cells) if cell in words)
    word = str(cells[first])
    return BadCellError(
        first, f"{shown(word)} is not a number; correct it; {if_missing([word])}"
    )


def with_point(text: str, decimal: str) -> str:
    """A number with a point for its decimal mark; another point is then none.

    Examples
    --------
    >>> with_point("1,5", ","), with_point("1.5", ","), with_point("n.v.t.", ",")
    ('1.5', '1,5', 'n.v.t.')
    """
    is_word = decimal == "." or not _LIKE_NUMBER.fullmatch(text)
    return text if is_word else text.translate(_SWAP)


def infer_kind(name: str, texts: Sequence[str]) -> tuple[Kind, str]:
    """The kind of a column with these known cells, and a remark about it.

    Examples
    --------
    >>> infer_kind("height", ["1.8", "2"])
    ('numeric', '')
    >>> infer_kind("zip", ["02134", "10001"])[0]
    'nominal'
    """
    known = distinct(texts)
    if not all_numbers(known):
        return _infer_kind_of_words(known, texts)
    note = code_like(known) or id_like(name, known)
    if not note:
        return "numeric", ""
    return "nominal", explain_labels(name, note)


def explain_labels(name: str, why: str) -> str:
    """Remark on numbers that are taken as labels."""
    return f"{why}. Pass numeric=[{name!r}] if it is a number."


def code_like(texts: Collection[str]) -> str:
    """Why numbers are codes, if they are."""
    led = min((text for text in texts if _LEADING_ZERO.match(text)), default=None)
    if led is not None:
        return f"{shown(led)} has a leading zero, as codes have"
    long = min((text for text in texts if is_long_integer(text)), default=None)
    return "" if long is None else f"{shown(long)} is beyond 2^53 and would lose digits"


def has_id_name(name: str) -> bool:
    """Whether a column is named like an id.

    Examples
    --------
    >>> has_id_name("customerID"), has_id_name("humidity")
    (True, False)
    """
    return _ID_NAME.search(name) is not None


def id_like(name: str, texts: Collection[str]) -> str:
    """Why numbers are ids, if they are."""
    if texts and has_id_name(name) and all(_INTEGER.fullmatch(text) for text in texts):
        return "it is named like an id and its cells are integers"
    return ""


def _infer_kind_of_words(
    known: Collection[str], texts: Sequence[str]
) -> tuple[Kind, str]:
    words = {text for text in known if not is_number(text)}
    if all(map(is_infinite, words)):
        return "numeric", ""  # and refused as such, with its place
    n_words = sum(text in words for text in texts)
    if 1 - n_words / len(texts) < MOSTLY:
        return "nominal", ""
    return "nominal", (
        f"all but {n_words} of its {len(texts)} cells are numbers, but not "
        f"{list_words(words)}; correct it; {if_missing(words)}."
    )
