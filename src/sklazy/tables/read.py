"""Files to tables: the format by the name's ending, or as told."""

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Literal, get_args

from sklazy.errors import BadInputError, DataWarning
from sklazy.tables.arff import read_arff
from sklazy.tables.arrow_files import MOST_ARROW_BYTES, read_arrow
from sklazy.tables.delimited import MISSING_MARKERS, CsvOptions, read_csv
from sklazy.tables.table import Kind, Table
from sklazy.tables.text import read_text

Format = Literal["csv", "arff", "parquet", "feather"]

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
}


def read_table(  # noqa: PLR0913 (every reader's options, all by name)
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    kinds: Mapping[str, Kind] | None = None,
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    missing: Collection[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    max_bytes: int = MOST_ARROW_BYTES,
) -> Table:
    r"""Read a CSV, ARFF, Parquet or Feather file into a typed table.

    A file is read whole and strictly, or refused with file, line and column. In a CSV
    file a column is numeric if all its known cells are numbers and it does not look
    like an id or a code (leading zeros, integers beyond 2^53, integers under a
    name with the word "id"): those become nominal, with a `DataWarning`. Labels of
    text files are strings; blanks around cells, and blank lines, are left out.

    Parameters
    ----------
    path : str or path
        Text files may be gzip; one that unpacks to more than 2 GiB, or to more than
        64 MiB and 500 times its size, is refused. A field of CSV has at most 131072
        characters.
    format : {"csv", "arff", "parquet", "feather"}, optional
        By the ending otherwise: csv, tsv, tab, txt, data; arff; parquet, pq; feather,
        arrow; each but the last four also with gz.
    kinds : mapping of name to "numeric" or "nominal", optional
        What columns are, whatever they look like.
    nominal, numeric : collections of str, optional
        The same, as two lists of names.
    missing : collection of str, optional
        The cells of a CSV file that mean "missing"; otherwise the empty cell, ?, NA,
        N/A, n/a, #N/A, <NA>, NaN, nan, NULL, null and None.
    delimiter : str, optional
        Of a CSV file; otherwise the first of tab, semicolon, bar and comma that cuts
        the first lines into equally many fields.
    header : bool, optional
        Whether a CSV file's first row holds the names; otherwise judged by it: one
        of them stands above numbers, or all are distinct and do not occur again
        below. Without a header columns are named x0, x1, ...
    decimal : {".", ","}, default="."
        The decimal mark of a CSV file.
    encoding : str, default="utf-8"
        Of a text file; a byte order mark is left out.
    max_bytes : int, default=2**32
        A Parquet or Feather file whose cells take more memory than that, at 8 bytes
        each and with its buffers unpacked, is refused before they are read: a small
        file may hold very many equal cells, or unpack to a large one. Texts count
        once, however many cells have them.

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
    wanted = _merged(kinds or {}, nominal, numeric)
    which = _format(path, format)
    notes: list[str] = []
    if which == "csv":
        suffixes = PurePath(path.removesuffix(".gz")).suffix.lower()
        if delimiter is None and suffixes in (".tsv", ".tab"):
            delimiter = "\t"
        options = CsvOptions(delimiter, header, _markers(missing), decimal)
        table, notes = read_csv(read_text(path, encoding), options, wanted)
    elif which == "arff":
        _refuse_options(which, missing, delimiter, header, decimal)
        table, notes = read_arff(read_text(path, encoding), wanted)
    else:
        _refuse_options(which, missing, delimiter, header, decimal)
        table = read_arrow(path, which, wanted, max_bytes)
    _check_known(wanted, table)
    for note in notes:
        warnings.warn(f"{path}: {note}", DataWarning, stacklevel=2)
    return table


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
    kinds: Mapping[str, Kind], nominal: Collection[str], numeric: Collection[str]
) -> dict[str, Kind]:
    """All wishes about kinds as one mapping; contradictions are refused."""
    if not isinstance(kinds, Mapping):
        raise BadInputError(
            f"kinds={kinds!r}; expected a mapping of names to 'numeric' or 'nominal'."
        )
    for parameter, names in (("nominal", nominal), ("numeric", numeric)):
        if isinstance(names, str):
            raise BadInputError(
                f"{parameter}={names!r}; expected a list of names: [{names!r}]."
            )
    wanted: dict[str, Kind] = {}
    pairs: list[tuple[str, Kind]] = [
        *kinds.items(),
        *((name, "nominal") for name in nominal),
        *((name, "numeric") for name in numeric),
    ]
    for name, kind in pairs:
        if kind not in get_args(Kind) or wanted.setdefault(name, kind) != kind:
            raise BadInputError(
                f"column {name!r} cannot be {kind!r}"
                + (f" and {wanted[name]!r}" if name in wanted else "")
                + "; say 'numeric' or 'nominal', once."
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
            "missing, delimiter, header and decimal are for CSV files, this is "
            f"{which}; leave them out, or say format='csv'."
        )
