"""The data sets of the papers, read from a folder and checked."""

import functools
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sklearn.datasets
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from sklazy.errors import BadFileError, MissingDataError
from sklazy.tables import Column, Table, as_table, as_target, read_table
from sklazy_studies.harness.catalog import Known, find_known
from sklazy_studies.harness.unit import Unit

BESIDE = Path("..") / "shared" / "data"
"""A folder next to the project."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set as the experiments use it.

    Attributes
    ----------
    name : str
    table : Table
        The attributes, without columns that only name the row.
    target : Column of classes, or float64 array of numbers
        Rows without it are left out. All classes that occur are declared, so that
        every fold has the same.
    """

    name: str
    table: Table
    target: Column | NDArray[np.float64]

    @property
    def classes(self) -> Column:
        """The target of a set for classification."""
        assert isinstance(self.target, Column)
        return self.target

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The target of a set for regression."""
        assert isinstance(self.target, np.ndarray)
        return self.target


def data_folder(folder: str | Path | None = None) -> Path:
    """The folder of the data sets.

    In this order: as given, ``SKLAZY_DATA``, next to the project, or a folder in
    scikit-learn's data home, to which sets are downloaded.
    """
    if folder is not None:
        return Path(folder)
    if os.environ.get("SKLAZY_DATA"):
        return Path(os.environ["SKLAZY_DATA"])
    # `get_data_home` would make the folder, which only a download should do.
    home = os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")
    return BESIDE if BESIDE.is_dir() else Path(home).expanduser() / "sklazy"


def find_file(known: Known, folder: Path) -> Path | None:
    """The file of the set, if it is there."""
    return next((folder / f for f in known.files if (folder / f).is_file()), None)


def is_available(known: Known, folder: Path) -> bool:
    """Whether the file of the set is there, or scikit-learn's own copy."""
    return bool(known.bundled) or find_file(known, folder) is not None


def find_sets(names: Iterable[str], folder: Path) -> list[Known]:
    """The sets of these names, all of which must be available."""
    sets = [find_known(name) for name in names]
    require_sets(sets, folder)
    return sets


def require_sets(sets: Iterable[Known], folder: Path) -> None:
    """Raise an error that lists the sets that are missing, and how to get them."""
    missing = [known for known in sets if not is_available(known, folder)]
    if missing:
        raise MissingDataError(_how_to_get(missing, folder))


def _how_to_get(missing: list[Known], folder: Path) -> str:
    lines = [f"{len(missing)} data set(s) not found in {folder}:"]
    for known in missing:
        where = f"OpenML {known.openml}" if known.openml else "not at OpenML"
        lines.append(f"  {known.name}: {known.files[0]} ({where})")
    lines.append("Give their folder with --data DIR (or SKLAZY_DATA),")
    if any(known.openml for known in missing):
        lines.append("download those at OpenML with --fetch,")
    lines.append("or leave them out with --sets.")
    return "\n".join(lines)


def checksum(known: Known, folder: Path) -> str:
    """SHA-256 of the file of the set, or the name of scikit-learn's copy."""
    path = find_file(known, folder)
    if path is None:
        require_sets([known], folder)
        return f"scikit-learn {known.bundled}"
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_set(known: Known, folder: Path) -> DataSet:
    """Read a set and check its shape; the last two are cached.

    Examples
    --------
    >>> from sklazy_studies.harness.catalog import find_known
    >>> load_set(find_known("wine"), data_folder()).table.shape
    (178, 13)
    """
    require_sets([known], folder)
    return _load(known, *_version(find_file(known, folder)))


def _version(path: Path | None) -> tuple[Path | None, int, int]:
    """The file, its size and its time: these change when it does."""
    if path is None:
        return None, 0, 0
    state = path.stat()
    return path, state.st_size, state.st_mtime_ns


