"""JSON: an object per line, or one array of objects; a key names a column."""

import json
from collections.abc import Iterator

from sklazy.tables.text import Source


def read_json(source: Source) -> list[dict[str, object]]:
    """Read the rows of a JSON file; null and absent keys are missing cells."""
    if source.text.lstrip()[:1] == "[":
        rows = _parsed(source, source.text, 0)
        numbered = [(0, row) for row in rows] if isinstance(rows, list) else []
    else:
        numbered = list(_lines(source))
    if not numbered:
        raise source.error("the file holds no rows.", 1)
    return [_row(source, row, line) for line, row in numbered]


def _lines(source: Source) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(source.text.split("\n"), 1):
        if line.strip():
            yield number, _parsed(source, line, number)


def _parsed(source: Source, text: str, line: int) -> object:
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        place = line or error.lineno
        raise source.error(f"not JSON ({error.msg}).", place, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise source.error(f"not JSON ({error}).", line) from None


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is no number; write null where it is missing")


def _row(source: Source, row: object, line: int) -> dict[str, object]:
    if not isinstance(row, dict):
        raise source.error("expected an object, from names to cells.", line)
    for name, cell in row.items():
        if isinstance(cell, dict | list):
            raise source.error(
                f"{name!r} holds a {type(cell).__name__}; flatten it, or drop it.", line
            )
    return row


def names_of(rows: list[dict[str, object]]) -> list[str]:
    """The keys of all rows, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))
