"""Files to tables: the format by the name's ending, or as given."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Literal, NamedTuple, get_args

from sklazy.errors import BadFileError, BadInputError, BadTypeError
from sklazy.tables.arff import read_arff
from sklazy.tables.arrow_files import read_arrow
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.cells import Readers, read_fitting, readers_like
from sklazy.tables.convert import plain_table
from sklazy.tables.delimited import CsvOptions, read_csv
from sklazy.tables.excel import ERRORS, read_excel
from sklazy.tables.file_options import merge_kinds, text_options
from sklazy.tables.json_lines import read_json
from sklazy.tables.origins import describe_columns, read_as
from sklazy.tables.streams import STREAMED, Streamed
from sklazy.tables.surveying import Surveyed, survey_file
from sklazy.tables.table import Table, Wish
from sklazy.tables.text import TextFile, as_text, read_file_bytes, unpacked
from sklazy.tables.understand import (
    FILE_WAY_OUT,
    forms_of,
    understand_table,
    warn_of_notes,
)

Format = Literal["csv", "arff", "parquet", "feather", "jsonl", "excel"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_STARTS: tuple[tuple[bytes, Format], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"PK", "excel"),
    (b"{", "jsonl"),
    (b"[", "jsonl"),
    (b"@relation", "arff"),
    (b"%", "arff"),
)


def read_table(  # noqa: PLR0913 (every reader's options, all by name)
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    kinds: Mapping[str, Wish] | None = None,
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    missing: Collection[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    max_cells: float | None = None,
    max_bytes: float | None = None,
    max_seconds: float | None = None,
    like: Table | None = None,
) -> Table:
    r"""Read a CSV, ARFF, Parquet, Feather, JSON or Excel file into a typed table.

    A file is read whole and strictly, or refused with file, line and column. In a CSV
    file a column is numeric if all its known cells are numbers and it does not look
    like an id or a code (leading zeros, integers beyond 2^53, integers under a
    name with the word "id"): those become nominal. Labels of text files are strings;
    blanks around cells, and blank lines, are left out. Strings that are all dates,
    amounts (money, percentages, numbers with a unit or with separators) or yes and no
    are taken as such, and a column of strings that are nearly all different is marked
    to be left out by what learns from the table. One `DataWarning` lists all of it.

    Parameters
    ----------
    path : str or path
        "-" is standard input, whose format is found by its first bytes. Text files may
        be gzip. A field of CSV has at most 131072 characters.
    format : {"csv", "arff", "parquet", "feather", "jsonl", "excel"}, optional
        By the ending otherwise: csv, tsv, tab, txt, data; arff; parquet, pq; feather,
        arrow; jsonl, ndjson, json (an object per line, or an array of them); xlsx, xlsm
        (the first sheet). Text files also with gz.
    kinds : mapping of name to str, optional
        What columns are, whatever they look like: "numeric", "nominal", "date",
        "day-first", "month-first", "decimal-point", "decimal-comma" or "ignore".
    nominal, numeric : collections of str, optional
        The same, as two lists of names.
    missing : collection of str, optional
        The cells of a CSV or Excel file that mean "missing"; otherwise the empty cell,
        ?, NA, N/A, n/a, #N/A, <NA>, NaN, nan, NULL, null and None.
    delimiter : str, optional
        Of a CSV file; otherwise the first of tab, semicolon, bar and comma that cuts
        the first lines into equally many fields.
    header : bool, optional
        Whether the first row of a CSV or Excel file holds the names; otherwise judged
        by it: one of them stands above numbers, or all are distinct and do not occur
        again below (Excel: all are distinct strings). Without a header columns are
        named x0, x1, ...
    decimal : {".", ","}, default="."
        The decimal mark of a CSV file.
    encoding : str, default="utf-8"
        Of a text file; a byte order mark is left out.
    max_cells : int, optional
        A table of more cells, rows times columns, is refused as soon as they are
        counted, whatever its format: a small file may stand for very many. By default
        as many as this machine's memory can hold while they are read; float("inf") for
        no limit. Rows and columns of a sheet that have no cell do not count.
    max_bytes : int, optional
        A file of more bytes, unpacked, is refused; so is a Parquet or Feather file
        whose cells take more, at 8 bytes each and with its buffers unpacked. By default
        the memory of this machine, and for packed files 500 times their size, but 64
        MiB at least.
    max_seconds : float, optional
        Refuse the file after this time; by default never. Ctrl-C ends it at any time.
    like : Table, optional
        Rows read before, whose columns these are: cells are read as theirs were, and a
        cell that cannot be is refused. For queries and rows to be added.

    Returns
    -------
    table : Table

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "fruit.csv")
    >>> _ = path.write_text("name;weight\napple;150.5\npear;NA\n")
    >>> read_table(path)
    Table: 2 rows, 2 columns
      name    nominal  2 categories: 'apple', 'pear'
      weight  numeric  150.5 to 150.5, 1 missing
    >>> folder.cleanup()
    """
    path = os.fspath(path)
    wishes = merge_kinds(kinds or {}, nominal, numeric)
    known = None if path == "-" and format is None else _format(path, format)
    budget = Budget(path, ReadLimits(max_cells, max_bytes, max_seconds))
    raw = read_file_bytes(path, budget)
    which = known or _find_format(unpacked(path, raw, budget))
    budget.expect(which)
    options = text_options(path, which, missing, delimiter, header, decimal)
    readers = {} if like is None else _readers(like, wishes, which, options)
    if like is not None and which in _OF_TEXT:
        wanted = {**_wishes_like(like), **wishes}
    else:
        wanted = wishes
    file = _File(path, raw, which, encoding, options, wanted, readers, budget)
    table, notes = _READERS[which](file)
    _check_known(wishes, table)
    try:
        table = _understood(table, wishes, notes, forms_of(decimal), like)
    except BadTypeError as error:
        raise BadFileError(str(error), path) from None
    warn_of_notes(notes, path, FILE_WAY_OUT)
    return table


def survey_table(  # noqa: PLR0913 (as for read_table)
    path: str,
    advance: Callable[[int], object],
    *,
    format: Format | None = None,
    kinds: Mapping[str, Wish] | None = None,
    missing: Collection[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    max_cells: float | None = None,
    max_bytes: float | None = None,
    max_seconds: float | None = None,
) -> Surveyed:
    """Look at a file that is to be read some rows at a time; see `read_table`.

    `advance` is called with the number of rows looked at.
    """
    if path == "-":
        raise BadInputError(
            "standard input is read once, and this needs a file twice; give a file."
        )
    which = _format(path, format)
    if which not in STREAMED:
        raise BadInputError(
            f"{path}: {which} files are read as a whole; give one of "
            f"{', '.join(STREAMED)}."
        )
    options = text_options(path, which, missing, delimiter, header, decimal)
    limits = ReadLimits(max_cells, max_bytes, max_seconds)
    streamed = Streamed(path, which, options, encoding, limits)
    return survey_file(streamed, merge_kinds(kinds or {}, (), ()), advance)


def _find_format(raw: bytearray) -> Format:
    """The format of what has no name, by its first bytes."""
    start = raw[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    formats = [which for mark, which in _STARTS if start.startswith(mark.lower())]
    return formats[0] if formats else "csv"


# --- formats --------------------------------------------------------------------------


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


Read = tuple[Table, list[str]]


def _read_csv(file: _File) -> Read:
    return read_csv(file.text, file.options, file.kinds, file.budget, file.readers)


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


def _readers(
    like: Table, wishes: Collection[str], which: Format, options: CsvOptions
) -> Readers:
    """The readers of columns that others have, unless they are to be something else.

    Numbers with a decimal comma are texts that other rules are for.
    """
    kinds = ("numeric", "nominal") if options.decimal == "." else ("nominal",)
    columns = [c for c in like if c.name not in wishes and c.kind in kinds]
    also = ERRORS if which == "excel" else frozenset()
    return readers_like(columns, options.missing | also)


def _wishes_like(like: Table) -> dict[str, Wish]:
    """How the cells of a file are taken before they are read as others were.

    Texts that are to be understood are labels until then; dates of a sheet are dates.
    """
    return {c.name: "date" if c.reading else c.kind for c in like}


def _understood(
    table: Table,
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str],
    like: Table | None,
) -> Table:
    if like is not None:
        return read_as(table, describe_columns(like))
    remarks: list[str] = []
    understood = understand_table(table, wishes, remarks, forms)
    read = [f"column {c.name!r} " for c in understood if c.reading]
    notes[:] = [note for note in notes if not note.startswith(tuple(read))]
    notes += remarks
    return understood


def _format(path: str, format: str | None) -> Format:
    if format is not None:
        if format not in get_args(Format):
            raise BadInputError(
                f"format={format!r}; expected one of {', '.join(get_args(Format))}."
            )
        return format  # type: ignore[return-value]
    suffix = PurePath(path.lower().removesuffix(".gz")).suffix
    if suffix not in _FORMATS:
        raise BadInputError(
            f"{path}: the ending {suffix!r} is not a known format; pass format= one of "
            f"{', '.join(get_args(Format))}."
        )
    return _FORMATS[suffix]


def _check_known(wanted: Iterable[str], table: Table) -> None:
    unknown = [name for name in wanted if name not in table]
    if unknown:
        raise BadInputError(
            f"kinds, nominal or numeric name {unknown}; the file has {table.names}."
        )
