"""Search files for bytes that should be gone."""

import hashlib
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sklazy.errors import BadFileError


class SearchedFile(NamedTuple):
    """A file that was searched, and how often patterns occur in it."""

    path: Path
    n_bytes: int
    sha256: str
    hits: int


def search_file(path: Path, patterns: Sequence[bytes]) -> SearchedFile:
    """Count where patterns occur in a file, whatever its format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "notes.txt"
    ...     _ = path.write_bytes(b"Ada and Ada")
    ...     search_file(path, [b"Ada", b"Eve"]).hits
    2
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not size:
                return SearchedFile(path, 0, hashlib.sha256().hexdigest(), 0)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                hits = sum(_count(data, pattern) for pattern in patterns)
                return SearchedFile(path, size, hashlib.sha256(data).hexdigest(), hits)
    except OSError as error:
        raise BadFileError(
            f"cannot be searched ({error.strerror}). Check its permissions.", path
        ) from error


def patterns_in(path: Path, patterns: Sequence[bytes]) -> set[bytes]:
    """Find the patterns that occur in a file, which is not empty."""
    with (
        open(path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return {pattern for pattern in patterns if data.find(pattern) >= 0}


def _count(data: mmap.mmap, pattern: bytes) -> int:
    """Count the places where a pattern begins."""
    hits, place = 0, data.find(pattern)
    while place >= 0:
        hits, place = hits + 1, data.find(pattern, place + 1)
    return hits


def sidecars_of(path: str | Path) -> list[Path]:
    """List the files beside another one that belong to it by their names.

    These are its locks, changes under way, leftovers and copies: every file whose name
    begins with that of the file, or with a dot and that name.
    """
    real = Path(os.path.realpath(path))
    begins = (real.name, f".{real.name}")
    beside = real.parent.iterdir()
    return sorted(p for p in beside if _is_beside(p, real, begins))


def _is_beside(path: Path, real: Path, begins: tuple[str, ...]) -> bool:
    return path != real and path.name.startswith(begins) and path.is_file()


def files_under(places: Iterable[str | Path]) -> Iterator[Path]:
    """List files, and all files in folders and the folders within."""
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(p for p in place.rglob("*") if p.is_file())
        elif place.is_file():
            yield place
        else:
            raise BadFileError(
                "there is no such file or folder to search; check its name.", place
            )
