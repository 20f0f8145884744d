"""ARFF files, dense and sparse, as Weka reads them, with a place in every error.

An unquoted ? is missing, a quoted '?' is a value. A value left out of a sparse row
is 0, or the first label of a nominal attribute. Dates that are written in a way that is
not known are kept as labels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sklazy.errors import BadFileError
from sklazy.flow import MISSING
from sklazy.tables.labels import encode
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import BadCellError, Source, parse_numbers, shown
from sklazy.tables.tokens import Line, Token
from sklazy.tables.understand import says_dates

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


@dataclass
class _Rows:
    """The cells of the data section and the lines they stand in."""

    cells: list[list[Cell]]
    lines: list[int]


def read_arff(source: Source, kinds: Mapping[str, Wish]) -> tuple[Table, list[str]]:
    """Read an ARFF file; `kinds` overrides the declared kinds.

    Returns
    -------
    table : Table
    notes : list of str
        What should be said about it.
    """
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    attributes, start = read_header(source, lines)
    rows = _read_rows(source, lines, start, attributes)
    wanted = [overridden(a, kinds.get(a.name)) for a in attributes]
    cells = list(zip(*rows.cells, strict=True)) or [()] * len(wanted)
    columns = []
    for j, attribute in enumerate(wanted):
        try:
            columns.append(make_column(attribute, cells[j]))
        except BadCellError as error:
            raise _at_cell(source, lines, rows.lines[error.index], j, error) from None
    notes = [
        f"attribute {a.name!r} holds dates, which are kept as labels; turn them into "
        "numbers if their order matters."
        for a, column in zip(attributes, columns, strict=True)
        if a.type == "date" and a.name not in kinds and not says_dates(column)
    ]
    return Table(tuple(columns), len(rows.lines)), notes


def overridden(attribute: Declaration, wish: Wish | None) -> Declaration:
    """What an attribute is if the user says so."""
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
        codes = np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells))
    except KeyError:
        index = next(i for i, cell in enumerate(cells) if cell not in code_of)
        known = ", ".join(map(shown, attribute.labels[:5]))
        more = ", ..." if len(attribute.labels) > 5 else ""
        raise BadCellError(
            index, f"{shown(str(cells[index]))} is not among the declared {known}{more}"
        ) from None
    return Column(attribute.name, "nominal", codes, attribute.labels, declared=True)


def _at_cell(
    source: Source, lines: list[str], number: int, j: int, error: BadCellError
) -> BadFileError:
    line = Line(source, number, lines[number - 1])
    tokens = _sparse(line) if _is_sparse(line.text) else enumerate(line.tokens())
    column = next((token.column for index, token in tokens if index == j), 1)
    return line.error(f"{error.why} (attribute {j + 1}).", column - 1)


# --- the header -----------------------------------------------------------------------


def read_header(source: Source, lines: list[str]) -> tuple[list[Declaration], int]:
    """The attributes and the index of the first line after @data."""
    attributes: dict[str, Declaration] = {}
    has_relation = False
    for line in _meaningful(source, lines):
        match = _KEYWORD.match(line.text)
        keyword = match[1].lower() if match else ""
        end = match.end() if match else 0
        if keyword == "data":
            line.expect_end(end)
            _check_header(line, has_relation, attributes)
            return list(attributes.values()), line.number
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
    raise source.error("the file has no @data line.", max(len(lines), 1))


def _meaningful(source: Source, lines: list[str]) -> Iterator[Line]:
    for index, text in enumerate(lines):
        if text.strip() and not text.lstrip().startswith("%"):
            yield Line(source, index + 1, text)


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


def _read_rows(
    source: Source, lines: list[str], start: int, attributes: Sequence[Declaration]
) -> _Rows:
    rows = _Rows([], [])
    for index in range(start, len(lines)):
        cells = read_row(source, index + 1, lines[index], attributes)
        if cells is not None:
            rows.cells.append(cells)
            rows.lines.append(index + 1)
    return rows


def read_row(
    source: Source, number: int, text: str, attributes: Sequence[Declaration]
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
    given = set()
    for index, token in _sparse(line):
        if index >= len(attributes):
            raise line.error(
                f"index {index} is beyond the last attribute, {len(attributes) - 1}.",
                token.column - 1,
            )
        cells[index] = token.cell
        given.add(index)
    for j, attribute in enumerate(attributes):
        if attribute.type in ("string", "date") and j not in given:
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
