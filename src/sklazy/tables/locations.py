"""Where files are: paths, lists of them, patterns, directories, hive partitions, URLs.

Whatever names several files becomes a list of `Location`, in one order on every
machine. In a path ``lake/country=DE/day=2024-05-01/part-0.parquet`` the folders below
``lake`` are columns of the file: hive's partitions, as Spark, Dask, Arrow and DuckDB
write them.
"""

import glob
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

from sklazy.errors import BadFileError, BadInputError, MissingExtraError

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The folder's name for a missing cell."""

HIDDEN = ("_", ".")
"""How names of files without rows begin, such as _SUCCESS and .part.crc."""

_PATTERN = "*?["

Partition = tuple[tuple[str, str | None], ...]


class Location(NamedTuple):
    """A file, on this machine or wherever fsspec can read.

    Attributes
    ----------
    path : str
        As messages name it.
    inside : str
        Its name in the file system.
    system : fsspec file system, or None for this machine
    partition : names and texts of columns that its folders stand for
    """

    path: str
    inside: str = ""
    system: Any = None
    partition: Partition = ()

    def open(self) -> IO[bytes]:
        """Open it to read bytes."""
        if self.system is None:
            return open(self.path, "rb")
        try:
            return io.BufferedReader(self.system.open(self.inside, "rb"))
        except FileNotFoundError:
            raise BadFileError(
                "there is no such file; check its name.", self.path
            ) from None

    @property
    def n_bytes(self) -> int:
        """Its length."""
        try:
            if self.system is None:
                return os.stat(self.path).st_size
            return int(self.system.size(self.inside) or 0)
        except FileNotFoundError:
            raise BadFileError(
                "there is no such file, or it is gone.", self.path
            ) from None


def is_several(where: object) -> bool:
    """Whether something names files otherwise than by the path of one on this machine.

    Examples
    --------
    >>> is_several("a.csv"), is_several("*.csv"), is_several(["a.csv", "b.csv"])
    (False, True, True)
    """
    if isinstance(where, list | tuple):
        return bool(where) and all(isinstance(one, str | os.PathLike) for one in where)
    if not isinstance(where, str | os.PathLike):
        return False
    path = os.fspath(where)
    if is_url(path):
        return True
    return os.path.isdir(path) or (_is_pattern(path) and not os.path.exists(path))


def is_url(path: str) -> bool:
    """Whether a path names a file system before it.

    Examples
    --------
    >>> is_url("s3://bucket/a.parquet"), is_url("a.parquet")
    (True, False)
    """
    return "://" in path


def find_files(where: object) -> list[Location]:
    """List the files that a path, a pattern, a directory, a URL or a list names.

    Hidden files, and those that begin with an underscore, are left out of directories.
    """
    if isinstance(where, list | tuple):
        files = [file for one in where for file in find_files(one)]
        return [
            file._replace(partition=_read_partition(file.inside or file.path))
            for file in files
        ]
    path = os.fspath(where)  # type: ignore[call-overload]
    files = list(_find_remote(path) if is_url(path) else _find_here(path))
    if not files:
        what = "matches no file" if _is_pattern(path) else "has no files"
        raise BadInputError(f"{path} {what}; give a path to one file or more.")
    return files


def _is_pattern(path: str) -> bool:
    return any(mark in path for mark in _PATTERN)


def _find_here(path: str) -> Iterator[Location]:
    if os.path.isdir(path):
        for name in sorted(_walk(path)):
            inner = os.path.relpath(name, path)
            yield Location(name, partition=_read_partition(inner))
    elif _is_pattern(path) and not os.path.exists(path):
        for name in sorted(glob.glob(path, recursive=True)):
            if os.path.isfile(name):
                yield Location(name, partition=_read_partition(name))
    elif os.path.exists(path):
        yield Location(path)
    else:
        raise BadFileError("there is no such file; check its name.", path)


def _walk(folder: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    """The files of a folder, also behind links; of links that lead back, none."""
    real = os.path.realpath(folder)
    if real in above:
        return
    try:
        with os.scandir(folder) as entries:
            known = [one for one in entries if not one.name.startswith(HIDDEN)]
    except OSError as error:  # its rows would be left out silently
        raise BadFileError(
            f"the folder cannot be listed ({error.strerror}). Give this user the right "
            "to read it, or name the files to read.",
            folder,
        ) from None
    for entry in known:
        if entry.is_dir():
            yield from _walk(entry.path, (*above, real))
        else:
            yield entry.path


def _find_remote(url: str) -> Iterator[Location]:
    """The files of a URL, by the file system that fsspec has for its scheme."""
    system, path = _open_system(url)
    scheme = url.partition("://")[0]
    if system.isdir(path):
        root = path.rstrip("/") + "/"
        for name in sorted(system.find(path)):
            inner = name.removeprefix(root)
            if not _is_hidden(inner):
                yield _remote(scheme, name, system, _read_partition(inner))
    elif _is_pattern(path) and not system.exists(path):
        for name in sorted(system.glob(path)):
            yield _remote(scheme, name, system, _read_partition(name))
    elif system.exists(path):
        yield _remote(scheme, path, system, ())
    else:
        raise BadFileError("there is no such file; check its name.", url)


def _remote(scheme: str, name: str, system: Any, partition: Partition) -> Location:  # noqa: ANN401
    if scheme in ("file", "local"):
        return Location(name, partition=partition)
    return Location(f"{scheme}://{name}", name, system, partition)


def _open_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError(
            f"{url}: reading URLs needs fsspec; install it, and what it needs for this "
            "scheme, with pip install fsspec."
        ) from None
    try:
        system, path = url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise BadInputError(f"{url}: {error}") from None
    return system, path


def _is_hidden(inner: str) -> bool:
    return any(part.startswith(HIDDEN) for part in PurePath(inner).parts)


def _read_partition(path: str) -> Partition:
    """The columns that folders of a path stand for, as name=text.

    Examples
    --------
    >>> _read_partition("country=DE/day=2024-05-01/part-0.parquet")
    (('country', 'DE'), ('day', '2024-05-01'))
    """
    pairs = [part.partition("=") for part in PurePath(path).parts[:-1]]
    return tuple(
        (unquote(name), None if text == NO_VALUE else unquote(text))
        for name, sign, text in pairs
        if name and sign
    )


def check_partitions(files: Sequence[Location]) -> None:
    """Refuse files whose folders stand for other columns than those of the first."""
    first = [name for name, _ in files[0].partition]
    for file in files:
        names = [name for name, _ in file.partition]
        if names != first:
            raise BadFileError(
                f"its folders name the columns {names}, but those of {files[0].path} "
                f"name {first}. Give files that are partitioned alike.",
                file.path,
            )
