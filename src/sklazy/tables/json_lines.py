"""JSON: an object per line, or one array of objects; a key names a column."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError
from sklazy.tables.budget import Budget
from sklazy.tables.collecting import CollectedByKey
from sklazy.tables.text import TextFile

_WAY_OUT = (
    "Expected an object in each line, or an array of objects, as "
    "frame.to_json(path, orient='records') writes."
)
_BLANKS = re.compile(r"[ \t\n\r]*")


def read_json(
    source: TextFile, budget: Budget
) -> tuple[NDArray[np.object_], list[str]]:
    """Read the cells of a JSON file, and the keys of all rows, in order of appearance.

    null and absent keys are missing cells.
    """
    start = _skip_blanks(source.text, 0)
    is_array = source.text.startswith("[", start)
    cells = CollectedByKey[str](budget)
    for line, row in _elements(source, start) if is_array else _lines(source):
        cells.add(_checked(source, row, line))
    if not cells.n_rows:
        raise source.error("the file holds no rows.", 1)
    matrix = np.empty((cells.n_rows, len(cells.keys)), object)
    for j, name in enumerate(cells.keys):
        matrix[:, j] = cells.take(name)
    return matrix, cells.keys


def _lines(source: TextFile) -> Iterator[tuple[int, object]]:
    text, place, number = source.text, 0, 0
    while place < len(text):
        end = text.find("\n", place) + 1 or len(text)
        number += 1
        if line := text[place:end].strip(" \t\r\n"):
            row, behind = _decode(source, line, 0, number)
            if behind < len(line):
                message = f"not JSON (Extra data). {_WAY_OUT}"
                raise source.error(message, number, behind + 1)
            yield number, row
        place = end


def _elements(source: TextFile, start: int) -> Iterator[tuple[int, object]]:
    """The elements of an array one by one, without their lines."""
    text, place = source.text, _skip_blanks(source.text, start + 1)
    is_end = text.startswith("]", place)
    place = _skip_blanks(text, place + 1) if is_end else place
    while not is_end:
        row, place = _decode(source, text, place)
        yield 0, row
        place = _skip_blanks(text, place)
        is_end = text.startswith("]", place)
        if not is_end and not text.startswith(",", place):
            raise _not_json(source, "Expecting ',' delimiter", place)
        place = _skip_blanks(text, place + 1)
    if _skip_blanks(text, place) < len(text):
        raise _not_json(source, "Extra data", place)


def _skip_blanks(text: str, place: int) -> int:
    match = _BLANKS.match(text, place)
    return match.end() if match else place


def _not_json(source: TextFile, why: str, place: int) -> BadFileError:
    error = json.JSONDecodeError(why, source.text, place)
    return source.error(f"not JSON ({why}). {_WAY_OUT}", error.lineno, error.colno)


def _decode(
    source: TextFile, text: str, place: int, line: int = 0
) -> tuple[object, int]:
    """The value that starts at a place, and the place behind it."""
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        number = line or error.lineno
        message = f"not JSON ({error.msg}). {_WAY_OUT}"
        raise source.error(message, number, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise source.error(f"not JSON ({error}).", line) from None


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number; write null for a missing cell")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _checked(source: TextFile, row: object, line: int) -> dict[str, object]:
    if not isinstance(row, dict):
        raise source.error("expected an object, from names to cells.", line)
    for name, cell in row.items():
        if isinstance(cell, dict | list):
            raise source.error(
                f"{name!r} holds a {type(cell).__name__}; flatten it, or drop it."
                f"{'' if list in map(type, row.values()) else f' {_WAY_OUT}'}",
                line,
            )
    return row
