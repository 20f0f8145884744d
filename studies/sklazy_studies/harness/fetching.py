"""Data sets from OpenML, checked and stored as ARFF files."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sklearn.datasets import fetch_openml

from sklazy.cli.writing import replacing_text
from sklazy.errors import BadInputError, MissingDataError, SklazyError
from sklazy.tables import Column, Table, as_table, as_target
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, check_shape, find_file, trim

Fetch = Callable[..., Any]

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")


def fetch_missing(
    sets: Iterable[Known], folder: Path, fetch: Fetch = fetch_openml
) -> list[str]:
    """Download missing sets from OpenML; return the names of those downloaded.

    Parameters
    ----------
    sets : iterable of Known
    folder : path
        Where files are read and written.
    fetch : callable
        `sklearn.datasets.fetch_openml`.

    Raises
    ------
    MissingDataError
        When some cannot be downloaded; the others are kept.
    """
    missing = [known for known in sets if find_file(known, folder) is None]
    failures = []
    for known in missing:
        try:
            write_arff(_fetched(known, fetch), folder / known.fetched)
        # OpenML, the network, the parser: any failure is reported, set by set.
        except Exception as error:
            failures.append(f"  {known.name}: {_reason(error)}")
    if failures:
        raise MissingDataError(
            "\n".join([f"{len(failures)} data set(s) cannot be downloaded:", *failures])
        )
    return [known.name for known in missing]


def _fetched(known: Known, fetch: Fetch) -> DataSet:
    if not known.openml:
        raise BadInputError(
            "OpenML has no set of its shape; put its file "
            f"({known.files[0]}) into the data folder."
        )
    target = known.openml_target or "default-target"
    bunch = fetch(data_id=known.openml, as_frame=True, target_column=target)
    table = as_table(bunch.data)
    name = "class" if "class" not in table else "target class"
    kind = _as_classes if known.n_classes else _as_numbers
    whole = Table((*table.columns, kind(bunch.target).renamed(name)))
    data = trim(known, whole, name)
    check_shape(known, data, f"OpenML {known.openml}")
    return DataSet(known.name, data.table, whole[name])


def _as_classes(target: object) -> Column:
    return as_target(target, "nominal")


def _as_numbers(target: object) -> Column:
    return Column("target", "numeric", as_target(target, "numeric"))


def _reason(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0]
    return (
        first if isinstance(error, SklazyError) else f"{type(error).__name__}: {first}"
    )


def write_arff(data: DataSet, path: Path) -> None:
    """Write a set as ARFF, the target last; the file is complete or does not exist."""
    assert isinstance(data.target, Column)
    columns = [*data.table.columns, data.target]
    with replacing_text(path) as file:
        file.write(f"@relation {_quoted(data.name)}\n\n")
        for column in columns:
            file.write(f"@attribute {_quoted(column.name)} {_type(column)}\n")
        file.write("\n@data\n")
        cells = [_cells(column) for column in columns]
        file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))


def _type(column: Column) -> str:
    if column.kind == "numeric":
        return "numeric"
    return "{" + ",".join(_quoted(str(label)) for label in column.categories) + "}"


def _cells(column: Column) -> list[str]:
    written = str if column.kind == "numeric" else _quoted
    return ["?" if cell is None else written(str(cell)) for cell in column.cells()]


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    for character, code in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        escaped = escaped.replace(character, code)
    return f"'{escaped}'"
