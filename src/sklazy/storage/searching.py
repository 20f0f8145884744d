"""Search files for bytes that should be gone."""

import hashlib
import mmap
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError
from sklazy.storage.files import opened

_FEW = 24  # patterns that are searched for one by one
_END = 4  # bytes of a pattern by which many are told apart; shorter ones are few
_BITS = 22  # of a table of ends, which leaves few places to look at
_AT_ONCE = 1 << 24  # bytes that are looked at together


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
                hits = sum(1 for _ in _find_all(data, patterns))
                return SearchedFile(path, size, hashlib.sha256(data).hexdigest(), hits)
    except OSError as error:
        raise BadFileError(
            f"cannot be searched ({error.strerror}). Check its permissions.", path
        ) from error


def search_if_there(path: Path, patterns: Sequence[bytes]) -> SearchedFile | None:
    """Search a file that others may remove at any time."""
    try:
        return search_file(path, patterns)
    except BadFileError:
        if os.path.exists(path):
            raise
        return None


def check_readable(paths: Iterable[Path]) -> None:
    """Refuse files that cannot be searched, before anything is done to others."""
    for path in paths:
        if path.exists():
            with opened(path):
                pass


def patterns_in(path: Path, patterns: Sequence[bytes]) -> set[bytes]:
    """Find the patterns that occur in a file, which is not empty."""
    with (
        open(path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return set(_find_all(data, patterns))


def _find_all(data: mmap.mmap, patterns: Sequence[bytes]) -> Iterator[bytes]:
    """Find patterns, each as often as it occurs: one by one, or many at once."""
    if len(patterns) <= _FEW or min(map(len, patterns)) < _END:
        for pattern in patterns:
            place = data.find(pattern)
            while place >= 0:
                yield pattern
                place = data.find(pattern, place + 1)
        return
    known: dict[bytes, Counter[bytes]] = defaultdict(Counter)
    for pattern in patterns:
        known[pattern[-_END:]][pattern] += 1
    lengths = {
        end: sorted({len(pattern) for pattern in some}) for end, some in known.items()
    }
    for place in _ends_in(data, list(known)):
        end = data[place : place + _END]
        for length in lengths.get(end, ()):
            first = place + _END - length
            piece = data[first : place + _END] if first >= 0 else b""
            for _ in range(known[end].get(piece, 0)):
                yield piece


def _ends_in(data: mmap.mmap, ends: Sequence[bytes]) -> Iterator[int]:
    """Find where one of many ends of patterns, of `_END` bytes each, may lie."""
    words = np.unique(np.frombuffer(b"".join(ends), "<u4"))
    marked = np.zeros(1 << _BITS, bool)
    marked[_hash(words)] = True
    for first in range(0, len(data), _AT_ONCE):
        piece = np.frombuffer(data[first : first + _AT_ONCE + _END - 1], np.uint8)
        for shift in range(_END):
            n_words = (len(piece) - shift) // _END
            there = piece[shift : shift + n_words * _END].view("<u4")
            places = np.flatnonzero(marked[_hash(there)])
            places = places[np.isin(there[places], words)]
            yield from (first + shift + places * _END).tolist()


def _hash(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return (words * np.uint32(0x9E3779B1)) >> np.uint32(32 - _BITS)


def sidecars_of(path: str | Path) -> list[Path]:
    """List the files beside another one that belong to it by their names.

    These are its locks, changes under way, leftovers and copies: every file whose name
    begins with that of the file, or with a dot and that name; and all files in folders
    with such a name where a dot, a dash or the like follows. A link to the file has
    others beside itself.
    """
    places = dict.fromkeys([Path(os.path.realpath(path)), Path(path).absolute()])
    beside = {file for place in places for file in _beside(place)}
    return sorted(beside - set(places))


def _beside(path: Path) -> Iterator[Path]:
    begins = (path.name, f".{path.name}")
    found = (p for p in path.parent.iterdir() if p.name.startswith(begins))
    for place in found:
        rest = place.name.removeprefix(".").removeprefix(path.name)
        is_folder = place.is_dir() and not (place.is_symlink() or rest[:1].isalnum())
        files = place.rglob("*") if is_folder else [place]
        yield from (file for file in files if file.is_file())


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
