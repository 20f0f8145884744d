"""Receipts that name rows, in files of JSON."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from sklazy.casebase.rows import Ids

Plain = dict[str, Any]

_BEGIN = re.compile(r"[\[{]")


def find_receipts(files: Iterable[Path], names: Ids) -> Iterator[dict[str, str]]:
    """Find receipts that name one of some rows; other files are passed over.

    A file has one receipt, a list of them, one a line, or an answer of a server with
    receipts in it.
    """
    wanted = set(names.tolist())
    for file in files:
        for one in _read_receipts(file):
            if _names_any(one, wanted):
                yield {"name": str(file), "seal": str(one.get("seal"))}


def _read_receipts(file: Path) -> list[Plain]:
    try:
        text = file.read_text("utf-8")
        return [one for content in _parse(text) for one in _receipts_in(content)]
    except (ValueError, RecursionError, FileNotFoundError):
        return []


def _parse(text: str) -> Iterator[object]:
    """Read JSON: one part, or several one after the other; the rest is passed over."""
    decoder, place = json.JSONDecoder(), 0
    while begin := _BEGIN.search(text, place):
        try:
            content, place = decoder.raw_decode(text, begin.start())
            yield content
        except ValueError:
            place = text.find("\n", begin.start()) + 1 or len(text)


def _receipts_in(content: object) -> Iterator[Plain]:
    if isinstance(content, dict):
        if str(content.get("schema")).startswith("sklazy-receipt/"):
            yield content
            return
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            yield from _receipts_in(item)


def _names_any(content: object, names: Collection[int | str]) -> bool:
    """Whether any part of a receipt has one of some ids."""
    if isinstance(content, list):
        return any(_names_any(item, names) for item in content)
    if not isinstance(content, dict):
        return False
    one = content.get("id")
    is_id = isinstance(one, int | str) and not isinstance(one, bool) and one in names
    return is_id or any(_names_any(item, names) for item in content.values())
