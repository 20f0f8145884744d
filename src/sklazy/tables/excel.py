"""Excel files: the first sheet, with typed cells; text is read as that of CSV files."""

import datetime
import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.errors import BadFileError, BadInputError
from sklazy.tables.arrays import numbers_if_all
from sklazy.tables.infer import text_column
from sklazy.tables.labels import encode, to_nominal
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import ALWAYS_FINE, MOST_BYTES, MOST_GROWTH, BadCellError
from sklazy.tables.times import from_objects

ERRORS = frozenset(
    ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!"]
)
"""What Excel writes where a formula failed; such a cell is missing."""

Cells = Sequence[object]


def read_excel(
    path: str,
    raw: bytes,
    *,
    header: bool | None,
    missing: frozenset[str],
    decimal: str,
    kinds: Mapping[str, Wish],
) -> tuple[Table, list[str]]:
    """Read the first sheet of an Excel file.

    Returns
    -------
    table : Table
    notes : list of str
        What should be said about it.
    """
    rows, notes = _read_rows(path, raw)
    columns = [c for c in zip(*rows, strict=True) if any(x is not None for x in c)]
    if not columns:
        raise BadFileError("the first sheet is empty.", path)
    if header is None:
        header = _has_header([column[0] for column in columns])
    names = _names(path, columns) if header else [f"x{j}" for j in range(len(columns))]
    made = []
    for name, cells in zip(names, columns, strict=True):
        known = [_cell(cell, missing) for cell in cells[header:]]
        try:
            made.append(_column(name, known, kinds.get(name), notes, decimal))
        except BadCellError as error:
            place = f"column {name!r}, row {error.index + 1} below the header"
            raise BadFileError(f"{error.why} ({place}).", path) from None
    return Table(tuple(made), len(rows) - header, named=header), notes


def _read_rows(path: str, raw: bytes) -> tuple[list[Cells], list[str]]:
    """The rows of the first sheet that are not empty."""
    try:
        import openpyxl  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise BadInputError(
            f"{path}: reading Excel files needs openpyxl; install it with "
            "pip install 'sklazy[excel]'."
        ) from None
    try:
        _check_size(path, raw)
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        sheet, names = book.worksheets[0], book.sheetnames
        rows = list(sheet.iter_rows(values_only=True))
    except BadFileError:
        raise
    except Exception as error:  # whatever a damaged file makes the parsers raise
        raise BadFileError(f"not a readable Excel file ({error}).", path) from None
    width = max((len(row) for row in rows), default=0)
    full = [(*row, *[None] * (width - len(row))) for row in rows]
    note = f"only the first of its {len(names)} sheets, {names[0]!r}, is read"
    notes = [note] if len(names) > 1 else []
    return [row for row in full if any(cell is not None for cell in row)], notes


def _check_size(path: str, raw: bytes) -> None:
    """Refuse a file that unpacks to far more than it is."""
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        size = sum(part.file_size for part in packed.infolist())
    if size > min(MOST_BYTES, max(ALWAYS_FINE, MOST_GROWTH * len(raw))):
        raise BadFileError(
            f"unpacks to {size} bytes from {len(raw)}; save it as CSV if that is "
            "right.",
            path,
        )


def _has_header(top: Cells) -> bool:
    """Whether the first row holds names: strings that differ."""
    known = [cell for cell in top if cell is not None]
    are_words = all(isinstance(cell, str) for cell in known)
    return are_words and len(set(known)) == len(known) > 0


def _names(path: str, columns: Sequence[Cells]) -> list[str]:
    top = [str(c[0] or "").strip() or f"column_{j + 1}" for j, c in enumerate(columns)]
    repeated = [name for name, count in Counter(top).items() if count > 1]
    if repeated:
        raise BadFileError(
            f"column {repeated[0]!r} occurs more than once in the header; rename it, "
            "or say header=False if the first row is data.",
            path,
            1,
        )
    return top


def _cell(cell: object, missing: frozenset[str]) -> object:
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    return None if text in missing or text in ERRORS else text


def _column(
    name: str, cells: Cells, wish: Wish | None, notes: list[str], decimal: str
) -> Column:
    texts: list[Any] = [cell for cell in cells if cell is not None]
    if texts and all(isinstance(cell, str) for cell in texts):
        return text_column(name, cells, wish, notes, decimal)  # type: ignore[arg-type]
    if texts and all(_is_day(cell) for cell in texts):
        cells = [cell and cell.date() for cell in cells]  # type: ignore[attr-defined]
    column = from_objects(name, cells) or numbers_if_all(encode(name, cells))
    return to_nominal(column) if wish == "nominal" else column


def _is_day(cell: object) -> bool:
    """Whether this is a date without a time, which Excel has no type for."""
    return isinstance(cell, datetime.datetime) and cell.time() == datetime.time()
