"""Any source of rows to a table."""

from collections.abc import Collection, Mapping

from sklazy.tables.file_options import Format
from sklazy.tables.sources import Source
from sklazy.tables.table import Table, Wish


def read_table(  # noqa: PLR0913 (every reader's options, all by name)
    path: object,
    *,
    connection: object = None,
    format: Format | None = None,
    kinds: Mapping[str, Wish] | None = None,
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    missing: Collection[str] | None = None,
    usual_missing: bool = True,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    sheet: str | int | None = None,
    skip_rows: int = 0,
    max_cells: float | None = None,
    max_bytes: float | None = None,
    max_seconds: float | None = None,
    like: Table | None = None,
) -> Table:
    r"""Read files, or the rows of a database or a stream, into a typed table.

    CSV, ARFF, Parquet, Feather, JSON and Excel. A file is read strictly, or refused
    with file, line and column. In a CSV file a column is numeric if all its known
    cells are numbers and it does not look like an id or a code (leading zeros, integers
    beyond 2^53, integers under a name with the word "id"): those become nominal. Labels
    of text files are strings;
    blanks around cells, and blank lines, are left out. Strings that are all dates,
    amounts (money, percentages, numbers with a unit or with separators) or yes and no
    are taken as such, so are amounts among which are limits: "<0.05" is half of it
    ("at-limit" in `kinds`: the limit), "> 100" is 100, "-" is missing. A column of
    strings that are nearly all different is marked to be left out by what learns from
    the table. One `DataWarning` lists all of it.

    Parameters
    ----------
    path : str or path, or another source of rows
        "-" is standard input, whose format is found by its first bytes. Text files may
        be gzip. A field of CSV has at most 131072 characters. A list of paths, a
        pattern, a directory, a URL, an open file, Arrow's datasets and streams,
        relations of DuckDB, lazy frames, or a query: see `Source`.
    connection : object, optional
        The database of a query, see `Source`.
    format : {"csv", "arff", "parquet", "feather", "jsonl", "excel"}, optional
        By the ending otherwise: csv, tsv, tab, txt, data; arff; parquet, pq; feather,
        arrow; jsonl, ndjson, json (an object per line, or an array of them); xlsx, xlsm
        (the first sheet). Text files also with gz.
    kinds : mapping of name to str, optional
        What columns are, whatever they look like: "numeric", "nominal", "date",
        "day-first", "month-first", "decimal-point", "decimal-comma", "at-limit" or
        "ignore".
    nominal, numeric : collections of str, optional
        The same, as two lists of names.
    missing : collection of str, optional
        The cells of a CSV or Excel file that mean "missing", besides the usual ones.
    usual_missing : bool, default=True
        Whether the empty cell, ?, NA, N/A, n/a, #N/A, <NA>, NaN, nan, NULL, null and
        None mean "missing" in a CSV or Excel file. If not, those named by `missing`
        alone do.
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
    sheet : str or int, optional
        Of an Excel file: its name, or its place counted from 0; otherwise the first.
    skip_rows : int, default=0
        Rows of an Excel sheet above the header that are left out.
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
    options = {
        "format": format,
        "kinds": kinds,
        "nominal": nominal,
        "numeric": numeric,
        "missing": missing,
        "usual_missing": usual_missing,
        "delimiter": delimiter,
        "header": header,
        "decimal": decimal,
        "encoding": encoding,
        "sheet": sheet,
        "skip_rows": skip_rows,
        "max_cells": max_cells,
        "max_bytes": max_bytes,
        "max_seconds": max_seconds,
    }
    if isinstance(path, Source):
        return path.read(like=like)
    return Source(path, connection=connection, **options).read(like=like)
