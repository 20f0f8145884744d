"""Tools of both text readers: bytes to text, places in it, strict numbers."""

import codecs
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError, BadInputError
from sklazy.tables.budget import Budget
from sklazy.tables.labels import EXACT
from sklazy.tables.slices import slices

NUL_FOUND = (
    "it has a NUL character, so it is no text file, or one in another encoding (try "
    "encoding='utf-16')."
)
"""The error for a file that cannot be text."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_STEP = 2**20
_EXACT_DIGITS = len(str(EXACT))
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NOT_FINITE = "is not finite; write a number there, or leave the cell empty"
_DIGITS = "0123456789+-.eE"


@dataclass(frozen=True)
class TextFile:
    """A text and where it came from."""

    path: str
    text: str

    def error(self, message: str, line: int = 0, column: int = 0) -> BadFileError:
        """The error for a place of the text; lines and columns count from 1."""
        return BadFileError(message, self.path, line, column)


def read_file_bytes(path: str, budget: Budget) -> bytearray:
    """The bytes of a file, or of standard input if the path is a dash."""
    if path == "-":
        return drain(sys.stdin.buffer, budget)
    with open(path, "rb") as file:
        budget.check_bytes(os.fstat(file.fileno()).st_size)
        return drain(file, budget)


def drain(stream: IO[bytes], budget: Budget) -> bytearray:
    """The bytes of an open file."""
    raw = bytearray()
    while piece := stream.read(_STEP):
        raw += piece
        budget.check_bytes(len(raw))
    return raw


def as_text(name: str, raw: bytearray, encoding: str, budget: Budget) -> TextFile:
    """The text of a file, plain or gzip (by its first bytes, not by its name)."""
    source = TextFile(name, _decoded(name, unpacked(name, raw, budget), encoding))
    position = source.text.find("\0")
    if position >= 0:
        raise source.error(NUL_FOUND, *_place(source.text[:position]))
    return source


def unpacked(name: str, raw: bytearray, budget: Budget) -> bytearray:
    """The bytes of a file, unpacked if they are gzip."""
    if raw[:2] != b"\x1f\x8b":
        return raw
    data = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            while piece := stream.read(_STEP):
                data += piece
                budget.check_unpacked(len(data), len(raw))
    except (OSError, EOFError, zlib.error) as error:
        raise BadFileError(
            f"a damaged gzip file ({error}); restore it from a copy.", name
        ) from None
    return data


def _decoded(name: str, raw: bytearray, encoding: str) -> str:
    try:
        codecs.lookup(encoding)
        text = raw.decode(encoding)
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        before = raw[:start].decode("latin-1")
        likely = "utf-16" if raw.startswith(_UTF_16) else _guess_encoding(raw)
        raise BadFileError(
            f"not {encoding} text ({getattr(error, 'reason', error)}); save it as "
            f"UTF-8 or name its encoding, for example encoding={likely!r}.",
            name,
            *_place(before),
        ) from None
    except (LookupError, TypeError, ValueError):
        raise unknown_encoding(encoding) from None
    return text.removeprefix("\ufeff")


def _guess_encoding(raw: bytearray) -> str:
    """Windows' encoding where a byte is a control character in latin-1, as its €."""
    is_windows = any(byte in raw for byte in range(0x80, 0xA0))
    return "cp1252" if is_windows else "latin-1"


def unknown_encoding(encoding: str) -> BadInputError:
    """The error for an encoding that Python does not know."""
    return BadInputError(
        f"encoding={encoding!r} is unknown; give 'utf-8', 'latin-1', ..."
    )


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text with their ends, by line feeds and carriage returns.

    They are cut from some of the text at a time: a buffer of all of it would take four
    bytes a character.
    """
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + _STEP) + 1 or len(text)
        yield from io.StringIO(text[begin:end], newline="")
        begin = end


def beginning_of(text: str) -> str:
    """The first lines of a text, enough to find out how it is written."""
    return text[: text.find("\n", _STEP) + 1 or len(text)]


def _place(before: str) -> tuple[int, int]:
    """Line and column after this text."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


class BadCellError(ValueError):
    """A cell that cannot be read as what its column is: its index, and why."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(why)
        self.index, self.why = index, why


def parse_numbers(cells: Sequence[str | None]) -> NDArray[np.float64]:
    """Return the numbers that the texts write in decimal, NaN for None.

    Stricter than float(): no underscores, blanks, words or foreign digits, nothing
    that overflows, and no integer beyond 2^53, whose last digits would be lost.

    Examples
    --------
    >>> parse_numbers(["1", "-2.5e3", None])
    array([ 1.e+00, -2.5e+03, nan])
    """
    known = [cell for cell in cells if cell is not None]
    values = _floats(known)
    if values is None:
        raise _first_bad(cells)
    numbers = np.array(values, np.float64)
    if len(known) < len(cells):
        rest = iter(values)
        numbers = np.array([np.nan if c is None else next(rest) for c in cells])
    for index in np.flatnonzero(np.abs(numbers) >= EXACT).tolist():
        _check_large(index, str(cells[index]))
    return numbers


def all_numbers(texts: Collection[str]) -> bool:
    """Whether every text writes a number in decimal (which may be too large)."""
    return _floats(texts) is not None


def _floats(texts: Iterable[str]) -> list[float] | None:
    values: list[float] = []
    for part in slices(texts):
        # strip() leaves nothing if and only if all characters are allowed ones.
        if "".join(part).strip(_DIGITS):
            return None
        try:
            values += map(float, part)
        except ValueError:
            return None
    return values


def is_number(text: str) -> bool:
    """Whether the text writes a number in decimal (which may be too large)."""
    return all_numbers((text,))


def _first_bad(cells: Sequence[str | None]) -> BadCellError:
    for index, cell in enumerate(cells):
        if cell is not None and not is_number(cell):
            why = _NOT_FINITE if is_infinite(cell) else "is not a number"
            return BadCellError(index, f"{shown(cell)} {why}")
    raise AssertionError("called for numbers only")


def _check_large(index: int, cell: str) -> None:
    if np.isinf(float(cell)):
        raise BadCellError(index, f"{shown(cell)} is too large for a number")
    if is_long_integer(cell):
        raise BadCellError(
            index,
            f"{shown(cell)} is beyond 2^53 and would lose digits as a number; "
            "make the column nominal",
        )


def is_infinite(text: str) -> bool:
    """Whether the text is a word for infinity, with or without a sign."""
    return text.lstrip("+-").lower() in ("inf", "infinity")


def is_long_integer(text: str) -> bool:
    """Whether the text is an integer that float64 would round."""
    if not _INTEGER.fullmatch(text):
        return False
    digits = text.lstrip("+-0")
    return len(digits) > _EXACT_DIGITS or int(digits or "0") > EXACT


def shown(text: str, most: int = 40) -> str:
    """A piece of a file for a message: quoted, and not too long."""
    return repr(text if len(text) <= most else text[:most] + "...")
