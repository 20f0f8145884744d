"""Output files of commands: text that is written completely or not at all, and CSV."""

import contextlib
import importlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from sklazy.cli.options import SAFE_CSV
from sklazy.errors import BadInputError, MissingExtraError
from sklazy.report import plain

_OTHER_FORMATS = (
    *(".xlsx", ".xlsm", ".xls", ".ods", ".json", ".jsonl", ".ndjson"),
    *(".feather", ".arrow", ".arff", ".html", ".sklazy"),
)


def free_name(name: str, taken: Collection[str], what: str) -> str:
    """The name of a user's column, told apart from columns that are written anyway.

    Examples
    --------
    >>> free_name("rent", ["prediction"], "true")
    'rent'
    >>> free_name("prediction", ["prediction"], "true")
    'prediction (true)'
    """
    return f"{name} ({what})" if name in taken else name


def check_table(out: str | None) -> None:
    """Refuse a file of predictions that is named like one of another format."""
    ending = Path(out or "").suffix.lower()
    if ending in _OTHER_FORMATS:
        name = Path(str(out)).with_suffix("")
        raise BadInputError(
            f"-o {out}: tables are written as CSV or Parquet; name the file {name}.csv "
            f"or {name}.parquet, or give --json and no -o for JSON."
        )


def check_out(out: str | None, *sources: str | None) -> None:
    """Refuse to overwrite an input file, and to read standard input twice."""
    paths = [source for source in sources if source is not None]
    if paths.count("-") > 1:
        raise BadInputError(
            "standard input, -, can be read once; give a file for one of the two."
        )
    for path in filter(os.path.exists, paths):
        if out is not None and os.path.exists(out) and os.path.samefile(out, path):
            raise BadInputError(f"{out} is an input file; write to another one.")


@contextlib.contextmanager
def replacing_text(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing; it replaces the old one when all is written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "sub", "a.txt")
    >>> with replacing_text(path) as file:
    ...     _ = file.write("whole")
    >>> path.read_text(), os.listdir(path.parent)
    ('whole', ['a.txt'])
    >>> folder.cleanup()
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file  # a device or a pipe cannot be replaced
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        # The user knows the file by this name, not by that of the draft.
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, completely or not at all."""
    with replacing_text(path) as file:
        file.write(text)


def write_columns(path: str | Path, columns: Mapping[str, Sequence[object]]) -> None:
    """Write columns as CSV, or as Parquet where the file is named so."""
    if Path(path).suffix.lower() not in (".parquet", ".pq"):
        write_text(path, to_csv(columns))
        return
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError(
            f"{path}: writing Parquet needs pyarrow; install it with pip install "
            "pyarrow, or name the file .csv."
        ) from None
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    draft = Path(path).with_name(f".{Path(path).name}.{os.getpid()}.part")
    try:
        cells = {name: _as_one_type(column) for name, column in columns.items()}
        parquet.write_table(arrow.table(cells), draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _as_one_type(column: Sequence[object]) -> list[object]:
    """Cells of one type, as a column of Parquet has them; else their texts."""
    kinds = {type(cell) for cell in column if cell is not None}
    if len(kinds) <= 1 or kinds == {int, float}:
        return list(column)
    return [None if cell is None else str(cell) for cell in column]


def round_figures(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with fractions of seven digits, as many as are worth reading.

    Examples
    --------
    >>> round_figures({"probability": [0.12345678901], "label": ["a"], "n": [3]})
    {'probability': [0.1234568], 'label': ['a'], 'n': [3]}
    """
    return {
        name: [float(f"{c:.7g}") if isinstance(c, float) else c for c in column]
        for name, column in columns.items()
    }


def to_csv(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns as CSV; with ``--safe-csv`` nothing in it is a formula."""
    context = click.get_current_context(silent=True)
    safe = bool(context and context.meta.get(SAFE_CSV))
    return plain.to_csv(columns, safe=safe)
