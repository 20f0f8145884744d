"""Files to tables: the format by the name's ending, or as told."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Literal, get_args

from sklazy.errors import BadFileError, BadInputError, BadTypeError
from sklazy.tables.arff import read_arff
from sklazy.tables.arrow_files import MOST_ARROW_BYTES, read_arrow
from sklazy.tables.convert import plain_table
from sklazy.tables.delimited import MISSING_MARKERS, CsvOptions, read_csv
from sklazy.tables.excel import read_excel
from sklazy.tables.json_lines import names_of, read_json
from sklazy.tables.origins import describe, read_as
from sklazy.tables.streams import STREAMED, Streamed
from sklazy.tables.surveying import Surveyed, survey
from sklazy.tables.table import Table, Wish
from sklazy.tables.text import as_text, read_bytes, unpacked
from sklazy.tables.understand import forms_of, say, understand_all

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
    max_bytes: int = MOST_ARROW_BYTES,
    like: Table | None = None,
) -> Table:
    r"""Read a CSV, ARFF, Parquet, Feather, JSON or Excel file into a typed table.

    A file is read whole and strictly, or refused with file, line and column. In a CSV
    file a column is numeric if all its known cells are numbers and it does not look
    like an id or a code (leading zeros, integers beyond 2^53, integers under a
    name with the word "id"): those become nominal. Labels of text files are strings;
    blanks around cells, and blank lines, are left out. Strings that all say dates,
    amounts (money, percentages, numbers with a unit or with separators) or yes and no
    are taken as such, and a column of strings that are nearly all different is marked
    to be left out by what learns from the table. One `DataWarning` tells all of it.

    Parameters
    ----------
    path : str or path
        "-" is standard input, whose format is found by its first bytes. Text files may
        be gzip; one that unpacks to more than 2 GiB, or to more than 64 MiB and 500
        times its size, is refused. A field of CSV has at most 131072 characters.
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
    max_bytes : int, default=2**32
        A Parquet or Feather file whose cells take more memory than that, at 8 bytes
        each and with its buffers unpacked, is refused before they are read: a small
        file may hold very many equal cells, or unpack to a large one. Texts count
        once, however many cells have them.
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
    wishes = _merged(kinds or {}, nominal, numeric)
    wanted = wishes if like is None else {**_wishes_like(like), **wishes}
    known = None if path == "-" and format is None else _format(path, format)
    raw = read_bytes(path)
    which = known or _found_out(unpacked(path, raw))
    notes: list[str] = []
    if which == "csv":
        if delimiter is None and _is_tabbed(path):
            delimiter = "\t"
        options = CsvOptions(delimiter, header, _markers(missing), decimal)
        table, notes = read_csv(as_text(path, raw, encoding), options, wanted)
    elif which == "excel":
        _refuse_options(which, delimiter)
        marks = _markers(missing)
        table, notes = read_excel(
            path, raw, header=header, missing=marks, decimal=decimal, kinds=wanted
        )
    else:
        _refuse_options(which, missing, delimiter, header, decimal)
        table, notes = _read_typed(path, raw, which, encoding, wishes, max_bytes)
    _check_known(wishes, table)
    try:
        table = _understood(table, wishes, notes, forms_of(decimal), like)
    except BadTypeError as error:
        raise BadFileError(str(error), path) from None
    say(notes, path)
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
) -> Surveyed:
    """Look at a file that is to be read some rows at a time; see `read_table`.

    Parameters
    ----------
    advance : callable
        Is told how many rows were looked at.
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
    if which != "csv":
        _refuse_options(which, missing, delimiter, header, decimal)
    if delimiter is None and which == "csv" and _is_tabbed(path):
        delimiter = "\t"
    options = CsvOptions(delimiter, header, _markers(missing), decimal)
    streamed = Streamed(path, which, options, encoding)
    return survey(streamed, _merged(kinds or {}, (), ()), advance)


def _is_tabbed(path: str) -> bool:
    return PurePath(path.removesuffix(".gz")).suffix.lower() in (".tsv", ".tab")


def _found_out(raw: bytes) -> Format:
    """The format of what has no name, by its first bytes."""
    start = raw[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    found = [which for mark, which in _STARTS if start.startswith(mark.lower())]
    return found[0] if found else "csv"


def _read_typed(
    path: str,
    raw: bytes,
    which: Format,
    encoding: str,
    wishes: Mapping[str, Wish],
    max_bytes: int,
) -> tuple[Table, list[str]]:
    """Read a file that says itself what its cells are."""
    if which == "arff":
        return read_arff(as_text(path, raw, encoding), wishes)
    if which != "jsonl":
        return read_arrow(path, unpacked(path, raw), which, wishes, max_bytes), []
    rows = read_json(as_text(path, raw, encoding))
    nominal = {
        n: w for n, w in wishes.items() if w == "nominal" and n in names_of(rows)
    }
    try:
        return plain_table(rows, categorical_features=nominal), []
    except BadInputError as error:
        raise BadFileError(str(error), path) from None


def _wishes_like(like: Table) -> dict[str, Wish]:
    """How the cells of a file are taken before they are read as others were."""
    return {c.name: "nominal" if c.reading else c.kind for c in like}


def _understood(
    table: Table,
    wishes: Mapping[str, Wish],
    notes: list[str],
    forms: Collection[str],
    like: Table | None,
) -> Table:
    if like is not None:
        return read_as(table, describe(like))
    found: list[str] = []
    understood = understand_all(table, wishes, found, forms)
    read = [f"column {c.name!r} " for c in understood if c.reading]
    notes[:] = [note for note in notes if not note.startswith(tuple(read))]
    notes += found
    return understood


def _format(path: str, given: str | None) -> Format:
    if given is not None:
        if given not in get_args(Format):
            raise BadInputError(
                f"format={given!r}; expected one of {', '.join(get_args(Format))}."
            )
        return given  # type: ignore[return-value]
    suffix = PurePath(path.lower().removesuffix(".gz")).suffix
    if suffix not in _FORMATS:
        raise BadInputError(
            f"{path}: the ending {suffix!r} names no known format; say format= one of "
            f"{', '.join(get_args(Format))}."
        )
    return _FORMATS[suffix]


def _merged(
    kinds: Mapping[str, Wish], nominal: Collection[str], numeric: Collection[str]
) -> dict[str, Wish]:
    """All wishes about kinds as one mapping; contradictions are refused."""
    if not isinstance(kinds, Mapping):
        raise BadInputError(
            f"kinds={kinds!r}; expected a mapping of names to one of "
            f"{', '.join(get_args(Wish))}."
        )
    for parameter, names in (("nominal", nominal), ("numeric", numeric)):
        if isinstance(names, str):
            raise BadInputError(
                f"{parameter}={names!r}; expected a list of names: [{names!r}]."
            )
    wanted: dict[str, Wish] = {}
    pairs: list[tuple[str, Wish]] = [
        *kinds.items(),
        *((name, "nominal") for name in nominal),
        *((name, "numeric") for name in numeric),
    ]
    for name, kind in pairs:
        if kind not in get_args(Wish) or wanted.setdefault(name, kind) != kind:
            raise BadInputError(
                f"column {name!r} cannot be {kind!r}"
                + (f" and {wanted[name]!r}" if name in wanted else "")
                + f"; say one of {', '.join(get_args(Wish))}, once."
            )
    return wanted


def _markers(missing: Collection[str] | None) -> frozenset[str]:
    if missing is None:
        return MISSING_MARKERS
    if isinstance(missing, str) or not all(isinstance(cell, str) for cell in missing):
        strings = [missing] if isinstance(missing, str) else list(map(str, missing))
        raise BadInputError(
            f"missing={missing!r}; expected a list of strings: {strings!r}."
        )
    return frozenset(missing)


def _check_known(wanted: Iterable[str], table: Table) -> None:
    unknown = [name for name in wanted if name not in table]
    if unknown:
        raise BadInputError(
            f"kinds, nominal or numeric name {unknown}; the file has {table.names}."
        )


def _refuse_options(which: str, *given: object) -> None:
    if any(option not in (None, ".") for option in given):
        raise BadInputError(
            "delimiter is for CSV files, missing, header and decimal are for these and "
            f"Excel, this is {which}; leave them out, or say format='csv'."
        )
