"""One file, read as a whole: its bytes, or those of an open one, become a table."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import IO, Any, NamedTuple

from sklazy.errors import BadFileError, BadInputError, BadTypeError, warn_once
from sklazy.tables.arff import read_arff
from sklazy.tables.arrow_csv import read_csv_by_arrow
from sklazy.tables.arrow_files import read_arrow
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.cells import Readers, read_fitting, readers_like
from sklazy.tables.convert import plain_table
from sklazy.tables.delimited import CsvOptions, read_csv
from sklazy.tables.excel import ERRORS, SHEET_NOTE, read_excel
from sklazy.tables.file_options import (
    Format,
    find_format,
    guess_format,
    has_known_ending,
    text_options,
)
from sklazy.tables.json_lines import read_json
from sklazy.tables.later_rows import read_later_numbers
from sklazy.tables.origins import describe_columns, read_as
from sklazy.tables.table import Table, Wish
from sklazy.tables.text import (
    TextFile,
    as_text,
    drain,
    read_file_bytes,
    unpacked,
)
from sklazy.tables.understand import (
    FILE_WAY_OUT,
    forms_of,
    settle_thousands,
    understand_table,
    warn_of_notes,
)


class _File(NamedTuple):
    """A file that is in memory, and the options given for it."""

    path: str
    raw: bytearray
    format: Format
    encoding: str
    options: CsvOptions
    kinds: Mapping[str, Wish]
    readers: Readers
    budget: Budget

    @property
    def text(self) -> TextFile:
        return as_text(self.path, self.raw, self.encoding, self.budget)


def read_file(
    where: str | IO[bytes],
    wishes: Mapping[str, Wish],
    limits: ReadLimits,
    like: Table | None,
    options: Mapping[str, Any],
) -> Table:
    """Read the file of a path ("-" is standard input), or an open one, as a table."""
    path = where if isinstance(where, str) else name_stream(where)
    has_ending = isinstance(where, str) and path != "-"
    format = options.get("format")
    is_unknown = has_ending and not has_known_ending(path)
    if is_unknown and not os.path.exists(path):
        raise BadFileError("there is no such file.", path)
    known = find_format(path, format) if has_ending or format is not None else None
    budget = Budget(path, limits)
    if isinstance(where, str):
        raw = read_file_bytes(where, budget)
    else:
        raw = drain(where, budget)
    which = known or guess_format(unpacked(path, raw, budget))
    budget.expect(which)
    text = text_options(path, which, options)
    readers = {} if like is None else like_readers(like, wishes, which, text)
    wanted = dict(wishes)
    if like is not None and which in _OF_TEXT:
        wanted = {**like_wishes(like), **wishes}
    encoding = options.get("encoding", "utf-8")
    file = _File(path, raw, which, encoding, text, wanted, readers, budget)
    return _read(file, wishes, like)


def _read(file: _File, wishes: Mapping[str, Wish], like: Table | None) -> Table:
    path, forms = file.path, forms_of(file.options.decimal)
    table, notes = _READERS[file.format](file)
    _check_known(wishes, table)
    is_text = file.format in _OF_TEXT
    try:
        table = understand_whole(table, wishes, notes, forms, like, is_text=is_text)
    except BadTypeError as error:
        raise BadFileError(str(error), path) from None
    if any(not note.startswith(SHEET_NOTE) for note in notes):
        warn_of_notes(notes, path, FILE_WAY_OUT)
    elif notes:  # nothing was found out about columns
        warn_once(f"{path}: {'; '.join(notes)}.")
    return table


def name_stream(stream: object) -> str:
    """The name of an open file in messages."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "open file"


# --- formats --------------------------------------------------------------------------


Read = tuple[Table, list[str]]


def _read_csv(file: _File) -> Read:
    text, rest = file.text, (file.options, file.kinds, file.budget, file.readers)
    return read_csv_by_arrow(text, *rest) or read_csv(text, *rest)


def _read_excel(file: _File) -> Read:
    budget, readers = file.budget, file.readers
    return read_excel(file.path, file.raw, file.options, file.kinds, budget, readers)


def _read_arff(file: _File) -> Read:
    return read_arff(file.text, file.kinds, file.budget)


def _read_arrow(file: _File) -> Read:
    raw = unpacked(file.path, file.raw, file.budget)
    return read_arrow(file.path, raw, file.format, file.kinds, file.budget), []


def _read_json(file: _File) -> Read:
    cells, names = read_json(file.text, file.budget)
    for j, name in enumerate(names):
        if name in file.readers:
            cells[:, j] = read_fitting(cells[:, j].tolist(), file.readers[name])
    nominal = {n: w for n, w in file.kinds.items() if w == "nominal" and n in names}
    try:
        table = plain_table(cells, categorical_features=nominal, feature_names=names)
    except BadInputError as error:
        raise BadFileError(str(error), file.path) from None
    return table, []


_READERS: dict[str, Callable[[_File], Read]] = {
    "csv": _read_csv,
    "excel": _read_excel,
    "arff": _read_arff,
    "jsonl": _read_json,
    "parquet": _read_arrow,
    "feather": _read_arrow,
}
_OF_TEXT = ("csv", "excel")  # formats without types of cells


# --- columns --------------------------------------------------------------------------


def like_readers(
    like: Table, wishes: Collection[str], which: Format, options: CsvOptions
) -> Readers:
    """The readers of columns that others have, unless they are to be something else.

    Numbers with a decimal comma are texts that other rules are for.
    """
    kinds = ("numeric", "nominal") if options.decimal == "." else ("nominal",)
    columns = [c for c in like if c.name not in wishes and c.kind in kinds]
    also = ERRORS if which == "excel" else frozenset()
    return readers_like(columns, options.missing | also)


def like_wishes(like: Table) -> dict[str, Wish]:
    """How the cells of a file are taken before they are read as others were.

    Texts that are to be understood are labels until then; dates of a sheet are dates.
    """
    return {c.name: "date" if c.reading else c.kind for c in like}


def understand_whole(
    table: Table,
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str],
    like: Table | None,
    *,
    is_text: bool = False,
) -> Table:
    """A table whose texts are labels with columns of text understood, or as others.

    Numbers of text whose points may separate thousands (`is_text`) are labels, too.
    """
    if like is not None and is_text:
        known = {**like_wishes(like), **wishes}
        table = settle_thousands(table, known, notes, forms, is_text=True)
    if like is not None:
        return read_as(read_later_numbers(table, like, forms), describe_columns(like))
    remarks: list[str] = []
    understood = understand_table(table, wishes, remarks, forms, is_text=is_text)
    read = [f"column {c.name!r} " for c in understood if c.reading]
    notes[:] = [note for note in notes if not note.startswith(tuple(read))]
    notes += remarks
    return understood


def _check_known(wanted: Iterable[str], table: Table) -> None:
    unknown = [name for name in wanted if name not in table]
    if unknown:
        raise BadInputError(
            f"kinds, nominal or numeric name {unknown}; the file has {table.names}."
        )