@functools.lru_cache(maxsize=2)
def _load(known: Known, path: Path | None, *version: int) -> DataSet:
    if path is None:
        return _bundled(known)
    read = _read_svmlight if ".svm" in path.name else _read_table
    data = read(known, path)
    check_shape(known, data, str(path))
    return data


def load_unit_set(unit: Unit, folder: Path) -> tuple[Known, DataSet]:
    """The data set of a unit, if it has not changed since the unit was made."""
    known = find_known(unit.setting["set"])
    if checksum(known, folder) != unit.data:
        raise BadFileError(
            "the file has changed since the run began. Start it again.",
            find_file(known, folder),
        )
    return known, load_set(known, folder)


def _bundled(known: Known) -> DataSet:
    bunch = getattr(sklearn.datasets, f"load_{known.bundled}")()
    table = as_table(bunch.data, feature_names=list(bunch.feature_names))
    labels = [str(bunch.target_names[code]) for code in bunch.target]
    classes = replace(as_target(labels, "nominal"), declared=True)
    return DataSet(known.name, table, classes)


def _read_table(known: Known, path: Path) -> DataSet:
    whole = read_table(path)
    return trim(known, whole, known.target or whole.names[-1])


def trim(known: Known, whole: Table, target: str) -> DataSet:
    """Separate the target; leave out rows without it and columns of no use."""
    whole = whole.take(~whole[target].missing)
    if known.first_rows:
        whole = whole.take(np.arange(len(whole)) < known.first_rows)
    dropped = [name for name in known.dropped if name in whole]
    table = whole.drop([target, *dropped])
    if known.labels:
        table = Table(tuple(map(_as_labels, table)))
    if not known.n_classes:
        return DataSet(known.name, table, as_target(whole[target], "numeric"))
    classes = as_target(whole[target], "nominal").occurring()
    return DataSet(known.name, table, replace(classes, declared=True))


def _as_labels(column: Column) -> Column:
    """A column of numbers as labels."""
    if column.kind == "nominal":
        return column
    values, codes = np.unique(column.data, return_inverse=True)
    return Column(
        column.name, "nominal", codes.astype(np.int32), tuple(values.tolist()), True
    )


def _read_svmlight(known: Known, path: Path) -> DataSet:
    """Read a sparse file; columns of zeros alone are left out."""
    matrix, labels = load_svmlight_file(str(path), n_features=known.n_attributes)
    matrix = matrix.tocsc()
    is_binary = bool((matrix.data == 1).all())
    columns = []
    for j in np.flatnonzero(np.diff(matrix.indptr)):
        cells = np.zeros(len(labels), np.int32 if is_binary else np.float64)
        entries = slice(matrix.indptr[j], matrix.indptr[j + 1])
        cells[matrix.indices[entries]] = matrix.data[entries]
        columns.append(
            Column(f"x{j}", "nominal", cells, (0, 1), True)
            if is_binary
            else Column(f"x{j}", "numeric", cells)
        )
    classes = replace(as_target(labels, "nominal"), declared=True)
    return DataSet(known.name, Table(tuple(columns)), classes)


def check_shape(known: Known, data: DataSet, source: str) -> None:
    """Refuse a set that is not the one the papers used."""
    n_rows, n_attributes = data.table.shape
    n_classes = len(data.target.categories) if isinstance(data.target, Column) else 0
    expected = (known.n_rows, known.n_attributes, known.n_classes)
    actual = (n_rows, n_attributes, n_classes)
    is_sparse = known.file.endswith(".svm.gz")  # columns of zeros were left out
    if actual[::2] != expected[::2] or (n_attributes != expected[1] and not is_sparse):
        raise BadFileError(
            f"this is not the set {known.name!r}: it has {_shape(actual)} where "
            f"{_shape(expected)} are expected. Use another file.",
            source,
        )


def _shape(shape: tuple[int, int, int]) -> str:
    n_rows, n_attributes, n_classes = shape
    return f"{n_rows} rows, {n_attributes} attributes" + (
        f", {n_classes} classes" if n_classes else ", a number to predict"
    )
