"""Excel files: one sheet, with typed cells; text is read as that of CSV files.

A sheet has 17 179 869 184 places. Rows and columns without a cell are left out as they
come, so that a lone cell at the far end costs no more than one anywhere else.
"""

import datetime
import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklazy.errors import BadFileError, BadInputError, suggest
from sklazy.tables.arrays import numbers_if_all
from sklazy.tables.budget import Budget
from sklazy.tables.cells import Readers, read_fitting
from sklazy.tables.collecting import CollectedByKey
from sklazy.tables.delimited import CsvOptions
from sklazy.tables.infer import text_column
from sklazy.tables.labels import encode, to_nominal
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import BadCellError
from sklazy.tables.times import from_objects

SHEET_NOTE = "only the sheet"
"""How the note of sheets that are not read begins."""

ERRORS = frozenset(
    ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!"]
)
"""Texts that Excel writes where a formula failed; such a cell is missing."""

Cells = Sequence[object]

_MOST_ROWS = 1 << 20  # of a sheet, by the format


def read_excel(
    path: str,
    raw: bytearray,
    options: CsvOptions,
    kinds: Mapping[str, Wish],
    budget: Budget,
    readers: Readers,
) -> tuple[Table, list[str]]:
    """Read a table and remarks from a sheet, known columns by their readers."""
    sheet, notes = _read_cells(path, raw, options, budget)
    columns = [sheet.take(j) for j in sorted(sheet.keys)]
    if not columns:
        raise BadFileError(
            "the sheet is empty, or all its rows are skipped; choose another one with "
            "sheet, or fewer rows with skip_rows.",
            path,
        )
    header = options.header
    if header is None:
        header = _has_header([column[0] for column in columns])
    names = _names(path, columns) if header else [f"x{j}" for j in range(len(columns))]
    made = []
    for name, cells in zip(names, columns, strict=True):
        budget.check_time()
        below = cells[1:] if header else cells
        known = (
            read_fitting(below, readers[name])
            if name in readers
            else [_cell(cell, options.missing) for cell in below]
        )
        try:
            made.append(_column(name, known, kinds.get(name), notes, options.decimal))
        except BadCellError as error:
            place = f"column {name!r}, row {error.index + 1} below the header"
            raise BadFileError(f"{error.why} ({place}).", path) from None
    return Table(tuple(made), sheet.n_rows - bool(header), bool(header)), notes


def _read_cells(
    path: str, raw: bytearray, options: CsvOptions, budget: Budget
) -> tuple[CollectedByKey[int], list[str]]:
    """The cells of a sheet, and remarks about the file."""
    try:
        import openpyxl  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise BadInputError(
            f"{path}: reading Excel files needs openpyxl; install it with "
            "pip install 'sklazy[excel]'."
        ) from None
    try:
        _check_size(raw, budget)
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
        place = _find_sheet(names, options.sheet, path)
        sheet = book.worksheets[place]
        sheet.reset_dimensions()  # rows end with their last cell, and may have none
        rows = sheet.iter_rows(values_only=True, min_row=options.skip_rows + 1)
        cells = _collect(rows, budget)
    except BadFileError:
        raise
    except Exception as error:  # whatever a damaged file makes the parsers raise
        raise BadFileError(
            f"not a readable Excel file ({error}); save it again as .xlsx.", path
        ) from None
    others = ", ".join(repr(name) for name in names if name != names[place])
    note = f"{SHEET_NOTE} {names[place]!r} is read, not {others} (choose with sheet)"
    return cells, [note] if others and not options.sheet else []


def _find_sheet(names: Sequence[str], sheet: str | int, path: str) -> int:
    """The place of a sheet, by its name or its place."""
    if sheet in names:
        return names.index(str(sheet))
    is_place = str(sheet).isdecimal() and int(sheet) < len(names)
    if is_place and not isinstance(sheet, bool):
        return int(sheet)
    raise BadFileError(
        f"there is no sheet {sheet!r}.{suggest(str(sheet), names)} Or give its place, "
        f"from 0 to {len(names) - 1}.",
        path,
    )


def _collect(rows: Iterable[Cells], budget: Budget) -> CollectedByKey[int]:
    """The cells of the columns that have some, without rows that have none."""
    collected = CollectedByKey[int](budget)
    for number, row in enumerate(rows, 1):
        if number > _MOST_ROWS:
            raise ValueError(f"it has a row after {_MOST_ROWS}, the last of a sheet")
        cells = {j: cell for j, cell in enumerate(row) if cell is not None}
        if cells:
            collected.add(cells)
        else:
            budget.check_time()
    return collected


def _check_size(raw: bytearray, budget: Budget) -> None:
    """Refuse a file that unpacks to far more than it is."""
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        size = sum(part.file_size for part in packed.infolist())
    budget.check_unpacked(size, len(raw))


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
            "or pass header=False if the first row is data.",
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
        return text_column(
            name,
            cells,  # type: ignore[arg-type]
            wish,
            notes,
            decimal,
            keep_groups=True,
        )
    if texts and all(_is_day(cell) for cell in texts):
        cells = [cell and cell.date() for cell in cells]  # type: ignore[attr-defined]
    column = from_objects(name, cells) or numbers_if_all(encode(name, cells))
    return to_nominal(column) if wish == "nominal" else column


def _is_day(cell: object) -> bool:
    """Whether this is a date without a time, which Excel has no type for."""
    return isinstance(cell, datetime.datetime) and cell.time() == datetime.time()
