"""ARFF files, dense and sparse, as Weka reads them, with a place in every error.

An unquoted ? is missing, a quoted '?' is a value. A value left out of a sparse row
is 0, or the first label of a nominal attribute. Dates that are written in a way that is
not known are kept as labels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np

from sklazy.errors import BadFileError
from sklazy.flow import MISSING
from sklazy.tables.budget import Budget
from sklazy.tables.collecting import Collected
from sklazy.tables.labels import encode
from sklazy.tables.slices import map_to_array
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import BadCellError, TextFile, lines_of, parse_numbers, shown
from sklazy.tables.tokens import Line, Token
from sklazy.tables.understand import are_dates

Type = Literal["numeric", "nominal", "string", "date"]

_TYPES: dict[str, Type] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "string",
    "date": "date",
}
_KEYWORD = re.compile(r"[ \t]*@([A-Za-z]+)[ \t]*")
_WORD = re.compile(r"[A-Za-z]+")
_AFTER_TYPE = re.compile(r"[ \t]*(?:\[[^\]%]*\])?[ \t]*")
_INDEX = re.compile(r"[ \t]*([0-9]{1,9})[ \t]+")
_NEEDS_CARE = re.compile(r"""[\s'"{}%?]""")
_NEEDS_TOKENS = re.compile(r"""['"{}%]""")
_BLANK = re.compile(r"\s")

Cell = str | None


@dataclass(frozen=True)
class Declaration:
    """One declared attribute."""

    name: str
    type: Type
    labels: tuple[str, ...] = ()


def read_arff(
    source: TextFile, kinds: Mapping[str, Wish], budget: Budget
) -> tuple[Table, list[str]]:
    """Read a table and remarks from an ARFF file; `kinds` overrides declared kinds."""
    attributes, rows = open_arff(source, _lines(source))
    cells = Collected(budget, len(attributes))
    for number, row in rows:
        cells.add(row, number)
    wanted = [overridden(a, kinds.get(a.name)) for a in attributes]
    columns = []
    for j, attribute in enumerate(wanted):
        try:
            columns.append(make_column(attribute, cells.take(j)))
        except BadCellError as error:
            raise _at_cell(source, cells.lines[error.index], j, error) from None
    notes = [
        f"attribute {a.name!r} holds dates, which are kept as labels; turn them into "
        "numbers if their order matters."
        for a, column in zip(attributes, columns, strict=True)
        if a.type == "date" and a.name not in kinds and not are_dates(column)
    ]
    return Table(tuple(columns), cells.n_rows), notes


def open_arff(
    source: TextFile, lines: Iterator[str]
) -> tuple[list[Declaration], Iterator[tuple[int, list[Cell]]]]:
    """The attributes of a file, and its rows to come, each with its line's number."""
    attributes, number = _read_header(source, lines)
    numbered = enumerate(lines, number + 1)
    rows = ((n, _read_row(source, n, line, attributes)) for n, line in numbered)
    return attributes, ((n, cells) for n, cells in rows if cells is not None)


def _lines(source: TextFile) -> Iterator[str]:
    return (line.rstrip("\r\n") for line in lines_of(source.text))


def overridden(attribute: Declaration, wish: Wish | None) -> Declaration:
    """Return the declaration with the kind that the user wishes, if any."""
    if wish == "numeric":
        return replace(attribute, type="numeric")
    if wish not in (None, "ignore") and attribute.type == "numeric":
        return replace(attribute, type="string")
    return attribute


def make_column(attribute: Declaration, cells: Sequence[Cell]) -> Column:
    """A column of the cells of an attribute."""
    if attribute.type == "numeric":
        return Column(attribute.name, "numeric", parse_numbers(cells))
    if attribute.type != "nominal":
        return encode(attribute.name, cells)
    code_of: dict[Cell, int] = {label: i for i, label in enumerate(attribute.labels)}
    code_of[None] = MISSING
    try:
        codes = map_to_array(code_of.__getitem__, cells, np.int32)
    except KeyError:
        index = next(i for i, cell in enumerate(cells) if cell not in code_of)
        known = ", ".join(map(shown, attribute.labels[:5]))
        more = ", ..." if len(attribute.labels) > 5 else ""
        raise BadCellError(
            index, f"{shown(str(cells[index]))} is not among the declared {known}{more}"
        ) from None
    return Column(attribute.name, "nominal", codes, attribute.labels, declared=True)


def _at_cell(
    source: TextFile, number: int, j: int, error: BadCellError
) -> BadFileError:
    text = next(islice(_lines(source), number - 1, None), "")
    line = Line(source, number, text)
    tokens = _sparse(line) if _is_sparse(line.text) else enumerate(line.tokens())
    column = next((token.column for index, token in tokens if index == j), 1)
    return line.error(f"{error.why} (attribute {j + 1}).", column - 1)


# --- the header -----------------------------------------------------------------------


def _read_header(
    source: TextFile, lines: Iterator[str]
) -> tuple[list[Declaration], int]:
    """The attributes, and the number of the line with @data."""
    attributes: dict[str, Declaration] = {}
    has_relation, number = False, 0
    for number, text in enumerate(lines, 1):
        line = Line(source, number, text)
        if not text.strip() or text.lstrip().startswith("%"):
            continue
        match = _KEYWORD.match(line.text)
        keyword = match[1].lower() if match else ""
        end = match.end() if match else 0
        if keyword == "data":
            line.expect_end(end)
            _check_header(line, has_relation, attributes)
            return list(attributes.values()), number
        if keyword == "attribute":
            attribute = _attribute(line, end)
            if attribute.name in attributes:
                raise line.error(
                    f"attribute {attribute.name!r} is declared twice.", end
                )
            attributes[attribute.name] = attribute
        elif keyword == "relation" and not has_relation and not attributes:
            line.token(end)
            has_relation = True
        else:
            raise line.error("expected @relation, @attribute or @data.")
    raise source.error("the file has no @data line.", number + 1)


def _check_header(
    line: Line, has_relation: bool, attributes: dict[str, Declaration]
) -> None:
    if not has_relation:
        raise line.error("@data before any @relation.")
    if not attributes:
        raise line.error("@data before any @attribute.")


def _attribute(line: Line, start: int) -> Declaration:
    name, end = line.token(start)
    if not name.value:
        raise line.error("an attribute without a name.", start)
    if line.text[end : end + 1] == "{":
        return Declaration(name.value, "nominal", _labels(line, end + 1))
    word = _WORD.match(line.text, end)
    kind = word[0].lower() if word else ""
    if kind == "relational":
        raise line.error("relational attributes are not supported; flatten them.", end)
    if word is None or kind not in _TYPES:
        raise line.error(
            "expected numeric, real, integer, string, date or {labels}, found "
            f"{shown(line.text[end:])}.",
            end,
        )
    rest = word.end()
    if kind == "date":
        rest = line.skip_token(rest)
    elif _TYPES[kind] == "numeric" and (match := _AFTER_TYPE.match(line.text, rest)):
        rest = match.end()
    line.expect_end(rest)
    return Declaration(name.value, _TYPES[kind])


def _labels(line: Line, start: int) -> tuple[str, ...]:
    labels: dict[str, None] = {}
    end = start - 1
    for token in line.tokens(start, closing="}"):
        if token.value in labels:
            raise line.error(
                f"label {shown(token.value)} is declared twice.", token.column - 1
            )
        labels[token.value] = None
        end = token.end
    line.expect_end(end + 1)
    return tuple(labels)


# --- the data -------------------------------------------------------------------------


def _read_row(
    source: TextFile, number: int, text: str, attributes: Sequence[Declaration]
) -> list[Cell] | None:
    """The cells of a line of data; None if it has none."""
    if not text:
        return None
    cells = _plain(text)
    if cells is None:
        cells = _careful(Line(source, number, text), attributes)
    if cells is not None and (len(cells) != len(attributes) or "" in cells):
        _check_row(Line(source, number, text), len(attributes))
    return cells


def _plain(text: str) -> list[Cell] | None:
    """The cells of a line without quotes, braces and comments, or None."""
    if not _NEEDS_CARE.search(text):
        return list(text.split(","))
    if _NEEDS_TOKENS.search(text):
        return None
    cells = [cell.strip(" \t") for cell in text.split(",")]
    if _BLANK.search("".join(cells)) or len(cells) == 1:
        return None
    return [None if cell == "?" else cell for cell in cells]


def _check_row(line: Line, n_columns: int) -> None:
    """Refuse a row of another length, or with an empty value that is not quoted."""
    tokens = [] if _is_sparse(line.text) else list(line.tokens())
    if len(tokens) in (0, n_columns):
        return
    is_long = len(tokens) > n_columns
    raise line.error(
        f"expected {n_columns} values, one for each attribute, found {len(tokens)}.",
        tokens[n_columns].column - 1 if is_long else len(line.text),
    )


def _careful(line: Line, attributes: Sequence[Declaration]) -> list[Cell] | None:
    """The cells of a line with blanks, quotes, braces, comments or missing values."""
    stripped = line.text.strip()
    if not stripped or stripped.startswith("%"):
        return None
    if _is_sparse(line.text):
        return _filled_up(line, attributes)
    return [token.cell for token in line.tokens()]


def _filled_up(line: Line, attributes: Sequence[Declaration]) -> list[Cell]:
    """The cells of a sparse row, with zeros where it gives none."""
    cells: list[Cell] = [a.labels[0] if a.labels else "0" for a in attributes]
    written = set()
    for index, token in _sparse(line):
        if index >= len(attributes):
            raise line.error(
                f"index {index} is beyond the last attribute, {len(attributes) - 1}.",
                token.column - 1,
            )
        cells[index] = token.cell
        written.add(index)
    for j, attribute in enumerate(attributes):
        if attribute.type in ("string", "date") and j not in written:
            raise line.error(
                f"a sparse row must give the {attribute.type} attribute "
                f"{attribute.name!r} (index {j}): it has no zero."
            )
    return cells


def _is_sparse(text: str) -> bool:
    return text.lstrip(" \t").startswith("{")


def _sparse(line: Line) -> Iterator[tuple[int, Token]]:
    """Index and value of each entry of a sparse row."""
    position = line.text.index("{") + 1
    last = -1
    while line.after_blanks(position) != "}" or last >= 0:
        match = _INDEX.match(line.text, position)
        if match is None:
            raise line.error("expected an attribute's index and a value.", position)
        index = int(match[1])
        if index <= last:
            raise line.error("the indices of a sparse row must increase.", position)
        token, position = line.token(match.end())
        yield index, token
        last = index
        following = line.text[position : position + 1]
        if following == "}":
            break
        if following != ",":
            raise line.error("expected , or } after a value.", position)
        position += 1
    line.expect_end(line.text.index("}", position) + 1, "instance weights")
